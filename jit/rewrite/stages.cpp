// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/stages.cpp: writes large reductions as reductions of reductions, in the order of
// core/loops/fold_order.h.
#include "weft/jit/rewrite/stages.h"

#include <algorithm>
#include <array>

#include "weft/core/error.h"
#include "weft/core/loops/fold_order.h"
#include "weft/core/op.h"
#include "weft/tracer/replay.h"

namespace weft::compiler {
namespace {

using fold_order::block_terms;

// The reductions, and what combines two results.
const Op* joiner(const Op& op) {
  static const std::array<std::pair<const Op*, const Op*>, 4> all{
      {{find_op("reduce_sum"), find_op("add")},
       {find_op("reduce_prod"), find_op("mul")},
       {find_op("reduce_max"), find_op("max")},
       {find_op("reduce_min"), find_op("min")}}};
  for (const auto& [reduce, join] : all)
    if (&op == reduce) return join;
  return nullptr;
}

// The parameters with another value for a field.
AnyParams with(const Op& op, const AnyParams& params, const std::string& field, const Ints& value) {
  std::vector<std::pair<std::string, ParamValue>> fields;
  for (auto& [name, v] : params->fields())
    fields.emplace_back(name, name == field ? ParamValue(value) : v);
  return op.parse_params(fields);
}

Array slice_axis(const Array& x, int64_t axis, int64_t begin, int64_t end) {
  static const Op& op = *find_op("slice");
  Ints starts(x.shape().size(), 0), limits = x.shape().sizes(), strides(x.shape().size(), 1);
  starts[static_cast<size_t>(axis)] = begin;
  limits[static_cast<size_t>(axis)] = end;
  return bind_op(
      op, {x},
      op.parse_params(
          {{"start_indices", starts}, {"limit_indices", limits}, {"strides", strides}}))[0];
}

Array reshaped(const Array& x, const Ints& sizes) {
  static const Op& op = *find_op("reshape");
  if (x.shape().sizes() == sizes) return x;
  return bind_op(op, {x}, op.parse_params({{"new_sizes", sizes}}))[0];
}

// The axes that are reduced stand together and become one, at `*axis`.
Array joined_axes(const Array& x, const Ints& axes, int64_t* axis) {
  static const Op& op = *find_op("transpose");
  const auto n = static_cast<int64_t>(axes.size());
  const bool together = axes.back() - axes.front() == n - 1;
  Ints order, sizes;
  for (int64_t a = 0; a < x.ndim(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) order.push_back(a);
  *axis = together ? axes.front() : static_cast<int64_t>(order.size());
  int64_t terms = 1;
  for (int64_t a : axes) terms *= x.shape()[a];
  for (int64_t a : order) sizes.push_back(x.shape()[a]);
  order.insert(order.begin() + *axis, axes.begin(), axes.end());
  sizes.insert(sizes.begin() + *axis, terms);
  return reshaped(together ? x : bind_op(op, {x}, op.parse_params({{"permutation", order}}))[0],
                  sizes);
}

class Stages {
 public:
  explicit Stages(const Eqn& e) : op_(*e.op), params_(e.params) {
    for (auto& [name, value] : params_->fields())
      if (std::string(name) == "axes") axes_ = std::get<Ints>(value);
  }

  bool many(const Type& t) const {
    // Narrow floats are rounded once, at the end.
    if (is_inexact(t.dtype()) && !(t.dtype() == F32 || t.dtype() == F64)) return false;
    int64_t terms = 1;
    for (int64_t n : extents_of(t.shape(), axes_)) terms *= n;
    return terms >= fold_order::many_terms;
  }

  Array write(const Array& x) const {
    if (const size_t first = fold_order::first_axes(extents_of(x.shape(), axes_))) {
      // The first axes stand where they stood: they are in front.
      const auto at = axes_.begin() + static_cast<std::ptrdiff_t>(first);
      return over({axes_.begin(), at}, over({at, axes_.end()}, x));
    }
    int64_t a = 0;
    const Array row = joined_axes(x, axes_, &a);
    const int64_t n = row.shape()[a], whole = n / block_terms, rest = n % block_terms;
    Ints sizes = row.shape().sizes();
    sizes[static_cast<size_t>(a)] = block_terms;
    sizes.insert(sizes.begin() + a, whole);
    const Array blocks = reshaped(rest ? slice_axis(row, a, 0, n - rest) : row, sizes);
    const Array all = over({a}, reduce(blocks, {a + 1}));
    if (!rest) return all;
    return bind_op(*joiner(op_), {all, reduce(slice_axis(row, a, n - rest, n), {a})},
                   joiner(op_)->parse_params({}))[0];
  }

 private:
  Array reduce(const Array& x, const Ints& axes) const {
    return bind_op(op_, {x}, with(op_, params_, "axes", axes))[0];
  }
  Array over(const Ints& axes, const Array& x) const {
    Stages next(*this);
    next.axes_ = axes;
    return next.many(x.type()) ? next.write(x) : reduce(x, axes);
  }

  const Op& op_;
  AnyParams params_;
  Ints axes_;
};

bool in_stages(const JaxprData& j, const Eqn& e) {
  return joiner(*e.op) && !e.in[0].is_literal() && Stages(e).many(j.type(e.in[0]));
}

}  // namespace

Jaxpr reduce_in_stages(const Jaxpr& j) {
  if (std::none_of(j->eqns.begin(), j->eqns.end(), [&](const Eqn& e) { return in_stages(*j, e); }))
    return j;
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    return in_stages(*j, e) ? Arrays{Stages(e).write(in[0])} : bind_op(*e.op, in, e.params);
  });
}

}  // namespace weft::compiler
