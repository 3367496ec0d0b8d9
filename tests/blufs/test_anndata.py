"""Genes of single cells: what is selected, and what it leaves in the AnnData object."""

import numpy as np
import pytest
import scipy.sparse as sp

from blufs import BLUFS, FSCA, BlindSearch, LapScore, MaxVariance, RandomFeatures
from blufs.anndata import select_genes
from tests.helpers.beyond_memory import on_disk, plain_strings

ad = pytest.importorskip("anndata", reason="anndata is missing: pip install 'blufs[anndata]'")
pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore:the neighbour graph has:UserWarning")

N_MARKERS = 12


def cells(seed: int = 0, n: int = 120, d: int = 60):
    """Three kinds of cells, each with four marker genes among the first twelve; two batches."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(3, size=n)
    rates = np.full((n, d), 0.3)
    for k in range(3):
        rates[np.ix_(kind == k, np.arange(4 * k, 4 * k + 4))] = 6.0
    obs = pd.DataFrame({"donor": np.where(np.arange(n) < n // 2, "a", "b")}, dtype="category")
    obs.index = [f"cell {i}" for i in range(n)]
    var = pd.DataFrame(index=[f"gene {j}" for j in range(d)])
    counts = sp.csr_matrix(np.log1p(rng.poisson(rates)).astype(np.float32))
    return ad.AnnData(counts, obs=obs, var=var)


def test_the_marker_genes_are_selected_and_written():
    adata = cells()
    assert select_genes(adata, N_MARKERS, n_clusters=3) is None
    assert adata.var["highly_variable"].to_numpy().nonzero()[0].tolist() == list(range(N_MARKERS))
    assert adata.var["highly_variable"].dtype == bool
    ranks = adata.var["highly_variable_rank"].to_numpy()
    assert sorted(ranks[:N_MARKERS]) == list(range(N_MARKERS))
    assert np.isnan(ranks[N_MARKERS:]).all()
    fitted = BLUFS(N_MARKERS, n_clusters=3).fit(adata.X)
    np.testing.assert_array_equal(adata.var["blufs_score"], fitted.scores_)
    assert "highly_variable_nbatches" not in adata.var
    assert adata.uns["hvg"] == {"flavor": "BLUFS", "n_top_genes": N_MARKERS}
    assert sp.issparse(adata.X)


def test_a_layer_sparse_or_dense_gives_the_same():
    adata = cells()
    adata.layers["logs"] = adata.X.toarray()
    adata.X = sp.csr_matrix(adata.shape)
    select_genes(adata, N_MARKERS, n_clusters=3, layer="logs")
    assert adata.var["highly_variable"].to_numpy()[:N_MARKERS].all()


def test_subset_and_inplace():
    adata = cells()
    table = select_genes(adata, N_MARKERS, n_clusters=3, inplace=False)
    assert list(adata.var) == []
    assert "hvg" not in adata.uns
    assert len(table) == 60
    few = select_genes(adata, N_MARKERS, n_clusters=3, inplace=False, subset=True)
    assert list(few.index) == [f"gene {j}" for j in range(N_MARKERS)]
    select_genes(adata, N_MARKERS, n_clusters=3, subset=True)
    assert adata.shape == (120, N_MARKERS)
    assert adata.var["highly_variable"].all()


def test_batches_are_selected_by_themselves_and_joined_by_median_rank():
    adata = cells()
    table = select_genes(adata, 5, batch_key="donor", estimator=MaxVariance(), inplace=False)
    ranks = np.array(
        [
            MaxVariance(5).fit(adata.X[(adata.obs["donor"] == name).to_numpy()]).ranking_ - 1
            for name in "ab"
        ]
    )
    n_batches = (ranks < 5).sum(axis=0)
    np.testing.assert_array_equal(table["highly_variable_nbatches"], n_batches)
    median = [np.median(r[r < 5]) if (r < 5).any() else np.inf for r in ranks.T]
    expected = sorted(range(60), key=lambda j: (median[j], -n_batches[j]))[:5]
    assert set(np.flatnonzero(table["highly_variable"])) == set(expected)
    np.testing.assert_allclose(table["highly_variable_rank"].fillna(np.inf), median)


def test_one_batch_is_no_batch():
    adata = cells()
    adata.obs["all"] = "same"
    with_key = select_genes(adata, 7, n_clusters=3, batch_key="all", inplace=False)
    without = select_genes(adata, 7, n_clusters=3, inplace=False)
    pd.testing.assert_frame_equal(with_key[list(without)], without)


def test_any_estimator_serves_and_is_left_alone():
    adata, estimator = cells(), RandomFeatures(3, random_state=0)
    select_genes(adata, 10, estimator=estimator)
    assert adata.var["highly_variable"].sum() == 10
    assert adata.uns["hvg"]["flavor"] == "RandomFeatures"
    assert estimator.n_features_to_select == 3
    assert not hasattr(estimator, "support_")


@pytest.mark.parametrize("batch_key", [None, "donor"])
def test_known_markers_are_kept_and_unwanted_genes_left_out(batch_key):
    adata = cells()
    adata.var["unwanted"] = adata.var_names.isin(["gene 0", "gene 1"])
    known = ["gene 50", "gene 51"]
    for include in (known, [50, 51], adata.var_names.isin(known)):
        options = {"n_clusters": 3, "batch_key": batch_key, "inplace": False}
        table = select_genes(adata, 8, include=include, exclude="unwanted", **options)
        assert table["highly_variable"].sum() == 8
        assert table.loc[known, "highly_variable"].all()
        assert not table["highly_variable"][adata.var["unwanted"]].any()
        assert table["highly_variable"].iloc[:N_MARKERS].sum() == 6
    with pytest.warns(UserWarning, match="genes to choose from, 58; taking all of them"):
        table = select_genes(adata, 60, exclude="unwanted", n_clusters=3, inplace=False)
    assert table["highly_variable"].sum() == 58
    with pytest.raises(ValueError, match=r"exclude: adata\.var has no column 'mt'"):
        select_genes(adata, 8, exclude="mt")
    with pytest.raises(ValueError, match="did you mean 'gene 50'"):
        select_genes(adata, 8, include=["gen 50"])
    both = [adata.var_names[3], adata.var_names[9]]
    with pytest.raises(ValueError, match=f"include and exclude both have '{both[1]}'$"):
        select_genes(adata, 8, include=both, exclude=both[1:])


def test_more_genes_than_there_are_is_all_of_them_with_a_warning():
    adata = cells()
    with pytest.warns(UserWarning, match="above the number of genes to choose from, 60"):
        select_genes(adata, n_clusters=3)
    assert adata.var["highly_variable"].all()


@pytest.mark.parametrize("estimator", [FSCA(), LapScore()])
def test_views_and_files_serve_methods_that_need_all_cells_in_memory(estimator, tmp_path):
    with plain_strings():
        adata = cells()
        there = on_disk(adata, tmp_path)
    dense = cells()
    dense.X = dense.X.toarray()
    wanted = select_genes(adata[:, :20].copy(), 5, estimator=estimator, inplace=False)
    for view in (adata[:, :20], dense[:, :20]):
        found = select_genes(view, 5, estimator=estimator, inplace=False)
        pd.testing.assert_frame_equal(found, wanted, check_index_type=False, rtol=1e-5)
    fitted = LapScore(3).fit(dense[:, :20].X)
    assert fitted.support_.sum() == 3
    wanted = select_genes(adata, 5, estimator=estimator, inplace=False)
    found = select_genes(there, 5, estimator=estimator, inplace=False)
    pd.testing.assert_frame_equal(found, wanted, check_index_type=False, rtol=1e-5)


def test_columns_of_an_earlier_call_with_batches_are_taken_away():
    adata = cells()
    select_genes(adata, 5, batch_key="donor", estimator=MaxVariance())
    assert "highly_variable_nbatches" in adata.var
    select_genes(adata, 5, estimator=MaxVariance())
    assert "highly_variable_nbatches" not in adata.var


@pytest.mark.parametrize("n_top", [None, 0.5, 0, True])
def test_a_number_of_genes_that_is_none_is_named(n_top):
    with pytest.raises(ValueError, match="must be a positive integer"):
        select_genes(cells(), n_top, estimator=MaxVariance())


def test_the_number_of_genes_is_counted_by_blufs_alone():
    adata = cells()
    select_genes(adata, "auto", n_clusters=3)
    count = BLUFS("auto", n_clusters=3).fit(adata.X).n_features_to_select_
    assert adata.var["highly_variable"].sum() == count
    assert adata.uns["hvg"]["n_top_genes"] == count
    table = select_genes(adata, "auto", n_clusters=3, batch_key="donor", inplace=False)
    counts = [
        BLUFS("auto", n_clusters=3).fit(adata.X[(adata.obs["donor"] == b).to_numpy()]) for b in "ab"
    ]
    median = int(np.median([fit.n_features_to_select_ for fit in counts]))
    assert table["highly_variable"].sum() == median
    with pytest.raises(ValueError, match="MaxVariance must be"):
        select_genes(adata, "auto", estimator=MaxVariance())


def test_raw_counts_give_a_warning_and_logarithms_none(recwarn):
    adata = cells()
    select_genes(adata, 5, n_clusters=3)
    assert not [w for w in recwarn if "raw counts" in str(w.message)]
    adata.X = sp.csr_matrix(np.round(np.expm1(adata.X.toarray())))
    with pytest.warns(UserWarning, match="raw counts"):
        select_genes(adata, 5, n_clusters=3)


def test_what_scanpy_draws_is_written():
    adata = cells()
    select_genes(adata, 5, n_clusters=3)
    counts = np.expm1(adata.X.toarray().astype(float))
    mean, variance = counts.mean(axis=0), counts.var(axis=0, ddof=1)
    np.testing.assert_allclose(adata.var["means"], np.log1p(mean), rtol=1e-6)
    np.testing.assert_allclose(adata.var["dispersions"], np.log(variance / mean), atol=1e-5)
    group = pd.cut(adata.var["means"], 20, labels=False)
    for _, own in adata.var.groupby(group):
        middle = own["dispersions_norm"].mean()
        assert middle == pytest.approx(1.0 if len(own) == 1 else 0.0, abs=1e-6)
        if len(own) > 1:
            assert own["dispersions_norm"].std() == pytest.approx(1.0)


def test_values_that_are_no_logarithms_have_no_dispersions():
    adata = cells()
    X = adata.X.toarray().astype(float)
    X[:, 3] *= 1000.5
    X[:, 4] -= 7.5
    adata.X = X
    select_genes(adata, 5, n_clusters=3)
    missing = adata.var["dispersions"].isna().to_numpy()
    assert missing[[3, 4]].all()
    assert not missing[5:].any()
    assert adata.var["dispersions_norm"].notna().sum() == 58


def test_arguments_of_scanpy_that_make_no_sense_are_named():
    with pytest.raises(TypeError, match=r"takes no max_mean, min_mean: by these .* n_top_genes"):
        select_genes(cells(), min_mean=0.01, max_mean=3)
    with pytest.raises(TypeError, match=r"takes no n_genes$"):
        select_genes(cells(), n_genes=5)


def test_what_is_no_selector_or_no_anndata_is_named():
    with pytest.raises(TypeError, match="takes an AnnData object, got ndarray"):
        select_genes(np.ones((4, 3)))
    search = BlindSearch(MaxVariance(), {})
    with pytest.raises(TypeError, match="got BlindSearch"):
        select_genes(cells(), 5, estimator=search)
    with pytest.raises(TypeError, match=r"blufs\.select_genes\(adata\)"):
        MaxVariance(3).fit(cells())


def test_what_is_wrong_is_named():
    adata = cells()
    with pytest.raises(ValueError, match=r"no layer 'counts', only \[\]"):
        select_genes(adata, 5, layer="counts")
    with pytest.raises(ValueError, match=r"no column 'plate', only \['donor'\]"):
        select_genes(adata, 5, batch_key="plate")
    with pytest.raises(ValueError, match="parameter of the estimator"):
        select_genes(adata, 5, n_clusters=3, estimator=MaxVariance())
    adata.obs["tiny"] = ["one"] + ["rest"] * 119
    with pytest.raises(ValueError, match="in batch 'one'"):
        select_genes(adata, 5, batch_key="tiny", estimator=MaxVariance())
    adata.obs["holes"] = [None] + ["rest"] * 119
    with pytest.raises(ValueError, match="1 cells have no batch"):
        select_genes(adata, 5, batch_key="holes", estimator=MaxVariance())


def test_an_object_without_values_is_refused():
    adata = cells()
    with pytest.raises(ValueError, match="adata holds no values"):
        select_genes(adata[:0].copy(), 5)
    adata.X = None
    with pytest.raises(ValueError, match="adata holds no values"):
        select_genes(adata, 5)


def test_an_estimator_names_genes_by_itself():
    adata = cells()
    name = adata.var_names[-1]
    chosen = select_genes(adata, 3, estimator=MaxVariance(include=[name]), inplace=False)
    assert chosen.loc[name, "highly_variable"]
    with pytest.raises(ValueError, match=f"include and exclude both have '{name}'"):
        select_genes(adata, 3, estimator=MaxVariance(include=[name]), exclude=[name])


def test_a_name_of_several_genes_is_not_guessed():
    adata = cells()
    adata.var_names = ["twice", "twice", *adata.var_names[2:]]
    with pytest.raises(ValueError, match="include names 'twice', but several features are called"):
        select_genes(adata, 3, include=["twice"])


@pytest.mark.parametrize("dense", [False, True])
def test_cells_on_disk_give_the_same_genes(dense, tmp_path):
    with plain_strings():
        adata = cells()
        adata.X = adata.X.toarray() if dense else adata.X
        there = on_disk(adata, tmp_path)
    for batch_key in (None, "donor"):
        wanted = select_genes(adata, N_MARKERS, n_clusters=3, batch_key=batch_key, inplace=False)
        found = select_genes(there, N_MARKERS, n_clusters=3, batch_key=batch_key, inplace=False)
        pd.testing.assert_frame_equal(found, wanted, check_index_type=False, rtol=1e-6)
    select_genes(there, N_MARKERS, n_clusters=3)
    assert there.isbacked
    assert there.var["highly_variable"].sum() == N_MARKERS
    with pytest.raises(ValueError, match="keeps all genes there; leave subset out"):
        select_genes(there, N_MARKERS, n_clusters=3, subset=True)


@pytest.mark.parametrize("dense", [False, True])
def test_cells_as_a_dask_array_give_the_same_genes(dense):
    da = pytest.importorskip("dask.array")
    adata = cells()
    there = adata.copy()
    there.X = da.from_array(adata.X.toarray(), chunks=(25, 60))
    if not dense:
        there.X = there.X.map_blocks(sp.csr_matrix)
    there.layers["again"] = there.X
    adata.X = adata.X.toarray() if dense else adata.X
    for batch_key, layer in ((None, None), (None, "again"), ("donor", None)):
        options = {"n_clusters": 3, "batch_key": batch_key, "inplace": False}
        wanted = select_genes(adata, N_MARKERS, **options)
        found = select_genes(there, N_MARKERS, layer=layer, **options)
        pd.testing.assert_frame_equal(found, wanted, rtol=1e-5)
