"""What can go wrong with a dataset."""

from __future__ import annotations


class DatasetError(ValueError):
    """A definition or a file of a dataset cannot be used; the message says what to do."""


class DatasetUnavailableError(DatasetError):
    """The file of a dataset could not be had from any mirror or address."""
