// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/order/by_destination.h: scatter as steps that many threads can share though updates may
// meet: they are sorted by where they go, and each place takes its own in their order
// (docs/decisions/0032).
#pragma once
#include "weft/ops/index/index.h"
#include "weft/ops/index/index_map.h"

namespace weft::order {

// x[r, f] joined with updates[r, i] for each i from first[r, f] to last[r, f], one after another.
// x is [rows, places, size], updates [rows, n, size]. Defined in ops/control/scatter/, as it is a
// loop.
Array fold_ranges(const Array& x, const Array& updates, const Array& first, const Array& last,
                  Update update);

// A scatter whose windows lie as the map says. `moves`: those that do not fit are moved inside.
Array scatter_by_destination(const Array& x, const Array& updates, const Array& indices,
                             const index_map_detail::IndexMap& map, Update update, bool moves);

// The updates, of which the first that goes to a place is joined with all that go there, and the
// others change nothing. Of n updates in n^2 steps, which any lane can take.
Array joined_at_first(const Shape& operand, const Array& updates, const Array& indices,
                      const index_map_detail::IndexMap& map, Update update, const Array& identity,
                      bool moves);

// Updates in as many slots as there are: those that go to one place have one slot.
struct Slots {
  Array operand;    // [rows, places, size]
  Array updates;    // [rows, n, size]
  Array of_update;  // [rows, n, 1]: the slot of each update
  Array place;      // [rows, n, 1]: where a slot goes; past all places if no update has it
  // What the operand was.
  Shape shape;
  std::vector<int64_t> rows, places, whole;
};
Slots slots_of(const Array& x, const Array& updates, const Array& indices,
               const index_map_detail::IndexMap& map, bool moves);
Array out_of_slots(const Slots& s, const Array& operand);
// How many slots there are.
int64_t slots(const index_map_detail::IndexMap& map, const Shape& x, const Shape& updates);

// For each update the product of the others that go to the same place of an operand of this shape;
// 1 for one that goes there alone. No quotients, so that it and its derivatives hold where updates
// are 0.
Array product_of_others(const Shape& operand, const Array& updates, const Array& indices,
                        const index_map_detail::IndexMap& map, bool moves);

// Kernels that scatter_by_destination takes, about.
double kernels_by_destination(const index_map_detail::IndexMap& map, const Shape& x,
                              const Shape& updates);

}  // namespace weft::order
