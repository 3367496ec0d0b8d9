"""Datasets: definitions, download, reading, and the arrays that everything else uses.

:mod:`definitions` (what is known) -> :mod:`download` (a verified file) -> :mod:`preparation` (clean
arrays) -> :mod:`storage` (written and read back).
"""
