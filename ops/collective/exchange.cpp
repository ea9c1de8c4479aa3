// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/exchange.cpp: all_gather, reduce_scatter, all_to_all: exchange an axis of the
// lanes' values with the axis of the lanes.
#include <fmt/format.h>

#include "ops/collective/lane_set.h"
#include "ops/structure/structure.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

using lanes::LaneSet, lanes::Maps;

// ---- parameters

struct Exchange : LaneSet {
  int64_t size = 0;  // number of lanes of a group
  // the axis of lanes: in the result of all_gather, in the operand of reduce_scatter
  int axis = 0;
  WEFT_LANE_FIELDS(size, axis)
};
struct Crossed : LaneSet {
  int64_t size = 0;
  int split_axis = 0, concat_axis = 0;
  WEFT_LANE_FIELDS(size, split_axis, concat_axis)
};
Exchange one_axis_more(Exchange p) {
  ++p.axis;
  return p;
}
Crossed one_axis_more(Crossed p) {
  ++p.split_axis;
  ++p.concat_axis;
  return p;
}
template <class P>
Batched batch_exchange(const BatchArgs<P>& b, Array (*own)(const Array& x, const P& p)) {
  return lanes::batch(b, own, static_cast<P (*)(P)>(one_axis_more));
}

Type exchanged_type(const char* op, const Types& in, const LaneSet& s, int64_t size) {
  const Type own = lanes::own_type(op, in, s, true);
  if (size < 0 || (s.grouped() && size != s.group_sizes[0]))
    reject_shape(op, fmt::format("there are no groups of {} lanes", size), in);
  return own;
}
void need_axis(const char* op, int axis, int ndim, const Types& in) {
  if (axis < 0 || axis >= ndim) reject_shape(op, fmt::format("axis {} is out of range", axis), in);
}

// ---- all lanes are along axis 0

Array gather_own(const Array& x, const Exchange& p) {
  const Array g = lanes::by_group(x, p);
  // (groups, lanes, values of each lane, …)
  const Array each = base::insert_axis(g, 1, g.shape()[1]);
  return lanes::by_lane(move_axis(each, 2, 2 + p.axis), p);
}
Array scatter_own(const Array& x, const Exchange& p) {
  const Array sum = lax::reduce_sum(lanes::by_group(x, p), {1});
  return lanes::by_lane(move_axis(sum, 1 + p.axis, 1), p);
}
Array cross_own(const Array& x, const Crossed& p) {
  const Array to_front = move_axis(lanes::by_group(x, p), 2 + p.split_axis, 1);
  return lanes::by_lane(move_axis(to_front, 2, 2 + p.concat_axis), p);
}

// ---- all_gather and reduce_scatter, which are transposes of each other

std::vector<Sample<Exchange>> gather_samples() {
  std::vector<Sample<Exchange>> s;
  const auto add = [&](const Type& t, const Exchange& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  const Maps both = {{"i", 3}, {"j", 2}};
  add(Type(F64, {2, 4}), {{{"i"}}, 3, 1}, {{"i", 3}});
  add(Type(F64, {2, 4}), {{{"i"}}, 3, 0}, {{"i", 3}});
  add(Type(F32, {4}), {{{"i"}}, 3, 1}, both);
  add(Type(F64, {4}), {{{"j"}}, 2, 0}, both);
  add(Type(I32, {}), {{{"i"}}, 1, 0}, {{"i", 1}});
  add(Type(Bool, {5}), {{{"i"}}, 3, 0}, {{"i", 3}});
  add(Type(F64, {2}), {{{"i", "j"}}, 6, 1}, both);
  add(Type(F64, {3}), {{{"i"}, {2, 0, 3, 1}, {2, 2}}, 2, 1}, {{"i", 4}});
  add(Type(F64, {2}), {{{"i", "j"}, {0, 4, 2, 1, 3, 5}, {3, 3}}, 3, 0}, both);
  add(Type(F64, {2}), {{{"j", "i"}, {0, 4, 2, 1, 3, 5}, {2, 2, 2}}, 2, 1}, both);
  return s;
}
Types gathered_type(const Types& in, const Exchange& p) {
  const Type own = exchanged_type("all_gather", in, p, p.size);
  need_axis("all_gather", p.axis, own.ndim() + 1, in);
  return lanes::with_held(own.with_shape(own.shape().inserted(p.axis, p.size)), in, p);
}
Arrays gather_transpose(const TransposeArgs<Exchange>& t);

const Primitive<Exchange>& all_gather_op = define<Exchange>({
    .name = "all_gather",
    .doc = "Gathers the values of all lanes of the named `axes` along the new axis `axis` of the "
           "result.",
    .type = gathered_type,
    .reference = [](const Arrays&, const Exchange& p) -> Arrays { lanes::fail_unbound(p); },
    .jvp = [](const JvpArgs<Exchange>& j) { return j.op.bind({j.dx[0]}, j.params); },
    .transpose = gather_transpose,
    .batch =
        [](const BatchArgs<Exchange>& b) {
          if (b.params.grouped() || b.params.axes.size() > 1 || !b.params.names(b.trace))
            return batch_exchange(b, gather_own);
          // All lanes have the same result.
          lanes::require_whole(b.trace, "all_gather");
          return Batched{{move_mapped(b.x[0], b.axis[0], b.params.axis, b.size)}, {std::nullopt}};
        },
    .samples = gather_samples,
    .rejects =
        [] {
          const Type t(F32, {2});
          return std::vector<Reject<Exchange>>{
              {{t}, {{{"i"}}, 3, 2}, "axis 2 is out of range"},
              {{t}, {{{"i"}, {0, 1, 2}, {1, 2}}, 1, 0}, "all groups must have the same size"},
              {{t}, {{{"i"}, {0, 1}, {1, 1}}, 2, 0}, "no groups of 2 lanes"},
              {{t}, {{{}}, 2, 0}, "names no axis"}};
        },
    .collective = true,
});

std::vector<Sample<Exchange>> scatter_samples() {
  std::vector<Sample<Exchange>> s;
  const auto add = [&](const Type& t, const Exchange& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  const Maps both = {{"i", 3}, {"j", 2}};
  add(Type(F64, {3, 4}), {{{"i"}}, 3, 0}, {{"i", 3}});
  add(Type(F32, {2, 3}), {{{"i"}}, 3, 1}, both);
  add(Type(F64, {2}), {{{"j"}}, 2, 0}, both);
  add(Type(I32, {1}), {{{"i"}}, 1, 0}, {{"i", 1}});
  add(Type(F64, {2, 6}), {{{"i", "j"}}, 6, 1}, both);
  add(Type(F64, {6}), {{{"j", "i"}}, 6, 0}, both);
  add(Type(F64, {3, 2}), {{{"i"}, {2, 0, 3, 1}, {2, 2}}, 2, 1}, {{"i", 4}});
  add(Type(F64, {3}), {{{"i", "j"}, {0, 4, 2, 1, 3, 5}, {3, 3}}, 3, 0}, both);
  return s;
}
const Primitive<Exchange>& reduce_scatter_op = define<Exchange>({
    .name = "reduce_scatter",
    .doc = "Sums the operand over the lanes of the named `axes`. Lane k gets entry k of the sum "
           "along the axis `axis`.",
    .type =
        [](const Types& in, const Exchange& p) {
          const Type own = exchanged_type("reduce_scatter", in, p, p.size);
          need_axis("reduce_scatter", p.axis, own.ndim(), in);
          if (own.dtype() == Bool || is_key(own.dtype()))
            reject_dtype("reduce_scatter", "takes numbers", in);
          if (own.shape()[p.axis] != p.size)
            reject_shape("reduce_scatter",
                         fmt::format("operand scatter dimension size {} must match shard count {}",
                                     own.shape()[p.axis], p.size),
                         in);
          return lanes::with_held(own.with_shape(own.shape().erased(p.axis)), in, p);
        },
    .reference = [](const Arrays&, const Exchange& p) -> Arrays { lanes::fail_unbound(p); },
    .jvp = [](const JvpArgs<Exchange>& j) { return j.op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Exchange>& t) { return all_gather_op.bind({t.ct[0]}, t.params); },
    .batch = [](const BatchArgs<Exchange>& b) { return batch_exchange(b, scatter_own); },
    .samples = scatter_samples,
    .rejects =
        [] {
          return std::vector<Reject<Exchange>>{
              {{Type(F32, {4})}, {{{"i"}}, 3, 0}, "size 4 must match shard count 3"},
              {{Type(F32, {3})}, {{{"i"}}, 3, 1}, "axis 1 is out of range"},
              {{Type(Bool, {3})}, {{{"i"}}, 3, 0}, "takes numbers"}};
        },
    .collective = true,
});
Arrays gather_transpose(const TransposeArgs<Exchange>& t) {
  return reduce_scatter_op.bind({t.ct[0]}, t.params);
}

// ---- all_to_all

std::vector<Sample<Crossed>> cross_samples() {
  std::vector<Sample<Crossed>> s;
  const auto add = [&](const Type& t, const Crossed& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  const Maps both = {{"i", 3}, {"j", 2}};
  add(Type(F64, {3, 4}), {{{"i"}}, 3, 0, 0}, {{"i", 3}});
  add(Type(F64, {3, 2}), {{{"i"}}, 3, 0, 1}, {{"i", 3}});
  add(Type(F32, {2, 3}), {{{"i"}}, 3, 1, 0}, both);
  add(Type(F64, {2}), {{{"j"}}, 2, 0, 0}, both);
  add(Type(Bool, {1}), {{{"i"}}, 1, 0, 0}, {{"i", 1}});
  add(Type(F64, {2, 6}), {{{"i", "j"}}, 6, 1, 1}, both);
  add(Type(F64, {6, 2}), {{{"j", "i"}}, 6, 0, 1}, both);
  add(Type(F64, {3, 2}), {{{"i"}, {2, 0, 3, 1}, {2, 2}}, 2, 1, 0}, {{"i", 4}});
  add(Type(F64, {3}), {{{"i", "j"}, {0, 4, 2, 1, 3, 5}, {3, 3}}, 3, 0, 0}, both);
  return s;
}
const Primitive<Crossed>& all_to_all_op = define<Crossed>({
    .name = "all_to_all",
    .doc = "Splits the operand along `split_axis` and sends entry k to lane k of the named `axes`. "
           "The entries that a lane receives are stacked along `concat_axis`.",
    .type =
        [](const Types& in, const Crossed& p) {
          const Type own = exchanged_type("all_to_all", in, p, p.size);
          need_axis("all_to_all", p.split_axis, own.ndim(), in);
          need_axis("all_to_all", p.concat_axis, own.ndim(), in);
          const int64_t n = own.shape()[p.split_axis];
          if (n != p.size)
            reject_shape("all_to_all",
                         fmt::format("all_to_all requires the size of the mapped axis axis_name to "
                                     "equal x.shape[split_axis], but they are {} and {} "
                                     "respectively",
                                     p.size, n),
                         in);
          const Shape rest = own.shape().erased(p.split_axis);
          return lanes::with_held(own.with_shape(rest.inserted(p.concat_axis, n)), in, p);
        },
    .reference = [](const Arrays&, const Crossed& p) -> Arrays { lanes::fail_unbound(p); },
    .jvp = [](const JvpArgs<Crossed>& j) { return j.op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Crossed>& t) {
          Crossed back = t.params;
          std::swap(back.split_axis, back.concat_axis);
          return t.op.bind({t.ct[0]}, back);
        },
    .batch = [](const BatchArgs<Crossed>& b) { return batch_exchange(b, cross_own); },
    .samples = cross_samples,
    .rejects =
        [] {
          return std::vector<Reject<Crossed>>{
              {{Type(F32, {4})}, {{{"i"}}, 3, 0, 0}, "they are 3 and 4 respectively"},
              {{Type(F32, {3})}, {{{"i"}}, 3, 1, 0}, "axis 1 is out of range"},
              {{Type(F32, {3})}, {{{"i"}}, 3, 0, 1}, "axis 1 is out of range"},
              {{Type(F32, {3})}, {{{"i"}, {0, 1, 2}, {2, 1}}, 2, 0, 0}, "the same size"}};
        },
    .collective = true,
});

}  // namespace

Array all_gather_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int axis) {
  return all_gather_op({x}, {lanes::lane_set(names, groups), size, axis});
}
Array reduce_scatter_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                          int64_t size, int axis) {
  return reduce_scatter_op({x}, {lanes::lane_set(names, groups), size, axis});
}
Array all_to_all_over(const Array& x, const AxisNameList& names, const LaneGroups& groups,
                      int64_t size, int split_axis, int concat_axis) {
  return all_to_all_op({x}, {lanes::lane_set(names, groups), size, split_axis, concat_axis});
}

}  // namespace weft
