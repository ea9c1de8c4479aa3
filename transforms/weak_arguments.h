// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/weak_arguments.h: the F64 values from which weak arguments of functions with custom
// rules were made (docs/decisions/0010).
#pragma once
#include "tracer/record_trace.h"

namespace weft::detail {

// The weak numbers among the arguments. C++ numbers become constants of the programs. If a program
// reads the F64 value of a traced weak number, all programs are traced again. That value is then an
// additional operand in front of the arguments.
struct WeakArguments {
  Arrays written;              // for each argument, its C++ number or an empty handle
  std::vector<size_t> traced;  // arguments that are traced weak numbers
  std::vector<size_t> with;    // those that have an operand for their F64 value
  bool asked = false;

  explicit WeakArguments(const Arrays& x);
  bool trace_again();
  Types doubles() const { return Types(with.size(), Type(F64, Shape{})); }
  Arrays operands(const Arrays& x) const;
  // Removes the entries of the F64 operands from a list with one entry per input.
  template <class T>
  std::vector<T> arguments(const std::vector<T>& inputs) const {
    return std::vector<T>(inputs.begin() + static_cast<std::ptrdiff_t>(with.size()), inputs.end());
  }
};

// Traces f for the transform `who`, with the F64 operands followed by inputs of these types. Input
// i is argument number is[i] (-1: not an argument).
ClosedJaxpr traced(const char* who, const Types& in, FunctionRef<Arrays(const Arrays&)> f,
                   WeakArguments& n, const std::vector<int>& is);
// Returns 0, 1, …, n - 1: each input is the argument with its number.
std::vector<int> in_order(size_t n);

}  // namespace weft::detail
