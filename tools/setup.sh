# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/setup.sh: installs the Debian packages that are missing, and the packages of build/venv; sourced
# by ./dev.

missing=()  # packages
reasons=()

# PACKAGE PROBE WHY: notes the package if its probe, cmd:NAME or file:PATTERN, finds nothing.
need() {
  case $2 in
    cmd:*) if command -v "${2#cmd:}" > /dev/null; then return; fi ;;
    file:*) if compgen -G "${2#file:}" > /dev/null; then return; fi ;;
  esac
  missing+=("$1")
  reasons+=("$3")
}

apt_install() {  # as root, quietly; the package lists are fetched only if the first try fails
  local as_root=()
  if (( EUID != 0 )); then as_root=(sudo); fi
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq
    --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}")
  if "${install[@]}" > /dev/null 2>&1 < /dev/null; then return; fi
  "${as_root[@]}" apt-get update -qq < /dev/null && "${install[@]}" > /dev/null < /dev/null
}

install_needed() {
  local i
  if (( ${#missing[@]} == 0 )); then return; fi
  if ! command -v apt-get > /dev/null; then
    echo "dev: there is no apt-get here; please install what these Debian packages hold: ${missing[*]}" >&2
    echo "dev: (WEFT_NO_SETUP=1 skips this look at the machine)" >&2
    exit 1
  fi
  if (( EUID != 0 )) && ! command -v sudo > /dev/null; then
    echo "dev: neither root nor sudo; as root please run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  for i in "${!missing[@]}"; do echo "installing ${missing[i]}: ${reasons[i]}"; done
  if ! apt_install; then
    echo "dev: apt-get could not install: ${missing[*]}" >&2
    exit 1
  fi
  missing=()
  reasons=()
}

setup() {
  if [[ -n ${WEFT_NO_SETUP:-} ]]; then return; fi
  local inc=/usr/include
  need g++ cmd:g++ "compiles C++20"
  need cmake cmd:cmake "describes the build"
  need ninja-build cmd:ninja "runs the build"
  need ccache cmd:ccache "makes second builds quick"
  need pkg-config cmd:pkg-config "finds OpenBLAS, LAPACKE and libzip"
  need python3 cmd:python3 "runs the checks of the source tree"
  need llvm-19-dev file:/usr/lib/llvm-19/include/llvm/IR/IRBuilder.h "generates machine code"
  need libfmt-dev file:$inc/fmt/format.h "formats text"
  need libspdlog-dev file:$inc/spdlog/spdlog.h "logs"
  need catch2 "file:$inc/catch2/catch*.hpp" "runs the tests"
  need libcli11-dev file:$inc/CLI/CLI.hpp "reads the command line of weft"
  need libtbb-dev file:$inc/oneapi/tbb.h "runs threads"
  need libdnnl-dev file:$inc/oneapi/dnnl/dnnl.h "multiplies large float matrices"
  need libopenblas-dev "file:$inc/*/openblas*/cblas.h" "multiplies large double matrices"
  need liblapacke-dev file:$inc/lapacke.h "factors large matrices"
  need nlohmann-json3-dev file:$inc/nlohmann/json.hpp "reads and writes the headers of safetensors files"
  need libeigen3-dev file:$inc/eigen3/Eigen/Core "tests what is shared with Eigen"
  need libzip-dev file:$inc/zip.h "reads and writes npz files"
  need libmpfr-dev file:$inc/mpfr.h "computes the reference values of ./dev accuracy"
  install_needed
}

python_environment() {  # build/venv
  need python3-venv "file:/usr/lib/python3*/ensurepip/__init__.py" "a Python environment for peers and tools"
  install_needed
  if [[ ! -x build/venv/bin/python ]]; then python3 -m venv build/venv; fi
}

# Programs that assemble, disassemble and compile GPU code, in build/venv. The figures in
# docs/gpu-kernels.md were made with this version. Tests are skipped, with a message, if it is
# missing.
cuda_tools() {
  local version=13.2.86 mark=build/venv/cuda-tools
  if [[ -n ${WEFT_NO_SETUP:-} || $(cat $mark 2>/dev/null) == "$version" ]]; then return; fi
  python_environment
  echo "installing the CUDA tools $version in build/venv: assemble and show the code of GPUs"
  if build/venv/bin/pip install -q --no-deps nvidia-cuda-{nvcc,nvdisasm,crt,runtime}==$version nvidia-nvvm==$version; then
    echo "$version" > $mark
  else
    echo "dev: there are no CUDA tools $version to install here; tests of their code are skipped" >&2
  fi
}
