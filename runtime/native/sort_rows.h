// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/sort_rows.h: the native code of `sort` and `top_k`.
#pragma once
#include <cstdint>

#include "weft/core/error.h"
#include "weft/core/loops/lower.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/red_zones.h"

namespace weft::sorting {

// Rows of an array along an axis: element i of row r lies at start(r) + i * step.
struct Rows {
  int64_t count = 0, length = 0, step = 1;
  int64_t start(int64_t r) const { return r / step * step * length + r % step; }
};
Rows rows_of(const Shape& s, int64_t axis);

// Memory that is handed out in pieces aligned to 64.
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
    return room_of(n * static_cast<int64_t>(sizeof(T)));
  }

 private:
  Temporaries memory_;
  const int64_t bytes_;
  int64_t used_ = 0;
};

// Partitions work: f(begin, end) on `n` items of about `ns` each, at the same time where
// that is worth it.
void partition(int64_t n, double ns, FunctionRef<void(int64_t, int64_t)> f);
// Bytes at once if each part of shared work on n items takes so many.
int64_t shared_bytes(int64_t n, int64_t each);
// In how many parts one row is worked on, if there are `count` of them.
int64_t parts_of_row(int64_t count, int64_t length);

// Sorts all operands along the axis by the first `keys` of them; stable, NaN last, -0 equal to 0.
void sort_rows(const Types& types, int64_t axis, int64_t keys, const NativeArgs& args);
int64_t sort_workspace(const Types& types, int64_t axis, int64_t keys);
// The k largest along the axis and their places (I32), NaN first, 0 before -0, ties by place.
void top_rows(const Type& type, int64_t axis, int64_t k, const NativeArgs& args);
int64_t top_workspace(const Type& type, int64_t axis, int64_t k);

}  // namespace weft::sorting
