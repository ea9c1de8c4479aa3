// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/golden.h: finds the committed reference files of tests/golden from any working
// directory, and updates the files that a test writes itself.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace weft::testing {

// The files are in the directory of this header, unless the build sets another one.
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

// Returns the first line in which `text` differs from the golden file that the calling test makes,
// or "" if they are equal. With WEFT_UPDATE_GOLDEN=1 it writes the file instead. Any other value is
// the directory into which it writes the file (./dev golden, ./dev golden --check).
inline std::string own_golden(const std::string& name, const std::string& text) {
  if (const char* update = std::getenv("WEFT_UPDATE_GOLDEN"); update && *update) {
    const std::string to = std::string(update) == "1"
                               ? golden_path(name)
                               : (std::filesystem::path(update) / name).string();
    std::ofstream out(to, std::ios::binary);
    if (!(out << text)) throw std::runtime_error("cannot write " + to);
    return {};
  }
  std::istringstream got(text), want(golden(name));
  std::string title, a, b;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(got, a)),
               more_b = static_cast<bool>(std::getline(want, b));
    if (!more_a && !more_b) return {};
    if (more_b && b.rfind("###", 0) == 0) title = b;
    if (!more_a) a = "(nothing)";
    if (!more_b) b = "(nothing)";
    if (a != b)
      return name + ", line " + std::to_string(line) + ", in " + title + ": expected\n" + b +
             "\ngot\n" + a;
  }
}

}  // namespace weft::testing
