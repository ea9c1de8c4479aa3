// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/kit.h: arithmetic of hyperparameters: numbers that are written in C++ are
// computed with in double, as optax computes with Python's, and become a dtype last. Not public.
#pragma once
#include "weft/core/ir.h"
#include "weft/functions/optim/optim.h"

namespace weft::optim {

// The number, if x is one that was written in C++.
std::optional<double> written(const Array& x);
Array minus(const Array& a, const Array& b);
Array over(const Array& a, const Array& b);
// 1 - x; where x is a weak number that is traced, in dtype d.
Array one_minus(const Array& x, DType d);
// x in dtype d if it is weak, so that F64 sees all its digits.
Array in_dtype(const Array& x, DType d);
bool is_zero(const Array& x);       // known to be
Array square_norm(const Array& x);  // |x|², real; of narrow floats in F32

namespace detail {

// One step, leaf by leaf: what all parts work on.
struct Step {
  Arrays updates;
  const Arrays* params;  // null: not given
  Paths paths;           // of the leaves, below a root of this name
};
// One member of a chain; it works on its own entries of the state.
struct Part {
  std::string name;  // for messages
  size_t counts = 0, moments = 0;
  Function<void(const Arrays& params, Arrays* moments)> init = {};
  Function<void(Step& s, Array* counts, Arrays* moments)> update = {};
};
struct Parts final : RefCounted {
  std::vector<Part> list;
  size_t counts = 0, moments = 0;
};
PartsRef parts_of(std::vector<Part> list);
// global_norm as it is computed: of narrow floats in F32.
Array wide_global_norm(const Arrays& x);

}  // namespace detail
}  // namespace weft::optim
