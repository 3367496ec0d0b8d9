"""Read what the workflow folder holds (defaults, schemas, registry) and make the plan of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import blufs_bench
from blufs_bench.datasets.own_files import own_file_problems
from blufs_bench.files.read_yaml import read_yaml
from blufs_bench.plan.config import completed, known_datasets
from blufs_bench.plan.document import repeated_keys
from blufs_bench.plan.jobs import Plan
from blufs_bench.run.process_control import Purpose


def project_folder(rules: str = "") -> Path:
    """Folder that holds ``config.yaml``, ``data/``, ``docs/`` and ``workflow/``.

    Parameters
    ----------
    rules : folder of the rules that are run, if they are; an address for a ``module:`` from
        elsewhere

    Returns
    -------
    folder : that of the rules, if they are on this machine; else the one that this package came
        from, or the copy inside of an installed wheel (see pyproject.toml)
    """
    package = Path(blufs_bench.__file__).parent
    folders = [Path(rules).parents[1]] if rules and Path(rules).is_dir() else []
    folders += [package.parents[1], package / "project"]
    return next(folder for folder in folders if (folder / "data/datasets.yaml").is_file())


def name_source(root: Path) -> None:
    """Tell ``workflow/envs/blufs.post-deploy.sh``, a child of this process, what to install."""
    os.environ["BLUFS_SOURCE"] = str(root)


def read_plan(
    config: Mapping[str, Any],
    root: Path,
    purpose: Purpose = Purpose.RUN,
    results: Path = Path("results"),
    files: Sequence[str | Path] = (),
) -> Plan:
    """The plan of a run.

    Parameters
    ----------
    config : what the user has set; the rest is taken from ``root / "config.yaml"``
    root : folder of the project, wherever the run takes place
    purpose : why the workflow is read
    results : folder of the results of all suites
    files : the files that ``config`` was read from

    Raises
    ------
    ConfigError
        Listing all problems of the configuration.
    """
    schemas = root / "workflow/schemas"
    merged = completed(config, read_yaml(root / "config.yaml"))
    definitions, problems = known_datasets(
        root / "data/datasets.yaml", schemas / "datasets.schema.yaml", merged.get("datasets")
    )
    if purpose is not Purpose.JOB:
        problems += _own_file_problems(merged, definitions)
        problems += [problem for path in files for problem in repeated_keys(path)]
    plan = Plan(
        merged,
        read_yaml(schemas / "config.schema.yaml"),
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


def _own_file_problems(config: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[str]:
    """What the user's own files of the chosen suite lack."""
    try:
        names = [str(name) for name in config["suites"][config["suite"]]["datasets"]]
    except (KeyError, TypeError):  # the schema says so
        return []
    return [
        f"datasets.{name}.{problem}"
        for name in names
        if "path" in definitions.get(name, {})
        for problem in own_file_problems(definitions[name])
    ]
