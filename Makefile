# skipstone. `make` lists the commands. Everything is set up on first use, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test check laws prove prove-deep bench bench-peers docs format clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	@echo "setting up $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit("skipstone needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

setup: $(READY) ## make the virtual environment with all that is needed

demo: $(READY) ## what skipstone does, here and on Spark, in a minute
	@$(BIN)/skipstone demo

test: $(READY) check ## everything that must hold
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

check: $(READY) ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

laws: $(READY) ## check the stream laws on every stream of the library
	@$(BIN)/skipstone laws

prove: $(READY) ## prove the stream laws about the source itself; the induction too, where Coq is installed
	@$(BIN)/skipstone prove
	@if command -v coqc >/dev/null; then mkdir -p build/proofs && cp proofs/*.v build/proofs && cd build/proofs && coqc Fold.v; \
	else echo "proofs/Fold.v: not checked here, there is no coqc (Debian: apt-get install coq)"; fi

prove-deep: $(READY) ## change every token of what is proved: the proofs must fail
	@$(BIN)/skipstone prove --deep

bench: $(READY) ## the benchmarks, with their baselines
	@$(BIN)/python -m benchmarks

bench-peers: $(READY) ## the same questions asked of DuckDB, Polars, GraphBLAS and others; hours
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/skipstone bench peers

docs: $(READY) ## the documentation as a site, in site/; links are checked
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html is the first page"

format: $(READY) ## put the source in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove what setup and the tools made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build site
