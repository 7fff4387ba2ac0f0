# Builds, checks and tests Citadel. `make` alone lists the targets.
#
#   PYTHON          interpreter for the environments, 3.11 or newer (default: the first one found)
#   TORCH           PyTorch under test (default: torch==2.13.0)
#   TORCH_PIP_ARGS  further arguments for its installation, e.g. an index of CPU-only wheels:
#                   make torch TORCH_PIP_ARGS="--index-url URL"
#   PYTEST_ARGS     further arguments for pytest, e.g. PYTEST_ARGS="-k report"

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

CANDIDATES := python3.13 python3.12 python3.11 python3 python3.14
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in $(CANDIDATES); do \
  $$p -c "$(NEW_ENOUGH)" 2>/dev/null && command -v $$p && break; done)
TORCH ?= torch==2.13.0
TORCH_PIP_ARGS ?=
PYTEST_ARGS ?=

BIN := .venv/bin
TORCH_PYTHON := .targets/torch/bin/python
EXAMPLE := examples/diagonal_scatter_csr.md
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

# The stamps are renewed only after everything before them has succeeded.
VENV_STAMP := .venv/.installed
TORCH_STAMP := .targets/torch/.installed-$(subst /,-,$(subst =,-,$(TORCH)))

# $(call apt,PACKAGE) installs a Debian package where nobody has to be asked, else says what to do.
apt = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    export DEBIAN_FRONTEND=noninteractive; \
    apt-get install -y -qq $(1) >/dev/null 2>&1 \
      || { apt-get update -qq && apt-get install -y -qq $(1) >/dev/null; }; \
  else echo "hint: install $(1) (on Debian: sudo apt-get install $(1))" >&2; fi

# $(call venv,FOLDER) creates a virtual environment; Debian keeps the module for it in a package.
venv = if [ ! -x $(1)/bin/python ]; then \
    [ -n "$(PYTHON)" ] || { echo "error: no Python >= 3.11 found; set PYTHON" >&2; exit 1; }; \
    $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { $(call apt,$(notdir $(PYTHON))-venv); }; \
    $(PYTHON) -m venv $(1); \
  fi

.PHONY: help
help: ## list the targets
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '%-12s %s\n' "$$name" "$$text"; done

.PHONY: setup
setup: $(VENV_STAMP) ## create .venv with Citadel and its tools; install the sandbox if possible
	@command -v bwrap >/dev/null || { $(call apt,bubblewrap); } || \
	  echo "hint: without bubblewrap Citadel runs reports only with --no-sandbox" >&2

$(VENV_STAMP): pyproject.toml
	@$(call venv,.venv)
	$(BIN)/python $(PIP_INSTALL) --editable '.[dev]'
	@touch $@

.PHONY: torch
torch: $(TORCH_STAMP) ## install the PyTorch under test into .targets/torch

$(TORCH_STAMP):
	@$(call venv,.targets/torch)
	$(TORCH_PYTHON) $(PIP_INSTALL) $(TORCH_PIP_ARGS) '$(TORCH)' numpy
	@rm -f .targets/torch/.installed-* && touch $@

.PHONY: torch113
torch113: ## install Debian's PyTorch 1.13.1 if possible; its tests are skipped otherwise
	@/usr/bin/python3 -c 'from importlib.util import find_spec as f; exit(not f("torch"))' \
	  2>/dev/null || { $(call apt,python3-torch); } || \
	  echo "hint: python3-torch is not to be had here; tests marked torch113 are skipped" >&2

.PHONY: demo
demo: setup torch ## find the siblings of the example report
	$(BIN)/citadel triage $(EXAMPLE) --python $(TORCH_PYTHON)

.PHONY: lint check format
lint: setup ## run ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

check: lint ## run all static checks: ruff, mypy, the order of the floors
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## format the code and mend what ruff can mend
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

.PHONY: test test-fast bench clean
test: setup torch torch113 check ## run the checks and all tests
	$(BIN)/pytest $(PYTEST_ARGS)

test-fast: setup ## run the tests that take no more than seconds
	$(BIN)/pytest -m "not slow" $(PYTEST_ARGS)

bench: setup torch ## run the benchmarks
	$(BIN)/python -m benchmarks

clean: ## remove caches and generated cases; the environments stay
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find . \( -name .venv -o -name .targets \) -prune -o -name __pycache__ -prune -exec rm -rf {} +
	find generated_cases -mindepth 1 ! -name README.md -delete
