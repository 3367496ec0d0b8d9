# Everything a user or a developer runs. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXTRAS := workflow,slurm,cluster,index,r,test,docs,dev
WANTED := -c constraints.txt -e '.[$(EXTRAS)]'
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# uv installs four times as fast as pip. It does not read pip's configuration; if it fails, pip is
# used.
UV := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python
# Numbers must not depend on how many threads a machine offers; parallelism is across jobs.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
# Hundreds of jobs import the same modules: let the first one keep their bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env install run test test-fast test-slow test-faults test-slurm coverage lint format
.PHONY: docs site dist benchmark lock clean

help:  ## Show this list
	@grep -E '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

env install: $(STAMP)  ## Make .venv with everything (does nothing when nothing changed)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "blufs needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt uv && $(UV) $(WANTED) || $(PIP) $(WANTED)
	touch $@

run: env  ## Run the default suite, 2 minutes: results/demo/report.html
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --cores all

test: env lint test-fast  ## Lint and the test suite, 7 minutes on two cores

test-fast: env  ## The tests alone, without those that take minutes, 6 minutes
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "not slow and not slurm" -n 2 --dist worksteal

test-slow: env  ## The tests that take minutes, 15 minutes
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "slow and not faults and not slurm"

test-faults: env  ## Kill runs, fill disks, exceed limits: the same table every time, 15 minutes
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "faults" -s

test-slurm: env  ## The tests on a real SLURM (brought up if that is possible here), 8 minutes
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "slurm" -rs

coverage: env  ## Share of src that the fast tests run, line by line in htmlcov/
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "not slow and not slurm" -n 2 --dist worksteal \
		--cov --cov-report=term:skip-covered --cov-report=html

lint: env  ## Format and lint checks
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/snakefmt --check --compact-diff Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

format: env  ## Format all code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow

docs: env  ## The documentation site: build/site; a warning is an error
	$(BIN)/python -m blufs_bench.show.page.site docs/results/*/ --to build/suites
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Folders of results that go into the site; a later one replaces an earlier one of its name.
RESULTS ?= $(wildcard docs/results/*/) $(wildcard results/*/)
site: env  ## Finished suites as a small static site: build/suites (RESULTS="results/mine" for some)
	$(BIN)/python -m blufs_bench.show.page.site $(RESULTS) --to build/suites

dist: env  ## Wheel and sdist, checked: dist/
	rm -rf dist build/lib
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*

benchmark: env  ## The speed benchmarks: benchmarks/results/
	$(BIN)/python -m benchmarks

lock:  ## Pin the versions of the present environment
	$(BIN)/python -m pip freeze --exclude-editable --exclude blufs --disable-pip-version-check > constraints.txt

clean:  ## Remove what runs and tools have made (not .venv, not downloaded data)
	rm -rf results logs .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist src/*.egg-info
	rm -rf htmlcov .coverage .coverage.*
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
