# Builds, checks and tests Citadel. `make` alone lists the targets.
#
#   PYTHON          interpreter for the environments, 3.11 or newer (default: the first one found)
#   TORCH           PyTorch under test (default: torch==2.13.0)
#   TORCH_PIP_ARGS  further arguments for its installation, e.g. an index of CPU-only wheels:
#                   make torch TORCH_PIP_ARGS="--index-url URL"
#   TENSORFLOW      TensorFlow under test (default: tensorflow-cpu==2.21.0)
#   KERAS           Keras under test (default: keras==3.15.1) and, as KERAS_BACKENDS, what it runs on;
#                   TORCH_PIP_ARGS counts for it, too
#   NNSMITH         NNSmith, which some tests of importers make models with (default: nnsmith==0.1.0)
#   GITHUB_SCHEMA   npm package with the schema of GitHub's API, which tests of the harvest need
#   DEBIAN          where Debian's source packages are (default: Debian's own servers)
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
TENSORFLOW ?= tensorflow-cpu==2.21.0
TENSORFLOW213 := tensorflow-cpu==2.13.1
# The newest Python that TensorFlow 2.13 has wheels for, or an older one.
PYTHON213 ?= $(firstword $(foreach p,python3.11 python3.10 python3.9,$(shell command -v $p)))
KERAS ?= keras==3.15.1
KERAS_BACKENDS ?= $(TENSORFLOW) $(TORCH) jax==0.10.2
NNSMITH ?= nnsmith==0.1.0
GITHUB_SCHEMA ?= @octokit/graphql-schema@15.26.1
DEBIAN ?= http://deb.debian.org/debian
PYTEST_ARGS ?=

BIN := .venv/bin
TORCH_PYTHON := .targets/torch/bin/python
EXAMPLE := examples/diagonal_scatter_csr.md
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

# The stamps are renewed only after everything before them has succeeded.
stamp = .targets/$(1)/.installed-$(subst @,,$(subst /,-,$(subst =,-,$(2))))
VENV_STAMP := .venv/.installed
RAY_STAMP := .venv/.installed-ray
TORCH_STAMP := $(call stamp,torch,$(TORCH))
TENSORFLOW_STAMP := $(call stamp,tensorflow,$(TENSORFLOW))
TENSORFLOW213_STAMP := $(call stamp,tensorflow213,$(TENSORFLOW213))
KERAS_STAMP := $(call stamp,keras,$(KERAS))
NNSMITH_STAMP := $(call stamp,nnsmith,$(NNSMITH))
GITHUB_SCHEMA_STAMP := $(call stamp,github-schema,$(GITHUB_SCHEMA))
SOURCES := .targets/pytorch-1.13.1
SOURCES_STAMP := $(SOURCES)/.installed

# $(call apt,PACKAGE) installs a Debian package where nobody has to be asked, else says what to do.
apt = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    export DEBIAN_FRONTEND=noninteractive; \
    apt-get install -y -qq $(1) >/dev/null 2>&1 \
      || { apt-get update -qq && apt-get install -y -qq $(1) >/dev/null; }; \
  else echo "hint: install $(1) (on Debian: sudo apt-get install $(1))" >&2; fi

# $(call venv,FOLDER,PYTHON) creates a virtual environment; Debian has the module in a package.
venv = if [ ! -x $(1)/bin/python ]; then \
    [ -n "$(2)" ] || { echo "error: no fitting Python found for $(1); set PYTHON" >&2; exit 1; }; \
    $(2) -c 'import ensurepip, venv' 2>/dev/null || { $(call apt,$(notdir $(2))-venv); }; \
    $(2) -m venv $(1); \
  fi

# $(call target,NAME,PYTHON,PACKAGES) installs a framework under test. Inside the sandbox Python
# cannot keep what it has compiled: without bytecode each start takes twice as long.
define target
	@$(call venv,.targets/$(1),$(2))
	.targets/$(1)/bin/python $(PIP_INSTALL) --compile $(3)
	@rm -f .targets/$(1)/.installed-* && touch $@
endef

# $(call optional,STAMP,WHAT) makes a stamp; without it tests are skipped, and nothing fails.
optional = [ -e $(1) ] || $(MAKE) --no-print-directory $(1) || \
    echo "hint: no $(2) here (see above); tests that need it are skipped" >&2

.PHONY: help
help: ## list the targets
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

.PHONY: setup
setup: $(VENV_STAMP) ## create .venv with Citadel and its tools; install the sandbox if possible
	@command -v bwrap >/dev/null || { $(call apt,bubblewrap); } || \
	  echo "hint: without bubblewrap Citadel runs reports only with --no-sandbox" >&2

$(VENV_STAMP): pyproject.toml
	@$(call venv,.venv,$(PYTHON))
	$(BIN)/python $(PIP_INSTALL) --editable '.[dev]'
	@touch $@

.PHONY: cluster
cluster: setup ## install Ray beside Citadel, if possible
	@$(call optional,$(RAY_STAMP),Ray)

$(RAY_STAMP): $(VENV_STAMP)
	$(BIN)/python $(PIP_INSTALL) --editable '.[cluster]'
	@touch $@

.PHONY: torch
torch: $(TORCH_STAMP) ## install the PyTorch under test into .targets/torch

$(TORCH_STAMP):
	$(call target,torch,$(PYTHON),$(TORCH_PIP_ARGS) '$(TORCH)' numpy)

.PHONY: torch113
torch113: ## install Debian's PyTorch 1.13.1 if possible; its tests are skipped otherwise
	@/usr/bin/python3 -c 'from importlib.util import find_spec as f; exit(not f("torch"))' \
	  2>/dev/null || { $(call apt,python3-torch); } || \
	  echo "hint: python3-torch is not to be had here; tests marked torch113 are skipped" >&2

.PHONY: tensorflow tensorflow213
tensorflow: ## install the TensorFlow under test into .targets/tensorflow, if possible
	@$(call optional,$(TENSORFLOW_STAMP),$(TENSORFLOW))

tensorflow213: ## install TensorFlow 2.13.1 into .targets/tensorflow213, if possible
	@$(call optional,$(TENSORFLOW213_STAMP),$(TENSORFLOW213))

$(TENSORFLOW_STAMP):
	$(call target,tensorflow,$(PYTHON),'$(TENSORFLOW)')

$(TENSORFLOW213_STAMP):
	$(call target,tensorflow213,$(PYTHON213),'$(TENSORFLOW213)')

.PHONY: keras
keras: ## install Keras 3 and its three backends into .targets/keras, if possible
	@$(call optional,$(KERAS_STAMP),$(KERAS))

.PHONY: nnsmith
nnsmith: ## install PyTorch with NNSmith, whose models `citadel import` opens with it, if possible
	@$(call optional,$(NNSMITH_STAMP),$(NNSMITH))

$(NNSMITH_STAMP):
	@$(call venv,.targets/nnsmith,$(PYTHON))
	.targets/nnsmith/bin/python $(PIP_INSTALL) --compile $(TORCH_PIP_ARGS) '$(TORCH)'
	$(call target,nnsmith,$(PYTHON),'$(NNSMITH)' hydra-colorlog)

# PyTorch first: it may come from an index of its own, which has nothing else.
$(KERAS_STAMP):
	@$(call venv,.targets/keras,$(PYTHON))
	.targets/keras/bin/python $(PIP_INSTALL) --compile $(TORCH_PIP_ARGS) '$(filter torch%,$(KERAS_BACKENDS))'
	$(call target,keras,$(PYTHON),'$(KERAS)' $(KERAS_BACKENDS))

.PHONY: sources
sources: ## get the C++ sources of PyTorch 1.13.1 into .targets/pytorch-1.13.1, if possible
	@$(call optional,$(SOURCES_STAMP),sources of PyTorch 1.13.1)

# Debian's packages of sources, with lists and settings of our own: nothing of the system changes.
APT := .targets/apt
APT_GET := apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$(CURDIR)/$(APT) \
  -o Dir::State::lists=$(CURDIR)/$(APT)/lists -o Dir::Cache=$(CURDIR)/$(APT)/cache \
  -o APT::Sandbox::User=
# Prints the lines of sha256sum for the authors' own archive.
CHECKSUM := awk '/^[^ ]/ { sums = $$1 == "Checksums-Sha256:" } \
  sums && $$3 ~ /^pytorch_1[.]13[.]1.*[.]orig[.]tar[.]/ { print $$1 "  " $$3 }'

$(SOURCES_STAMP):
	@rm -rf $(APT) && mkdir -p $(APT)/lists/partial $(APT)/cache/archives/partial
	@printf '%s\n' 'Types: deb-src' 'URIs: $(DEBIAN)' 'Suites: bookworm' 'Components: main' \
	  'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' > $(APT)/debian.sources
	$(APT_GET) update
	@# Only the authors' archive matters; what Debian adds to it may have moved.
	cd $(APT) && { $(APT_GET) source --download-only pytorch || true; }
	@cd $(APT) && $(CHECKSUM) pytorch_*.dsc > sums && [ -s sums ] && sha256sum --check --quiet sums
	@mkdir $(APT)/tree && tar --extract --no-same-owner --strip-components=1 \
	  --directory=$(APT)/tree --file=$$(echo $(APT)/pytorch_1.13.1*.orig.tar.*)
	@rm -rf $(SOURCES) && mv $(APT)/tree $(SOURCES) && rm -rf $(APT) && touch $@

.PHONY: github-schema
github-schema: ## get the schema of GitHub's API, which tests of the harvest need, if npm is there
	@$(call optional,$(GITHUB_SCHEMA_STAMP),schema of GitHub's API)

$(GITHUB_SCHEMA_STAMP):
	@mkdir -p $(@D)
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) '$(GITHUB_SCHEMA)'
	@rm -f $(@D)/.installed-* && touch $@

.PHONY: demo
demo: setup torch ## find the siblings of the example report
	$(BIN)/citadel triage $(EXAMPLE) --python $(TORCH_PYTHON)

.PHONY: demo-tf demo-tensorflow
demo-tf: setup tensorflow ## the same for an example report about TensorFlow
	$(BIN)/citadel triage examples/max_pool3d_rank.md --python .targets/tensorflow/bin/python

demo-tensorflow: demo-tf

.PHONY: demo-keras
demo-keras: setup keras ## the same for an example report about Keras on PyTorch
	$(BIN)/citadel triage examples/average_pooling_integers.md \
	  --python .targets/keras/bin/python

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

# $(call pytest,ARGUMENTS) runs tests; that PYTEST_ARGS leave none of them is no failure.
pytest = $(BIN)/pytest $(1) $(PYTEST_ARGS) || [ $$? = 5 ]

.PHONY: test test-keras test-fast bench bench-families clean
# Keras on its three backends would make that half as long again: its tests are a target of their own.
test: setup cluster torch torch113 tensorflow tensorflow213 sources github-schema check ## run the checks and the tests, but for test-keras
	$(call pytest,-n auto -m "not slow and not keras")
	@# Each process has servers of its own, of several frameworks: memory allows for a few.
	$(call pytest,-n auto --maxprocesses 4 --dist worksteal -m "slow and not alone and not keras")
	$(call pytest,-m "slow and alone and not keras")

test-keras: setup keras ## run the tests of Keras 3 on its three backends
	$(BIN)/pytest -m keras $(PYTEST_ARGS)

test-fast: setup ## run the tests that take no more than seconds
	$(call pytest,-n auto -m "not slow")

bench: setup torch tensorflow keras sources ## run the benchmarks
	$(BIN)/python -m benchmarks

bench-families: setup torch tensorflow ## measure how many siblings of known families are found
	$(BIN)/python -m benchmarks.families .targets/torch/bin/python
	$(BIN)/python -m benchmarks.families .targets/tensorflow/bin/python

clean: ## remove caches and generated cases; the environments stay
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find . \( -name .venv -o -name .targets \) -prune -o -name __pycache__ -prune -exec rm -rf {} +
	find generated_cases -mindepth 1 ! -name README.md -delete
