"""What the registry says of a method's code is what a test compares."""

import ast
import json

import pytest

from blufs_bench.method_description import DEFINED, EQUAL, OWN, RECONSTRUCTED, VERIFIED, method_page
from blufs_bench.method_names import BUILT_IN, CONTROLS
from tests.helpers import ROOT

EQUALS = [name for name, verified in VERIFIED.items() if verified.kind == EQUAL]


def test_every_method_says_how_it_was_checked():
    assert set(VERIFIED) == {*BUILT_IN, *CONTROLS}
    assert {verified.kind for verified in VERIFIED.values()} == {EQUAL, OWN, RECONSTRUCTED, DEFINED}
    assert all((ROOT / "docs/methods" / method_page(name)).is_file() for name in BUILT_IN)


@pytest.mark.parametrize("name", EQUALS)
def test_equal_to_reference_code_is_what_a_test_asserts(name):
    """The test exists, takes every stored output that is named, and asserts something of it."""
    verified = VERIFIED[name]
    assert verified.outputs
    path, _, wanted = verified.test.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    (function,) = (
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == wanted
    )
    words = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
    code = ast.unparse(function)
    assert "assert" in code
    assert name in code or name in (ROOT / path).read_text(encoding="utf-8")
    for output in verified.outputs:
        stored = json.loads((ROOT / f"tests/reference/{output}.json").read_text(encoding="utf-8"))
        assert not stored["source"].startswith("own"), f"{output} is not of reference code"
        assert output.rpartition("_")[0] in words


def test_no_other_method_claims_outputs_of_reference_code():
    rest = [verified for name, verified in VERIFIED.items() if name not in EQUALS]
    assert len(rest) == 6
    assert not any(verified.outputs or verified.test for verified in rest)
