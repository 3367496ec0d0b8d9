"""BLSFS: bi-level spectral feature selection."""

from blufs.methods.blsfs.estimator import BLSFS

__all__ = ["BLSFS"]
