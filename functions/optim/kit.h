// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/kit.h: arithmetic of hyperparameters. Numbers written in C++ are computed in
// double, as optax does with Python's numbers, and are converted to a dtype last. Not public.
#pragma once
#include "core/ir.h"
#include "weft/optim.h"

namespace weft::optim {

// Returns the number if x is a C++ number, else nothing.
std::optional<double> written(const Array& x);
Array minus(const Array& a, const Array& b);
Array over(const Array& a, const Array& b);
// Returns 1 - x, in dtype d if x is a traced weak number.
Array one_minus(const Array& x, DType d);
// Returns x in dtype d if it is weak, so that F64 keeps all its digits.
Array in_dtype(const Array& x, DType d);
bool is_zero(const Array& x);       // true if x is known to be 0
Array square_norm(const Array& x);  // |x|², real; narrow floats are computed in F32

namespace detail {

// One step on lists of leaves, on which all parts work.
struct Step {
  Arrays updates;
  const Arrays* params;  // null: not given
  Paths paths;           // the paths of the leaves; the argument names the root
};
// One member of a chain. It updates its own entries of the state.
struct Part {
  std::string name;  // used in messages
  size_t counts = 0, moments = 0;
  Function<void(const Arrays& params, Arrays* moments)> init = {};
  Function<void(Step& s, Array* counts, Arrays* moments)> update = {};
};
struct Parts final : RefCounted {
  std::vector<Part> list;
  size_t counts = 0, moments = 0;
};
PartsRef parts_of(std::vector<Part> list);
// Returns global_norm before its conversion to the leaves' dtype: narrow floats are summed in F32.
Array wide_global_norm(const Arrays& x);

}  // namespace detail
}  // namespace weft::optim
