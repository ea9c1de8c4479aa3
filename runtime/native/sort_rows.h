// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_rows.h: the native code of `sort` and `top_k`.
#pragma once
#include <cstdint>

#include "core/loops/lower.h"
#include "runtime/red_zones.h"
#include "weft/buffer.h"
#include "weft/error.h"

namespace weft::sorting {

// Rows of an array along an axis: element i of row r is at start(r) + i * step.
struct Rows {
  int64_t count = 0, length = 0, step = 1;
  int64_t start(int64_t r) const { return r / step * step * length + r % step; }
};
Rows rows_of(const Shape& s, int64_t axis);

// Memory that is allocated in pieces aligned to 64.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) : memory_(bytes), bytes_(bytes) {}
  template <class T>
  T* take(int64_t n) {
    std::byte* const p = memory_.data() + used_;
    used_ += bytes_of<T>(n);
    if (used_ > bytes_) throw InternalError("native code has planned too little scratch");
    forbid_rest(p, n * static_cast<int64_t>(sizeof(T)), bytes_of<T>(n));
    return reinterpret_cast<T*>(p);
  }
  template <class T>
  static int64_t bytes_of(int64_t n) {
    return padded_bytes(n * static_cast<int64_t>(sizeof(T)));
  }

 private:
  Temporaries memory_;
  const int64_t bytes_;
  int64_t used_ = 0;
};

// Calls f(begin, end) for `n` items of about `ns` nanoseconds each; in parallel if that pays off.
void partition(int64_t n, double ns, FunctionRef<void(int64_t, int64_t)> f);
// Bytes allocated simultaneously if each part of a partition of n items needs `each`.
int64_t shared_bytes(int64_t n, int64_t each);
// The number of parts into which each row is divided, if there are `count` rows.
int64_t parts_of_row(int64_t count, int64_t length);

// Sorts all operands along the axis by the first `keys` of them. The sort is stable; NaN comes
// last, and -0 equals 0.
void sort_rows(const Types& types, int64_t axis, int64_t keys, const NativeArgs& args);
int64_t sort_workspace(const Types& types, int64_t axis, int64_t keys);
// The k largest elements along the axis and their indices (I32). NaN comes first, 0 before -0;
// equal elements are ordered by index. In the total order of the bits (`total`), NaNs with the sign
// bit come last.
void top_rows(const Type& type, int64_t axis, int64_t k, bool total, const NativeArgs& args);
int64_t top_workspace(const Type& type, int64_t axis, int64_t k);

}  // namespace weft::sorting
