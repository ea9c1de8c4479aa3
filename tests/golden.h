// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/golden.h: the committed reference files of tests/golden, found from any working directory.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace weft::testing {

// Beside this header, unless the build says otherwise.
inline std::string golden_path(const std::string& name) {
#ifdef WEFT_GOLDEN_DIR
  return (std::filesystem::path(WEFT_GOLDEN_DIR) / name).string();
#else
  return (std::filesystem::path(__FILE__).parent_path() / "golden" / name).string();
#endif
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string golden(const std::string& name) { return read_file(golden_path(name)); }

}  // namespace weft::testing
