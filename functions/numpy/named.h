// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/named.h: arrays with named axes and their products. All products are implemented
// with them. Not public.
#pragma once
#include <algorithm>

#include "core/ir.h"
#include "weft/array.h"
#include "weft/detail/ref.h"
#include "weft/lax/dot.h"

namespace weft::fn {

using Labels = std::vector<int>;
inline bool contains(const Labels& l, int label) {
  return std::find(l.begin(), l.end(), label) != l.end();
}
Labels count_from(int first, int64_t n);  // first, first + 1, …

struct Named {
  Array x;
  Labels axes;
  // 1 if it does not have the axis.
  int64_t size(int label) const;
  bool has(int label) const { return contains(axes, label); }
};
using Keep = FunctionRef<bool(int)>;
// Replaces axes with equal names by their diagonal.
Named without_repeats(Named v);
// Sums over the axes for which `keep` is false, in the dtype `type` if it is given.
Named summed(Named v, Keep keep, std::optional<DType> type = {});
// Transposes the axes into this order.
Array arranged(const Named& v, const Labels& out);
// Multiplies two arrays and sums over the labels for which `keep` is false. Axes of size 1 are
// broadcast.
Named product(Named a, Named b, Keep keep, std::optional<DType> type = {},
              lax::Precision precision = lax::Precision::DEFAULT);

}  // namespace weft::fn
