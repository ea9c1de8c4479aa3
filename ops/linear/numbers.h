// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/numbers.h: single numbers, real or complex, for the reference implementations of
// factorizations.
#pragma once
#include "ops/kit/arith.h"

namespace weft::matrix {

template <class P>
auto real_of(const P& x) {
  if constexpr (arith::is_cx<P>)
    return x.re;
  else
    return x;
}
template <class P>
P conj_of(const P& x) {
  if constexpr (arith::is_cx<P>)
    return {x.re, -x.im};
  else
    return x;
}

}  // namespace weft::matrix
