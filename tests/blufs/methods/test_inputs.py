"""Kinds of arrays and tables that every method takes, and parameters at the ends of their range."""

import warnings
from numbers import Real

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning
from sklearn.utils._param_validation import Interval

from blufs_bench.registry import method_class
from tests.blufs.methods.test_contract import DATA, METHODS, SELECTING, selected, selector

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the neighbour graph has:UserWarning",
    "ignore:n_neighbors=10 is not below:UserWarning",
)

#: Whole numbers from 0 to 120, so that every type holds the same values.
WHOLE = np.clip(np.rint(3 * DATA["blobs"]) + 40, 0, 120)
KINDS = {
    **{t: lambda X, t=t: X.astype(t) for t in ("float16", "longdouble", "int8", "uint8", "object")},
    "Fortran order": np.asfortranarray,
    "negative strides": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "every other": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "list": lambda X: X.tolist(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_the_same_values_in_any_array_give_the_same_features(name, kind):
    converted = KINDS[kind](WHOLE)
    expected = WHOLE.astype(np.float32) if kind == "float16" else WHOLE
    assert selected(name, converted, 3) == selected(name, expected, 3)


@pytest.mark.parametrize("name", METHODS)
def test_columns_of_several_types_give_the_same_features(name):
    pd = pytest.importorskip("pandas")
    X = WHOLE.copy()
    X[:, 1] = X[:, 1] > 40
    frame = pd.DataFrame(X, columns=[f"feature {j}" for j in range(12)])
    types = ["float32", "bool", "Int64", "Float64", "category", "int8"]
    frame = frame.astype({f"feature {j}": t for j, t in enumerate(types)})
    assert selected(name, frame, 3) == selected(name, X, 3)
    frame["feature 3"] = frame["feature 3"].mask(frame.index == 5)
    with pytest.raises(ValueError, match="NaN"):
        selector(name, 3).fit(frame)


@pytest.mark.parametrize("name", METHODS)
def test_polars_in_polars_out(name):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({f"feature {j}": WHOLE[:, j] for j in range(12)})
    fitted = selector(name, 3).set_output(transform="polars").fit(frame)
    assert set(np.flatnonzero(fitted.support_)) == selected(name, WHOLE, 3)
    assert fitted.transform(frame).columns == list(fitted.get_feature_names_out())


@pytest.mark.parametrize("kind", ["bsr_array", "lil_matrix", "dok_array", "dia_matrix"])
@pytest.mark.parametrize("name", METHODS)
def test_rare_sparse_formats_are_taken_or_refused_by_name(name, kind):
    X = np.where(WHOLE > 45, WHOLE, 0)
    if method_class(name).takes_sparse:
        assert selected(name, getattr(sp, kind)(X), 3) == selected(name, X, 3)
    else:
        with pytest.raises(TypeError, match=f"{name} does not take sparse data"):
            selector(name, 3).fit(getattr(sp, kind)(X))


def weights_of(name: str) -> list[str]:
    """Parameters of a method that are real numbers without an upper end."""
    return [
        parameter
        for parameter, rules in method_class(name)._parameter_constraints.items()
        if any(isinstance(r, Interval) and r.type is Real and r.right is None for r in rules)
    ]


@pytest.mark.parametrize("value", [1e-100, 1e100])
@pytest.mark.parametrize("dataset", ["blobs", "wide"])
@pytest.mark.parametrize("name", [name for name in SELECTING if weights_of(name)])
def test_weights_at_the_ends_of_their_range_give_finite_scores(name, dataset, value):
    weights = weights_of(name)
    alone = [{parameter: value} for parameter in weights]
    for setting in (*alone, dict.fromkeys(weights, value)):
        if value < 1:  # at least 1 and at least 1e-12
            setting = {k: v for k, v in setting.items() if k not in ("penalty_growth", "ridge")}
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", LinAlgWarning)  # ill-conditioned is to be expected
            try:
                fitted = selector(name, 3, **setting).fit(DATA[dataset])
            except ValueError as error:
                if not any(parameter in str(error) for parameter in weights):
                    raise
                continue
        assert np.isfinite(fitted.scores_).all()
        assert np.isfinite(getattr(fitted, "objective_history_", 0)).all()


@pytest.mark.parametrize("value", [5e-324, 1e-300, 1e300, 10**400, True, "1", None, [1.0]])
@pytest.mark.parametrize("name", [name for name in SELECTING if weights_of(name)])
def test_a_weight_that_is_no_usable_number_is_named(name, value):
    for parameter in weights_of(name):
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must"):
            selector(name, 3, **{parameter: value}).fit(DATA["blobs"])
