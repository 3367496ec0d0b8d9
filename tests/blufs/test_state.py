"""A fitted estimator changes by ``fit`` alone, whatever else is asked of it."""

import inspect
import warnings
from contextlib import suppress

import joblib
import numpy as np
import pytest

import blufs
from blufs import BLUFS, BlindSearch, MaxVariance, StabilitySelector
from tests.blufs.methods.test_contract import METHODS, selector
from tests.helpers.method_data import blobs

pd = pytest.importorskip("pandas")

#: What is there to change the estimator.
CHANGING = {"fit", "fit_transform", "set_params", "set_output"}
FRAME = pd.DataFrame(blobs(), columns=[f"f{j}" for j in range(12)])
DATA = {
    "the same": FRAME,
    "columns in another order": FRAME[FRAME.columns[::-1]],
    "without names": FRAME.to_numpy(),
    "fewer columns": FRAME.iloc[:, :7],
    "other samples": FRAME[:20],
    "nothing": None,
}


def estimators() -> list:
    searches = [
        BlindSearch(MaxVariance(3), {}, n_clusters=3, n_runs=1),
        StabilitySelector(MaxVariance(3), n_resamples=4),
    ]
    return [*(selector(name, 4) for name in METHODS), *searches]


def test_every_estimator_is_walked():
    public = {name for name in blufs.__all__ if hasattr(getattr(blufs, name), "fit")}
    walked = {type(estimator).__name__ for estimator in estimators()}
    assert public - walked == {"BLUFSVariant", "BaseSelector", "GraphSelector"}


@pytest.mark.parametrize("estimator", estimators(), ids=lambda one: type(one).__name__)
def test_no_public_method_but_fit_changes_a_fitted_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(FRAME)
        before = joblib.hash(vars(estimator))
        walked = [n for n in dir(estimator) if not n.startswith("_") and n not in CHANGING]
        for name in walked:
            method = getattr(estimator, name)
            if not inspect.ismethod(method) or name.startswith("set_"):
                continue
            for X in DATA.values():
                answer(method, X)
                assert joblib.hash(vars(estimator)) == before, name
    assert list(estimator.get_feature_names_out()) == list(FRAME.columns[estimator.get_support()])


def answer(method, X) -> None:
    """Call a method with X and what else it asks for; it may refuse."""
    given = {"X": X, "s_values": [2], "input_features": list(FRAME.columns)}
    wanted = inspect.signature(method).parameters
    with suppress(ValueError, TypeError, IndexError):
        method(**{name: given[name] for name in wanted if name in given})


def test_other_columns_than_those_of_the_fit_are_refused():
    fitted = BLUFS(4, n_clusters=3).fit(FRAME)
    for call in (fitted.explain, fitted.transform):
        with pytest.raises(ValueError, match="feature names should match"):
            call(DATA["columns in another order"])
        with pytest.raises(ValueError, match=r"feature names should match|7 features"):
            call(DATA["fewer columns"])
    path = fitted.select_path(FRAME.iloc[:, :7], [2])
    assert len(path[2].ranked) == 7
    assert fitted.n_features_in_ == 12


@pytest.mark.parametrize("name", METHODS)
def test_a_path_of_a_selector_that_is_not_fitted_leaves_no_trace(name):
    method = selector(name, 4)
    before = set(vars(method))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.precompute(FRAME)
        method.select_path(np.asarray(FRAME), [3])
    assert set(vars(method)) == before
