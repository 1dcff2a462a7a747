#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The usual operations beside those of another commit, in interleaved pairs of thread CPU time: fails if a result has other
# bits, or if an operation takes over LIMIT percent longer (1 unless set).
#
#   tools/bench_gate.sh [COMMIT]
#
# COMMIT: HEAD^ unless named; it must have test/timing/operations.cpp. Its sources are checked out in build/gate/base.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=$(git rev-parse --verify --quiet "${1:-HEAD^}^{commit}") || {
  echo "bench_gate: '${1:-HEAD^}' names no commit of this repository" >&2
  exit 2
}
git cat-file -e "$base:test/timing/operations.cpp" 2>/dev/null || {
  echo "bench_gate: commit ${base:0:12} has no test/timing/operations.cpp to compare with; name a later one" >&2
  exit 2
}
checkout=build/gate/base
mkdir -p build/gate
git worktree remove --force "$checkout" 2>/dev/null || rm -rf "$checkout"
git worktree prune
trap 'git worktree remove --force "$checkout"' EXIT
git worktree add --quiet --detach "$checkout" "$base"

build() { # SOURCES BUILD
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCYCLOTOME_BUILD_TESTING=ON >/dev/null
  cmake --build "$2" --target operations | tail -n 1
}
build "$checkout" build/gate/old
build . build/gate/new
python3 tools/compare_builds.py build/gate/old/test/timing/operations build/gate/new/test/timing/operations \
  --digests --limit "${LIMIT:-1}"
