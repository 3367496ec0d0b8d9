"""MCFS: multi-cluster feature selection."""

from blufs.methods.mcfs.estimator import MCFS

__all__ = ["MCFS"]
