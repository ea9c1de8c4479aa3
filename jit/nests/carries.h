// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/carries.h: the carries of a loop and the results of a branch.
//
// Small ones are passed component by component as values of the structured instruction. Larger ones
// are in a local array, or in the memory of a result, and the body overwrites them. It reads elements,
// fills arrays, and binds the variables of frames; it opens no blocks. A new way to carry a value
// is a kind of CarriedValue.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/lane_arrays.h"
#include "jit/nests/materializer.h"

namespace weft::compiler {

struct CarriedValue {
  int64_t n = 0;
  DType dtype = F32;
  bool in_array = false;
  ValueLocation array = {};  // where it is, if it is in an array
  int operand = -1;          // of a branch: the operand that its sides update in this array, or -1
};

// Returns the form in which a value like variable `var` is carried, without its array.
CarriedValue carried_like(const Frame& f, int32_t var);
// Binds the variables from `first` on to the carries, whose components are the ids from `next` on.
void bind_carries(Frame& f, int32_t first, const std::vector<CarriedValue>& carries,
                  const std::vector<nest::Id>& ids, size_t next = 0);

class Carries {
 public:
  Carries(const LaneSpace& space, LaneArrays& arrays, ElementReader& elements,
          Materializer& materializer)
      : space_(space), arrays_(arrays), elements_(elements), materializer_(materializer) {}
  // Computes the initial values of the carries of loop i, which are inputs of the body from
  // `first_input` on. Appends the components of the small ones to `flat`.
  std::vector<CarriedValue> begin(Frame& f, size_t i, Frame& body, int first_input,
                                  std::vector<nest::Id>* flat);
  // Computes the next values of all carries. Appends the components of the small ones to `yields`.
  void yield(Frame& body, const std::vector<CarriedValue>& carries, int first_input,
             std::vector<nest::Id>* yields);

 private:
  const LaneSpace& space_;
  LaneArrays& arrays_;
  ElementReader& elements_;
  Materializer& materializer_;
};

}  // namespace weft::compiler
