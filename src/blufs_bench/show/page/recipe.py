"""From a row of the leaderboard to its use: which class a method is, and how one calls it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import blufs
from blufs_bench.selectors import _COUNT_PARAMETERS, UnknownMethodError, import_class


def recipe(name: str, about: Mapping[str, Any], pages: Path | None = None) -> dict[str, Any]:
    """How a method is imported and told s and c; empty where its class cannot be found.

    Parameters
    ----------
    about : what the suite says of the method, see :class:`~blufs_bench.results.suite.Suite`
    pages : folder with a page of every method, if there is one

    Returns
    -------
    dict with ``module`` and ``class``, ``count`` (the parameter that takes s, None if none does),
    ``clusters`` (whether there is one that takes c) and ``page`` (name of its file in ``pages``)
    """
    try:
        cls = import_class(name, about["class"])
        parameters = inspect.signature(cls).parameters
    except (KeyError, UnknownMethodError, TypeError, ValueError):
        return {}
    module, _, attribute = about["class"].partition(":")
    page = about.get("page")
    return {
        "module": "blufs" if getattr(blufs, attribute, None) is cls else module,
        "class": attribute,
        "count": next((name for name in _COUNT_PARAMETERS if name in parameters), None),
        "clusters": "n_clusters" in parameters,
        "page": page if page and pages and (pages / page).is_file() else None,
    }
