// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_arrays.h: the arrays of a lane, and loops over elements that fill them.
//
// It creates arrays of the inner elements of a type, and loads, stores, copies and fills them. It
// does not know which variable an array holds, and gets the elements from functions of the caller.
// A new order or shape of loops over elements is part of `element_loop`; a new way to fill several
// arrays together is part of `fill`.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "jit/nests/lane_space.h"

namespace weft::compiler {

// Elements to compute for a local array of this type. Without an array they are computed only as
// inputs of others.
struct ArrayFill {
  Elem array;
  LaneType type;
  std::function<Elem(const Coords&)> value;
  bool is_copy = false;  // copied, not computed
};

class LaneArrays {
 public:
  // `along_rows`: vectors run along the inner axes. `whole_loops`: loops have no pieces, and only
  // long ones have loops inside them.
  LaneArrays(nest::Builder& b, LaneSpace& space, bool along_rows, bool whole_loops)
      : b_(b), space_(space), along_rows_(along_rows), whole_loops_(whole_loops) {}

  Elem create(const LaneType& t);  // for its inner elements
  Elem load(const Elem& array, nest::Id at);
  void store(const Elem& array, nest::Id at, const Elem& e);
  // The same by coordinates over all axes.
  Elem load_at(const Elem& array, const LaneType& t, const Coords& at);
  void store_at(const Elem& array, const LaneType& t, const Coords& at, const Elem& e);
  // Copies arrays of n elements.
  void copy(const std::vector<std::pair<Elem, Elem>>& to_from, int64_t n);
  // Writes one loop for all fills with the same inner axes.
  void fill(const std::vector<ArrayFill>& fills);
  // Loops over elements of these extents, which are independent, so a vector may run along them.
  void element_loop(const std::vector<int64_t>& extents,
                    const std::function<void(const Coords&)>& each);
  // Returns true if a loop was written whole that could have pieces or loops inside it.
  bool may_divide() const { return may_divide_; }

 private:
  struct Trips {
    int64_t lo, hi;
  };
  struct Body {
    nest::BlockId block;
    nest::Id index;
    size_t first, size;            // of its instructions
    size_t needed;                 // the number of those that have an effect
    std::vector<int64_t> borders;  // inside the range of the index
    int64_t divisor;               // the largest number that divides it into blocks, or 0
  };
  void vector_loops(const std::vector<int64_t>& extents,
                    const std::function<void(const Coords&)>& each);
  void loops_by_axes(const std::vector<int64_t>& extents, const Coords& outer,
                     const std::function<void(const Coords&)>& each);
  Body body(const Trips& trips, bool in_vectors, const std::function<void(nest::Id)>& each);
  // Loops over blocks of a length, and over the elements of each.
  void loops_by_digits(const Trips& trips, int64_t length,
                       const std::function<void(nest::Id)>& each);
  // Writes a loop, or several if its clamps and comparisons have borders. Returns false and writes
  // nothing if `is_rejected` returns true for what was written since an instruction, and the index.
  bool loop(const Trips& trips, bool in_vectors, const std::function<void(nest::Id)>& each,
            const std::function<bool(size_t, nest::Id)>& is_rejected = {});

  nest::Builder& b_;
  LaneSpace& space_;
  const bool along_rows_, whole_loops_;
  bool may_divide_ = false;
};

}  // namespace weft::compiler
