# Two commands: `make demo` and `make test`. Both set everything up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_READY := $(VENV)/.demo
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs
KERNELS := src/forearm/core/_built.py
PIECES := src/forearm/export/kernels/kernels.json
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable

# Rooms whose tests run kernels as Python too, for coverage; the rooms above them are covered on compiled kernels.
# Compiled, the tests of these rooms are not watched: coverage runs them apart.
KERNEL_TESTS := tests/arm tests/bones tests/core tests/golden tests/solve tests/tracking tests/trees tests/test_robot.py
# Drawn without a graphics card, so nothing else runs beside them.
BROWSER_TESTS := tests/viewer/test_in_browser.py
PYTEST := -m pytest -n 2 --dist worksteal
# What runs tests, and which rooms it leaves out; coverage, to note what the others cover.
RUN := $(BIN)/python
APART :=

.PHONY: demo test test-jit test-wheel kernels c wheel lint coverage bench gate docs pictures clean help

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

# An environment with what builds and shows: packages from the index, then this working copy as it stands.
$(DEMO_READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "forearm needs Python 3.10 or newer; try make PYTHON=python3.12")'
	@echo "1 of 3: an environment in $(VENV), with what is needed to build, draw and view (about a minute, mostly downloads)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --constraint constraints.txt hatchling editables setuptools
	@$(INSTALL) '.[jit,plot,viewer]'
	@touch $(DEMO_READY)

$(READY): $(DEMO_READY)
	$(INSTALL) '.[dev]'
	@touch $(READY)

# Without a C compiler Numba compiles them at first use, and a line says so; a build that fails ends here.
$(KERNELS): $(DEMO_READY) $(shell find src/forearm/core tools/kernels -name '*.py' ! -name _built.py)
	@echo "2 of 3: compiling the kernels, once (about two minutes on two processors)"
	@$(BIN)/python tools/kernels/build.py --if-possible

# The kernels of exported robots; their tests are skipped where they cannot be built.
$(PIECES): $(KERNELS)
	@$(BIN)/python tools/kernels/pieces.py --if-possible

demo: $(KERNELS)  ## solve a real target for a real arm and draw the pose
	@echo "3 of 3: a target for a UR5"
	@$(BIN)/forearm demo

kernels: $(DEMO_READY)  ## compile the kernels that were edited since they were built
	$(BIN)/python tools/kernels/build.py

c: $(DEMO_READY)  ## libforearm with its header into dist/c, and the kernels that `forearm export` gives away
	$(BIN)/python tools/kernels/library.py

wheel: $(READY) $(KERNELS)  ## one wheel for this platform and every Python from 3.10 on, into dist/
	rm -f dist/forearm-*.whl
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

test: $(READY) $(KERNELS) $(PIECES)  ## run every test
	$(RUN) -m pytest -q $(BROWSER_TESTS)
	$(RUN) $(PYTEST) -q tests $(addprefix --ignore=,$(BROWSER_TESTS) $(APART))

# All methods, batches, branches and chains; kernels that take Numba a minute each are left to the other runs.
test-jit: $(READY)  ## public calls on kernels just in time, with the recorded bits, as those who edit them have it
	FOREARM_KERNELS=jit $(BIN)/python $(PYTEST) -q \
		-k "not golden or (ur5 or chain) and not (among or itself or tracks or curves or missed)" \
		tests/golden tests/core/test_numba_jit.py tests/core/test_shaped.py tests/core/combined

# Asked for by a Python: make test-wheel PYTHON=python3.12. Numba is taken out again, as users have none.
test-wheel: wheel  ## every test but the browser's on the wheel, without Numba, in an environment of its own
	$(PYTHON) -m venv --clear build/wheel-test
	build/wheel-test/bin/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt \
		"$$(ls dist/forearm-*.whl)[dev]"
	build/wheel-test/bin/python -m pip uninstall --quiet --yes numba llvmlite
	build/wheel-test/bin/forearm system
	build/wheel-test/bin/python $(PYTEST) -q tests $(addprefix --ignore=,$(BROWSER_TESTS))

lint: $(READY)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Compiled first: capsules fitted to meshes are kept on disk then, which take Python minutes.
coverage: $(READY) $(KERNELS) $(PIECES)  ## what the tests cover: all of them as they are, then of kernels as Python
	$(BIN)/coverage erase
	$(MAKE) test RUN='$(BIN)/coverage run' APART='$(KERNEL_TESTS)'
	$(BIN)/python $(PYTEST) -q $(KERNEL_TESTS)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run $(PYTEST) -q -m 'not compiled' $(KERNEL_TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(READY) $(KERNELS)  ## print the measured speeds of this machine
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

gate: $(READY) $(KERNELS)  ## name what became slower since the committed baseline
	$(BIN)/python benchmarks/gate.py

# The theme's maker advertises its successor on every build; that is no warning of ours.
docs: $(DOCS_READY)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "built: site/index.html"

$(DOCS_READY): $(READY)
	$(INSTALL) '.[dev,docs]'
	@touch $(DOCS_READY)

pictures: $(READY) $(KERNELS)  ## draw the pictures of the documentation again
	$(BIN)/python tools/animate_arm.py
	$(BIN)/python tools/method_pictures.py
	$(BIN)/python tools/draw_layers.py
	$(BIN)/python tools/draw_conventions.py
	$(BIN)/python tools/servo_picture.py
	NUMBA_DISABLE_JIT=1 PYTHONPATH=benchmarks $(BIN)/python tools/branch_picture.py
	PYTHONPATH=benchmarks $(BIN)/python tools/retarget_picture.py
	PYTHONPATH=benchmarks $(BIN)/python tools/viewer_pictures.py

clean:  ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist site
	rm -rf src/forearm/core/_built.py src/forearm/core/_kernels* src/forearm/export/kernels
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
