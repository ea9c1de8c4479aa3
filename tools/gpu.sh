# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/gpu.sh: makes the archive for machines with a GPU, and runs it; sourced by ./dev, which sets
# the variables.
# shellcheck disable=SC2154
# shellcheck source=tools/gpu/device.sh
source tools/gpu/device.sh

cmd_gpu_bundle() {
  build gpu_parts
  tools/gpu/bundle.sh "$build_dir" "${out:-$build_dir/weft-gpu.tar.xz}"
}

# Unpacks the archive into a folder that is removed when ./dev ends, and sets `unpacked`.
unpack_gpu_bundle() {
  if [[ -z $bundle ]]; then
    bundle=$build_dir/weft-gpu.tar.xz
    build tool_weft
    look_for_gpu "$build_dir/bin/weft" dev  # before packing, which takes minutes
    cmd_gpu_bundle
  fi
  if [[ ! -f $bundle ]]; then die "there is no file $bundle"; fi
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  tar -C "$unpacked" -xJf "$bundle" || die "$bundle could not be unpacked"
  if [[ ! -x $unpacked/weft-gpu/run ]]; then die "$bundle is not from ./dev gpu-bundle"; fi
}
cmd_gpu_test() {
  local parts=() part
  unpack_gpu_bundle
  for part in "${only_parts[@]}"; do parts+=(--only "$part"); done
  "$unpacked/weft-gpu/run" test "${parts[@]}" ${scope:+--sample}
}
cmd_gpu_bench() {
  local rows=() row to=${out:-build/gpu-bench} python=build/venv/bin/python
  unpack_gpu_bundle
  for row in "${only_parts[@]}"; do rows+=(--only "$row"); done
  if [[ ! -x $python ]]; then python=python3; fi
  "$unpacked/weft-gpu/run" bench "${rows[@]}" ${scope:+--tiny} --out "$to" --python "$python"
  echo "rows.json and rows.md are in $to"
}
