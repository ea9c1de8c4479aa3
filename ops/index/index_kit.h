// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index_kit.h: converts integers of any width to positions, on the host and in loop
// nests.
#pragma once
#include <limits>

#include "ops/kit/element.h"
#include "tracer/concrete.h"

namespace weft {

// Returns element i of an array of integers. Values that I64 cannot hold saturate; they are out of
// range in any case.
inline int64_t host_index(const Array& x, int64_t i) {
  int64_t r = 0;
  with_class<DTypes::ints>(x.dtype(), [&](auto* p) {
    const auto v = static_cast<const std::remove_pointer_t<decltype(p)>*>(concrete(x).data())[i];
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(v)>, uint64_t>)
      r = static_cast<int64_t>(std::min<uint64_t>(v, std::numeric_limits<int64_t>::max()));
    else
      r = static_cast<int64_t>(v);
  });
  return r;
}

// The same for a loop-nest element.
inline num::Ir<int64_t> index_of(const Elem& e, DType d) {
  num::Ir<int64_t> r;
  with_class<DTypes::ints>(d, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    auto v = num::Ir<T>::at(e.re);
    if constexpr (std::is_same_v<T, uint64_t>)
      v = num::minimum(v, num::Ir<T>(static_cast<T>(std::numeric_limits<int64_t>::max())));
    r = num::convert<int64_t>(v);
  });
  return r;
}

}  // namespace weft
