// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/collective/lane_set.cpp: sets of lanes, and groups of lanes along an axis.
#include "ops/collective/lane_set.h"

#include <fmt/format.h>

#include "ops/index/index.h"
#include "ops/kit/axes.h"
#include "ops/structure/structure.h"

namespace weft::lanes {

LaneSet lane_set(const Strings& names, const LaneGroups& groups) {
  LaneSet s{names};
  for (const Ints& g : groups) {
    s.group_members.insert(s.group_members.end(), g.begin(), g.end());
    s.group_sizes.push_back(std::ssize(g));
  }
  return s;
}

Type own_type(const char* op, const Types& in, const LaneSet& s, bool equal) {
  require_operands(op, in, 1);
  if (s.axes.empty()) reject_shape(op, "names no axis", in);
  if (in[0].ndim() < s.held())
    reject_shape(op, fmt::format("holds {} axes in front", s.held()), in);
  Ints members = s.group_members;
  std::sort(members.begin(), members.end());
  int64_t named = 0;
  for (int64_t n : s.group_sizes) named += n;
  if (members != axis_range(std::ssize(members)) || named != std::ssize(members))
    reject_shape(op, "axis_index_groups must cover all indices exactly once", in);
  for (int64_t n : s.group_sizes)
    if (n < 1 || (equal && n != s.group_sizes[0]))
      reject_shape(op, "all groups must have the same size", in);
  return in[0].with_shape(Shape(Ints(in[0].shape().begin() + s.held(), in[0].shape().end())));
}
Types with_held(const Type& own, const Types& in, const LaneSet& s) {
  Ints shape(in[0].shape().begin(), in[0].shape().begin() + s.held());
  shape.insert(shape.end(), own.shape().begin(), own.shape().end());
  return {own.with_shape(Shape(shape))};
}

void require_whole(const BatchTrace& trace, const std::string& op) {
  if (trace.first_lane.empty_handle()) return;
  throw BatchingError(fmt::format(
      "{}: a collective over axis '{}' needs all lanes of the map at once, and {}, or name another "
      "axis",
      op, trace.axis_name,
      trace.one_by_one
          ? "here they run one after another: inside sequential_vmap, or of an operation without a "
            "batching rule; take the collective out of there, give the rule with custom_vmap"
          : "that map has a chunk_size or memory_budget; leave it out"));
}
void fail_unbound(const LaneSet& s) {
  for (const std::string& name : s.axes) {
    named_axis_size(name);
    throw AxisNameError(
        fmt::format("unbound axis name '{}': no map of that name is being applied here", name));
  }
  throw AxisNameError("a collective names no axis");
}

namespace {
// Rows [from, from + count) of x. Rows past the end are zeros.
struct Run {
  int64_t from, count;
};
std::vector<Run> runs_of(const Ints& which, int64_t n) {
  std::vector<Run> runs;
  for (const int64_t row : which) {
    const bool none = row >= n;
    if (!runs.empty() &&
        (none ? runs.back().from == n : row == runs.back().from + runs.back().count))
      ++runs.back().count;
    else
      runs.push_back({none ? n : row, 1});
  }
  return runs;
}
Array rows_at(const Array& x, const Ints& which) {
  const WindowDims dims{axis_range(1, x.ndim()), {0}, {0}, {}, {}};
  const Array indices = array_of_bytes(Type(I64, {std::ssize(which), 1}), which.data());
  return gather_windows(x, indices, dims, x.shape().with(0, 1).sizes(), OutOfBounds::zero);
}
}  // namespace
Array rows(const Array& x, const Ints& which) {
  constexpr size_t few = 8;
  const int64_t n = x.shape()[0];
  const std::vector<Run> runs = runs_of(which, n);
  if (runs.size() > few) return rows_at(x, which);
  Arrays parts;
  for (const Run& r : runs)
    parts.push_back(r.from == n ? base::zeros(x.type().with_shape(x.shape().with(0, r.count)))
                                : base::slice_axis(x, 0, r.from, r.from + r.count));
  if (parts.empty()) return base::zeros(x.type().with_shape(x.shape().with(0, 0)));
  return parts.size() == 1 ? parts[0] : base::concatenate(parts, 0);
}
namespace {
bool in_order(const LaneSet& s) {
  return s.group_members == axis_range(std::ssize(s.group_members));
}
}  // namespace
Array by_group(const Array& x, const LaneSet& s) {
  const int64_t count = s.grouped() ? std::ssize(s.group_sizes) : 1,
                size = s.grouped() ? s.group_sizes[0] : x.shape()[0];
  const Array sorted = in_order(s) ? x : rows(x, s.group_members);
  return reshape_to(sorted, x.shape().with(0, count).inserted(1, size));
}
Array by_lane(const Array& x, const LaneSet& s) {
  const Array flat = reshape_to(x, x.shape().erased(0).with(0, x.shape()[0] * x.shape()[1]));
  if (in_order(s)) return flat;
  Ints place(s.group_members.size());
  for (size_t k = 0; k < place.size(); ++k) place[s.group_members[k]] = static_cast<int64_t>(k);
  return rows(flat, place);
}
Ints group_of(const LaneSet& s) {
  Ints g(s.group_members.size());
  size_t k = 0;
  for (size_t group = 0; group < s.group_sizes.size(); ++group)
    for (int64_t i = 0; i < s.group_sizes[group]; ++i)
      g[s.group_members[k++]] = static_cast<int64_t>(group);
  return g;
}

namespace detail {

Held hold(const Array& x, MaybeAxis axis, int64_t size, const std::string& name, LaneSet* s) {
  const auto here = std::find(s->axes.begin(), s->axes.end(), name);
  const int before = static_cast<int>(std::count(s->axes.begin(), here, ""));
  here->clear();
  return {move_mapped(x, axis, before, size), before};
}
Array merged(const Array& x, int held) {
  Ints shape(x.shape().begin() + held, x.shape().end());
  int64_t lanes = 1;
  for (int k = 0; k < held; ++k) lanes *= x.shape()[k];
  shape.insert(shape.begin(), lanes);
  return held == 1 ? x : reshape_to(x, Shape(shape));
}
Array parted(const Array& x, const Array& like, int held) {
  Ints shape(like.shape().begin(), like.shape().begin() + held);
  shape.insert(shape.end(), x.shape().begin() + 1, x.shape().end());
  return held == 1 ? x : reshape_to(x, Shape(shape));
}

}  // namespace detail
}  // namespace weft::lanes
