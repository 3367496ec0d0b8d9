"""What there is to reach on a dataset: from random features up to those chosen by the labels.

A dataset on which the positive control is hardly better than random features tells nobody which
method is good. Scores are between 0 and 1, rooms and distances in points, hundredths of the score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from blufs_bench.results.vocabulary import RANDOM_FEATURES

#: A room below this many points says nothing of methods.
LEAST_ROOM = 2.0


def headroom(random: pd.Series, spread: pd.Series, control: pd.Series) -> pd.DataFrame:
    """The room of every dataset on which both random features and the control have a score.

    Parameters
    ----------
    random, control : mean scores by dataset, NaN where there is none
    spread : standard deviation of the scores of random features over their repetitions

    Returns
    -------
    frame indexed by dataset: ``random``, ``supervised`` (scores), ``spread`` and ``room`` =
    100 (supervised - random) (points), ``has_room``: whether the room is at least
    :data:`LEAST_ROOM` and at least the spread
    """
    table = pd.DataFrame({"random": random, "supervised": control, "spread": 100 * spread})
    table = table.dropna(subset=["random", "supervised"]).fillna({"spread": 0.0})
    table["room"] = 100 * (table["supervised"] - table["random"])
    table["has_room"] = table["room"] >= table["spread"].clip(lower=LEAST_ROOM)
    return table


def shares(scores: pd.DataFrame, rooms: pd.DataFrame) -> pd.Series:
    """Share of the way from random features to the control, by method.

    (x - random) / (supervised - random) of the means over the datasets with room, so that one of
    little room weighs little. NaN where no dataset has room.

    Parameters
    ----------
    scores : of shape (datasets, methods), without gaps, random features among them
    rooms : what :func:`headroom` returns
    """
    wide = [name for name in scores.index if name in rooms.index and rooms.at[name, "has_room"]]
    gains = scores.loc[wide].sub(scores.loc[wide, RANDOM_FEATURES], axis=0)
    whole = rooms.loc[wide, "room"].sum() / 100
    return gains.sum() / whole if wide else pd.Series(np.nan, index=scores.columns)


def without_room(rooms: pd.DataFrame, datasets: Sequence[str]) -> list[str]:
    """Those of the datasets on which even the control is no better than random features."""
    return [name for name in datasets if name in rooms.index and not rooms.at[name, "has_room"]]
