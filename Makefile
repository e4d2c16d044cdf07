# What a target needs is installed by it, once, after it said what (setup/README.md).
# `demo` and `test` run on Windows (with Git's sh) and on macOS too; they leave out what cannot be there.
#
#     make demo SYSTEM_PACKAGES=no            without installing Debian packages
#     make demo PYTHON=/path/to/python3.11
ON_WINDOWS := $(filter Windows_NT,$(OS))
PYTHON ?= $(if $(ON_WINDOWS),python,python3)
export PYTHON SYSTEM_PACKAGES

BIN := .venv/$(if $(ON_WINDOWS),Scripts,bin)

.PHONY: demo demo-reward test soak mutants lint docs paper bench install lock clean

demo: install ## the main job: a short study from start to report
	$(BIN)/hype demo $(if $(OUT),--out $(OUT))

demo-reward: install ## a reward model of simulated votes, and votes on what it picks (under a minute)
	.venv/bin/python experiments/fashion-reward/demonstrate.py $(or $(OUT),build/reward)

test: ## the whole test suite, in two processes more than there are cores
	@sh setup/install test
# Rewritten tests are kept for the other processes, also where Python is told to keep no bytecode.
# The matrices of tests are small: threads for them only wait for one another.
	PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal

lint: ## what CI checks before the tests
	@sh setup/install lint
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
# As other systems see it, at the same time: it takes as long again.
	.venv/bin/mypy --platform win32 --cache-dir .mypy_cache/win32 & windows=$$!; \
		.venv/bin/mypy; here=$$?; wait $$windows && exit $$here
	.venv/bin/deno fmt --check --quiet
	.venv/bin/deno lint --quiet
	.venv/bin/deno check --quiet --no-remote --no-npm hype/web/client/*.js hype/local_page/client/*.js

docs: ## the documents as a site: open build/site/index.html; a warning is an error
	@sh setup/install lint
	.venv/bin/python docs/site/build.py

paper: install ## a regression test: observers fitted to the 31 runs of the paper, ours beside theirs
	.venv/bin/python experiments/hype2019/paper.py

soak: ## the long forms of the tests: faults injected, inputs fuzzed (an hour and more)
	@sh setup/install test
	.venv/bin/pytest --soak -o faulthandler_timeout=0

mutants: ## does a test notice when the program computes something else? (20 minutes)
	@sh setup/install mutants
	rm -rf mutants
	.venv/bin/mutmut run
	.venv/bin/mutmut results

bench: ## measurements, side by side; the first time downloads plenoptic and PyTorch
	@sh setup/install test
	@sh setup/install bench
	.venv/bin/python benchmarks/scoring.py
	.venv/bin/python benchmarks/metrics.py
	.venv/bin/python benchmarks/verdicts.py
	.venv/bin/python benchmarks/simulation.py
	.venv/bin/python benchmarks/timing.py
	.venv-bench/bin/python benchmarks/masks.py

install: ## the program alone, into .venv
	@sh setup/install

lock: install ## resolve the dependencies anew (needs the network)
	sh setup/lock

clean:
	rm -rf .venv .venv-bench
