// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/fold.cpp: psum, pmax, pmin. The map whose name they contain reduces over its lanes
// and removes the name; other maps leave the name.
#include <fmt/format.h>

#include "core/loops/accumulator.h"
#include "ops/collective/lane_set.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using lanes::LaneSet, lanes::Maps;

using Reduction = Array (*)(const Arg& x, const std::vector<int64_t>& axes);

// ---- groups: all lanes are along axis 0

// Extends groups of different sizes to rows as long as the largest group. For a sum, the added
// entries are a lane number out of range, which reads zeros. Otherwise they repeat the first lane
// of the group, which does not change an extreme value.
Ints filled_up(const LaneSet& s, bool sum) {
  const int64_t most = *std::max_element(s.group_sizes.begin(), s.group_sizes.end());
  Ints table;
  auto next = s.group_members.begin();
  for (int64_t n : s.group_sizes) {
    table.insert(table.end(), next, next + n);
    table.insert(table.end(), static_cast<size_t>(most - n),
                 sum ? std::ssize(s.group_members) : *next);
    next += n;
  }
  return table;
}
template <Reduction reduce>
Array fold_groups(const Array& x, const LaneSet& s) {
  const bool sum = reduce == lax::reduce_sum;
  const Ints table = filled_up(s, sum);
  const auto groups = std::ssize(s.group_sizes);
  const Shape by_group = x.shape().with(0, groups).inserted(1, std::ssize(table) / groups);
  return lanes::rows(reduce(reshape_to(lanes::rows(x, table), by_group), {1}), lanes::group_of(s));
}

// The sum of n equal values x. An integer count wraps in its own dtype, as sums do; a conversion
// through a float would saturate. Narrow floats are multiplied in F32 and rounded once.
Array repeated_sum(const Array& x, int64_t n) {
  if (is_integer(x.dtype())) return lax::mul(x, scalar_of_int(x.dtype(), n));
  const Array wide = base::convert(x, accumulator_dtype(x.dtype()), x.weak_type());
  return base::convert(lax::mul(wide, like(wide, static_cast<double>(n))), x.dtype(),
                       x.weak_type());
}

template <Reduction reduce>
Batched batch_fold(const BatchArgs<LaneSet>& b) {
  if (b.params.grouped()) return lanes::batch(b, fold_groups<reduce>, lanes::same_params<LaneSet>);
  if (!b.params.names(b.trace)) return {b.op.bind(b.x, b.params), b.axis};
  lanes::require_whole(b.trace, b.op.name());
  Array x = b.x[0];
  if (b.axis[0])
    x = reduce(x, {*b.axis[0]});
  else if (reduce == lax::reduce_sum)
    x = repeated_sum(x, b.size);
  Strings rest = b.params.axes;
  std::erase(rest, b.trace.axis_name);
  return {rest.empty() ? Arrays{x} : b.op.bind({x}, {rest}), {std::nullopt}};
}

// Over one map, over two, over either of two, and in groups of equal and of different sizes.
std::vector<Sample<LaneSet>> fold_samples() {
  std::vector<Sample<LaneSet>> s;
  const auto add = [&](const Type& t, const LaneSet& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  const Maps both = {{"i", 3}, {"j", 2}};
  add(Type(F64, {4}), {{"i"}}, {{"i", 3}});
  add(Type(F32, {2, 3}), {{"i", "j"}}, both);
  add(Type(F64, {}), {{"j", "i"}}, both);
  add(Type(F64, {4}), {{"i"}}, both);
  add(Type(F64, {4}), {{"j"}}, both);
  add(Type(I32, {0}), {{"i"}}, {{"i", 3}});
  add(Type(F64, {2}), {{"i"}}, {{"i", 1}});
  add(Type(F64, {2}), {{"i"}, {3, 0, 1, 2}, {2, 2}}, {{"i", 4}});
  add(Type(F64, {2, 3}), {{"i"}, {2, 0, 1, 3}, {1, 3}}, {{"i", 4}});
  add(Type(F64, {}), {{"j", "i"}, {0, 1, 4, 3, 2, 5}, {4, 2}}, both);
  add(Type(F32, {3}), {{"i"}, {1, 0, 2}, {2, 1}}, both);
  return s;
}
std::vector<Reject<LaneSet>> fold_rejects() {
  const Type t(F32, {2});
  return {{{t}, {{"i"}, {0, 2}, {2}}, "must cover all indices exactly once"},
          {{t}, {{"i"}, {0, 0}, {1, 1}}, "must cover all indices exactly once"},
          {{t}, {{"i"}, {0, 1}, {1}}, "must cover all indices exactly once"},
          {{Type(Key, {})}, {{"i"}}, "takes numbers"},
          {{t, t}, {{"i"}}, "operand"}};
}

template <Reduction reduce>
Def<LaneSet> fold_def(const char* name, const char* doc) {
  Def<LaneSet> d;
  d.name = name;
  d.doc = doc;
  d.collective = true;
  d.type = [name](const Types& in, const LaneSet& s) {
    const Type own = lanes::own_type(name, in, s, false);
    if (is_key(own.dtype()) || (own.dtype() == Bool && std::string_view(name) == "psum"))
      reject_dtype(name, "takes numbers", in);
    return Types{in[0]};
  };
  d.reference = [](const Arrays&, const LaneSet& s) -> Arrays { lanes::fail_unbound(s); };
  d.batch = batch_fold<reduce>;
  d.samples = fold_samples;
  d.rejects = fold_rejects;
  return d;
}

const Primitive<LaneSet>& psum_op = define([] {
  auto d =
      fold_def<lax::reduce_sum>("psum", "Sums the operand over the lanes of the named `axes`.");
  d.jvp = [](const JvpArgs<LaneSet>& j) { return j.op.bind({j.dx[0]}, j.params); };
  d.transpose = [](const TransposeArgs<LaneSet>& t) { return t.op.bind({t.ct[0]}, t.params); };
  return d;
}());

// The lanes with the extreme value each get an equal share of the tangent.
Arrays extreme_jvp(const JvpArgs<LaneSet>& j) {
  const DType own = j.out[0].dtype(), wide = accumulator_dtype(own);
  const Array share = lax::convert_element_type(lax::eq(j.x[0], j.out[0]), wide);
  const Array part = lax::div(share, psum_op({share}, j.params));
  const Array dx = base::convert(j.dx[0], wide);
  return {base::convert(psum_op({lax::mul(dx, part)}, j.params), own)};
}
const Primitive<LaneSet>& pmax_op = define([] {
  auto d =
      fold_def<lax::reduce_max>("pmax", "Computes the maximum over the lanes of the named `axes`.");
  d.jvp = extreme_jvp;
  return d;
}());
const Primitive<LaneSet>& pmin_op = define([] {
  auto d =
      fold_def<lax::reduce_min>("pmin", "Computes the minimum over the lanes of the named `axes`.");
  d.jvp = extreme_jvp;
  return d;
}());

}  // namespace

Array psum_over(const Array& x, const AxisNameList& names, const LaneGroups& groups) {
  return psum_op({x}, lanes::lane_set(names, groups));
}
Array pmax_over(const Array& x, const AxisNameList& names, const LaneGroups& groups) {
  return pmax_op({x}, lanes::lane_set(names, groups));
}
Array pmin_over(const Array& x, const AxisNameList& names, const LaneGroups& groups) {
  return pmin_op({x}, lanes::lane_set(names, groups));
}

}  // namespace weft
