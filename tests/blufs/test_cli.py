"""The command ``blufs``: what it reads, what it writes, what it says to bad input."""

import csv
import io
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from blufs import MCFS, BaseSelector
from blufs._files import FileError, Layout, read_table, treat_missing
from blufs.cli import main, methods
from tests.helpers.beyond_memory import plain_strings

D = 12


@pytest.fixture
def X():
    """60 samples in three groups, which the first four features tell apart."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, D))
    X[:, :4] += 6 * rng.standard_normal((3, 4))[np.arange(60) % 3]
    return X


NAMES = [f"g{j}" for j in range(D)]


def write_csv(path, X, separator=",", **columns):
    """A table with these further columns, which come first."""
    lines = [[*columns, *NAMES[: X.shape[1]]]]
    for i, row in enumerate(X):
        lines.append([*(values[i] for values in columns.values()), *row])
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(lines)
    return str(path)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command in an empty folder: exit code, lines printed, lines of errors and notes."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return call


def test_features_are_printed_best_first_by_name(run, X, tmp_path):
    file = write_csv(tmp_path / "my.csv", X, id=[f"P{i}" for i in range(60)])
    code, names, err = run("select", file, "-s", 4, "--id", "id", "--clusters", 3, "-q")
    assert code == 0
    assert set(names) == {"g0", "g1", "g2", "g3"}
    assert err == ""
    code, names, _ = run(
        "select", file, "-s", 4, "--id", "id", "--clusters", 3, "--method", "MCFS", "-q"
    )
    ranking = MCFS(4, n_clusters=3).fit(X).ranking_
    assert names == [NAMES[j] for j in np.argsort(ranking)[:4]]


def test_names_and_reasons_go_to_files(run, X, tmp_path):
    X = X.copy()
    file = tmp_path / "my.csv"
    write_csv(file, X)
    file.write_text(file.read_text().replace("g5", "=1+1"))  # looks like a formula
    code, out, err = run(
        *("select", "my.csv", "-s", 3, "-o", "f.txt", "--explain", "e.csv", "--method", "LapScore")
    )
    assert (code, out) == (0, [])
    assert "60 samples, 12 features" in err
    chosen = (tmp_path / "f.txt").read_text().splitlines()
    with open(tmp_path / "e.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["feature"] for row in rows if row["selected"] == "yes"] == chosen
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, D + 1)]
    assert {row["feature"] for row in rows} == ({*NAMES} - {"g5"}) | {"'=1+1"}


def write(kind, folder, X):
    path = folder / f"my.{kind}"
    if kind in ("csv", "txt"):
        return write_csv(path, X)
    if kind == "tsv":
        return write_csv(path, X, separator="\t")
    if kind == "npy":
        np.save(path, X)
    elif kind == "npz":
        np.savez(path, X=X, feature_names=NAMES, y=np.zeros(len(X)))
    elif kind == "mat":
        savemat(path, {"fea": X, "gnd": np.zeros((len(X), 1))})
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        import pandas as pd

        pd.DataFrame(X, columns=NAMES).to_parquet(path)
    else:
        anndata = pytest.importorskip("anndata")
        import pandas as pd

        with plain_strings():
            adata = anndata.AnnData(sp.csr_matrix(X), var=pd.DataFrame(index=NAMES))
            adata.layers["twice"] = 2 * X
            adata.obs["kind"] = np.arange(len(X))
            adata.write_h5ad(path)
    return str(path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "npy", "npz", "mat", "parquet", "h5ad"])
def test_every_format_gives_the_same_matrix(kind, tmp_path, X):
    table = read_table(write(kind, tmp_path, X))
    dense = table.X.toarray() if sp.issparse(table.X) else table.X
    np.testing.assert_allclose(dense, X, rtol=1e-12)
    named = kind not in ("npy", "mat")
    assert table.names == (NAMES if named else [str(j) for j in range(D)])
    if kind in ("npz", "mat", "h5ad"):  # labels are beside the matrix
        label = {"npz": "y", "mat": "gnd", "h5ad": "kind"}[kind]
        assert read_table(tmp_path / f"my.{kind}", Layout(left_out=(label,))).names == table.names
    if kind == "h5ad":
        doubled = read_table(tmp_path / "my.h5ad", Layout(array="twice"))
        np.testing.assert_allclose(doubled.X, 2 * X)
        with pytest.raises(FileError, match="no layer 'raw'; there are 'twice'"):
            read_table(tmp_path / "my.h5ad", Layout(array="raw"))


LAYOUTS = {
    "mark of the order of bytes": ("my.csv", "\ufeffa,b\n1,2\n3,4\n", {}, ["a", "b"]),
    "line ends of Windows": ("my.csv", "a,b\r\n1,2\r\n3,4\r\n", {}, ["a", "b"]),
    "line ends of old": ("my.csv", "a,b\r1,2\r3,4\r", {}, ["a", "b"]),
    "quotes": ("my.csv", '"a,1","b\n2"\n1,2\n3,4\n', {}, ["a,1", "b 2"]),
    "several blanks": ("my.txt", " a   b \n 1  2\n3 4  \n", {}, ["a", "b"]),
    "nameless columns": ("my.csv", "a,b,\n1,2,\n3,4,\n", {"left_out": ("",)}, ["a", "b"]),
    "letters": ("my.csv", "基,é\n1,2\n3,4\n", {}, ["基", "é"]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_texts_of_other_programs_are_read(layout, tmp_path):
    name, text, options, names = LAYOUTS[layout]
    (tmp_path / name).write_bytes(text.encode())
    table = read_table(tmp_path / name, Layout(**options))
    assert table.names == names
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])


def test_dates_are_no_numbers_in_any_file(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1, 2], "t": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    frame.to_parquet(tmp_path / "my.parquet")
    frame.to_csv(tmp_path / "my.csv", index=False)
    np.save(tmp_path / "my.npy", frame[["t"]].to_numpy())
    for name in ("my.parquet", "my.csv", "my.npy"):
        with pytest.raises(FileError, match=r"no numbers|hold text"):
            read_table(tmp_path / name)


def test_sparse_matrices_stay_sparse(tmp_path, X):
    S = sp.csr_array(np.where(X > 1, X, 0))
    sp.save_npz(tmp_path / "s.npz", S)
    found = read_table(tmp_path / "s.npz").X
    assert sp.issparse(found)
    assert (found != S).nnz == 0


def test_other_layouts_of_a_text(tmp_path, X):
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in X)
    (tmp_path / "bare.csv").write_text(rows)
    with pytest.raises(FileError, match="say --no-header"):
        read_table(tmp_path / "bare.csv")
    np.testing.assert_array_equal(read_table(tmp_path / "bare.csv", Layout(header=False)).X, X)
    # Genes in rows, as pandas writes them: the first cell is empty.
    turned = [
        ["", *(f"c{i}" for i in range(60))],
        *([n, *x] for n, x in zip(NAMES, X.T, strict=True)),
    ]
    with open(tmp_path / "turned.csv", "w", newline="") as file:
        csv.writer(file).writerows(turned)
    table = read_table(tmp_path / "turned.csv", Layout(transpose=True))
    np.testing.assert_array_equal(table.X, X)
    assert table.names == NAMES
    assert table.dropped == ["the first column, which has no name"]


def test_missing_values(tmp_path, X):
    X = X.copy()
    X[3, 1] = X[7, 1] = X[7, 2] = np.nan
    table = read_table(write_csv(tmp_path / "my.csv", X))
    with pytest.raises(FileError, match=r"3 values are missing, in 2 of 12 features \('g1', 'g2'"):
        treat_missing(table, "error")
    filled, done = treat_missing(table, "impute")
    assert filled.X[3, 1] == np.nanmedian(X[:, 1])
    assert done == "3 missing values replaced by the median"
    features, _ = treat_missing(table, "drop-features")
    assert features.names == [name for name in NAMES if name not in ("g1", "g2")]
    np.testing.assert_array_equal(features.X, np.delete(X, [1, 2], axis=1))
    samples, _ = treat_missing(table, "drop-samples")
    np.testing.assert_array_equal(samples.X, np.delete(X, [3, 7], axis=0))


def test_other_words_for_missing(tmp_path):
    (tmp_path / "my.csv").write_text("a,b\n1,?\n2, \n3,4\n")
    with pytest.raises(FileError, match=r"1 columns of .* hold text: 'b' \(for instance '\?'\)"):
        read_table(tmp_path / "my.csv")
    found = read_table(tmp_path / "my.csv", Layout(missing=("?",))).X
    np.testing.assert_array_equal(np.isnan(found), [[False, True], [False, True], [False, False]])


BAD_FILES = {
    "gone.csv": (None, "there is no file"),
    "my.xlsx": ("a", "must end in one of .csv .tsv"),
    "empty.csv": ("", "is empty"),
    "ragged.csv": ("a,b\n1,2\n1\n", "line 3 of .* has 1 columns, the first one has 2"),
    "header.csv": ("a,b\n", "a header and no samples"),
    "text.csv": ("a,b\n1,x\n", r"'b' \(for instance 'x'\)\. Leave a column out by --id or --drop"),
    "infinite.csv": ("a,b\n1,inf\n2,3\n", "infinite"),
    "twice.csv": ("a,a\n1,2\n", "several columns are called 'a'"),
    "quoted.csv": ("a;b\n1;2\n", "separated by --separator ';'"),
    "comma.csv": ('a,b\n"0,5",1\n', "a point instead of a comma"),
    "unnamed.csv": ("a,b,\n1,2,3\n", "column 3 of .* has no name"),
    "utf16.csv": ("a,b\n1,2\n".encode("utf-16"), "no text in UTF-8"),
    "latin.txt": ("ä b\n1 2\n".encode("latin-1"), "no text in UTF-8"),
    "bad.npz": ("no archive", "cannot be read"),
    "bad.npy": ("no array", "cannot be read"),
    "bad.mat": ("no matrix", "cannot be read"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_cannot_be_used_ends_with_one_sentence(run, name, tmp_path):
    content, message = BAD_FILES[name]
    if content is not None:
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(content)
    code, out, err = run("select", name, "-s", 1)
    assert (code, out) == (1, [])
    assert len(err.splitlines()) == 1
    with pytest.raises(FileError, match=message):
        read_table(name)


def test_what_is_no_plain_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match=r"pipe.csv' is no plain file"):
        read_table(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path)


def test_an_array_of_objects_is_never_unpickled(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="allow_pickle=False"):
        read_table(tmp_path / "o.npy")


BAD_WORDS = {
    "an unknown method": (["--method", "BLUFFS"], "did you mean 'BLUFS'?"),
    "an unknown parameter": (["--set", "lambda=3"], "BLUFS has no parameter 'lambda'"),
    "a wrong value": (["--set", "lam=-3"], "The 'lam' parameter of BLUFS"),
    "no assignment": (["--set", "lam"], "NAME=VALUE"),
    "too many features": (
        ["-s", "13"],
        "n_features_to_select=13 is above the number",
    ),
    "no number": (["-s", "many"], "-s must be a number or auto, got 'many'"),
    "no clusters where they are needed": (["--method", "MCFS"], "--clusters C"),
    "clusters without use": (["--method", "LapScore", "--clusters", "3"], "no use for --clusters"),
    "an unknown column": (["--drop", "nothing"], "there is no column 'nothing'; there are 'g0'"),
    "a parameter that has an option": (["--set", "include=[0]"], "--set include: say --include"),
    "a parameter twice": (["--set", "lam=1", "lam=2"], "--set lam: it is given twice"),
    "a feature in and out": (["--include", "g1", "--exclude", "g1"], "both have 'g1'"),
    "the data as output": (["-o", "../{here}/my.csv"], "the file of the data, which would be lost"),
    "one file for two": (["-o", "f", "--explain", "../{here}/f"], "the same file"),
    "reasons nowhere": (["--explain", "-"], "--explain: give the name of a file"),
    "a folder as output": (["--explain", "."], "is a folder"),
    "no folder for the output": (["-o", "no/f.txt"], "there is no folder"),
    "no file of features": (["--include", "@gone"], "'gone' cannot be read"),
    "names taken for a sample": (["--no-header"], "do not say --no-header"),
    "two characters": (["--separator", "ab"], "one character"),
}


@pytest.mark.parametrize("words", BAD_WORDS)
def test_what_cannot_be_done_is_said(run, words, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    arguments, message = BAD_WORDS[words]
    given = [] if "-s" in arguments else ["-s", "3"]
    before = (tmp_path / "my.csv").read_text()
    arguments = [word.format(here=tmp_path.name) for word in arguments]
    code, out, err = run("select", "my.csv", *given, *arguments, "-q")
    assert (code, out) == (1, [])
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["my.csv"]
    assert (tmp_path / "my.csv").read_text() == before


@pytest.mark.parametrize("option", ["-o", "--explain"])
@pytest.mark.parametrize("kind", ["--costs", "--groups", "--include", "--exclude"])
def test_no_file_that_is_read_is_replaced(run, kind, option, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    text = "g0\ng1\n" if kind in ("--include", "--exclude") else "g0,1\n"
    (tmp_path / "list").write_text(text)
    (tmp_path / "link").symlink_to("list")
    given = "@list" if text == "g0\ng1\n" else "list"
    code, out, err = run("select", "my.csv", "-s", 3, kind, given, option, "link")
    assert (code, out) == (1, [])
    assert "which would be lost; give another one" in err
    assert (tmp_path / "list").read_text() == text


def test_names_in_a_table_are_no_formulas(run, X, tmp_path):
    file = tmp_path / "my.csv"
    write_csv(file, X)
    file.write_text(file.read_text().replace("g5", '"=1+1,x"'))
    assert run("select", "my.csv", "-s", D, "--method", "LapScore", "-o", "f.csv")[0] == 0
    with open(tmp_path / "f.csv", newline="") as table:
        names = [row for (row,) in csv.reader(table)]
    assert set(names) == ({*NAMES} - {"g5"}) | {"'=1+1,x"}


PAIRS = {
    "two values for one": ("g0,1\ng0,2\n", "has two values for 'g0'"),
    "not UTF-8": (b"g\xe9,1\n", "'pairs' is no text in UTF-8"),
    "three columns": ("g0,1,2\n", "lines of pairs must be name,value"),
}


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("option", ["--costs", "--groups"])
def test_pairs_that_cannot_be_used(run, option, pairs, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    content, message = PAIRS[pairs]
    content = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "pairs").write_bytes(content)
    code, out, err = run("select", "my.csv", "-s", 3, option, "pairs", "-q")
    assert (code, out) == (1, [])
    assert message in err


def test_pairs_may_begin_with_a_mark_of_the_order_of_bytes(run, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    (tmp_path / "pairs").write_text("\ufeff" + "".join(f"{name},1\n" for name in NAMES))
    select = ("select", "my.csv", "-s", 3, "--method", "FSCA", "-q")
    assert run(*select, "--costs", "pairs") == run(*select)


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_stream_is_no_error(run, monkeypatch, closed, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    monkeypatch.setattr(sys, closed, None)
    assert main(["select", "my.csv", "-s", "3", "--method", "MaxVariance", "-o", "f"]) == 0
    assert main(["select", "my.csv", "-s", "3", "--method", "MaxVariance"]) == 0
    assert len((tmp_path / "f").read_text().splitlines()) == 3


def test_names_that_the_terminal_has_no_letters_for(run, monkeypatch, X, tmp_path, capsys):
    file = tmp_path / "my.csv"
    write_csv(file, X)
    file.write_text(file.read_text().replace("g", "gé"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert main(["select", "my.csv", "-s", "3", "--method", "MaxVariance"]) == 1
    assert "a name cannot be printed in ascii: write to a file by -o" in capsys.readouterr().err


def test_links_and_devices_stay_what_they_are(run, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    link.symlink_to(target)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    select = ("select", "my.csv", "-s", 3, "--method", "MaxVariance", "-q")
    _, names, _ = run(*select, "-o", "-")
    assert len(names) == 3
    assert run(*select, "-o", link)[0] == run(*select, "-o", pipe)[0] == 0
    assert link.is_symlink()
    assert target.read_text().splitlines() == names
    assert pipe.is_fifo()
    assert os.read(reader, 1000).decode().splitlines() == names
    os.close(reader)


def test_what_a_method_prints_is_not_among_the_features(run, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    code, names, err = run("select", "my.csv", "-s", 4, "--clusters", 3, "--set", "verbose=1")
    assert (code, len(names)) == (0, 4)
    assert "objective" in err


@pytest.mark.parametrize(
    "arguments", [["select"], ["select", "a.csv"], ["selct", "a.csv", "-s", "3"]]
)
def test_a_command_that_is_not_understood_ends_with_two(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, [])
    assert "usage: blufs" in err


def test_the_methods_are_those_of_the_library(run):
    listed = methods()
    assert {"BLUFS", "MCFS", "LapScore"} <= set(listed)
    assert all(issubclass(cls, BaseSelector) for cls in listed.values())
    code, lines, _ = run("methods")
    assert code == 0
    assert len(lines) == len(listed) + 1
    code, lines, _ = run("methods", "LapScore")
    assert "n_neighbors" in "\n".join(lines)


def test_python_m_blufs_without_a_command_lists_the_commands():
    command = [sys.executable, "-m", "blufs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("select", "methods"))


def test_costs_and_groups_are_read_from_files(run, X, tmp_path):
    write_csv(tmp_path / "x.csv", X)
    (tmp_path / "costs.csv").write_text(
        "".join(f"{name},{1 + j % 3}\n" for j, name in enumerate(NAMES))
    )
    (tmp_path / "groups.csv").write_text(f"{NAMES[0]},one\n{NAMES[2]}, one\n")
    select = ["select", "x.csv", "--clusters", "3", "-q", "-s"]
    code, names, _ = run(*select, "4.5", "--costs", "costs.csv")
    assert code == 0
    assert 0 < sum(1 + NAMES.index(name) % 3 for name in names) <= 4.5
    code, names, _ = run(*select, "2", "--groups", "groups.csv", "--include", NAMES[2])
    assert {NAMES[0], NAMES[2]} < set(names)
    assert len(names) == 3
    code, _, err = run("select", "x.csv", "-s", 2, "--method", "LapScore", "--groups", "groups.csv")
    assert code == 1
    assert "blufs: LapScore does not take --groups\n" in err
    for text, message in (
        ("g0,cheap\n", "--costs: the cost of 'g0' is no number: 'cheap'"),
        ("g0\n", "--costs: lines of bad.csv must be name,value; one is ['g0']"),
        ("g99,1\n", "costs has names that X does not have: 'g99'"),
        ("g0,1\n", "costs does not say what these features cost: 'g1'"),
    ):
        (tmp_path / "bad.csv").write_text(text)
        code, _, err = run(*select, "4", "--costs", "bad.csv")
        assert code == 1
        assert message in err


def test_included_features_are_chosen_and_excluded_ones_are_not(run, X, tmp_path):
    write_csv(tmp_path / "my.csv", X)
    (tmp_path / "wanted.txt").write_text("g9\n\ng8\n")
    select = ("select", "my.csv", "-s", 4, "--clusters", 3, "-q")
    code, names, _ = run(*select, "--include", "@wanted.txt", "--exclude", "g0", "g1")
    assert code == 0
    assert len(names) == 4
    assert set(names[:2]) == {"g8", "g9"}
    assert not {"g0", "g1"} & set(names)
    code, _, err = run(*select, "--include", "G9")
    assert (code, err) == (1, "blufs: --include: there is no feature 'G9', did you mean 'g9'?\n")


def test_reasons_name_the_features_of_the_file(run, X, tmp_path):
    X = X.copy()
    X[:, 7] = X[:, 2] + 1e-3 * np.random.default_rng(1).standard_normal(len(X))
    write_csv(tmp_path / "my.csv", X)
    code, _, err = run("select", "my.csv", "-s", 4, "--clusters", 3, "--explain", "e.csv")
    assert code == 0, err
    with open(tmp_path / "e.csv", newline="") as table:
        rows = {row["feature"]: row for row in csv.DictReader(table)}
    twins = {"g2": "g7", "g7": "g2"}
    (left_out,) = [name for name in twins if rows[name]["selected"] == "no"]
    assert rows[left_out]["status"] == "redundant"
    assert rows[left_out]["most_similar"] == twins[left_out]


def test_comparing_without_the_workflow_says_what_to_install(run, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "blufs_bench"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "yaml", None)
    code, out, err = run("compare", "my.csv", "--label", "class")
    assert (code, out) == (1, [])
    assert "pip install 'blufs[workflow]'" in err
    assert run("select")[0] == 2  # the others are there
