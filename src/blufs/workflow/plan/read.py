"""Read what the workflow folder holds (defaults, schemas, registry) and make the plan of a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from blufs.workflow.plan.config import known_datasets, with_defaults
from blufs.workflow.plan.jobs import Plan
from blufs.workflow.run.purpose import Purpose


def read_plan(
    config: Mapping[str, Any],
    root: Path,
    purpose: Purpose = Purpose.RUN,
    results: Path = Path("results"),
) -> Plan:
    """The plan of a run.

    Parameters
    ----------
    config : what the user has set; the rest is taken from ``root / "config.yaml"``
    root : folder of the project, wherever the run takes place
    purpose : why the workflow is read
    results : folder of the results of all suites

    Raises
    ------
    ConfigError
        Listing all problems of the configuration.
    """
    schemas = root / "workflow/schemas"
    merged = with_defaults(config, _read(root / "config.yaml"))
    definitions, problems = known_datasets(
        root / "data/datasets.yaml", schemas / "datasets.schema.yaml", merged.get("datasets")
    )
    plan = Plan(
        merged,
        _read(schemas / "config.schema.yaml"),
        definitions,
        dataset_problems=problems,
        results=results,
        purpose=purpose,
    )
    if purpose is Purpose.RUN:
        plan.note_traits()
    elif purpose is Purpose.LOOK and (unseen := plan.not_imported()):
        print(
            f"blufs: not imported, because nothing is run: {', '.join(sorted(set(unseen)))}; "
            "settings of these classes are checked when a run starts",
            file=sys.stderr,
        )
    return plan


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
