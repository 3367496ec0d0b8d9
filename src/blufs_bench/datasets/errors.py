"""What can go wrong with a dataset."""

from __future__ import annotations


class DatasetError(ValueError):
    """A dataset's definition or file cannot be used; the message says what to do."""


class DefinitionError(DatasetError):
    """Definitions of datasets are wrong; ``problems`` has one line for each."""

    def __init__(self, problems: list[str]):
        count = len(problems)
        head = f"{count} problem{'s' * (count > 1)} in the definitions of datasets:"
        super().__init__("\n".join([head, *(f"  - {problem}" for problem in problems)]))
        self.problems = problems


class DatasetUnavailableError(DatasetError):
    """A dataset's file is not on any mirror and could not be downloaded."""
