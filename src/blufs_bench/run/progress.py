"""Progress that a person reads: one line that says stage, jobs done, failures and time left.

``logger: [blufs]`` in the profile puts it in the place of Snakemake's own log, which stays in its
file under .snakemake/log. ``--verbose`` and dry runs show Snakemake's log as ever.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase

from blufs_bench.run.process_control import is_asked_to_look

#: Rule -> what it does, in the words of a reader.
_STAGES = {
    "download": "getting data",
    "preprocess": "preparing data",
    "select": "selecting features",
    "screen": "screening settings",
    "choose": "choosing settings",
    "evaluate": "scoring selections",
    "time_fit": "measuring times",
    "resample": "testing stability",
    "collect": "collecting results",
    "compare_methods": "comparing methods",
    "build_tables": "building tables",
    "plot_figures": "drawing figures",
    "report": "writing the report",
}
#: Seconds between two lines where the output is no terminal.
_PAUSE = 15.0


class Progress:
    """The state of a run, fed with Snakemake's events."""

    def __init__(self, clock=time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self.done = self.total = self.failed = 0
        self.stage = "planning"

    def update(self, event: str, fields: dict[str, Any]) -> None:
        """Take in one event of Snakemake's logger, by its name."""
        if event == "job_info":
            self.stage = _STAGES.get(fields.get("rule_name", ""), fields.get("rule_name", ""))
        elif event == "progress":
            self.done, self.total = fields["done"], fields["total"]
        elif event in ("job_error", "group_error"):
            self.failed += 1
        elif event == "run_info":
            self.total = int(fields["stats"].get("total", self.total))

    @property
    def line(self) -> str:
        """``[ 35 of 235] selecting features, 2 failed, about 3 min left``."""
        if not self.total:
            return self.stage
        width = len(str(self.total))
        text = f"[{self.done:{width}d} of {self.total}] {self.stage}"
        if self.failed:
            text += f", {self.failed} failed"
        if 0 < self.done < self.total:
            left = (self._clock() - self._start) / self.done * (self.total - self.done)
            text += f", about {_duration(left)} left"
        return text


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def failed_job(fields: dict[str, Any]) -> str:
    """What failed and where its log is."""
    logs = ", ".join(map(str, fields.get("log") or []))
    return f"failed: {fields.get('rule_name', 'a job')}" + (f"; log: {logs}" if logs else "")


class LogHandler(LogHandlerBase):
    """Show the progress of a run on standard error."""

    def __post_init__(self) -> None:
        self._progress = Progress()
        self._shown = 0
        self._last_time = float("-inf")
        self._is_terminal = sys.stderr.isatty()

    @property
    def writes_to_stream(self) -> bool:
        """False leaves the screen to Snakemake's own log."""
        settings = self.common_settings
        return not (settings.verbose or settings.dryrun or is_asked_to_look())

    @property
    def writes_to_file(self) -> bool:
        return False

    @property
    def has_filter(self) -> bool:
        return True

    @property
    def has_formatter(self) -> bool:
        return True

    @property
    def needs_rulegraph(self) -> bool:
        return False

    def emit(self, record: logging.LogRecord) -> None:
        if not self.writes_to_stream:
            return
        event = getattr(record, "event", None)
        if event is None:
            self._message(record)
            return
        fields = vars(record)
        self._progress.update(str(event), fields)
        if str(event) == "job_error":
            self._print(failed_job(fields))
        elif str(event) == "error" or record.levelno >= logging.ERROR:
            self._print(record.getMessage())
        self._show()

    def _message(self, record: logging.LogRecord) -> None:
        """A message without an event: warnings, errors, and that nothing is to be done."""
        text = record.getMessage()
        if record.levelno >= logging.WARNING or text.startswith("Nothing to be done"):
            self._print(text)

    def _show(self) -> None:
        line = self._progress.line
        if self._is_terminal:
            sys.stderr.write("\r" + line.ljust(self._shown))
            sys.stderr.flush()
            self._shown = len(line)
            return
        now = time.monotonic()
        if now - self._last_time >= _PAUSE or 0 < self._progress.total == self._progress.done:
            self._last_time = now
            print(line, file=sys.stderr, flush=True)

    def _print(self, text: str) -> None:
        """A line of its own, over whatever progress is shown."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            self._shown = 0
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            print(file=sys.stderr)
            self._shown = 0
        super().close()
