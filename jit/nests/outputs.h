// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/outputs.h: stores results: variables of the program, and results that are written step
// by step.
//
// It decides which lanes store which elements, and whether a step goes to memory or to a local
// array. It may read elements, and stores through Memory and LaneArrays. A new way in which a
// result leaves the lane is a method here.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/lane_arrays.h"
#include "jit/nests/memory.h"

namespace weft::compiler {

class Outputs {
 public:
  Outputs(nest::Builder& b, const LaneSpace& space, LaneArrays& arrays, Memory& memory,
          ElementReader& elements)
      : b_(b), space_(space), arrays_(arrays), memory_(memory), elements_(elements) {}
  // Makes the place of a result whose elements are stored while a loop runs: a local array, which
  // is returned, or memory, for later kernels.
  Elem begin_steps(Frame& f, int32_t var);
  // Stores one of its elements. `array` is the result of begin_steps.
  void store_step(const Frame& f, int32_t var, const Elem& array, const Coords& at, const Elem& e);
  // Stores the elements of a variable of the program to memory.
  void store(Frame& program, int32_t var);

 private:
  nest::Builder& b_;
  const LaneSpace& space_;
  LaneArrays& arrays_;
  Memory& memory_;
  ElementReader& elements_;
};

}  // namespace weft::compiler
