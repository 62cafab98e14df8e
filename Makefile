# Two commands for a newcomer: `make demo` and `make test`. Both set up from nothing.
PYTHON ?= python3
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := 1

.PHONY: setup demo tournament test tests quick check lint types lock clean

setup: .venv/ready

# uv is only for speed: where it cannot be had, pip installs the same locked files.
.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet uv || true
	if [ -x $(BIN)/uv ]; then \
	  $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . ; \
	else \
	  $(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e . ; \
	fi
	touch $@

# Serves a search site and opens a browser; where there is none, it shows in the terminal what was learnt, and ends.
demo: setup
	$(BIN)/duelist demo

tournament: setup
	$(BIN)/duelist simulate rucb rex3 sparring-thompson savage if2 uniform \
	  --matrix arxiv --horizon 100000 --runs 40 --seed 1 --chart tournament.png

# Threads of linear algebra beside other processes would wait for each other at full speed.
test quick: export OMP_NUM_THREADS := 1
test quick: export OPENBLAS_NUM_THREADS := 1
# Hundreds of processes are started: bytecode is kept for them, though somebody may have switched that off.
test quick: export PYTHONDONTWRITEBYTECODE :=

# Types are checked while the tests run: mypy takes most of a minute of one core, and leaves the other to nobody.
test: lint
	$(MAKE) --no-print-directory -j 2 types tests

# One process more than two cores have work for: every tenth second a test waits for servers, browsers or disks.
tests:
	$(BIN)/pytest -n 3 --dist worksteal

# What is fast once it was compiled: for every save, where `make test` is for every commit.
quick: check
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow" tests

check: lint types

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# All extras but cuda.
EXTRAS := charts offline baselines frames parquet service postgres nats dask search

lock: setup
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --python-version 3.11 \
	  $(EXTRAS:%=--extra %) --group dev pyproject.toml -o requirements.lock \
	  --custom-compile-command "make lock"

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache tournament.png
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
