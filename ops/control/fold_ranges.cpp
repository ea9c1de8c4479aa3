// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/fold_ranges.cpp: folds a range of rows into each element of an array, with a
// loop in each lane.
#include "batching/batch_trace.h"
#include "ops/control/control_flow.h"
#include "ops/index/by_destination.h"
#include "ops/structure/each_element.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft::order {
namespace {

Array join(Update u, const Array& old, const Array& update) {
  const bool truth = is_bool(old.dtype());
  switch (u) {
    case Update::add: return lax::add(old, update);
    case Update::mul: return lax::mul(old, update);
    case Update::min: return truth ? lax::bitwise_and(old, update) : lax::min(old, update);
    case Update::max: return truth ? lax::bitwise_or(old, update) : lax::max(old, update);
    case Update::set: break;
  }
  return update;
}

// Folds for one element: rows i of `from` at its own column, for first <= i < last.
Array fold_one(const Array& x, const Array& from, const Array& column, int64_t size,
               const Array& first, const Array& last, Update u) {
  const Types carry{first.type(), x.type()};
  const ClosedJaxpr test =
      record(carry, [&](const Arrays& c) { return Arrays{lax::lt(c[0], last)}; });
  const ClosedJaxpr step = record(carry, [&](const Arrays& c) {
    const Array row = lax::mul(base::convert(c[0], I64), scalar_of_int(I64, size));
    const Array at = reshape_to(lax::add(row, column), {1});
    const Array update = gather_windows(from, at, {{}, {0}, {0}, {}, {}}, {1});
    return Arrays{lax::add(c[0], scalar_of_int(I32, 1)), join(u, c[1], update)};
  });
  return while_flat(test, step, {first, x})[1];
}

}  // namespace

Array fold_ranges(const Array& x, const Array& updates, const Array& first, const Array& last,
                  Update update) {
  const Shape& s = x.shape();
  const int64_t n = updates.shape()[1], size = s[2];
  const Array from = reshape_to(updates, {updates.size()});
  const Type place(I64, s);
  const Array column =
      lax::add(lax::mul(base::iota(place, 0), broadcast_like(scalar_of_int(I64, n * size), place)),
               base::iota(place, 2));
  const auto each = [&](const Array& v) { return broadcast_in_dim(v, s, {0, 1}); };
  return each_element(
      [&](const Arrays& a) { return Arrays{fold_one(a[0], from, a[1], size, a[2], a[3], update)}; },
      {x, column, each(first), each(last)})[0];
}

}  // namespace weft::order
