// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/libraries.cpp: reads the version of each library.
#include "jit/libraries.h"

#include <cblas.h>
#include <fmt/format.h>
#include <llvm-c/Core.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/tbb/version.h>

namespace weft::compiler {

std::vector<std::pair<std::string, std::string>> libraries() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  const dnnl_version_t* dnnl = dnnl_version();
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …": the version, then how it was built.
  std::string blas = openblas_get_config();
  if (blas.starts_with("OpenBLAS ")) blas.erase(0, 9);
  return {{"LLVM", fmt::format("{}.{}.{}", major, minor, patch)},
          {"oneDNN", fmt::format("{}.{}.{}", dnnl->major, dnnl->minor, dnnl->patch)},
          {"OpenBLAS", blas.substr(0, blas.find_last_not_of(' ') + 1)},
          {"oneTBB", TBB_runtime_version()}};
}

}  // namespace weft::compiler
