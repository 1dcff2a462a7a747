# Everything here happens inside this folder: a virtual environment in .venv, build trees in build/.
#
#   make demo     build, install and run the main job on real data
#   make demo-full  that, then retrieval of one record of 65,536 (PIR) and set intersection (PSI)
#   make check    after an edit, a minute: build, C++ tests whose programs changed, and of the Python tests those of what changed,
#                 a sample of their rooms' and some others
#   make test     build with warnings as errors; run every C++ and Python test, and say what was left out
#   make test-full  what `make test` leaves out, some minutes: statistics at full size, the time of operations on secrets, the
#                   CUDA engine compiled for every architecture (doc/testing.md says why)
#   make test-service  200 clients at once on the service over HTTP, for LOAD_SECONDS=120
#   make test-chaos    the same while its processes are killed and its keys damaged, for CHAOS_SECONDS=600
#   make test-ray   cyclotome.map on a Ray cluster of this machine (installs Ray, some 70 MB)
#   make lint     formatting, static checks and the layering of the code
#   make tidy     clang-tidy on the C++ files that differ from the last commit (CHANGED=main: from another; TIDY=all: on all, 20 min)
#   make format   rewrite the sources in the project's format
#   make bench    measure beside SEAL (minutes; leave the machine alone): bench/results/<machine>.json, build/bench.html
#   make install-cuda  build and install the package with the CUDA engine (needs CUDA 13; GPUS=90-real for one kind of card)
#   make test-gpu   on a machine with a GPU: the CUDA engine against the CPU's, from C++ and Python
#   make test-gpu-builds  the same with builds for several architectures, which must compute or refuse (minutes)
#   make bench-gate  the usual operations beside an earlier commit: other bits, or 1 % more time, is a failure (BASE=...)
#   make bench-gpu  measure on the first GPU (minutes): bench/results/<gpu>.json
#   make docs     the documentation's site into build/site, in seconds: nothing is compiled
#   make docs-cpp  the C++ reference alone, into build/site/cpp (needs Doxygen, with which `make docs` has it too)
#   make docs-serve  the same at http://localhost:8000, built anew when a page changes
#   make pictures, make notebooks  draw doc/pictures anew, and run doc/notebooks and keep what they print
#   make verilog  circuits for polynomial products, for a vendor's tools: build/verilog
#   make fuzz-programs  random programs over the whole interface in Python, C++ and on the command line, for FUZZ_SECONDS=600
#   make test-faults  every allocation, write, flush ... of each call that fails in turn, and 1000 writers that are killed (long)
#   make prove    check the proofs of the noise calculus (needs Coq and Coquelicot)
#   make fuzz     fuzz everything that reads bytes from outside, thrice FUZZ_SECONDS=30 (needs clang); FUZZ_LIBRARY=build/test-3.11/libcyclotome.a
#                 compiles only what readers run through under sanitizers
#   make wheels   wheels of every distribution for every Python there is, in dist/; `make test-wheels` uses each
#                 in an empty environment (wheel-cuda, test-wheel-cuda: the one with the CUDA engine; wheels-docker: cibuildwheel)
#   make sdist    the sdist, twice, which must be equal byte for byte; make sbom: what is in a wheel, as CycloneDX;
#                 make provenance: of which commit, by what, with digests of all of them
#   make lock     requirements/*.txt anew, with hashes (UPGRADE=1: newest versions); make test-locked: the tests with exactly those
#   make test-aarch64  C++ tests for 64-bit ARM in an emulator; make check-platforms: compile for Clang, Windows and macOS
#   make clean    remove .venv and build/
#
# PYTHON=python3.12 chooses an interpreter (3.10 or later), JOBS=4 the number of parallel compilations.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

ifndef PYTHON
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo "$$python" && break; done; true)
endif
python_version := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

venv := .venv
bin := $(venv)/bin
ready := $(venv)/.python-$(python_version)
linters := $(venv)/.lint-$(python_version)

# One build tree for each way to build, so that going from one to the other rebuilds nothing.
demo_build := build/demo-$(python_version)
test_build := build/test-$(python_version)
sanitize_build := build/sanitize
consumer_build := build/consumer
cuda_build := build/cuda-test
cuda_full_build := build/cuda-full
cuda_package := build/cuda-package-$(python_version)
left_out := build/left-out.txt

# Without build isolation pip builds with the tools of .venv, whose paths stay the same: rebuilding is incremental.
pip_install := $(bin)/python -m pip install --quiet --no-build-isolation
# Distributions beside the library, from their folders, so that pip asks no index for them.
packages := ./bench ./demo ./hdl ./reader ./study
cpp_sources = $(shell find src python/bindings test example -name '*.[hc]pp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh')

.PHONY: help demo demo-full bench bench-gate bench-gpu install-cuda test-gpu test-gpu-builds check test test-full install install-test test-cpp test-python test-consumer test-sanitize test-cuda test-cuda-full test-headers test-service test-chaos test-ray test-faults lint tidy format docs docs-cpp docs-serve pictures notebooks verilog fuzz fuzz-programs prove clean
.PHONY: wheels wheel-cuda wheels-docker test-wheels test-wheel-cuda sdist sbom provenance lock test-locked test-aarch64 check-platforms

help:
	@sed -n 's/^#   //p' Makefile

$(ready): pyproject.toml
	@test -n "$(python_version)" || { echo "No Python 3.10 or later found; install one or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo "$(PYTHON) is Python $(python_version); cyclotome needs 3.10 or later: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "== virtual environment in $(venv) (Python $(python_version)) and build tools"
	@test -e $@ || $(PYTHON) -m venv --clear $(venv)
	@$(bin)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(bin)/python -m pip install --quiet --group build
	@touch $@

$(linters): $(ready)
	@$(bin)/python -m pip install --quiet --group lint
	@touch $@

install: $(ready)
	@echo "== build and install cyclotome (the first time takes minutes)"
	@$(pip_install) -Cbuild-dir=$(demo_build) '.[demo]' ./demo

install-test: $(ready)
	@echo "== build and install cyclotome with its tests, warnings as errors (the first time takes minutes)"
	@$(pip_install) -Cbuild-dir=$(test_build) -Ccmake.define.CYCLOTOME_BUILD_TESTING=ON \
	    -Ccmake.define.CYCLOTOME_WERROR=ON --group docs '.[test]' $(packages)

cuda_options := -Cbuild-dir=$(cuda_package) -Ccmake.define.CYCLOTOME_CUDA=ON \
    $(if $(GPUS),-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=$(GPUS))

install-cuda: $(ready)
	@command -v nvcc >/dev/null || { echo "the CUDA engine needs nvcc of CUDA 13, which is not in PATH" >&2; exit 1; }
	@echo "== build and install cyclotome with the CUDA engine (the first time takes minutes)"
	@$(pip_install) $(cuda_options) -Ccmake.define.CYCLOTOME_BUILD_TESTING=OFF '.[bench,demo]' ./bench ./demo ./study

demo: install
	@$(bin)/cyclotome demo

demo-full: install
	@$(bin)/cyclotome demo --full

# An interrupted run goes on with: make bench BENCH_ARGUMENTS=--resume
bench: install
	@$(pip_install) -Cbuild-dir=$(demo_build) '.[bench]' ./bench ./study
	@$(bin)/python -m pip install --quiet 'tenseal>=0.3.15' || \
	    echo "tenseal (SEAL) has no wheel for this Python: measuring without a peer" >&2
	@mkdir -p build bench/results
	@$(bin)/cyclotome bench --full --output bench/results --html build/bench.html --force $(BENCH_ARGUMENTS)
	@$(bin)/cyclotome bench --set jobs --output bench/results --html build/bench-jobs.html --force $(BENCH_ARGUMENTS)
	@$(MAKE) --no-print-directory bench-gate

# BASE=v0.1.0 compares with another commit than the one before; LIMIT=2 allows two percent.
bench-gate: $(ready)
	@echo "== bits and times of the usual operations, beside another commit's"
	@PATH="$(abspath $(bin)):$$PATH" LIMIT=$(or $(LIMIT),1) tools/bench_gate.sh $(BASE)

# Files of tests are shared out among as many processes as there are cores; PYTEST_ARGUMENTS="-n 0 ..." runs in one.
# CYCLOTOME_TEST_SEED=7 repeats what random tests drew.
pytest := $(bin)/python -m pytest -n $(JOBS) --dist loadfile $(CYCLOTOME_TEST_SEED:%=--hypothesis-seed=%)

# CHANGED=main compares with another commit than the last one. A minute of processor time, with the build; CPP_SECONDS=1000
# and PYTHON_SECONDS=1000 leave nothing out for time.
CPP_SECONDS ?= 12
PYTHON_SECONDS ?= 28
check: install-test
	@echo "== C++ tests whose programs changed since they passed, for $(CPP_SECONDS) s"
	@$(bin)/python tools/changed_tests.py $(test_build) --changed-since $(or $(CHANGED),HEAD) --seconds $(CPP_SECONDS) --jobs $(JOBS)
	@echo "== Python tests: what changed since $(or $(CHANGED),HEAD), and a sample, for $(PYTHON_SECONDS) s"
	@$(pytest) --changed-since=$(or $(CHANGED),HEAD) --sample=2 --seconds=$(PYTHON_SECONDS) $(PYTEST_ARGUMENTS)

test: test-cpp test-python test-consumer test-sanitize test-cuda
	@echo "== result"
	@tail -n 1 build/pytest.log
	@$(bin)/python tools/left_out.py $(left_out)

test-cpp: install-test
	@echo "== C++ tests"
	@mkdir -p build && rm -f $(left_out)
	@$(bin)/ctest --test-dir $(test_build) --output-on-failure --no-tests=error --parallel $(JOBS)
	@$(bin)/python tools/changed_tests.py $(test_build) --passed
	@$(bin)/ctest --test-dir $(test_build) --show-only | grep secret_poisoning >/dev/null || \
	    echo "search for secret-dependent branches: valgrind or its headers are not installed (Debian: valgrind)" >> $(left_out)
	@$(bin)/ctest --test-dir $(test_build) --show-only | grep machine_code >/dev/null || \
	    echo "search of AVX-512 machine code: takes x86-64, an optimised build and objdump (Debian: binutils)" >> $(left_out)
	@command -v cargo >/dev/null || echo "the example in Rust: there is no cargo (Debian: cargo)" >> $(left_out)

test-python: install-test
	@echo "== Python tests"
	@$(pytest) $(PYTEST_ARGUMENTS) 2>&1 | tee build/pytest.log
	@for program in chromium chromedriver; do command -v $$program >/dev/null || \
	    echo "the benchmark's pages in a browser: there is no $$program (Debian: chromium chromium-driver)"; done >> $(left_out)
	@command -v iverilog >/dev/null || echo "circuits under Icarus Verilog: there is no iverilog (Debian: iverilog)" >> $(left_out)
	@command -v doxygen >/dev/null || echo "the C++ reference: there is no doxygen (Debian: doxygen)" >> $(left_out)

test-full: install-test test-headers test-cuda-full
	@echo "== statistics at full size"
	@$(bin)/python -m pytest -m full $(PYTEST_ARGUMENTS)
	@echo "== whether times depend on secrets"
	@$(bin)/ctest --test-dir $(test_build) --output-on-failure --no-tests=error -C full -R '^time_(joint_)?secrets$$'

test-service: install-test
	@echo "== the service under load"
	@CYCLOTOME_LOAD_SECONDS=$(or $(LOAD_SECONDS),120) CYCLOTOME_LOAD_REPORT=$(abspath build)/service-load.json \
	    $(bin)/python -m pytest -m full $(PYTEST_ARGUMENTS) test/python/services/test_service_load.py
	@cat build/service-load.json

test-chaos: install-test
	@echo "== the service while its processes are killed and its keys damaged"
	@CYCLOTOME_CHAOS_SECONDS=$(or $(CHAOS_SECONDS),600) CYCLOTOME_CHAOS_REPORT=$(abspath build)/service-chaos.json \
	    $(bin)/python -m pytest -m full -n 0 -s test/python/services/test_service_chaos.py
	@cat build/service-chaos.json

test-ray: install-test
	@$(bin)/python -m pip install --quiet 'ray>=2.30'
	@echo "== map on a Ray cluster of this machine"
	@$(bin)/python -m pytest $(PYTEST_ARGUMENTS) test/python/services/test_mapping.py test/python/services/test_ray_nodes.py

test-headers: install-test
	@echo "== each public header compiled by itself"
	@$(bin)/cmake --build $(test_build) --target verify_public_headers

# The oldest CMake that the C++ library is served with, from PyPI.
oldest_cmake := build/cmake-3.22
$(oldest_cmake)/bin/cmake: | $(ready)
	@$(bin)/python -m venv $(oldest_cmake) && $(oldest_cmake)/bin/python -m pip install --quiet 'cmake==3.22.*' || rm -rf $(oldest_cmake)

# Projects that know nothing but what is installed; they are built with the oldest CMake that may.
test-consumer: install-test $(oldest_cmake)/bin/cmake
	@echo "== C++ projects against the installed packages"
	@CMAKE=$(bin)/cmake NINJA=$(bin)/ninja OLDEST=$(oldest_cmake) tools/test_package.sh $(test_build) $(consumer_build)
	@if test -e $(consumer_build)/left-out; then cat $(consumer_build)/left-out >> $(left_out); fi

# CI has so much time: where LATEST (seconds since 1970) has passed, what comes after the Python tests is left out, by name.
late = test $$(date +%s) -gt $(or $(LATEST),99999999999)

test-sanitize: $(ready)
	@echo "== C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer"
	@mkdir -p build
	@if $(late); then echo "sanitizer run of the C++ tests: no time was left for it" | tee -a $(left_out); exit 0; fi; \
	if ! echo 'int main() {}' | $${CXX:-c++} -x c++ -fsanitize=address,undefined - -o build/sanitizer-probe 2>/dev/null; then \
	    echo "sanitizer run of the C++ tests: $${CXX:-c++} cannot link -fsanitize=address,undefined" | tee -a $(left_out); \
	    exit 0; \
	fi; \
	configure() { $(bin)/cmake --preset sanitize -B $(sanitize_build) -DCMAKE_MAKE_PROGRAM=$(abspath $(bin))/ninja \
	    -DPython_EXECUTABLE=$(abspath $(bin))/python "$$@" >/dev/null; }; \
	configure; \
	if ! $(bin)/cmake --build $(sanitize_build); then \
	    echo "files do not go together (tools/unity_groups.py): one by one"; \
	    configure -DCYCLOTOME_UNITY=OFF; \
	    $(bin)/cmake --build $(sanitize_build); \
	fi; \
	$(bin)/ctest --test-dir $(sanitize_build) --output-on-failure --no-tests=error --parallel $(JOBS)

# The same test bodies as for the CPU engine, where they can run on either, and those about GPUs.
gpu_tests := $(addprefix test/python/*/,test_cuda_*.py test_exported_symbols.py test_sharding.py test_engine_*.py test_samplers.py test_errata_*.py \
    test_bfv_*.py test_bgv_*.py test_hps_levels.py test_rlwe_*.py test_array_*.py test_plain_*.py test_functions.py test_random_functions.py \
    test_matrices.py test_models.py test_hoisting.py test_domains.py test_rekeying.py test_threshold.py test_suggested_computations.py \
    test_server_jobs.py test_service.py)

test-gpu: install-cuda
	@$(pip_install) $(cuda_options) -Ccmake.define.CYCLOTOME_BUILD_TESTING=ON '.[test]' $(packages)
	@echo "== C++ tests on the GPU"
	@$(bin)/ctest --test-dir $(cuda_package) --output-on-failure --no-tests=error -R cuda
	@echo "== Python tests on the GPU"
	@$(bin)/python -c 'import sys; from cyclotome.devices import cuda as c; c.usable() or sys.exit("no GPU: " + c.state())'
	@CYCLOTOME_TEST_DEVICE=cuda:0 $(bin)/python -m pytest $(PYTEST_ARGUMENTS) $(gpu_tests)

# With the tools in PATH instead of .venv, for machines without a network.
test-gpu-builds:
	@tools/test_gpu_builds.sh

# An interrupted run goes on with: make bench-gpu BENCH_ARGUMENTS=--resume
bench-gpu: install-cuda
	@mkdir -p bench/results
	@$(bin)/cyclotome bench --device cuda --full --output bench/results --force $(BENCH_ARGUMENTS)
	@$(bin)/cyclotome bench --device cuda --set jobs --output bench/results --force $(BENCH_ARGUMENTS)

# Where there is a CUDA compiler the engine for GPUs is compiled for one kind of GPU, the one of this machine if it has one, and
# tested if it has. The library beneath it is the one that the other tests built.
gpu_here = $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
cuda_configure = $(bin)/cmake --preset cuda -DCMAKE_MAKE_PROGRAM=$(abspath $(bin))/ninja \
    -DCYCLOTOME_LIBRARY=$(abspath $(test_build))/libcyclotome.a

test-cuda: install-test
	@echo "== the CUDA engine"
	@mkdir -p build
	@if $(late); then echo "the CUDA engine: no time was left to compile it" | tee -a $(left_out); exit 0; fi; \
	if ! command -v nvcc >/dev/null; then \
	    echo "the CUDA engine: there is no nvcc on this machine" | tee -a $(left_out); \
	    exit 0; \
	fi; \
	$(cuda_configure) -B $(cuda_build) -DCMAKE_CUDA_ARCHITECTURES=$(or $(GPUS),$(gpu_here),90) >/dev/null; \
	$(bin)/cmake --build $(cuda_build); \
	$(bin)/ctest --test-dir $(cuda_build) --output-on-failure --no-tests=error -R '^test_cuda_'; \
	status=0; $(cuda_build)/test/cuda/test_cuda_engine >/dev/null || status=$$?; \
	if test $$status -eq 77; then echo "a run of the CUDA engine: no usable GPU (it was compiled)" >> $(left_out); fi

# For every architecture that a package of the CUDA engine is built for.
test-cuda-full: install-test
	@echo "== the CUDA engine for every architecture"
	@if ! command -v nvcc >/dev/null; then \
	    echo "the CUDA engine was not compiled: there is no nvcc on this machine"; \
	    exit 0; \
	fi; \
	$(cuda_configure) -B $(cuda_full_build) >/dev/null; \
	$(bin)/cmake --build $(cuda_full_build)

# Runs all checks, so that one run shows everything there is to mend. mypy reads the stub that the build made from the
# extension; its copy beside the sources is not under version control.
lint: install-test $(linters)
	@cp $(test_build)/python/cyclotome/_core.pyi python/cyclotome/_core.pyi
	@failed=; check() { echo "== $$1"; shift; "$$@" || failed=1; }; \
	check "clang-format (make format repairs)" $(bin)/clang-format --dry-run --Werror $(cpp_sources); \
	check "ruff" $(bin)/ruff check .; \
	check "ruff format (make format repairs)" $(bin)/ruff format --check .; \
	check "mypy" $(bin)/mypy; \
	check "types of what users write: pages, examples, docstrings" $(bin)/python tools/check_types.py; \
	check "layers" $(bin)/python tools/check_layers.py; \
	check "rings" $(bin)/python tools/check_rings.py; \
	check "layers and circles of Python's modules" env PYTHONPATH=python:bench:demo:hdl:reader:study $(bin)/lint-imports; \
	check "private members" $(bin)/python tools/check_members.py; \
	check "figures of README and doc/" $(bin)/python tools/check_figures.py; \
	test -z "$$failed"

# In a configuration of its own, which is never built: precompiled headers of GCC are nothing to clang-tidy.
tidy_build := build/tidy
tidy_files = $(if $(filter all,$(TIDY)),$(shell git ls-files 'src/*.cpp' 'test/cpp/*/test_*.cpp'),\
    $(shell git diff --name-only --diff-filter=d $(or $(CHANGED),HEAD) -- 'src/*.cpp' 'test/cpp/*/test_*.cpp'))

tidy: $(linters)
	@$(bin)/cmake --preset cpp -B $(tidy_build) -DCMAKE_MAKE_PROGRAM=$(abspath $(bin))/ninja -DCYCLOTOME_PRECOMPILE=OFF >/dev/null
	@echo $(tidy_files) | xargs --no-run-if-empty --max-args 1 --max-procs $(JOBS) --delimiter ' ' \
	    $(bin)/clang-tidy --quiet -p $(tidy_build)

format: $(linters)
	@$(bin)/clang-format -i $(cpp_sources)
	@$(bin)/ruff check --quiet --fix-only .
	@$(bin)/ruff format --quiet .

# C++ pages go into build/site/cpp where there is a doxygen.
docs_cpp := $(if $(shell command -v doxygen),$(shell sed -n 's/^\(docs-cpp\):.*/\1/p' Makefile))
docs_tools = $(bin)/python -m pip install --quiet --group docs
mkdocs := NO_MKDOCS_2_WARNING=1 CYCLOTOME_DOCS_CPP=$(docs_cpp) $(bin)/mkdocs

docs: $(ready)
	@$(docs_tools)
	@$(mkdocs) build --strict --quiet
	@$(if $(docs_cpp),$(MAKE) --no-print-directory $(docs_cpp))
	@echo "build/site/index.html"

# Pictures and what notebooks print come from the installed package, and are committed.
pictures: install-test
	@$(bin)/python tools/docs/draw.py

notebooks: install-test
	@$(bin)/python tools/docs/run_notebooks.py

docs-serve: $(ready)
	@$(docs_tools)
	@$(mkdocs) serve

# Any public name without documentation is an error.
docs-cpp:
	@command -v doxygen >/dev/null || { echo "the C++ reference needs Doxygen (Debian: doxygen)" >&2; exit 1; }
	@mkdir -p build/site build/pages
	@$(PYTHON) tools/cpp_names.py > build/pages/names.md
	@VERSION="$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)" PAGES=build/pages OUTPUT=build/site \
	    HEADERS="$$($(PYTHON) tools/cpp_names.py --headers | tr '\n' ' ')" doxygen doc/Doxyfile

verilog: $(ready)
	@$(pip_install) -Cbuild-dir=$(demo_build) '.[cli,fpga]' ./hdl ./study
	@for circuit in pease:16384:1 cooley-tukey:32768:1 cooley-tukey:32768:2 cooley-tukey:32768:4 iterative:16384:1 \
	    iterative:32768:4 streaming:32768:1; do IFS=: read -r design degree pipes <<<"$$circuit"; \
	    $(bin)/cyclotome fpga verilog --design $$design --degree $$degree --pipes $$pipes --output build/verilog --force; done

test-faults: install-test
	@CYCLOTOME_TEST_FAULTS=0 CYCLOTOME_TEST_KILLS=1000 \
	    $(bin)/python -m pytest -n 0 -s test/python/files/test_faults.py test/python/files/test_killed_writers.py

fuzz: $(ready)
	@tools/fuzz.sh $(or $(FUZZ_SECONDS),30)

# The rules of the noise calculus, and what they rest on. Debian: coq, libcoq-coquelicot.
prove:
	@command -v coqc >/dev/null || { echo "proofs need coqc and Coquelicot: apt-get install coq libcoq-coquelicot" >&2; exit 1; }
	@mkdir -p build/proof && cp proof/*.v build/proof
	@cd build/proof && for file in norms calculus products constants tails instance; do \
	    echo "== $$file"; coqc -q -Q . Cyclotome $$file.v || exit 1; done

# New seeds in every round, until the time is over or a round fails; the last rounds' counts are in build/fuzz-programs.log.
fuzz-programs: install-test
	@rounds=0; while ((SECONDS < $(or $(FUZZ_SECONDS),600))); do \
	    CYCLOTOME_FUZZ_PROGRAMS=$(or $(PROGRAMS),300) $(bin)/python -m pytest -n 0 -q -s --exitfirst $(PYTEST_ARGUMENTS) \
	        test/python/whole/test_differential.py >build/fuzz-programs.log 2>&1 || { tail -n 60 build/fuzz-programs.log; exit 1; }; \
	    rounds=$$((rounds + 1)); grep '^{' build/fuzz-programs.log || true; \
	done; echo "$$rounds rounds in $$SECONDS s, no failure"

# The oldest Python there is builds the wheel for the stable ABI from 3.12 on; the compiler is CXX's. PYTHONS="python3.12" chooses.
wheels:
	@$(PYTHON) tools/make_wheels.py --output dist $(PYTHONS)

wheel-cuda:
	@command -v nvcc >/dev/null || { echo "the CUDA engine needs nvcc of CUDA 13, which is not in PATH" >&2; exit 1; }
	@GPUS="$(GPUS)" $(PYTHON) tools/make_wheels.py --cuda --output dist $(PYTHONS)

# In manylinux_2_28's containers, by the settings in pyproject.toml.
wheels-docker: $(ready)
	@docker info >/dev/null 2>&1 || { echo "no docker daemon answers; make wheels builds with this machine's compiler" >&2; exit 1; }
	@$(bin)/python -m pip install --quiet 'cibuildwheel>=3,<5'
	@$(bin)/cibuildwheel --platform linux --output-dir dist

test-wheels:
	@$(PYTHON) test/wheels/check_wheels.py --wheels dist $(PYTHONS)

test-wheel-cuda:
	@$(PYTHON) test/wheels/check_wheels.py --cuda --wheels dist $(PYTHONS)

sdist: $(ready)
	@tools/make_sdist.sh $(bin)/python dist

sbom:
	@$(PYTHON) tools/sbom.py --wheels dist

# The last step before files are published and signed; tools/provenance.py --check is for whoever gets them.
provenance:
	@$(PYTHON) tools/provenance.py --folder dist

lock: $(ready)
	@$(bin)/python -m pip install --quiet --group lock
	@PATH="$(abspath $(bin)):$$PATH" $(bin)/python tools/lock.py $(if $(UPGRADE),--upgrade)

# In an environment of its own, of the versions and the hashes in requirements/ only.
locked := build/locked
test-locked: $(ready)
	@echo "== the Python tests with locked dependencies"
	@$(PYTHON) -m venv --clear $(locked)
	@$(locked)/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements/build.txt
	@$(locked)/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements/test.txt
	@PATH="$(abspath $(locked))/bin:$$PATH" $(locked)/bin/python -m pip install --quiet --no-build-isolation --no-deps \
	    -Cbuild-dir=build/test-locked -Ccmake.define.CYCLOTOME_BUILD_TESTING=ON . $(packages)
	@$(locked)/bin/python -m pytest -n $(JOBS) --dist loadfile $(PYTEST_ARGUMENTS)

# Debian: g++-aarch64-linux-gnu qemu-user. Minutes, since every program runs in an emulator: beside `make test`.
aarch64_build := build/aarch64
aarch64_tests := test_vector_paths test_vector_verbs test_prime_factor test_contracts test_floating_arithmetic test_seeds \
    test_golden_files test_bfv test_bgv test_io_file_sets test_thread_pool fuzz_io_replay engine_kit_cpu_neon engine_kit_cpu_scalar machine_code
aarch64_programs := $(filter-out engine_kit_% machine_code,$(aarch64_tests)) engine_kit
ifeq ($(and $(shell command -v aarch64-linux-gnu-g++),$(shell command -v qemu-aarch64)),)
test-aarch64:
	@echo "Left out: 64-bit ARM; there is no aarch64-linux-gnu-g++ or no qemu-aarch64 (Debian: g++-aarch64-linux-gnu qemu-user)"
else
test-aarch64: $(ready)
	@$(bin)/cmake --preset aarch64 -B $(aarch64_build) -DCMAKE_MAKE_PROGRAM=$(abspath $(bin))/ninja >/dev/null
	@$(bin)/cmake --build $(aarch64_build) --target $(aarch64_programs)
	@$(bin)/ctest --test-dir $(aarch64_build) --output-on-failure --no-tests=error \
	    -R "^($$(echo $(aarch64_tests) | tr ' ' '|'))\$$"
endif

check-platforms: $(ready)
	@PATH="$(abspath $(bin)):$$PATH" tools/check_platforms.sh

clean:
	rm -rf $(venv) build python/cyclotome/_core.pyi
