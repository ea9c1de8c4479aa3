// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/types_of.h: the types of arrays.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

inline Types types_of(const Arrays& x) {
  Types t;
  for (const Array& a : x) t.push_back(a.type());
  return t;
}

}  // namespace weft
