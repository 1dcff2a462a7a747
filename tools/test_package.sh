#!/usr/bin/env bash
# The C++ library as people get it: installed from a build tree, found by CMake and pkg-config, shared, and as a part of another
# project; all with the oldest CMake that is served, where it can be had. Nothing is compiled but programs: a shared library is
# linked of the archive's objects, which are the same.
#
# Usage: tools/test_package.sh BUILD OUT, a build tree of the static library and a folder for what is made. CMAKE is the program
# that made the tree, NINJA ninja, OLDEST a venv with the oldest CMake. What could not be done stands in OUT/left-out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$(realpath "$1")
out=$(realpath -m "$2")
cmake=$(realpath --no-symlinks "$(command -v "${CMAKE:-cmake}")")
oldest=$cmake
ninja=$(realpath "$(command -v "${NINJA:-ninja}")")
rm -rf "$out"
mkdir -p "$out"
if [[ -x ${OLDEST:-/none}/bin/cmake ]]; then
  oldest=$(realpath --no-symlinks "$OLDEST")/bin/cmake
else
  echo "the C++ package with CMake 3.22, which could not be installed from PyPI" >>"$out/left-out"
fi

say() { echo "-- $*"; }
configure() { "$oldest" -G Ninja -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_BUILD_TYPE="$type" "$@" >/dev/null; }
type=Release

say "install"
"$cmake" --install "$tree" --prefix "$out/prefix" --component development >/dev/null
if find "$out/prefix/include" -name '*deterministic*' -o -name '*seed_derivation*' -o -name 'kernels*' -o -name '*_engine.hpp' \
    -not -name 'transform_engine.hpp' | grep .; then
  echo "these are internal and were installed" >&2
  exit 1
fi

say "find_package and the examples, with $("$oldest" --version | head -n 1)"
configure -S test/package -B "$out/consumer" -DCMAKE_PREFIX_PATH="$out/prefix"
"$oldest" --build "$out/consumer"
(cd "$out/consumer" && "${oldest%cmake}ctest" --output-on-failure --no-tests=error)

if command -v pkg-config >/dev/null; then
  say "pkg-config"
  # Moved, since a prefix is where people put it.
  mv "$out/prefix" "$out/moved"
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$(find "$out/moved" -name cyclotome.pc)")
  # shellcheck disable=SC2046
  ${CXX:-c++} -std=c++20 -o "$out/by-pkg-config" test/package/main.cpp $(pkg-config --cflags --libs cyclotome)
  "$out/by-pkg-config"
  mv "$out/moved" "$out/prefix"
else
  echo "the library by pkg-config: there is none (Debian: pkg-config)" >>"$out/left-out"
fi

if [[ $(uname) == Linux ]]; then
  say "shared library"
  configure -S . -B "$out/shared-build" -DBUILD_SHARED_LIBS=ON -DCYCLOTOME_LIBRARY="$tree/libcyclotome.a"
  "$oldest" --build "$out/shared-build"
  "$oldest" --install "$out/shared-build" --prefix "$out/shared" >/dev/null
  shared=$(find "$out/shared" -name 'libcyclotome.so')
  python3 tools/check_exports.py "$shared"
  configure -S test/package -B "$out/shared-consumer" -DCMAKE_PREFIX_PATH="$out/shared" -DEXAMPLES="8_files_and_keys"
  "$oldest" --build "$out/shared-consumer"
  (cd "$out/shared-consumer" && "${oldest%cmake}ctest" --output-on-failure --no-tests=error)
  if [[ -n ${PKG_CONFIG_PATH:-} ]]; then
    PKG_CONFIG_PATH=$(dirname "$(find "$out/shared" -name cyclotome.pc)")
    # shellcheck disable=SC2046
    ${CXX:-c++} -std=c++20 -o "$out/shared-by-pkg-config" test/package/main.cpp $(pkg-config --cflags --libs cyclotome) \
      "-Wl,-rpath,$(dirname "$shared")"
    "$out/shared-by-pkg-config"
  fi
fi

say "add_subdirectory"
type=
configure -S test/package -B "$out/guest" -DCYCLOTOME_SOURCE="$PWD" -DCYCLOTOME_LIBRARY="$tree/libcyclotome.a"
"$oldest" --build "$out/guest"
"$out/guest/consumer"
