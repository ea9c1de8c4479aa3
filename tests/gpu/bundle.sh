#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/gpu/bundle.sh: runs the archive of ./dev gpu-bundle on the emulated driver, in an empty
# folder with an empty environment and only a few tools. Arguments: the build folder, the emulated
# driver.
set -euo pipefail
build_dir=$1 driver=$2 libraries=$(dirname "$2")/fake_libraries
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ ! -d ${WEFT_SHARED:-$source_dir/../shared}/conformance ]]; then
  echo "skipped: the conformance suites are not beside this checkout"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

ninja -C "$build_dir" gpu_parts > "$work/log" || { cat "$work/log"; exit 1; }
"$source_dir/tools/gpu/bundle.sh" "$build_dir" "$work/weft-gpu.tar.xz"
(( $(stat -c %s "$work/weft-gpu.tar.xz") <= 60 << 20 )) || fail "the archive has more than 60 MiB"
mkdir "$work/there" "$work/tools"
cd "$work/there"
tar xJf ../weft-gpu.tar.xz

# The archive contains all shared libraries except glibc.
for file in weft-gpu/bin/* weft-gpu/examples/*[!t] weft-gpu/lib/*; do
  paths=$(readelf -d "$file" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p')
  if [[ $paths != "" && $paths != "\$ORIGIN/../lib" ]]; then fail "$file looks for libraries in $paths"; fi
  while read -r name _ found _; do
    case $found in
      "$PWD"/weft-gpu/lib/*) ;;
      *) [[ $name =~ ^lib(c|m|mvec|dl|pthread|rt|resolv|util|anl)\.so\. ]] || fail "$file has $name from ${found:-nowhere}" ;;
    esac
  done < <(LD_LIBRARY_PATH=$PWD/weft-gpu/lib ldd "$file" | grep '=>')
done

for tool in bash env mktemp rm cat head wc mkdir dirname; do ln -s "$(command -v $tool)" "$work/tools/$tool"; done
run() {  # EXPECTED_STATUS VARIABLE=VALUE... -- ARGUMENT...: the output is in $work/said
  local expected=$1 status=0 environment=()
  shift
  while [[ $1 != -- ]]; do environment+=("$1") && shift; done
  shift
  env -i "PATH=$work/tools" "${environment[@]}" weft-gpu/run "$@" > "$work/said" 2>&1 || status=$?
  if (( status != expected )); then
    cat "$work/said"
    fail "run $* with ${environment[*]:-nothing} ended with $status, not $expected"
  fi
}
says() { grep -qF -- "$1" "$work/said" || { cat "$work/said"; fail "it does not say: $1"; }; }

run 0 "WEFT_CUDA_LIBRARY=$driver" -- test --sample
says "THE DRIVER IS AN EMULATED ONE"
says "9 of 9 parts passed"
says "cuSOLVER      cuSOLVER is not there: "
run 0 "WEFT_CUDA_LIBRARY=$driver" "WEFT_CUDA_LIBRARIES=$libraries" -- test --sample --only libraries
says "cuSOLVER      12.3.1 ($libraries/libcusolver.so.11)"
run 1 "WEFT_CUDA_LIBRARY=$driver" "WEFT_CUDA_LIBRARIES=$libraries" FAKE_CUDA_FAIL=cusolverDnCreate -- \
  test --only libraries
says "0 of 1 parts passed; failed: libraries"

for command in test bench; do
  run 2 -- $command
  says "there is no GPU here"
  (( $(wc -l < "$work/said") == 1 )) || { cat "$work/said"; fail "it needs more than a sentence"; }
done
run 2 "WEFT_CUDA_LIBRARY=$driver" -- test --only nothing
run 2 -- nothing

# A failing part makes the run fail.
run 1 "WEFT_CUDA_LIBRARY=$driver" FAKE_CUDA_FAIL=cuLaunchKernel -- test --sample --only laws
says "0 of 1 parts passed; failed: laws"
sed -i '3s/$/ and more/' weft-gpu/examples/01_hello.txt
run 1 "WEFT_CUDA_LIBRARY=$driver" -- test --sample --only examples
says "2 of 3 parts passed; failed: examples/01_hello"
case=$(awk '$1 ~ /^[a-z]/ {print $1; exit}' "$source_dir/tests/known/stablehlo.txt")
: > weft-gpu/conformance/known/stablehlo.txt
run 1 "WEFT_CUDA_LIBRARY=$driver" -- test --only stablehlo
says "FAIL  $case"

run 0 "WEFT_CUDA_LIBRARY=$driver" -- bench --tiny --no-peers --out there/results
python3 - there/results << 'PYTHON'
import json, sys
report = json.load(open(sys.argv[1] + "/rows.json"))
assert report["device"].startswith("Emulated GPU 0"), report
assert len(report["rows"]) >= 20, report
for row in report["rows"]:
    assert 0 < row["q1_s"] <= row["median_s"] <= row["q3_s"], row
table = [line for line in open(sys.argv[1] + "/rows.md") if line.startswith("| ")]
assert len(table) == 1 + len(report["rows"]), table
PYTHON
echo "the archive runs where there is little else"
