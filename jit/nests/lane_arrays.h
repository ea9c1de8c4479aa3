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
  // `along_rows`: vectors run along the inner axes.
  LaneArrays(nest::Builder& b, LaneSpace& space, bool along_rows)
      : b_(b), space_(space), along_rows_(along_rows) {}

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

 private:
  nest::Builder& b_;
  LaneSpace& space_;
  const bool along_rows_;
};

}  // namespace weft::compiler
