// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/named.h: arrays whose axes have names, and their products: what all products are
// made of. Not public.
#pragma once
#include <algorithm>

#include "weft/core/ir.h"
#include "weft/core/ref.h"
#include "weft/ops/linear/dot.h"
#include "weft/tracer/array.h"

namespace weft::fn {

using Labels = std::vector<int>;
inline bool contains(const Labels& l, int label) {
  return std::find(l.begin(), l.end(), label) != l.end();
}
Labels count_from(int first, int64_t n);  // first, first + 1, …

struct Named {
  Array x;
  Labels axes;
  // 1 for an axis that it has not.
  int64_t size(int label) const;
  bool has(int label) const { return contains(axes, label); }
};
using Keep = FunctionRef<bool(int)>;
// Axes of one name become their diagonal.
Named without_repeats(Named v);
// Sums the axes that `keep` does not say to keep, in this dtype if one is given.
Named summed(Named v, Keep keep, std::optional<DType> type = {});
// The axes in this order.
Array arranged(const Named& v, const Labels& out);
// The product of two, summed over the labels for which `keep` is false; axes of size 1 are
// broadcast.
Named product(Named a, Named b, Keep keep, std::optional<DType> type = {},
              lax::Precision precision = lax::Precision::DEFAULT);

}  // namespace weft::fn
