// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/names.cpp: variable names, base 26.
#include "core/text/names.h"

#include <algorithm>

#include "weft/error.h"

namespace weft {

std::string variable_name(int64_t n) {
  if (n < 0) throw InternalError("a variable with the negative number " + std::to_string(n));
  std::string name;
  do {
    name += static_cast<char>('a' + n % 26);
    n /= 26;
  } while (n > 0);
  std::reverse(name.begin(), name.end());
  return name;
}

int64_t parse_variable_name(std::string_view name) {
  if (name.empty() || (name.size() > 1 && name[0] == 'a')) return -1;
  int64_t n = 0;
  for (char c : name)
    if (c < 'a' || c > 'z' || __builtin_mul_overflow(n, 26, &n) ||
        __builtin_add_overflow(n, c - 'a', &n))
      return -1;
  return n;
}

}  // namespace weft
