#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with a GPU of compute capability 9.0 (ARCHITECTURE=... for another): builds, runs the CUDA tests, and times
# usual operations, against another source tree if there is one.
#
#   tools/compare_cuda_programs.sh RESULTS [OTHER_TREE]
#
# RESULTS is a folder: tests.txt, times.jsonl (a line for each operation and engine), errors.txt (what the timing programs
# say beside it, and how they ended), summary.txt. OTHER_TREE is a copy of the sources to compare with; its timing program
# is replaced. Both trees are timed in turns, degree by degree, ROUNDS times (3) or until SECONDS_AT_MOST (480) are over.
# The exit status is that of the tests and the timing programs.
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
  cp "$here/test/cuda/time_cuda_operations.cpp" "$other/test/cuda/time_cuda_engine.cpp"
  [ ! -d "$other/src/cyclotome/program" ] || cp "$here/test/cuda/programs.hpp" "$other/test/cuda/"
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
  timeout 400 stdbuf -oL "$programs/$test" >"$results/$test.out" 2>&1 &
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

time_tree() { # PROGRAM DEGREE LABEL...
  timeout 120 "$1" "$2" "${@:3}" >>"$results/times.jsonl" 2>>"$results/errors.txt"
  status=$?
  [ "$status" -eq 0 ] && return
  echo "$* ended with $status" | tee -a "$results/errors.txt"
  failed=1
}
time_other() { [ -z "$other" ] || time_tree "$here/build/gpu-other/test/cuda/time_cuda_engine" "$1" other; }
time_this() { time_tree "$programs/time_cuda_operations" "$1" graphs; }

: >"$results/times.jsonl"
: >"$results/errors.txt"
for round in $(seq "${ROUNDS:-3}"); do
  for degree in 4096 8192 16384 32768; do
    [ $(($(date +%s) - began)) -lt "${SECONDS_AT_MOST:-480}" ] || break 2
    if [ $((round % 2)) -eq 1 ]; then
      time_other "$degree"
      time_this "$degree"
    else
      time_this "$degree"
      time_other "$degree"
    fi
  done
done
python3 - "$results/times.jsonl" <<'PYTHON' | tee "$results/summary.txt"
import json, statistics, sys

rows = {}
for line in open(sys.argv[1], encoding="utf-8"):
    entry = json.loads(line)
    if "summary" in entry:
        continue
    key = (entry["scheme"], entry["degree"], entry["operation"], entry["batch"])
    rows.setdefault(key, {}).setdefault(entry["engine"], []).append((entry["alone_us"], entry["among_us"]))
engines = sorted({engine for row in rows.values() for engine in row}, key=["other", "graphs"].index)
before = engines[0]
print("microseconds of a call alone, and of one among many: medians of rounds;", f"'!': slower than {before} by over 1")
print("scheme degree operation batch:", " | ".join(f"{engine} alone among" for engine in engines), "| graphs minus", before)
ratios = {}
for key, row in rows.items():
    times = {e: [statistics.median(t[i] for t in row[e]) for i in (0, 1)] for e in engines if e in row}
    cells = [" ".join(f"{t:9.1f}" for t in times[e]) if e in times else "-" for e in engines]
    reference = times.get(before)
    if reference and "graphs" in times:
        differences = [new - old for new, old in zip(times["graphs"], reference)]
        cells.append(" ".join(f"{d:+6.1f}" for d in differences) + (" !" if max(differences) > 1 else ""))
        ratios.setdefault(key[3], []).append(times["graphs"][0] / reference[0])
    print(*key, ":", " | ".join(cells))
for batch, found in ratios.items():
    print(f"batch {batch}: geometric mean of ratios {statistics.geometric_mean(found):.4f}, worst {max(found):.4f}")
PYTHON
cat "$results/errors.txt"
echo "done after $(($(date +%s) - began)) s"
exit $failed
