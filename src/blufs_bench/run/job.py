"""What every job of the workflow does around its work: logging, threads, what it has used."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from threadpoolctl import threadpool_limits

from blufs_bench.run.process_control import end_with_run
from blufs_bench.run.usage import own_usage

#: What libraries read when they are loaded.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def job(log_path: str, threads: int = 1) -> Iterator[logging.Logger]:
    """Run a job: log to its file, fix the number of threads, log and re-raise what goes wrong.

    The log ends with the memory and the processor time that the job has used. A fixed number of
    threads gives the same bits on every machine size. It holds for libraries that are loaded later
    as well: a job that asks for all cores, to be alone, is told by Snakemake to use them.
    """
    end_with_run()
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    logger = logging.getLogger("blufs")
    Path(log_path).write_bytes(b"")
    # To append, as the child processes do, whose prints go to the same file.
    handler = logging.FileHandler(log_path, mode="a", encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logging.captureWarnings(True)
    warning_logger = logging.getLogger("py.warnings")
    warning_logger.addHandler(handler)
    try:
        with threadpool_limits(threads):
            yield logger
    except Exception as error:
        logger.exception("the job failed")
        print(f"{type(error).__name__}: {error} (log: {log_path})", file=sys.stderr)
        raise
    finally:
        logger.info("used at most %.0f MB and %.1f s of the processor", *own_usage())
        logger.removeHandler(handler)
        warning_logger.removeHandler(handler)
        handler.close()
