// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/strided.cpp: strided copies.
#include "ops/kit/strided.h"

#include <cstring>

#include "tracer/concrete.h"

namespace weft {

void strided_move(void* to, const Ints& to_step, const void* from, const Ints& from_step,
                  const Shape& shape, int bytes) {
  if (shape.elements() == 0) return;
  std::byte* out = static_cast<std::byte*>(to);
  const std::byte* in = static_cast<const std::byte*>(from);
  const int n = shape.ndim();
  Ints at(n, 0);
  for (;;) {
    std::memcpy(out, in, bytes);
    int a = n - 1;
    for (; a >= 0; --a) {
      const size_t k = a;
      out += to_step[k] * bytes;
      in += from_step[k] * bytes;
      if (++at[k] < shape[a]) break;
      out -= to_step[k] * bytes * shape[a];
      in -= from_step[k] * bytes * shape[a];
      at[k] = 0;
    }
    if (a < 0) return;
  }
}

Array strided_copy(const Array& x, const Type& out, int64_t offset, const Ints& step) {
  Fresh r = fresh_array(out);
  const int bytes = itemsize(out.dtype());
  const std::byte* from = static_cast<const std::byte*>(concrete(x).data()) + offset * bytes;
  strided_move(r.data, row_major(out.shape()), from, step, out.shape(), bytes);
  return r.array;
}

}  // namespace weft
