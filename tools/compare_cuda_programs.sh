#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with a GPU of compute capability 9.0 (ARCHITECTURE=... for another): builds, runs the CUDA tests, and times
# usual operations as graphs of programs against recorded verbs, and against another source tree if there is one.
#
#   tools/compare_cuda_programs.sh RESULTS [OTHER_TREE]
#
# RESULTS is a folder: tests.txt, times.jsonl (a line for each operation and engine), summary.txt. OTHER_TREE is a copy of
# the sources to compare with; its timing program is replaced. Minutes. The exit status is that of the tests.
set -u -o pipefail
PATH=$PATH:/usr/local/cuda/bin
here=$(cd "$(dirname "$0")/.." && pwd)
results=$(mkdir -p "$1" && cd "$1" && pwd)
other=${2:-}
tests="test_cuda_launches test_cuda_graphs test_cuda_conversions test_cuda_programs test_cuda_operations test_cuda_engine test_cuda_study test_cuda_platform"

build() { # SOURCES BUILD TARGET...
  if ! cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCYCLOTOME_CUDA=ON -DCYCLOTOME_BUILD_TESTING=ON \
    -DCMAKE_CUDA_ARCHITECTURES="${ARCHITECTURE:-90-real}" \
    -DCMAKE_EXE_LINKER_FLAGS="-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL" >"$2.log" 2>&1 ||
    ! cmake --build "$2" --target "${@:3}" >>"$2.log" 2>&1; then
    grep -E "error|FAILED" -A 5 "$2.log" | head -n 60
    tail -n 5 "$2.log"
    return 1
  fi
}

mkdir -p "$here/build"
began=$(date +%s)
if [ -n "$other" ]; then
  { [ -d "$other/src/cyclotome/program" ] || echo "#define CYCLOTOME_WITHOUT_PROGRAMS"
    cat "$here/test/cuda/time_cuda_operations.cpp"; } >"$other/test/cuda/time_cuda_engine.cpp"
  build "$other" "$here/build/gpu-other" time_cuda_engine &
  other_build=$!
fi
# shellcheck disable=SC2086
build "$here" "$here/build/gpu" $tests time_cuda_operations || exit 1
if [ -n "$other" ]; then wait "$other_build" || exit 1; fi
echo "built in $(($(date +%s) - began)) s"

programs=$here/build/gpu/test/cuda
failed=0
: >"$results/tests.txt"
for test in $tests; do
  timeout 150 "$programs/$test" >"$results/$test.out" 2>&1 &
  pids="${pids:-} $test:$!"
done
for entry in $pids; do
  wait "${entry#*:}"
  status=$?
  { echo "== ${entry%:*}: exit $status" && cat "$results/${entry%:*}.out"; } >>"$results/tests.txt"
  rm -f "$results/${entry%:*}.out"
  [ "$status" -eq 0 ] || failed=1
done
grep -E "^==|FAILED|differs|checks" "$results/tests.txt"
echo "tested after $(($(date +%s) - began)) s"

: >"$results/times.jsonl"
for _ in 1 2; do
  if [ -n "$other" ]; then
    timeout 100 "$here/build/gpu-other/test/cuda/time_cuda_engine" other >>"$results/times.jsonl"
  fi
  timeout 120 "$programs/time_cuda_operations" recorded graphs >>"$results/times.jsonl"
done
grep summary "$results/times.jsonl" | tee "$results/summary.txt"
python3 - "$results/times.jsonl" <<'PYTHON' | tee -a "$results/summary.txt"
import json, statistics, sys

rows = {}
for line in open(sys.argv[1], encoding="utf-8"):
    entry = json.loads(line)
    if "summary" in entry:
        continue
    key = (entry["scheme"], entry["degree"], entry["operation"], entry["batch"])
    rows.setdefault(key, {}).setdefault(entry["engine"], []).append((entry["alone_us"], entry["among_us"]))
engines = sorted({engine for row in rows.values() for engine in row}, key=["other", "recorded", "graphs"].index)
print("scheme degree operation batch:", " | ".join(f"{engine} alone among" for engine in engines))
for key, row in rows.items():
    cells = []
    for engine in engines:
        times = row.get(engine, [])
        cells.append(" ".join(f"{statistics.mean(t[i] for t in times):9.1f}" for i in (0, 1)) if times else "-")
    print(*key, ":", " | ".join(cells))
PYTHON
echo "done after $(($(date +%s) - began)) s"
exit $failed
