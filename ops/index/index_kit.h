// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index_kit.h: integers of any width as positions, on the host and in a nest.
#pragma once
#include <limits>

#include "weft/ops/kit/element.h"
#include "weft/tracer/concrete.h"

namespace weft {

// Element i of an array of integers; what I64 cannot hold saturates, and is out of range anyway.
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

// The same of an element in a nest.
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
