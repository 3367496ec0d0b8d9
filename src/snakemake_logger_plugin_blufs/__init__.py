"""Snakemake finds its logger plugins by the name of their package; this one shows our progress."""

from blufs_bench.run.progress import LogHandler

__all__ = ["LogHandler"]
