"""The docstring of every method describes each of its parameters, once."""

import inspect
import re

import pytest

from blufs import BLUFSVariant
from blufs_bench.method_names import BUILT_IN
from blufs_bench.registry import method_class


def described(cls: type, section: str) -> list[str]:
    """Names of the parameters in a section of a docstring of numpydoc."""
    text = inspect.cleandoc(cls.__doc__)
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", text, flags=re.M | re.S)
    heads = re.findall(r"^(\w[\w, ]*)(?: :|$)", found[1] if found else "", flags=re.M)
    return [name for head in heads for name in head.split(", ")]


@pytest.mark.parametrize("cls", [*map(method_class, sorted(BUILT_IN)), BLUFSVariant])
def test_every_parameter_is_described_once(cls):
    found = [*described(cls, "Parameters"), *described(cls, "Other Parameters")]
    assert sorted(found) == sorted(inspect.signature(cls).parameters)
