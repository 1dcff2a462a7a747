#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The CUDA engine, built for different architectures, on the GPU of this machine: each build gives the right results or says what
# it lacks. Then short runs under compute-sanitizer. Takes what is in PATH: cmake, ninja, nvcc and python3 with nanobind, numpy
# and pytest; nothing is downloaded. For one GPU of compute capability 9.0; some minutes.
#
#   tools/test_gpu_builds.sh           everything
#   tools/test_gpu_builds.sh compile   only compiles: no GPU is needed
#
# BUILD=build/gpu says where: one build tree, in which only the CUDA sources are compiled again. JOBS: parallel compilations. PYTHON: the
# interpreter whose packages are used. SANITIZERS: compute-sanitizer's tools, "" for none.
set -eu -o pipefail

cd "$(dirname "$0")/.."
build=${BUILD:-build/gpu}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
python=${PYTHON:-python3}
sanitizers=${SANITIZERS-memcheck racecheck initcheck synccheck}
only_compile=$([ "${1:-}" = compile ] && echo yes || true)
failed=()
PATH=$PATH:/usr/local/cuda/bin
tree=$build/tree
mkdir -p "$build"

say() { printf '== %4d s  %s\n' "$SECONDS" "$*"; }

# Runs a command, keeps what it says in a file of its own, and shows the end of it.
attempt() {
  local name=$1 status=0
  shift
  "$@" >"$build/$name.log" 2>&1 || status=$?
  tail -n "${LINES_SHOWN:-3}" "$build/$name.log"
  [ "$status" -eq 0 ] || { failed+=("$name (exit $status)"); tail -n 40 "$build/$name.log"; }
}

# configure NAME ARCHITECTURES [OPTION...]; compile NAME TARGET...: names are for logs.
configure() {
  cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCYCLOTOME_CUDA=ON -DCYCLOTOME_BUILD_TESTING=ON \
    -DCMAKE_CUDA_ARCHITECTURES="$2" "${@:3}" >"$build/$1.configure.log" 2>&1 ||
    { tail -n 30 "$build/$1.configure.log"; exit 1; }
}
compile() { cmake --build "$tree" --parallel "$jobs" --target "${@:2}" >"$build/$1.build.log" 2>&1 ||
  { tail -n 60 "$build/$1.build.log"; exit 1; }; }
on_gpu() { [ -n "$only_compile" ] || "$@"; }

# name, architectures, and what such a build does on compute capability 9.0
for build_of in ptx-80:80-virtual:general real-80:80-real:refused real-90:90-real:whole-limbs; do
  IFS=: read -r name architectures expected <<<"$build_of"
  say "$architectures: compiling"
  configure "$name" "$architectures"
  compile "$name" test_cuda_platform
  say "$architectures: to be $expected"
  LINES_SHOWN=30 on_gpu attempt "$name" env CYCLOTOME_EXPECTED_CODE="$expected" "$tree/test/cuda/test_cuda_platform"
done

say "80-virtual;90-real, with the Python extension: compiling"
configure both "80-virtual;90-real" -DCYCLOTOME_BUILD_PYTHON=ON -DPython_EXECUTABLE="$(command -v "$python")"
compile both test_cuda_platform test_cuda_operations test_cuda_conversions _core
say "80-virtual;90-real: to be whole-limbs"
LINES_SHOWN=30 on_gpu attempt both env CYCLOTOME_EXPECTED_CODE=whole-limbs "$tree/test/cuda/test_cuda_platform"
attempt conversions "$tree/test/cuda/test_cuda_conversions"
say "operations as graphs"
on_gpu attempt operations "$tree/test/cuda/test_cuda_operations"

# The package beside its extension: the sources' Python files, and what was just built.
package=$build/package
rm -rf "$package" && mkdir -p "$package"
cp -r python/cyclotome {bench,demo,hdl,reader,study}/cyclotome_* "$package/"
rm -f "$package"/cyclotome/_core*
cp "$tree"/python/cyclotome/_core*.so "$package/cyclotome/"
say "what the extension exports; what other libraries find after it"
python_test() { env PYTHONPATH="$package" "$python" -m pytest -q -p no:cacheprovider "$@"; }
attempt symbols python_test test/python/pages/test_exported_symbols.py test/python/devices/test_cuda_sources.py
on_gpu attempt neighbours python_test test/python/devices/test_cuda_neighbours.py

# Kernels run tens of times slower there, so one short program each.
if [ -n "$sanitizers" ] && [ -z "$only_compile" ] && command -v compute-sanitizer >/dev/null; then
  for tool in $sanitizers; do
    say "compute-sanitizer: $tool"
    attempt "$tool" timeout 90 compute-sanitizer --tool "$tool" --error-exitcode 9 \
      "$tree/test/cuda/test_cuda_platform" --short
  done
elif [ -n "$sanitizers" ] && [ -z "$only_compile" ]; then
  failed+=("compute-sanitizer is not in PATH")
fi

say "done; logs in $build"
[ ${#failed[@]} -eq 0 ] || { printf 'FAILED: %s\n' "${failed[@]}"; exit 1; }
