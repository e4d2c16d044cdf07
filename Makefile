# Everything a clean machine needs is installed by the first target that is asked for.
PYTHON ?= python3

.PHONY: demo test soak lint paper bench install lock clean

demo: install ## the main job: a short study from start to report
	.venv/bin/hype demo $(if $(OUT),--out $(OUT))

test: ## the whole test suite, in as many processes as there are cores
	@PYTHON='$(PYTHON)' sh setup/install tests
	.venv/bin/pytest -n auto --dist worksteal

lint: install ## what CI checks before the tests
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

paper: install ## the 31 runs of the paper, simulated and scored: ours beside theirs
	.venv/bin/python experiments/hype2019/paper.py

soak: .venv-soak ## the long forms of the tests: faults injected, inputs fuzzed (about 30 minutes)
	.venv/bin/pytest --soak tests/central tests/faults tests/fuzz tests/store tests/sessions/test_central_admission.py tests/sessions/test_verify_mutations.py
	.venv-soak/bin/python tests/fuzz/coverage_guided.py

bench: .venv-bench ## measurements, side by side; the first time downloads plenoptic and PyTorch
	.venv/bin/python benchmarks/scoring.py
	.venv/bin/python benchmarks/recovery.py
	.venv/bin/python benchmarks/comparisons.py
	.venv/bin/python benchmarks/ratings.py
	.venv/bin/python benchmarks/arena.py
	.venv/bin/python benchmarks/central.py
	.venv/bin/python benchmarks/simulation.py
	.venv/bin/python benchmarks/timing.py
	.venv-bench/bin/python benchmarks/masks.py

.venv-bench: extra = benchmarks
.venv-soak: extra = soak
.venv-bench .venv-soak: pyproject.toml | install
	rm -rf $@
	$(PYTHON) -m venv $@
	.venv/bin/uv pip install -q --python $@/bin/python --system-certs -e '.[$(extra)]'
	touch $@

install:
	@PYTHON='$(PYTHON)' sh setup/install

lock: install ## resolve the dependencies anew (needs the network)
	.venv/bin/uv pip compile pyproject.toml --extra station --extra dev --universal \
	  --python-version 3.10 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --overrides setup/overrides.txt -o setup/requirements.lock

clean:
	rm -rf .venv .venv-bench .venv-soak
