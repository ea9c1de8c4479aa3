#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/run.sh BUILD_DIR CONFIG: installs the build into a temporary prefix and builds a
# program outside the repository against it, once by find_package(weft CONFIG), once by pkg-config.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build_dir" --prefix "$prefix" > "$work/install.log"
cp -r "$here/consumer" "$work/consumer"

echo "find_package(weft CONFIG):"
cmake -S "$work/consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  ${CXXFLAGS:+-DCMAKE_CXX_FLAGS="$CXXFLAGS"} > "$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
"$work/build/consumer"
"$work/build/eigen"

echo "pkg-config weft:"
pkg_config_dir=$(dirname "$(find "$prefix" -name weft.pc)")
libdir=$(dirname "$pkg_config_dir")
read -ra flags <<< "$(PKG_CONFIG_PATH=$pkg_config_dir pkg-config --cflags --libs weft)"
# shellcheck disable=SC2086  # CXXFLAGS is a list
g++ ${CXXFLAGS:-} -D_GLIBCXX_ASSERTIONS "$work/consumer/main.cpp" -o "$work/by_pkg_config" "${flags[@]}"
LD_LIBRARY_PATH=$libdir "$work/by_pkg_config"
# shellcheck disable=SC2086  # CXXFLAGS is a list
g++ ${CXXFLAGS:-} -D_GLIBCXX_DEBUG "$work/consumer/main.cpp" -o "$work/checked" "${flags[@]}" 2> "$work/checked.log" ||
  { cat "$work/checked.log"; exit 1; }
LD_LIBRARY_PATH=$libdir "$work/checked"

if [[ -x $prefix/bin/weft ]]; then "$prefix/bin/weft" info > /dev/null; fi

# Only headers that users may include are installed.
others=$(cd "$prefix/include/weft" && find . -name '*.h' | sed 's|^./||' | sort)
read -ra eigen <<< "$(pkg-config --cflags eigen3)"
reached=$(printf '#include <weft/%s.h>\n' weft eigen | g++ -std=c++20 -M -I"$prefix/include" "${eigen[@]}" -x c++ - |
  tr ' ' '\n' | sed -n 's|.*/include/weft/||p' | sort -u)
if [[ $others != "$reached" ]]; then
  echo "headers that are installed and that weft.h and eigen.h do not reach, or the other way round:"
  comm -3 <(echo "$others") <(echo "$reached")
  exit 1
fi

# No installed file may contain the path of the build (debug information does).
if [[ $2 == Release ]] && grep -rlF -e "$(dirname "$(dirname "$here")")" "$prefix"; then
  echo "these installed files name the source tree"
  exit 1
fi
