"""BLFSE: bi-level feature selection by ensembles of clusterings."""

from blufs.methods.blfse.estimator import BLFSE

__all__ = ["BLFSE"]
