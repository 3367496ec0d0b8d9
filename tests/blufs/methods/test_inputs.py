"""Kinds of arrays and tables that every method takes, and parameters at the ends of their range."""

import warnings
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils._param_validation import Interval

from blufs import BLUFS, SOGFS, VCSDFS
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


@pytest.mark.parametrize("index", [-1, -(2**30), 12, 2**30])
@pytest.mark.parametrize("name", METHODS)
def test_a_damaged_sparse_matrix_is_refused_and_does_not_crash(name, index):
    damaged = sp.csr_array(np.where(WHOLE > 45, WHOLE, 0))
    damaged.indices[5] = index
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        selector(name, 3).fit(damaged)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        selector(name, 3).fit(WHOLE).transform(damaged)


def test_damage_is_noticed_in_every_sparse_format():
    X = sp.csr_array(np.where(WHOLE > 45, WHOLE, 0))
    for kind in ("csc", "bsr"):
        damaged = X.asformat(kind)
        damaged.indices[3] = 1000
        with pytest.raises(ValueError, match="damaged sparse matrix"):
            selector("MaxVariance", 3).fit(damaged)
    damaged = X.tocoo()
    damaged.coords[1][3] = 1000
    with pytest.raises(ValueError, match="not between 0 and 11"):
        selector("MaxVariance", 3).fit(damaged)
    damaged = X.copy()
    damaged.indptr[4] = damaged.indptr[5] + 3
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        selector("MaxVariance", 3).fit(damaged)


def test_what_is_no_matrix_of_numbers_is_named(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": pd.date_range("2020-01-01", periods=9), "b": np.arange(9.0)})
    masked = [np.ma.masked_equal(row, row[0]) for row in WHOLE]
    for X, error, message in (
        (frame, ValueError, "dates or times"),
        (frame[["a"]], ValueError, "dates or times"),
        (frame["a"].to_numpy()[:, None], ValueError, "dates or times"),
        (masked, ValueError, "does not take masked values"),
    ):
        with pytest.raises(error, match=message):
            selector("MaxVariance", 1).fit(X)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["X"] = WHOLE
        with pytest.raises(TypeError, match=r"one of its datasets: \['X'\]"):
            selector("MaxVariance", 1).fit(file)
        X = file["X"]
    with pytest.raises(ValueError, match="was closed"):
        selector("MaxVariance", 1).fit(X)


def test_a_lazy_frame_is_to_be_collected():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"X\.collect\(\)"):
        selector("MaxVariance", 1).fit(polars.DataFrame(WHOLE).lazy())


@pytest.mark.parametrize("name", METHODS)
def test_any_kind_of_number_is_a_parameter(name):
    """NumPy's integers of all sizes, also without a sign, and fractions."""
    method = selector(name, 3)
    whole = {k: v for k, v in method.get_params().items() if type(v) is int}
    real = {k: v for k, v in method.get_params().items() if type(v) is float}
    expected = clone(method).fit(WHOLE)
    for kind in (np.uint64, np.uint8, np.int16):
        others = {k: kind(v) for k, v in whole.items() if k != "random_state"}
        fitted = clone(method).set_params(**others).fit(WHOLE)
        np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    others = {k: Fraction(v) for k, v in real.items()} | {k: Fraction(v) for k, v in real.items()}
    fitted = clone(method).set_params(**others).fit(WHOLE)
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    assert fitted.get_params() == method.get_params() | others


def test_underflow_is_no_error_even_where_numpy_is_told_so():
    X = load_digits().data[:100]
    expected = selector("RNE", 5).fit(X).ranking_
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(selector("RNE", 5).fit(X).ranking_, expected)


@pytest.mark.parametrize("seed", range(20))
def test_vcsdfs_on_two_sparse_samples(seed):
    rng = np.random.default_rng(seed)
    X = sp.csr_array(np.where(rng.random((2, 12)) < 0.6, rng.random((2, 12)), 0))
    assert np.isfinite(VCSDFS(2, random_state=0).fit(X).scores_).all()


@pytest.mark.parametrize("seed", range(8))
def test_tight_clusters_of_eigenvalues_do_not_stop_a_fit(seed):
    rng = np.random.default_rng(seed)
    X = np.outer(rng.standard_normal(10), rng.standard_normal(8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(SOGFS(2, n_clusters=10).fit(X).scores_).all()


def test_a_column_at_the_end_of_the_numbers_warns_of_nothing():
    X = DATA["blobs"].copy()
    X[:, 2] = np.finfo(float).max * np.where(np.arange(60) % 2, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert BLUFS(3, n_clusters=3).fit(X).support_.sum() == 3


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
