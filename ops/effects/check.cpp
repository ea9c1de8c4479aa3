// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/check.cpp: check: an error with values, thrown after the run.
#include <fmt/format.h>

#include "core/text/format_text.h"
#include "ops/effects/effects.h"
#include "ops/effects/lane_calls.h"
#include "ops/kit/sample_numbers.h"
#include "runtime/ordered_output.h"

namespace weft {
namespace {

// Operands: pred, the values of the text, the numbers of the first lanes of chunked maps, the mask.
struct Check {
  std::string fmt, place = {};  // the text, and its location in the user's code
  Strings lane_names = {};      // the names of the maps
  // for each map: true if an operand holds the number of its first lane
  Bools chunked = {};
  Ints lanes = {}, lane_ids = {}, lane_axes = {};
  bool masked = false;
  WEFT_FIELDS(fmt, place, lane_names, chunked, lanes, lane_ids, lane_axes, masked)
  size_t chunks() const {
    return static_cast<size_t>(std::count(chunked.begin(), chunked.end(), true));
  }
};

Types check_type(const Types& in, const Check& p) {
  const Types lane = lane_types("check", in, p);
  const size_t n = p.chunks();
  if (p.lane_names.size() != p.lanes.size() || p.chunked.size() != p.lanes.size())
    reject_shape("check", "lanes, lane_names and chunked do not go together", in);
  if (lane.size() < 1 + n) reject_shape("check", "too few operands", in);
  if (lane[0].dtype() != Bool)
    reject_dtype("check", "the predicate must be a bool; compare something", in);
  for (size_t i = lane.size() - n; i < lane.size(); ++i)
    if (lane[i] != Type(I32, {})) reject_dtype("check", "the first lane must be an i32[]", in);
  // Throws if the text does not match the values.
  [[maybe_unused]] const FormatText text("check", p.fmt, sublist(lane, 1, lane.size() - 1 - n));
  return {};
}

// The path as text, for example ", in lane 3 of axis 'i', lane 0 of 4", with names for maps that
// have one.
std::string lane_text(const Check& p, LanePath path, const std::vector<const void*>& in) {
  std::string s;
  size_t next = in.size() - p.chunks();
  for (size_t l = 0; l < path.size(); ++l) {
    int64_t lane = path[l];
    if (p.chunked[l]) lane += *static_cast<const int32_t*>(in[next++]);
    s += fmt::format("{} lane {}", l ? "," : " in", lane);
    if (!p.lane_names[l].empty())
      s += fmt::format(" of axis '{}'", p.lane_names[l]);
    else if (!p.chunked[l])
      s += fmt::format(" of {}", p.lanes[l]);
  }
  return s;
}

// For example "; element [0, 2] is the first that fails", if the predicate has axes.
std::string element_text(const Type& t, int64_t place) {
  if (t.ndim() == 0) return "";
  Ints index(t.shape().size());
  for (size_t a = index.size(); a-- > 0;) {
    const int64_t n = t.shape()[static_cast<int64_t>(a)];
    index[a] = place % n;
    place /= n;
  }
  return fmt::format("; element [{}] is the first that fails", fmt::join(index, ", "));
}

void check_lanes(const Check& p, const Types& lane, LaneWalk& walk) {
  const FormatText text("check", p.fmt, sublist(lane, 1, lane.size() - 1 - p.chunks()));
  const int64_t n = lane[0].elements();
  walk.for_each([&](LanePath path, const std::vector<const void*>& in, const std::vector<void*>&) {
    const bool* pred = static_cast<const bool*>(in[0]);
    const int64_t first = std::find(pred, pred + n, false) - pred;
    if (first == n) return;
    OrderedOutput::fail(path,
                        fmt::format("check failed{}: {}{}{}", lane_text(p, path, in),
                                    text(std::span(in).subspan(1)), element_text(lane[0], first),
                                    p.place.empty() ? "" : " (at " + p.place + ")"));
  });
}

Batched check_batch(const BatchArgs<Check>& b) {
  if (auto same = batch_unmapped(b)) return *same;
  LaneBatch l = add_lane(
      b.x, b.axis, {b.params.lanes, b.params.lane_ids, b.params.lane_axes, b.params.masked, {}},
      b.size, b.trace);
  Check p = with_lane(b.params, l);
  const bool chunked = !b.trace.first_lane.empty_handle();
  if (chunked) {
    // The operand precedes those of the inner maps.
    const auto at = static_cast<std::ptrdiff_t>(p.lane_axes.size() - p.chunks());
    l.x.insert(l.x.begin() + at, b.trace.first_lane);
    p.lane_axes.insert(p.lane_axes.begin() + at, 0);
  }
  p.lane_names.insert(p.lane_names.begin(), b.trace.axis_name);
  p.chunked.insert(p.chunked.begin(), chunked);
  return {b.op.bind(l.x, p), {}};
}

Check lanes_of(Strings lane_names, Bools chunked, Ints lanes, Ints lane_axes, bool masked) {
  Check p{.fmt = "x = {}", .lane_names = std::move(lane_names), .chunked = std::move(chunked)};
  p.lane_ids = axis_range(std::ssize(lanes));
  p.lanes = std::move(lanes);
  p.lane_axes = std::move(lane_axes);
  p.masked = masked;
  return p;
}
// A sample in which all predicates are true.
Sample<Check> holding(Types in, Check p) {
  const auto values = [in](uint64_t seed) {
    SampleNumbers r(seed);
    Arrays x;
    for (const Type& t : in) x.push_back(t.dtype() == Bool ? base::ones(t) : r(t, 0, 3));
    return x;
  };
  return {.in = in, .params = std::move(p), .values = values};
}

const Primitive<Check>& check_op = define<Check>([] {
  auto d = lane_call_op<Check>(
      "check", "Raises CheckError after the run unless the predicate holds in each lane.",
      check_lanes);
  d.type = check_type;
  d.batch = check_batch;
  d.jvp = [](const JvpArgs<Check>&) { return Arrays{}; };
  d.effects = [](const Check&) { return Effect::ordered; };
  d.samples = [] {
    const Type pred(Bool, {}), x(F32, {});
    return std::vector<Sample<Check>>{
        holding({pred}, {.fmt = "it holds"}),
        holding({Type(Bool, {2, 2}), x}, {.fmt = "x = {}", .place = "file.cpp:12"}),
        holding({Type(Bool, {3}), Type(F32, {2, 3, 2}), Type(I32, {}), Type(Bool, {2, 3})},
                lanes_of({"i", ""}, {true, false}, {2, 3}, {2, 3, 0}, true))};
  };
  d.rejects = [] {
    const Type pred(Bool, {}), x(F32, {});
    return std::vector<Reject<Check>>{
        {{x}, {.fmt = ""}, "check: the predicate must be a bool; compare something"},
        {{}, {.fmt = ""}, "check: too few operands"},
        {{pred}, {.fmt = "{}"}, "check: 1 field and 0 values, in the text \"{}\""},
        {{pred, x}, lanes_of({"i"}, {true}, {2}, {0, 0}, false), "the first lane must be an i32[]"},
        {{pred, x},
         lanes_of({}, {}, {2}, {0, 0}, false),
         "lanes, lane_names and chunked do not go"}};
  };
  return d;
}());

}  // namespace

void check_flat(const Array& pred, const std::string& text, const Arrays& values) {
  const Location at = SourceScope::current();
  check_op.bind(concat_lists({pred}, values), {.fmt = text, .place = at ? to_string(at) : ""});
}

}  // namespace weft
