// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/shown.h: prints a value on one line, as examples in comments show it.
#pragma once
#include <sstream>
#include <string>

#include "weft/weft.h"

namespace weft::testing {

template <class T>
std::string shown(const T& x) {
  std::ostringstream o;
  o << std::boolalpha;
  if constexpr (requires { o << x; })
    o << x;
  else
    o << to_string(x);
  std::string line;
  bool indented = false;
  for (const char c : o.str()) {  // puts the rows of a matrix on one line, separated by one blank
    if (indented && c == ' ') continue;
    indented = c == '\n';
    line += indented ? ' ' : c;
  }
  return line;
}

}  // namespace weft::testing
