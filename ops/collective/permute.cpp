// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/permute.cpp: ppermute, pbroadcast, axis_index: ops on values of single lanes.
#include <fmt/format.h>

#include <set>

#include "ops/collective/lane_set.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using lanes::LaneSet, lanes::Maps;

// ---- ppermute

struct Permute : LaneSet {
  int64_t lanes = 0;  // number of lanes of all axes
  Ints sources = {}, destinations = {};
  WEFT_LANE_FIELDS(lanes, sources, destinations)
};

Array permute_own(const Array& x, const Permute& p) {
  Ints from(p.lanes, p.lanes);  // by default out of range, which reads zeros
  for (size_t k = 0; k < p.sources.size(); ++k) from[p.destinations[k]] = p.sources[k];
  return lanes::rows(x, from);
}
void need_lanes(const Types& in, const Ints& which, int64_t lanes) {
  std::set<int64_t> seen;
  for (int64_t lane : which) {
    if (lane < 0 || lane >= lanes)
      reject_shape("ppermute", fmt::format("there is no lane {} of {}", lane, lanes), in);
    if (!seen.insert(lane).second)
      reject_shape(
          "ppermute",
          fmt::format("ppermute sources and destinations must be unique, got {} twice", lane), in);
  }
}

std::vector<Sample<Permute>> permute_samples() {
  std::vector<Sample<Permute>> s;
  const auto add = [&](const Type& t, const Permute& p, const Maps& maps) {
    s.push_back({.in = {t}, .params = p, .maps = maps});
  };
  const Maps both = {{"i", 3}, {"j", 2}};
  add(Type(F64, {4}), {{{"i"}}, 3, {0, 1, 2}, {1, 2, 0}}, {{"i", 3}});
  add(Type(F64, {2, 2}), {{{"i"}}, 3, {2, 0}, {1, 2}}, {{"i", 3}});
  add(Type(F32, {}), {{{"i"}}, 3, {1}, {1}}, both);
  add(Type(F64, {3}), {{{"j"}}, 2, {1, 0}, {0, 1}}, both);
  add(Type(F64, {2}), {{{"i"}}, 3, {}, {}}, {{"i", 3}});
  add(Type(F64, {2}), {{{"i", "j"}}, 6, {5, 0, 3, 1}, {0, 1, 2, 5}}, both);
  add(Type(F64, {2}), {{{"j", "i"}}, 6, {5, 0, 3, 1, 2, 4}, {0, 1, 2, 5, 4, 3}}, both);
  add(Type(Bool, {2}), {{{"i"}}, 3, {0}, {2}}, {{"i", 3}});
  return s;
}
const Primitive<Permute>& ppermute_op = define<Permute>({
    .name = "ppermute",
    .doc = "Sends the value of lane `sources[i]` of the named `axes` to lane `destinations[i]`. "
           "Lanes that receive nothing get zeros.",
    .type =
        [](const Types& in, const Permute& p) {
          lanes::own_type("ppermute", in, p, true);
          if (p.grouped() || p.lanes < 0) reject_shape("ppermute", "takes no groups", in);
          if (p.sources.size() != p.destinations.size())
            reject_shape("ppermute", "takes pairs of a source and a destination", in);
          need_lanes(in, p.sources, p.lanes);
          need_lanes(in, p.destinations, p.lanes);
          return Types{in[0]};
        },
    .reference = [](const Arrays&, const Permute& p) -> Arrays { lanes::fail_unbound(p); },
    .jvp = [](const JvpArgs<Permute>& j) { return j.op.bind({j.dx[0]}, j.params); },
    .transpose =
        [](const TransposeArgs<Permute>& t) {
          Permute back = t.params;
          std::swap(back.sources, back.destinations);
          return t.op.bind({t.ct[0]}, back);
        },
    .batch =
        [](const BatchArgs<Permute>& b) {
          return lanes::batch(b, permute_own, lanes::same_params<Permute>);
        },
    .samples = permute_samples,
    .rejects =
        [] {
          const Type t(F32, {2});
          return std::vector<Reject<Permute>>{
              {{t}, {{{"i"}}, 3, {0, 3}, {0, 1}}, "there is no lane 3 of 3"},
              {{t}, {{{"i"}}, 3, {0, 1}, {0, -1}}, "there is no lane -1 of 3"},
              {{t}, {{{"i"}}, 3, {0, 0}, {0, 1}}, "must be unique, got 0 twice"},
              {{t}, {{{"i"}}, 3, {0, 1}, {2, 2}}, "must be unique, got 2 twice"},
              {{t}, {{{"i"}}, 3, {0, 1}, {2}}, "pairs"},
              {{t}, {{{"i"}, {0, 1}, {2}}, 2, {0}, {1}}, "takes no groups"}};
        },
    .collective = true,
});

// ---- pbroadcast

struct FromLane {
  std::string name;
  int64_t source = 0;
  WEFT_FIELDS(name, source)
};

// The lane that all others read gets the sum of all cotangents.
Arrays broadcast_transpose(const TransposeArgs<FromLane>& t) {
  const Array sum = psum_over(t.ct[0], {t.params.name});
  const Array own = lax::eq(axis_index_of(t.params.name), Array(static_cast<int>(t.params.source)));
  return {lax::select(own, sum, base::zeros(sum.type()))};
}
Batched batch_broadcast(const BatchArgs<FromLane>& b) {
  if (b.params.name != b.trace.axis_name) return {b.op.bind(b.x, b.params), b.axis};
  lanes::require_whole(b.trace, "pbroadcast");
  const int64_t from = b.params.source;
  if (from >= b.size)
    throw IndexError(
        fmt::format("pbroadcast: collective broadcast doesn't fit in the axis size: axis '{}' has "
                    "{} lanes and no lane {}",
                    b.params.name, b.size, from));
  if (!b.axis[0]) return {b.x, b.axis};  // an unmapped value is the same in all lanes
  return {{squeeze_axes(base::slice_axis(b.x[0], *b.axis[0], from, from + 1), {*b.axis[0]})},
          {std::nullopt}};
}
const Primitive<FromLane>& pbroadcast_op = define<FromLane>({
    .name = "pbroadcast",
    .doc = "Returns in all lanes the value of lane `source` of the axis `name`.",
    .type =
        [](const Types& in, const FromLane& p) {
          require_operands("pbroadcast", in, 1);
          if (p.source < 0)
            reject_shape("pbroadcast", fmt::format("there is no lane {}", p.source), in);
          return Types{in[0]};
        },
    .reference = [](const Arrays&, const FromLane& p) -> Arrays {
      lanes::fail_unbound({{p.name}});
    },
    .jvp = [](const JvpArgs<FromLane>& j) { return j.op.bind({j.dx[0]}, j.params); },
    .transpose = broadcast_transpose,
    .batch = batch_broadcast,
    .samples =
        [] {
          const Maps both = {{"i", 3}, {"j", 2}};
          return std::vector<Sample<FromLane>>{
              {.in = {Type(F64, {4})}, .params = {"i", 2}, .maps = {{"i", 3}}},
              {.in = {Type(F64, {2, 3})}, .params = {"i", 1}, .maps = both},
              {.in = {Type(F32, {})}, .params = {"j", 0}, .maps = both},
              {.in = {Type(Bool, {3})}, .params = {"i", 0}, .maps = {{"i", 1}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<FromLane>>{
              {{Type(F32, {2})}, {"i", -1}, "there is no lane -1"}};
        },
    .collective = true,
});

// ---- axis_index

struct Named {
  std::string name;
  WEFT_FIELDS(name)
};

const Primitive<Named>& axis_index_op = define<Named>({
    .name = "axis_index",
    .doc = "Returns the index of the current lane along the axis `name`.",
    .type =
        [](const Types& in, const Named&) {
          require_operands("axis_index", in, 0);
          return Types{Type(I32, {})};
        },
    .reference = [](const Arrays&, const Named& p) -> Arrays { lanes::fail_unbound({{p.name}}); },
    .batch =
        [](const BatchArgs<Named>& b) {
          if (b.params.name != b.trace.axis_name)
            return Batched{axis_index_op.bind({}, b.params), {std::nullopt}};
          const Array lanes = iota(I32, {b.size}, 0);
          if (b.trace.first_lane.empty_handle()) return Batched{{lanes}, {0}};
          return Batched{{lax::add(lanes, broadcast_in_dim(b.trace.first_lane, {b.size}, {}))},
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

Array ppermute_over(const Array& x, const AxisNameList& names, int64_t lanes,
                    const std::vector<int64_t>& sources, const std::vector<int64_t>& destinations) {
  return ppermute_op({x}, {{names}, lanes, sources, destinations});
}
Array pbroadcast_over(const Array& x, const std::string& name, int64_t source) {
  return pbroadcast_op({x}, {name, source});
}
Array axis_index_of(const std::string& name) { return axis_index_op({}, {name}); }

}  // namespace weft
