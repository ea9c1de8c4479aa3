# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/build.sh: configures and builds one build folder; sourced by ./dev, which sets the variables.
# shellcheck disable=SC2154

# One job per processor, if each has 1.5 GB of memory.
job_count() {
  local cores kb limit
  cores=$(nproc)
  kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
  if [[ -r /sys/fs/cgroup/memory.max ]] && limit=$(< /sys/fs/cgroup/memory.max) && [[ $limit != max ]]; then
    if (( limit / 1024 < ${kb:-0} )); then kb=$(( limit / 1024 )); fi
  fi
  local by_memory=$(( ${kb:-1500000} / 1500000 ))
  if (( by_memory < 1 )); then by_memory=1; fi
  echo $(( cores < by_memory ? cores : by_memory ))
}

configure() {  # DIR [cmake options]: once; ninja notices later changes itself
  local dir=$1 home log
  shift
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$dir/CMakeCache.txt" 2>/dev/null || true)
  if [[ -n $home && $home != "$PWD" ]]; then rm -rf "$dir"; fi  # the checkout was moved
  if [[ -f $dir/build.ninja && -n $home ]]; then return; fi
  mkdir -p "$dir"
  log=$dir/configure.log
  echo "configuring $dir"
  cmake --preset "$preset" -B "$dir" "$@" > "$log" 2>&1 || { cat "$log" >&2; die "cmake failed"; }
}
build() {  # [target...]
  configure "$build_dir"
  ninja -C "$build_dir" -j "${jobs:-$(job_count)}" "$@" >&2
}
