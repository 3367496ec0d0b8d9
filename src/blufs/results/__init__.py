"""The hinge between stages and analysis: the words, columns and files of the results."""

from blufs.results.suite import Suite, SuiteResults, load
from blufs.results.vocabulary import CHOICES, METRICS, STATUSES

__all__ = ["CHOICES", "METRICS", "STATUSES", "Suite", "SuiteResults", "load"]
