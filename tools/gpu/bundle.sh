#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/gpu/bundle.sh: packs everything that a machine with a GPU needs to run our tests
# (docs/decisions/0034). Arguments: the build folder, where gpu_parts has been built, and the
# archive.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build_dir=$1 archive=$2
most=$(( 60 << 20 ))
suites=${WEFT_SHARED:-../shared}/conformance
if [[ ! -d $suites ]]; then
  echo "gpu-bundle: no conformance suites in $suites; WEFT_SHARED names the folder that they are in" >&2
  exit 1
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/weft-gpu
mkdir -p "$root"/{bin,lib,examples,conformance}

cmake --install "$build_dir" --component gpu --strip --prefix "$root" > /dev/null

# The libraries that a program needs, except those of glibc, which the machine provides.
libraries_of() {  # FILE...
  LD_LIBRARY_PATH=$root/lib ldd "$@" | awk '$2 == "=>" {print $3}' | sort -u |
    grep -vE '/(libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl)\.so\.[0-9]+$'
}
while read -r library; do
  name=${library##*/}
  if [[ $library == not ]]; then echo "gpu-bundle: a library is missing here; try ldd" >&2; exit 1; fi
  if [[ $library == "$root"/* ]]; then continue; fi
  if [[ $name == libicudata.so.* ]]; then
    # ICU's data are 30 MB of encoding tables, which LLVM does not use. ICU treats an empty table as
    # no table.
    table=$(nm -D --defined-only "$library" | awk 'NR == 1 {print $3}')
    echo "const char ${table%%@*}[64] = {0};" |
      cc -shared -fPIC -Wl,-soname,"$name" -x c - -o "$root/lib/$name"
  else
    cp -L "$library" "$root/lib/$name"
  fi
done < <(libraries_of "$build_dir"/libweft.so "$root"/bin/* "$root"/examples/*)
strip --strip-unneeded "$root"/lib/*

for example in "$root"/examples/*; do
  LD_LIBRARY_PATH=$root/lib "$example" > "$example.txt"
done
cp -r "$suites"/jax "$suites"/stablehlo tests/known "$root/conformance"
chmod -R u+w "$root/conformance"
cp tools/gpu/run tools/gpu/device.sh "$root"
cp benchmarks/gpu_peers.py LICENSE "$root"
{
  git describe --always --dirty 2> /dev/null || true
  echo "needs glibc $(cat "$root"/lib/* "$root"/bin/* | grep -aoE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)"
} > "$root/VERSION"

mkdir -p "$(dirname "$archive")"
tar -C "$stage" --owner=0 --group=0 --sort=name -cf - weft-gpu |
  xz -T0 --block-size=128MiB --x86 --lzma2=preset=6,dict=64MiB > "$archive.new"
bytes=$(stat -c %s "$archive.new")
if (( bytes > most )); then
  rm "$archive.new"
  echo "gpu-bundle: the archive would have $bytes bytes, more than 60 MiB" >&2
  exit 1
fi
mv "$archive.new" "$archive"
echo "$archive: $(( bytes >> 10 )) KiB; on a machine with a GPU: tar xJf ${archive##*/} && weft-gpu/run test"
