# The two commands to know: `make demo` runs the main job, `make test` runs every check.
PY := .venv/bin/python
JOBS ?= 2

.PHONY: demo test setup lint types format unit downstream bench clean

demo: setup
	$(PY) tools/demo.py

test: setup lint types unit

setup:
	@tools/bootstrap.sh

lint:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types:
	.venv/bin/mypy

unit:
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m "not downstream and not gpu"

format:
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# Every real extension on every target, and older PyTorch headers; an hour on two cores.
downstream: setup
	$(PY) -m pytest -m downstream tests/downstream tests/toolchain

# On the sources that `make demo` fetched.
bench: setup
	$(PY) benchmarks/syntax_speed.py build/demo
	$(PY) benchmarks/scan_speed.py build/demo

clean:
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache
