# Two commands: `make demo` and `make test`. Both set everything up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test lint coverage bench gate docs pictures clean help

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "forearm needs Python 3.10 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## solve a real target for a real arm and draw the pose
	$(BIN)/forearm demo

test: $(READY)  ## run every test
	$(BIN)/python -m pytest -n 2 --dist worksteal tests

lint: $(READY)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

coverage: $(READY)  ## run the tests uncompiled and measure what they cover
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -x -n 2 --dist worksteal -m 'not compiled' tests
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(READY)  ## print the measured speeds of this machine
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/kernels.py
	$(BIN)/python benchmarks/general.py
	$(BIN)/python benchmarks/chains.py
	$(BIN)/python benchmarks/verdicts.py
	$(BIN)/python benchmarks/tracking.py --paths 40
	$(BIN)/python benchmarks/batch.py
	$(BIN)/python benchmarks/viewer.py
	$(BIN)/python benchmarks/maps.py --cluster
	$(BIN)/forearm bench

gate: $(READY)  ## name what became slower since the committed baseline
	$(BIN)/python benchmarks/gate.py

# The theme's maker advertises its successor on every build; that is no warning of ours.
docs: $(DOCS_READY)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "built: site/index.html"

$(DOCS_READY): $(READY)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev,docs]'
	@touch $(DOCS_READY)

pictures: $(READY)  ## draw the pictures of the documentation again
	$(BIN)/python tools/animate_arm.py
	$(BIN)/python tools/method_pictures.py
	$(BIN)/python tools/draw_layers.py

clean:  ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist site
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
