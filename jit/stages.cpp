// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/stages.cpp: writes large reductions as reductions of reductions.
#include "weft/jit/stages.h"

#include <algorithm>
#include <array>

#include "weft/core/error.h"
#include "weft/core/op.h"
#include "weft/tracer/replay.h"

namespace weft::compiler {
namespace {

constexpr int64_t many_terms = int64_t{1} << 17;
constexpr int64_t parts = 64;           // of an axis
constexpr int64_t long_stage = 1024;    // terms of a first stage that is made of whole axes
constexpr int64_t enough_results = 32;  // of such a stage

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

Array split_axis(const Array& x, int64_t axis, int64_t n) {
  static const Op& op = *find_op("reshape");
  Ints sizes = x.shape().sizes();
  sizes[static_cast<size_t>(axis)] /= n;
  sizes.insert(sizes.begin() + axis, n);
  return bind_op(op, {x}, op.parse_params({{"new_sizes", sizes}}))[0];
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
    return terms(t.shape(), axes_) >= many_terms && (whole_axes(t.shape()) || long_axis(t.shape()));
  }

  Array write(const Array& x) const {
    const Shape& s = x.shape();
    if (const size_t first = whole_axes(s)) {
      // The last axes, then the others, which stand where they stood: they are in front.
      const Ints last(axes_.begin() + static_cast<std::ptrdiff_t>(first), axes_.end());
      const Ints front(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(first));
      return again(reduce(x, last), front);
    }
    const int64_t a = axes_[long_axis(s) - 1], n = s[a], part = n / parts;
    const Array head = split_axis(n % parts ? slice_axis(x, a, 0, part * parts) : x, a, parts);
    Ints inside;
    for (int64_t b : axes_) inside.push_back(b >= a ? b + 1 : b);
    const Array stage = reduce(head, inside);
    // Of the axes before the new one, those that were reduced are gone.
    const int64_t at =
        a - std::count_if(axes_.begin(), axes_.end(), [&](int64_t b) { return b < a; });
    Array all = reduce(stage, {at});
    if (n % parts)
      all = bind_op(*joiner(op_), {all, reduce(slice_axis(x, a, part * parts, n), axes_)},
                    joiner(op_)->parse_params({}))[0];
    return all;
  }

 private:
  static int64_t terms(const Shape& s, const Ints& axes) {
    int64_t n = 1;
    for (int64_t a : axes) n *= s[a];
    return n;
  }
  Array reduce(const Array& x, const Ints& axes) const {
    return bind_op(op_, {x}, with(op_, params_, "axes", axes))[0];
  }
  Array again(const Array& x, const Ints& axes) const {
    Stages next(*this);
    next.axes_ = axes;
    return next.many(x.type()) ? next.write(x) : reduce(x, axes);
  }
  // How many of the first axes are left to a second stage, if whole axes make good stages; else 0.
  size_t whole_axes(const Shape& s) const {
    for (size_t k = axes_.size(); k-- > 1;) {
      const Ints front(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(k)),
          last(axes_.begin() + static_cast<std::ptrdiff_t>(k), axes_.end());
      if (terms(s, last) >= long_stage) return terms(s, front) >= enough_results ? k : 0;
    }
    return 0;
  }
  // One more than the number of the first axis that can be split, or 0.
  size_t long_axis(const Shape& s) const {
    for (size_t k = 0; k < axes_.size(); ++k)
      if (s[axes_[k]] >= parts) return k + 1;
    return 0;
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
