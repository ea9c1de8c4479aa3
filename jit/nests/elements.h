// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/elements.h: reads elements from memory, from local values, or by computing them.
//
// It looks an element up where its frame says that the value is, and computes it with the rule of
// its equation if it is nowhere. It changes nothing but what the frame remembers of computed
// elements. A new kind of place, or a cheaper way to read a known element, is a case of `read`.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/lane_arrays.h"
#include "jit/nests/lane_folds.h"
#include "jit/nests/memory.h"

namespace weft::compiler {

class Elements final : public ElementReader {
 public:
  Elements(nest::Builder& b, const LaneSpace& space, LaneArrays& arrays, Memory& memory,
           LaneFolds& folds)
      : b_(b), space_(space), arrays_(arrays), memory_(memory), folds_(folds) {}
  Elem read(Frame& f, Atom a, const Coords& at) override;
  // Returns the values that were scalars but are read at an index known only at run time. Selecting
  // one of that many elements is faster from an array.
  const FrameValues& dynamically_indexed() const { return dynamically_indexed_; }
  // Returns the largest number of scalars of such a value.
  int64_t most_indexed() const { return most_indexed_; }

 private:
  Elem read_scalars(const Frame& f, int32_t var, const ValueLocation& p, const Coords& at);
  Elem compute(Frame& f, size_t eqn, int out, const Coords& at);
  bool is_own_point(const LaneType& t, const Coords& at) const;

  nest::Builder& b_;
  const LaneSpace& space_;
  LaneArrays& arrays_;
  Memory& memory_;
  LaneFolds& folds_;
  FrameValues dynamically_indexed_;
  int64_t most_indexed_ = 0;
};

}  // namespace weft::compiler
