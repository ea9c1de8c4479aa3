// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/assembler.h: finds ptxas on the machine, from CUDA or from PyPI.
#pragma once
#include "support/catch.h"
#include "tools/cuda/toolkit.h"

namespace weft::test {

inline std::string assembler() { return toolkit::find("ptxas", WEFT_TEST_DIR "/.."); }

// Returns true if ptxas was found; otherwise warns that the test skips a part.
inline bool has_assembler() {
  if (!assembler().empty()) return true;
  WARN("skipped: there is no ptxas in CUDA_HOME, on PATH or in build/venv; ./dev test installs it");
  return false;
}

inline toolkit::Assembled assembled(const std::string& ptx, const std::string& architecture,
                                    bool part = false) {
  const toolkit::Folder folder;
  return toolkit::assemble(assembler(), ptx, architecture, folder / "kernels.cubin", part);
}

}  // namespace weft::test
