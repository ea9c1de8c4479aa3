// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/materializer.h: computes all elements of values at one place in the code.
//
// It reads elements, stores them as scalars or in local arrays, and sets the places of the values
// in their frame. One loop computes all deferred values that are read later, so each equation is
// written once, or a few times if it is cheap. value_uses.h decides which values these are; a new
// way to keep computed values is a method here.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/lane_arrays.h"

namespace weft::compiler {

class Materializer {
 public:
  Materializer(const LaneSpace& space, LaneArrays& arrays, ElementReader& elements)
      : space_(space), arrays_(arrays), elements_(elements) {}
  // Computes all elements of a value here.
  void materialize(Frame& f, int32_t var);
  // Keeps the elements of a variable of the program that the lane reads at its own point.
  void cache(Frame& program, int32_t var);
  // Computes the deferred values that are expensive and read by equation i or later.
  void materialize_deferred(Frame& f, size_t i);
  // Computes the values that are deferred, depend on operand k of equation i, and are read by
  // equation i or later. It does so if they are small compared to the operand, which may then be
  // overwritten, or if it must be.
  void materialize_dependents(Frame& f, size_t i, size_t k);
  // Computes all elements of large values here and stores them in the arrays of the fills:
  // variable vars[k] in that of fills[k].
  void store_in_arrays(Frame& f, const std::vector<int32_t>& vars,
                       const std::vector<ArrayFill>& fills);

 private:
  ArrayFill fill_of(Frame& f, int32_t var, const Elem& array);

  const LaneSpace& space_;
  LaneArrays& arrays_;
  ElementReader& elements_;
};

}  // namespace weft::compiler
