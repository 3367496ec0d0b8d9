"""What every job of the workflow does around its work: logging, threads, what it has used."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from blufs.workflow.run.usage import own_usage


@contextmanager
def job(log_path: str, threads: int = 1) -> Iterator[logging.Logger]:
    """Run a job: log to its file, fix the number of threads, log and re-raise what goes wrong.

    The log ends with the memory and the processor time that the job has used. A fixed number of
    threads gives the same bits on every machine size.
    """
    logger = logging.getLogger("blufs")
    handler = logging.FileHandler(log_path, mode="w", encoding="utf-8")
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
        logger.info("%s", own_usage())
        logger.removeHandler(handler)
        warning_logger.removeHandler(handler)
        handler.close()
