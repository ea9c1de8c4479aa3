// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/libraries.h: the libraries that the compiler and its programs use, with the versions that are
// loaded.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace weft::compiler {

// Returns names and versions: {"LLVM", "19.1.7"}, ….
std::vector<std::pair<std::string, std::string>> libraries();

}  // namespace weft::compiler
