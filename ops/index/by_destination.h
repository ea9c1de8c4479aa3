// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/by_destination.h: scatter in steps that many threads can share, although updates
// may have the same destination. The updates are sorted by destination, and each position combines
// its own updates in order (docs/decisions/0032).
#pragma once
#include "ops/index/index.h"
#include "ops/index/index_map.h"

namespace weft::order {

// Joins x[r, f] with updates[r, i] for each i with first[r, f] <= i < last[r, f], in order. x is
// [rows, places, size], and updates are [rows, n, size]. It is defined in ops/control/scatter/
// because it is a loop.
Array fold_ranges(const Array& x, const Array& updates, const Array& first, const Array& last,
                  Update update);

// A scatter whose windows have positions given by the map. `moves`: windows that do not fit are
// moved inside.
Array scatter_by_destination(const Array& x, const Array& updates, const Array& indices,
                             const index_map_detail::IndexMap& map, Update update, bool moves);

// Returns the updates, where the first update with each destination is joined with all others that
// have this destination. The others become the identity. For n updates it needs n^2 steps, which
// any lane can run.
Array joined_at_first(const Shape& operand, const Array& updates, const Array& indices,
                      const index_map_detail::IndexMap& map, Update update, const Array& identity,
                      bool moves);

// The updates assigned to as many slots as there are updates. Updates with the same destination
// share a slot.
struct Slots {
  Array operand;    // [rows, places, size]
  Array updates;    // [rows, n, size]
  Array of_update;  // [rows, n, 1]: the slot of each update
  // [rows, n, 1]: the destination of a slot; out of range if no update uses the slot
  Array place;
  // The shape of the operand, and its axes.
  Shape shape;
  std::vector<int64_t> rows, places, whole;
};
Slots slots_of(const Array& x, const Array& updates, const Array& indices,
               const index_map_detail::IndexMap& map, bool moves);
Array out_of_slots(const Slots& s, const Array& operand);
// Returns the number of slots.
int64_t slots(const index_map_detail::IndexMap& map, const Shape& x, const Shape& updates);

// For each update, the product of the other updates with the same destination in an operand of this
// shape. It is 1 for an update that is alone. It does not divide, so it and its derivatives are
// right if updates are 0.
Array product_of_others(const Shape& operand, const Array& updates, const Array& indices,
                        const index_map_detail::IndexMap& map, bool moves);

// The approximate number of kernels of scatter_by_destination.
double kernels_by_destination(const index_map_detail::IndexMap& map, const Shape& x,
                              const Shape& updates);

}  // namespace weft::order
