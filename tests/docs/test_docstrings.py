"""The docstring of every method describes each of its parameters, once."""

import inspect
import re

import pytest

from blufs_bench.method_names import BUILT_IN
from blufs_bench.registry import method_class

#: What users of BLUFS set; all else is for experiments.
SET_BY_USERS = {
    *("n_features_to_select", "n_clusters", "scaling", "n_neighbors", "random_state"),
    *("extra_columns", "extra_weight", "alpha", "beta", "lam", "mu"),
}


def described(cls: type, section: str) -> list[str]:
    """Names of the parameters in a section of a docstring of numpydoc."""
    text = inspect.cleandoc(cls.__doc__)
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", text, flags=re.M | re.S)
    heads = re.findall(r"^(\w[\w, ]*) :", found[1] if found else "", flags=re.M)
    return [name for head in heads for name in head.split(", ")]


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_parameter_is_described_once(name):
    cls = method_class(name)
    found = [*described(cls, "Parameters"), *described(cls, "Other Parameters")]
    assert sorted(found) == sorted(inspect.signature(cls).parameters)


def test_what_users_of_blufs_set_stands_apart_from_what_experiments_set():
    assert set(described(method_class("BLUFS"), "Parameters")) == SET_BY_USERS
