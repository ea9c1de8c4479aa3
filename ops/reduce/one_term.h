// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/one_term.h: folds of one term, which need no loop.
#pragma once
#include <type_traits>

#include "ops/kit/monoid.h"
#include "tracer/base_ops.h"
#include "weft/lax/fma.h"

namespace weft {

// Returns the fold of each element alone, with the bits that any fold gives, or an empty handle for
// complex numbers, whose parts a join may mix.
template <class M>
Array fold_of_one_term(const Array& x) {
  if (is_complex(x.dtype())) return {};
  // A sum begins with 0, and 0 + -0 is 0. An fma adds it, because an `add` could be fused with the
  // product that makes x.
  const bool adds_zero = std::is_base_of_v<monoid::Sum, M> && is_inexact(x.dtype());
  return adds_zero ? lax::fma(x, base::ones(x.type()), base::zeros(x.type())) : x;
}

}  // namespace weft
