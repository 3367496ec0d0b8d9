"""The command ``blufs``: select features of a file, list the methods.

Other packages add commands by an entry point in the group ``blufs.commands``: a module with
``HELP``, ``add_arguments(parser)`` and ``run(arguments)``, which returns the exit code. ``compare``
comes from the benchmark in this way.
"""

from __future__ import annotations

import argparse
import ast
import csv
import difflib
import inspect
import io
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import get_tags

import blufs
from blufs._files import (
    READERS,
    TREATMENTS,
    Layout,
    Table,
    no_formula,
    read_table,
    text_lines,
    treat_missing,
    write_whole,
)
from blufs._numerics.feature_names import feature_costs, feature_groups
from blufs.base import BaseSelector

#: Exit codes: done; the data or the method do not allow it. (argparse ends with 2 for a command
#: that it does not understand, an interrupted one ends with 130.)
DONE, FAILED, INTERRUPTED = 0, 1, 130
GROUP = "blufs.commands"


class CommandError(Exception):
    """What was asked for cannot be done; the message says why and what to do."""


def methods() -> dict[str, type]:
    """The selectors of the library by name, and those that other packages have installed."""
    classes = {name: getattr(blufs, name) for name in blufs.__all__}
    library = {
        name: cls
        for name, cls in classes.items()
        if inspect.isclass(cls)
        and issubclass(cls, BaseSelector)
        and not name.endswith(("Selector", "Variant"))
    }
    installed = {point.name: point for point in entry_points(group="blufs.methods")}
    return library | {name: p.load() for name, p in installed.items() if name not in library}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    for name in ("stdout", "stderr"):  # None where the shell has closed it
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    words = sys.argv[1:] if arguments is None else list(arguments)
    words = words or ["--help"]
    options = _parser(words[0]).parse_args(words)
    try:
        return options.run(options)
    except UnicodeEncodeError as error:
        print(
            f"blufs: a name cannot be printed in {error.encoding}: write to a file by -o, or set "
            "PYTHONIOENCODING=utf-8",
            file=sys.stderr,
        )
        return FAILED
    except (CommandError, ValueError, TypeError, OSError, ArithmeticError) as error:
        if isinstance(error, BrokenPipeError):  # as in `blufs methods | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        print(f"blufs: {error}", file=sys.stderr)
        return FAILED
    except MemoryError:
        print("blufs: the data do not fit into memory", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("blufs: stopped", file=sys.stderr)
        return INTERRUPTED


def _parser(first: str) -> argparse.ArgumentParser:
    """The parser of a command line that begins with this word.

    Commands of other packages are imported if they are asked for, or all of them are listed.
    """
    parser = argparse.ArgumentParser(prog="blufs", description="Unsupervised feature selection.")
    parser.add_argument("--version", action="version", version=f"blufs {blufs.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_select(commands.add_parser("select", help="choose features of a file"))
    listing = commands.add_parser("methods", help="list the methods, or show one")
    listing.add_argument("name", nargs="?", help="a method, to see its parameters")
    listing.set_defaults(run=_show_methods)
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if first == point.name or first.startswith("-"):
            _add_installed(commands, point)
        else:
            commands.add_parser(point.name)
    return parser


def _add_installed(commands: Any, point: Any) -> None:
    """A command of another package; one whose package is not complete says what it needs."""
    try:
        module = point.load()
    except ImportError as error:
        missing = str(error)

        def explain(_: argparse.Namespace) -> int:
            raise CommandError(
                f"`blufs {point.name}` needs more than the library ({missing}): "
                "pip install 'blufs[workflow]'"
            )

        parser = commands.add_parser(point.name, help="needs pip install 'blufs[workflow]'")
        parser.add_argument("anything", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
        parser.set_defaults(run=explain)
    else:
        parser = commands.add_parser(point.name, help=module.HELP, description=module.__doc__)
        module.add_arguments(parser)
        parser.set_defaults(run=module.run)


def add_layout_arguments(parser: argparse.ArgumentParser) -> None:
    """How the file is laid out, the same for all commands that read one."""
    layout = parser.add_argument_group("the file")
    layout.add_argument("--id", metavar="COLUMN", help="column that names the samples")
    layout.add_argument("--label", metavar="COLUMN", help="column of classes")
    layout.add_argument("--drop", nargs="+", default=[], metavar="COLUMN", help="no features")
    layout.add_argument("--separator", metavar="CHARACTER", help="between the columns of a text")
    layout.add_argument("--transpose", action="store_true", help="features are in rows")


def _add_select(parser: argparse.ArgumentParser) -> None:
    parser.description = "Choose features of a file without labels and write their names."
    parser.add_argument("file", help=" ".join(READERS))
    parser.add_argument("-s", required=True, metavar="S", help="how many features: 50, 0.1, auto")
    parser.add_argument("-o", "--output", metavar="FILE", help="names, best first; else printed")
    parser.add_argument("--explain", metavar="FILE.csv", help="why each feature was chosen or not")
    method = parser.add_argument_group("the method")
    method.add_argument("--method", default="BLUFS", help="see `blufs methods` (default: BLUFS)")
    method.add_argument("--clusters", metavar="C", help="groups that you expect, or auto")
    method.add_argument("--include", nargs="+", default=[], metavar="NAME", help="must be chosen")
    method.add_argument("--exclude", nargs="+", default=[], metavar="NAME", help="may not be")
    method.add_argument("--costs", metavar="FILE.csv", help="lines name,cost: -s is a budget")
    method.add_argument("--groups", metavar="FILE.csv", help="lines name,group: -s counts groups")
    method.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="parameters")
    method.add_argument("--seed", type=int, default=0, help="of random methods (default: 0)")
    add_layout_arguments(parser)
    parser.add_argument("--array", metavar="NAME", help="array of a .npz or .mat, layer of a .h5ad")
    parser.add_argument("--no-header", action="store_true", help="the first line is a sample")
    parser.add_argument("--missing", choices=TREATMENTS, default="error", help="missing values")
    parser.add_argument(
        "--missing-text", nargs="+", default=[], metavar="TEXT", help="mean missing"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="only names and errors")
    parser.set_defaults(run=_select)


def _select(options: argparse.Namespace) -> int:
    left_out = (*options.drop, *(c for c in (options.id, options.label) if c is not None))
    layout = Layout(
        left_out=left_out,
        missing=tuple(options.missing_text),
        separator=character(options.separator),
        header=not options.no_header,
        transpose=options.transpose,
        array=options.array,
    )
    say = (lambda text: None) if options.quiet else (lambda text: print(text, file=sys.stderr))
    _check_outputs(options)  # before what may take hours
    with Waiting(f"reading {options.file}", options.quiet):
        table = read_table(options.file, layout)
    table, done = treat_missing(table, options.missing)
    n, d = table.X.shape
    say(f"{options.file}: {n:,} samples, {d:,} features")
    for text in (*(f"left out: {name}" for name in table.dropped), done):
        if text:
            say(text)
    selector = _selector(options, table)
    with (
        Waiting(f"{options.method} runs", options.quiet),
        warnings.catch_warnings(record=True) as w,
        redirect_stdout(sys.stderr),  # what the method prints is no feature
    ):
        warnings.simplefilter("always")
        selector.fit(table.X)
    for text in dict.fromkeys(str(warning.message) for warning in w):
        say(f"warning: {text}")
    order = np.argsort(selector.ranking_)
    chosen = [table.names[j] for j in order[: int(selector.support_.sum())]]
    if options.output not in (None, "-"):
        is_table = Path(options.output).suffix.lower() in (".csv", ".tsv")
        lines = _table([[_cell(name)] for name in chosen]) if is_table else _lines(chosen)
        write_whole(options.output, lines)
        say(f"{len(chosen)} features: {options.output}")
    else:
        sys.stdout.write(_lines(chosen))
        sys.stdout.flush()
    if options.explain:
        _explain(options.explain, selector, table, order)
        say(f"why: {options.explain}")
    return DONE


def character(separator: str | None) -> str | None:
    """What was given as ``--separator``; a tabulator may be written as in a program."""
    if separator is None:
        return None
    text = separator.replace("\\t", "\t")
    if len(text) != 1:
        raise CommandError(f"--separator must be one character, got {separator!r}")
    return text


#: Parameters with an option of their own.
_OWN_OPTIONS = {
    "n_features_to_select": "-s",
    "n_clusters": "--clusters",
    "include": "--include",
    "exclude": "--exclude",
}


def _selector(options: argparse.Namespace, table: Table) -> Any:
    cls = _method(options.method)
    parameters: dict[str, Any] = {}
    for name, value in map(_assignment, options.set):
        if name in parameters or name in _OWN_OPTIONS:
            why = f"say {_OWN_OPTIONS[name]}" if name in _OWN_OPTIONS else "it is given twice"
            raise CommandError(f"--set {name}: {why}")
        parameters[name] = value
    parameters["n_features_to_select"] = _number(options.s, "-s")
    known = inspect.signature(cls).parameters
    if options.clusters is not None:
        if "n_clusters" not in known:
            raise CommandError(f"{options.method} has no use for --clusters: leave it out")
        parameters["n_clusters"] = _number(options.clusters, "--clusters")
    elif "n_clusters" in known:
        parameters["n_clusters"] = _clusters_unless_given(cls)
    for name, read in _OF_FEATURES.items():
        wanted = getattr(options, name)
        if wanted:
            if name not in known:
                raise CommandError(f"{options.method} does not take --{name}")
            parameters[name] = read(wanted, table.names, f"--{name}")
    both = set(parameters.get("include", ())) & set(parameters.get("exclude", ()))
    if both:
        raise CommandError(f"--include and --exclude both have {table.names[min(both)]!r}")
    if "random_state" in known:
        parameters.setdefault("random_state", options.seed)
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        raise CommandError(
            f"{options.method} has no parameter {unknown[0]!r}{_close(unknown[0], known)} "
            f"`blufs methods {options.method}` shows them"
        )
    return cls(**parameters)


def _clusters_unless_given(cls: type) -> Any:
    """ "auto" where a method can count clusters; others need to be told."""
    rules = getattr(cls, "_parameter_constraints", {}).get("n_clusters", [])
    if any("auto" in getattr(rule, "options", ()) for rule in rules):
        return "auto"
    raise CommandError(f"{cls.__name__} needs to know the number of groups: --clusters C")


def _method(name: str) -> type:
    known = methods()
    if name not in known:
        raise CommandError(
            f"unknown method {name!r}{_close(name, known)} `blufs methods` lists them"
        )
    return known[name]


def _close(name: str, known: Iterable[str]) -> str:
    lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return f", did you mean {lower[near[0]]!r}?" if near else ";"


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _number(text: str, option: str) -> int | float | str:
    if text == "auto":
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise CommandError(f"{option} must be a number or auto, got {text!r}")


def _features(wanted: Sequence[str], names: Sequence[str], option: str) -> list[int]:
    """Numbers of the features with these names; ``@file`` stands for the lines of a file."""
    listed: list[str] = []
    for text in wanted:
        if text.startswith("@"):
            listed += text_lines(text[1:])
        else:
            listed.append(text)
    place = {name: j for j, name in enumerate(names)}
    unknown = [name for name in listed if name not in place]
    if unknown:
        raise CommandError(
            f"{option}: there is no feature {unknown[0]!r}{_close(unknown[0], names).rstrip(';')}"
        )
    return [place[name] for name in dict.fromkeys(listed)]


def _costs(path: str, names: Sequence[str], option: str) -> np.ndarray:
    costs = {}
    for name, text in _pairs(path, option).items():
        try:
            costs[name] = float(text)
        except ValueError:
            raise CommandError(f"{option}: the cost of {name!r} is no number: {text!r}") from None
    return feature_costs(costs, len(names), names)


def _groups(path: str, names: Sequence[str], option: str) -> np.ndarray:
    return feature_groups(_pairs(path, option), len(names), names)


def _pairs(path: str, option: str) -> dict[str, str]:
    """The second column of a file by the first one."""
    rows = list(csv.reader(text_lines(path)))
    wrong = [row for row in rows if len(row) != 2]
    if wrong:
        raise CommandError(f"{option}: lines of {path} must be name,value; one is {wrong[0]}")
    pairs: dict[str, str] = {}
    for name, value in ((name.strip(), value.strip()) for name, value in rows):
        if pairs.setdefault(name, value) != value:
            raise CommandError(f"{option}: {path} has two values for {name!r}")
    return pairs


#: How options that speak of features are read: what is given, the names of all, the option.
_OF_FEATURES: dict[str, Any] = {
    "include": _features,
    "exclude": _features,
    "costs": _costs,
    "groups": _groups,
}


def _explain(path: str, selector: Any, table: Table, order: np.ndarray) -> None:
    """A row per feature, best first: what `explain` says, where the method has it."""
    columns: dict[str, Any] = {"selected": np.where(selector.support_, "yes", "no")}
    columns["score"] = selector.scores_
    if hasattr(selector, "explain"):
        explained = selector.explain(table.X)
        shown = [name for name in explained if name not in ("feature", "rank")]
        columns |= {name: np.asarray(explained[name]) for name in shown}
        # The library numbers the features of an array: x0, x1, ...
        names = {f"x{j}": name for j, name in enumerate(table.names)}
        columns["most_similar"] = [names.get(name, "") for name in columns["most_similar"]]
    lines: list[list[Any]] = [["rank", "feature", *columns]]
    for rank, j in enumerate(order, start=1):
        cells = (column[j] for column in columns.values())
        lines.append([rank, _cell(table.names[j]), *map(_cell, cells)])
    write_whole(path, _table(lines))


def _lines(names: Iterable[str]) -> str:
    return "".join(f"{name}\n" for name in names)


def _table(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A value as a table for a spreadsheet has it."""
    missing = isinstance(value, float | np.floating) and np.isnan(value)
    return "" if missing else no_formula(value)


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written, and those that would replace one that is read."""
    files = {"-o": options.output, "--explain": options.explain}
    if options.output == "-":
        del files["-o"]
    targets = {
        option: Path(os.path.realpath(file)) for option, file in files.items() if file is not None
    }
    if options.explain == "-":
        raise CommandError("--explain: give the name of a file; '-' is none")
    listed = (text[1:] for text in (*options.include, *options.exclude) if text.startswith("@"))
    read = {"of the data": [options.file], "that --costs reads": [options.costs]}
    read |= {"that --groups reads": [options.groups], "of the names": [*listed]}
    sources = {Path(name): what for what, names in read.items() for name in names if name}
    for option, target in targets.items():
        folder = target.parent
        if target.is_dir():
            problem = "is a folder; give the name of a file"
        elif not folder.is_dir():
            problem = f"cannot be written: there is no folder {str(folder)!r}"
        elif not os.access(target if target.exists() else folder, os.W_OK):
            problem = "cannot be written: permission denied"
        elif what := next((what for source, what in sources.items() if _same(target, source)), ""):
            problem = f"is the file {what}, which would be lost; give another one"
        else:
            continue
        raise CommandError(f"{option}: {files[option]!r} {problem}")
    if len(set(targets.values())) < len(targets):
        raise CommandError("-o and --explain are the same file; give another one")


def _same(target: Path, source: Path) -> bool:
    return target.exists() and source.exists() and target.samefile(source)


def _show_methods(options: argparse.Namespace) -> int:
    if options.name is not None:
        cls = _method(options.name)
        print(inspect.cleandoc(cls.__doc__ or cls.__name__))
        return DONE
    rows = [("method", "sparse", "clusters", "what it does")]
    for name, cls in sorted(methods().items(), key=lambda item: item[0].lower()):
        sparse = "yes" if get_tags(cls()).input_tags.sparse else ""
        clusters = "yes" if "n_clusters" in inspect.signature(cls).parameters else ""
        rows.append((name, sparse, clusters, (inspect.getdoc(cls) or "").splitlines()[0]))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join([*cells, row[3]]))
    return DONE


class Waiting(AbstractContextManager):
    """Show on a terminal what is going on and for how long."""

    def __init__(self, text: str, quiet: bool = False):
        self.text = text
        self.shown = not quiet and sys.stderr.isatty()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Waiting:
        self.start = time.monotonic()
        if self.shown:
            self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        if self.shown:
            self.thread.join()
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        while not self.ended.wait(0.5):
            seconds = time.monotonic() - self.start
            print(f"\r{self.text}: {seconds:.0f} s", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
