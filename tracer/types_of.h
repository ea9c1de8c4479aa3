// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/types_of.h: the types of arrays, and their number of elements.
#pragma once
#include "core/ir.h"
#include "weft/array.h"

namespace weft {

inline Types types_of(const Arrays& x) {
  Types t;
  for (const Array& a : x) t.push_back(a.type());
  return t;
}
inline int64_t elements_of(const Types& types) {
  int64_t n = 0;
  for (const Type& t : types) n += t.elements();
  return n;
}

}  // namespace weft
