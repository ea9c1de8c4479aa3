// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/updates.h: updates of arrays and of memory inside the lane, in place where nothing
// reads the old values later.
//
// It reads the updates, and combines them with the elements that they replace. It overwrites an
// array only if value_uses.h permits it. A new way to write into a value that exists, such as
// a range or a masked row, is a method here.
#pragma once
#include "jit/nests/element_reader.h"
#include "jit/nests/lane_arrays.h"
#include "jit/nests/materializer.h"
#include "jit/nests/memory.h"

namespace weft::compiler {

class Updates {
 public:
  Updates(nest::Builder& b, LaneSpace& space, LaneArrays& arrays, Memory& memory,
          ElementReader& elements, Materializer& materializer)
      : b_(b),
        space_(space),
        arrays_(arrays),
        memory_(memory),
        elements_(elements),
        materializer_(materializer) {}
  // Writes the updates of equation i into its first operand, if possible. The updates read
  // everything they need from it first.
  bool update_in_place(Frame& f, size_t i);
  // Writes the updates of equation i into a copy of its first operand, if the search of the updates
  // for each element of a large array would take more.
  bool update_copy(Frame& f, size_t i);
  // Applies the updates of a scatter, one after another, to memory that already holds the operand.
  // If `shared`, a grid point applies those of its index along the axes that write disjoint
  // elements.
  void scatter(Frame& program, size_t i, bool shared);

 private:
  struct Update {
    Coords index;
    nest::Id offset, valid;  // the offset in a local array
    Elem value;
  };
  bool has_few_updates(const Frame& f, size_t i) const;
  void write_updates(Frame& f, size_t i, const ValueLocation& array);
  void write_many(Frame& f, size_t i, const ValueLocation& array);
  Update update_at(Frame& f, size_t i, const Coords& at);
  void apply(const Lowering& l, const ValueLocation& array, const Update& u);

  nest::Builder& b_;
  LaneSpace& space_;
  LaneArrays& arrays_;
  Memory& memory_;
  ElementReader& elements_;
  Materializer& materializer_;
};

}  // namespace weft::compiler
