#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes everything that reads bytes from outside: the readers in C++ under AddressSanitizer and
# UndefinedBehaviorSanitizer, with a mutator that puts lengths and checksums right (test/fuzz/mending_mutator.cpp), then
# those in Python (test/fuzz/fuzz_readers.py), where a package is installed. Needs clang with libFuzzer, CMake 3.26 or
# later and Ninja (make test puts the last two into .venv/bin, which is looked at first).
#
#   tools/fuzz.sh [SECONDS] [libFuzzer options]     30 seconds for each of the three unless said otherwise
#
# FUZZ_LIBRARY names a libcyclotome.a of these sources: then only what readers run through is compiled under sanitizers.
# Without it the whole library is, which takes an hour or two.
#
# Inputs that were found go to build/fuzz/corpus and study_corpus, inputs that crash to build/fuzz/crash-*; put a crash
# into the folder of that name in test/fuzz with its fix, where the tests replay it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="$PWD/.venv/bin:$PATH"

seconds=30
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
compiler=${CXX:-clang++}
build=build/fuzz
mkdir -p "$build"
probe='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
if ! echo "$probe" | "$compiler" -x c++ -fsanitize=fuzzer,address,undefined - -o "$build/probe" 2>"$build/probe.log"; then
  echo "$compiler can't build fuzzers (log in $build/probe.log); install clang with its run-time libraries, or set CXX" >&2
  exit 2
fi

cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g' -DCYCLOTOME_BUILD_PYTHON=OFF -DCYCLOTOME_BUILD_TESTING=ON \
  -DCYCLOTOME_BUILD_FUZZER=ON -DCYCLOTOME_SANITIZE=address,undefined -DCYCLOTOME_UNITY=ON \
  -DCYCLOTOME_LIBRARY="$(realpath -q "${FUZZ_LIBRARY:-}" || true)" >/dev/null
cmake --build "$build" --target fuzz_io fuzz_study --parallel "${JOBS:-2}"
mkdir -p "$build/corpus" "$build/study_corpus"
# -max_len: every kind of object fits, and short inputs are tried often. Leaks would be found at exit.
options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$build/" -print_final_stats=1)
"$build/test/fuzz/fuzz_io" -max_len=4096 "${options[@]}" "$@" "$build/corpus" test/fuzz/corpus
"$build/test/fuzz/fuzz_study" -max_len=8192 "${options[@]}" "$@" "$build/study_corpus" test/fuzz/study_corpus
if python -c 'import cyclotome, cyclotome_study' 2>/dev/null; then
  python test/fuzz/fuzz_readers.py --seconds "$seconds"
else
  echo "readers in Python left out: no package is installed (make install-test)" >&2
fi
