# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/gpu/device.sh: looks for a GPU; sourced by ./dev and by the programs of the archive.

# Sets `gpu` to the description of cuda:0. Without a GPU, it prints a sentence that tells what is
# missing, and exits with status 2.
look_for_gpu() {  # WEFT, WHO
  local line word missing=""
  gpu=""
  while read -r line; do
    word=${line%% *}
    line=${line#"$word"}
    line=${line#"${line%%[! ]*}"}
    if [[ $word == cuda:0 ]]; then gpu=$line; fi
    if [[ $word == missing ]]; then missing=$line; fi
  done < <("$1" info)
  if [[ -n $gpu ]]; then return; fi
  echo "$2: there is no GPU here: ${missing:-the driver has no device}" >&2
  exit 2
}
