// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/error.cpp: the text of source locations.
#include "weft/core/error.h"

#include <string_view>

namespace weft {

std::string to_string(const Location& l) {
  if (!l) return "unknown location";
  // The file's own name only: texts stay the same wherever a project is built.
  std::string_view file = l.file ? l.file : "";
  if (size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(l.line);
}

}  // namespace weft
