// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/weak_arguments.h: the doubles behind weak numbers that functions with rules of their
// own are given (docs/decisions/0010).
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft::detail {

// Weak numbers among the arguments. C++ numbers are written into the programs. The double of a
// traced one is an operand, in front of the arguments, if a program asks for it; then all are
// traced again.
struct WeakArguments {
  Arrays written;              // for each argument: the C++ number that it is, or an empty handle
  std::vector<size_t> traced;  // arguments that are traced weak numbers
  std::vector<size_t> with;    // those that have an operand for their double
  bool asked = false;

  explicit WeakArguments(const Arrays& x);
  bool trace_again();
  Types doubles() const { return Types(with.size(), Type(F64, Shape{})); }
  Arrays operands(const Arrays& x) const;
  // The inputs, or what belongs to them, without those of the doubles.
  template <class T>
  std::vector<T> arguments(const std::vector<T>& inputs) const {
    return std::vector<T>(inputs.begin() + static_cast<std::ptrdiff_t>(with.size()), inputs.end());
  }
};

// The program of f, for the transform `who`, on the doubles and on inputs of these types; input i
// is number is[i] (-1: none).
Closed traced(const char* who, const Types& in, FunctionRef<Arrays(const Arrays&)> f,
              WeakArguments& n, const std::vector<int>& is);
// Each argument is the number of its place.
std::vector<int> in_order(size_t n);

}  // namespace weft::detail
