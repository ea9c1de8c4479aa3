// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/collective.cpp: psum, pmax, pmin, all_gather, axis_index: the map whose name they
// say removes the name from them; the other maps hand them on.
#include "weft/ops/collective/collective.h"

#include <fmt/format.h>

#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/index/index.h"
#include "weft/ops/kit/kit.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/structure/structure.h"

namespace weft {
namespace {

using Maps = std::vector<std::pair<std::string, int64_t>>;

struct Collective {
  Strings axes;
  WEFT_FIELDS(axes)
};

bool has(const Strings& names, const std::string& name) {
  return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
}
// Lanes of one chunk cannot see those of another.
void require_whole(const BatchLevel& level, const char* op) {
  if (!level.first_lane.empty_handle())
    throw BatchingError(
        fmt::format("{}: a collective over axis '{}' needs all lanes of the map at once, and that "
                    "map has a chunk_size or "
                    "memory_budget; leave it out, or name another axis",
                    op, level.axis_name));
}
[[noreturn]] void fail_unbound(const std::string& name) {
  named_axis_size(name);
  throw AxisNameError(
      fmt::format("unbound axis name '{}': no map of that name is being applied here", name));
}

// ---- psum, pmax, pmin: one type in, the same out

struct Fold {
  const char* name;
  const char* doc;
  Array (*reduce)(const Arg& x, const std::vector<int64_t>& axes);
  bool sum;
};

Batched batch_fold(const Fold& f, const BatchArgs<Collective>& b) {
  if (!has(b.params.axes, b.level.axis_name)) return {b.op.bind(b.x, b.params), b.axis};
  require_whole(b.level, f.name);
  Array x = b.x[0];
  if (b.axis[0])
    x = f.reduce(x, {*b.axis[0]});
  else if (f.sum)
    x = lax::mul(x, like(x, static_cast<double>(b.size)));
  Strings rest = b.params.axes;
  std::erase(rest, b.level.axis_name);
  return {rest.empty() ? Arrays{x} : b.op.bind({x}, {rest}), {std::nullopt}};
}

// Over one map, over two, and over either of two.
std::vector<Sample<Collective>> fold_samples() {
  std::vector<Sample<Collective>> s;
  const auto add = [&](const Type& t, const Strings& axes, const Maps& maps) {
    s.push_back({.in = {t}, .params = {axes}, .maps = maps});
  };
  add(Type(F64, {4}), {"i"}, {{"i", 3}});
  add(Type(F32, {2, 3}), {"i", "j"}, {{"i", 3}, {"j", 2}});
  add(Type(F64, {}), {"j", "i"}, {{"i", 3}, {"j", 2}});
  add(Type(F64, {4}), {"i"}, {{"i", 3}, {"j", 2}});
  add(Type(F64, {4}), {"j"}, {{"i", 3}, {"j", 2}});
  add(Type(I32, {0}), {"i"}, {{"i", 3}});
  add(Type(F64, {2}), {"i"}, {{"i", 1}});
  return s;
}

Def<Collective> fold_def(const Fold& f) {
  Def<Collective> d;
  d.name = f.name;
  d.doc = f.doc;
  d.collective = true;
  d.type = [f](const Types& in, const Collective&) {
    require_operands(f.name, in, 1);
    if (in[0].dtype() == Bool || in[0].dtype() == Key) reject_dtype(f.name, "takes numbers", in);
    return Types{in[0]};
  };
  d.reference = [](const Arrays&, const Collective& p) -> Arrays { fail_unbound(p.axes[0]); };
  d.samples = fold_samples;
  return d;
}
const Primitive<Collective>& define_fold(const Fold& f, Def<Collective> d) {
  d.batch = [f](const BatchArgs<Collective>& b) { return batch_fold(f, b); };
  return define(std::move(d));
}

Def<Collective> sum_def(const Fold& f) {
  Def<Collective> d = fold_def(f);
  d.jvp = [](const JvpArgs<Collective>& j) { return Arrays{psum_over(j.dx[0], j.params.axes)}; };
  d.transpose = [](const TransposeArgs<Collective>& t) {
    return Arrays{psum_over(t.ct[0], t.params.axes)};
  };
  return d;
}
// Lanes that share the extreme value share the tangent.
Def<Collective> extreme_def(const Fold& f) {
  Def<Collective> d = fold_def(f);
  d.jvp = [](const JvpArgs<Collective>& j) {
    const Array share = lax::convert_element_type(lax::eq(j.x[0], j.out[0]), j.out[0].dtype());
    const Array count = psum_over(share, j.params.axes);
    return Arrays{psum_over(lax::mul(j.dx[0], lax::div(share, count)), j.params.axes)};
  };
  return d;
}

constexpr Fold sum_fold{"psum", "The sum over the lanes of named axes.", lax::reduce_sum, true};
constexpr Fold max_fold{"pmax", "The maximum over the lanes of named axes.", lax::reduce_max,
                        false};
constexpr Fold min_fold{"pmin", "The minimum over the lanes of named axes.", lax::reduce_min,
                        false};
const Primitive<Collective>& psum_op = define_fold(sum_fold, sum_def(sum_fold));
const Primitive<Collective>& pmax_op = define_fold(max_fold, extreme_def(max_fold));
const Primitive<Collective>& pmin_op = define_fold(min_fold, extreme_def(min_fold));

// ---- all_gather

struct Gathered {
  std::string name;
  int64_t size = 0;
  int axis = 0;
  WEFT_FIELDS(name, size, axis)
};

// The transpose of all_gather: the sum over the lanes, of which each takes its own entry.
Array own_entry(const Array& sum, const Gathered& p) {
  Arrays starts(static_cast<size_t>(sum.ndim()), Array(0));
  starts[static_cast<size_t>(p.axis)] = axis_index_of(p.name);
  for (Array& s : starts) s = lax::convert_element_type(s, I32);
  std::vector<int64_t> sizes = sum.shape().sizes();
  sizes[static_cast<size_t>(p.axis)] = 1;
  return squeeze_axes(dynamic_slice_at(sum, starts, sizes), {p.axis});
}

std::vector<Sample<Gathered>> gathered_samples() {
  std::vector<Sample<Gathered>> s;
  const auto add = [&](const Type& t, const Gathered& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  add(Type(F64, {2, 4}), {"i", 3, 1}, {{"i", 3}});
  add(Type(F64, {2, 4}), {"i", 3, 0}, {{"i", 3}});
  add(Type(F32, {4}), {"i", 3, 1}, {{"i", 3}, {"j", 2}});
  add(Type(F64, {4}), {"j", 2, 0}, {{"i", 3}, {"j", 2}});
  add(Type(I32, {}), {"i", 1, 0}, {{"i", 1}});
  add(Type(Bool, {5}), {"i", 3, 0}, {{"i", 3}});
  return s;
}

const Primitive<Gathered>& all_gather_op = define<Gathered>({
    .name = "all_gather",
    .doc = "The values of all lanes of a named axis along a new axis.",
    .type =
        [](const Types& in, const Gathered& p) {
          require_operands("all_gather", in, 1);
          if (p.axis < 0 || p.axis > in[0].ndim())
            reject_shape("all_gather", fmt::format("axis {} is out of range", p.axis), in);
          return Types{in[0].with_shape(in[0].shape().inserted(p.axis, p.size))};
        },
    .reference = [](const Arrays&, const Gathered& p) -> Arrays { fail_unbound(p.name); },
    .jvp = [](const JvpArgs<Gathered>& j) { return all_gather_op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Gathered>& t) {
          return Arrays{own_entry(psum_over(t.ct[0], {t.params.name}), t.params)};
        },
    .batch =
        [](const BatchArgs<Gathered>& b) {
          if (b.params.name == b.level.axis_name) {
            require_whole(b.level, "all_gather");
            return Batched{{move_mapped(b.x[0], b.axis[0], b.params.axis, b.size)}, {std::nullopt}};
          }
          Gathered p = b.params;
          if (!b.axis[0]) return Batched{all_gather_op.bind(b.x, p), {std::nullopt}};
          ++p.axis;
          return Batched{all_gather_op.bind({move_mapped(b.x[0], b.axis[0], 0, b.size)}, p), {0}};
        },
    .samples = gathered_samples,
    .collective = true,
});

// ---- axis_index

struct Named {
  std::string name;
  WEFT_FIELDS(name)
};

const Primitive<Named>& axis_index_op = define<Named>({
    .name = "axis_index",
    .doc = "The number of the lane on a named axis.",
    .type =
        [](const Types& in, const Named&) {
          require_operands("axis_index", in, 0);
          return Types{Type(I32, {})};
        },
    .reference = [](const Arrays&, const Named& p) -> Arrays { fail_unbound(p.name); },
    .batch =
        [](const BatchArgs<Named>& b) {
          if (b.params.name != b.level.axis_name)
            return Batched{axis_index_op.bind({}, b.params), {std::nullopt}};
          const Array lanes = iota(I32, {b.size}, 0);
          if (b.level.first_lane.empty_handle()) return Batched{{lanes}, {0}};
          return Batched{{lax::add(lanes, broadcast_in_dim(b.level.first_lane, {b.size}, {}))},
                         {0}};
        },
    .samples =
        [] {
          const Maps both = {{"i", 3}, {"j", 2}};
          return std::vector<Sample<Named>>{{.in = {}, .params = {"i"}, .maps = {{"i", 3}}},
                                            {.in = {}, .params = {"i"}, .maps = both},
                                            {.in = {}, .params = {"j"}, .maps = both}};
        },
    .collective = true,
});

}  // namespace

Array psum_over(const Array& x, const Strings& names) { return psum_op({x}, {names}); }
Array pmax_over(const Array& x, const Strings& names) { return pmax_op({x}, {names}); }
Array pmin_over(const Array& x, const Strings& names) { return pmin_op({x}, {names}); }
Array all_gather_over(const Array& x, const std::string& name, int64_t size, int axis) {
  return all_gather_op({x}, {name, size, axis});
}
Array axis_index_of(const std::string& name) { return axis_index_op({}, {name}); }

}  // namespace weft
