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

// Kernels that it takes, about.
double kernels_by_destination(const index_map_detail::IndexMap& map, const Shape& x,
                              const Shape& updates);

}  // namespace weft::order
