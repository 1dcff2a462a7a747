#!/usr/bin/env bash
# Compiles the library, warnings as errors, with other compilers and for other systems than the one at hand: Clang for Linux,
# MinGW for Windows, and Zig's Clang (PyPI: ziglang) for macOS on ARM. Nothing is run. Says what it left out.
# Usage: tools/check_platforms.sh [clang] [windows] [macos]; SOURCES="src/a.cpp ..." for some files only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
read -ra sources <<<"${SOURCES:-$(find src -name '*.cpp' | sort | tr '\n' ' ')}"
warnings=(-std=c++20 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wundef -Wvla -Werror)
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

# compile NAME COMPILER...: every source by itself.
compile() {
  local name=$1
  shift
  echo "== $name: ${#sources[@]} files"
  printf '%s\n' "${sources[@]}" | xargs --max-procs "${JOBS:-$(nproc)}" -I{} \
    sh -c 'out=$1/$(echo "$2" | tr / _).o; file=$2; shift 2; "$@" -Isrc -c "$file" -o "$out"' sh "$objects" {} "$@" "${warnings[@]}"
}

wanted=("$@")
[[ ${#wanted[@]} -gt 0 ]] || wanted=(clang windows macos)
launcher=()
if command -v ccache >/dev/null; then launcher=(ccache); fi
for system in "${wanted[@]}"; do
  case $system in
    clang)
      if command -v clang++ >/dev/null; then compile "Linux, $(clang++ --version | head -n 1)" "${launcher[@]}" clang++
      else echo "Left out: Clang is not installed (Debian: clang)"; fi ;;
    windows)
      compiler=x86_64-w64-mingw32-g++-posix
      if command -v $compiler >/dev/null; then compile "Windows, MinGW $($compiler -dumpfullversion)" "${launcher[@]}" $compiler -Wno-stringop-overflow -Wno-restrict
      else echo "Left out: Windows; there is no $compiler (Debian: g++-mingw-w64-x86-64-posix)"; fi ;;
    macos)
      if python3 -m ziglang version >/dev/null 2>&1; then compile "macOS on ARM, Zig $(python3 -m ziglang version)" python3 -m ziglang c++ -target aarch64-macos.14.0
      else echo "Left out: macOS; there is no Zig (pip install ziglang)"; fi ;;
    *) echo "there is no check of $system: clang, windows, macos" >&2; exit 2 ;;
  esac
done
