// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/equal_along.cpp: values that are the same at every index of an axis.
#include "ops/index/equal_along.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/param.h"
#include "ops/structure/structure.h"
#include "tracer/trace.h"

namespace weft {

bool computes_indices(std::string_view op) {
  constexpr std::array names = {
      "add", "sub", "mul", "div", "rem", "neg",      "sign",
      "max", "min", "lt",  "le",  "gt",  "ge",       "eq",
      "ne",  "and", "or",  "not", "xor", "select_n", "convert_element_type"};
  return std::ranges::find(names, op) != names.end();
}

namespace {

class WithoutAxis {
 public:
  std::optional<Array> of(const Array& x, const Producer* made, int64_t axis) {
    if (!made || axis >= x.ndim()) return {};
    const auto key = std::pair(&x.node(), axis);
    if (const auto known = done_.find(key); known != done_.end()) return known->second;
    std::optional<Array> out;
    if (made->op.name() == "broadcast_in_dim") out = of_broadcast(x, *made, axis);
    if (made->op.name() == "concatenate") out = of_concatenation(*made, axis);
    if (computes_indices(made->op.name())) out = of_elements(*made, axis);
    done_.emplace(key, out);
    return out;
  }

 private:
  std::optional<Array> of_broadcast(const Array& x, const Producer& made, int64_t axis) {
    auto dims = param_field<std::vector<int64_t>>(made.params, "broadcast_dimensions").value();
    const auto at = std::ranges::find(dims, axis);
    Array from = made.x[0];
    if (at != dims.end()) {
      const auto own = at - dims.begin();
      if (from.shape()[own] == 1)
        from = reshape_to(from, from.shape().erased(static_cast<int>(own)));
      else if (const auto smaller = of(from, made.from[0], own))
        from = *smaller;
      else
        return {};
      dims.erase(at);
    }
    for (int64_t& d : dims) d -= d > axis;
    return broadcast_in_dim(from, x.shape().erased(static_cast<int>(axis)), dims);
  }
  std::optional<Array> of_concatenation(const Producer& made, int64_t axis) {
    const auto along = param_field<int64_t>(made.params, "dimension").value();
    if (along == axis) return {};
    const auto parts = all(made, axis);
    if (!parts) return {};
    return concatenate_arrays(*parts, along - (along > axis));
  }
  std::optional<Array> of_elements(const Producer& made, int64_t axis) {
    const auto x = all(made, axis);
    if (!x) return {};
    return bind_op(made.op, *x, made.params)[0];
  }
  // Returns all operands without the axis. Scalars have none.
  std::optional<Arrays> all(const Producer& made, int64_t axis) {
    Arrays out;
    for (size_t k = 0; k < made.x.size(); ++k) {
      const Array& x = made.x[k];
      const auto smaller = x.ndim() == 0 ? std::optional(x) : of(x, made.from[k], axis);
      if (!smaller) return {};
      out.push_back(*smaller);
    }
    return out;
  }

  std::map<std::pair<const void*, int64_t>, std::optional<Array>> done_;
};

}  // namespace

std::optional<Array> without_equal_axis(const Array& x, const Producer* made, int64_t axis) {
  return WithoutAxis().of(x, made, axis);
}

}  // namespace weft
