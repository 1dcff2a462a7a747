#!/usr/bin/env bash
# The sdist of the library, made twice, from two copies of the checkout at different paths and times: equal byte for byte, or an
# error. What a commit holds is what it has; changes that are not committed are refused, since nobody could make it again.
# Usage: tools/make_sdist.sh PYTHON FOLDER, with the Python of an environment that has the build tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$(realpath --no-symlinks "$1") output=$2
if [[ -n $(git status --porcelain --untracked-files=no) ]]; then
  echo "the checkout has changes that are not committed; commit them, so that the sdist can be made again" >&2
  exit 1
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program="import os, sys; os.chdir(sys.argv[1]); from scikit_build_core.build import build_sdist; build_sdist(sys.argv[2])"
for round in 1 2; do
  mkdir -p "$folder/$round/tree" "$folder/$round/made"
  git archive HEAD | tar -x -C "$folder/$round/tree"
  find "$folder/$round/tree" -exec touch -d "@$((SOURCE_DATE_EPOCH + round * 1000))" {} +
  (cd "$folder/$round/tree" && umask "02$round" && "$python" -c "$program" . "$folder/$round/made" >/dev/null)
done
name=$(basename "$folder"/1/made/*.tar.gz)
cmp "$folder/1/made/$name" "$folder/2/made/$name" || { echo "two sdists of one commit differ" >&2; exit 1; }
mkdir -p "$output"
cp "$folder/1/made/$name" "$output/$name"
echo "$output/$name: $(stat -c %s "$output/$name") bytes, twice the same ($(sha256sum "$output/$name" | cut -c1-16)…)"
