// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/missing_call.cpp: missing_call: replaces a function that a program calls and this
// process does not have. The program may still run if the call is in a branch that does not run.
#include <fmt/format.h>

#include "ops/effects/effects.h"
#include "ops/effects/lane_calls.h"
#include "ops/kit/sample_numbers.h"
#include "weft/error.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

struct Missing {
  std::string name, place;  // the name of the function, and the place of the call in the program
  Types result_avals = {};
  Ints lanes = {}, lane_ids = {}, lane_axes = {};
  bool masked = false;
  WEFT_FIELDS(name, place, result_avals, lanes, lane_ids, lane_axes, masked)
};

constexpr char op_name[] = "missing_call";

void raise(const Missing& p, const Types&, LaneWalk& walk) {
  walk.for_each([&](LanePath, const std::vector<const void*>&, const std::vector<void*>&) {
    throw FormatError(fmt::format(
        "{}: the program calls a Python function here, by @{}. The function belongs to the process "
        "that wrote the text, so it cannot be called. Write the text without the callback, or run "
        "it where the branch with the call is not taken",
        p.place, p.name));
  });
}

// Returns the set of lanes of operand i.
int64_t lanes_of(const Missing& p, size_t i) { return p.lane_axes.empty() ? 0 : p.lane_axes[i]; }

// The derivative is not known either, so it is a call that throws where it would run.
Arrays tangents(const JvpArgs<Missing>& j) {
  Arrays dx, r(j.out.size());
  Missing p = j.params;
  p.lane_axes = {};
  for (size_t i = 0; i + (p.masked ? 1 : 0) < j.x.size(); ++i)
    if (!j.dx[i].empty_handle()) {
      dx.push_back(j.dx[i]);
      p.lane_axes.push_back(lanes_of(j.params, i));
    }
  p.result_avals = {};
  for (const Type& t : j.params.result_avals)
    if (is_inexact(t.dtype())) p.result_avals.push_back(t);
  if (dx.empty() || p.result_avals.empty()) return r;
  if (p.masked) dx.push_back(j.x.back());
  const Arrays all = j.op.bind(dx, p);
  size_t next = 0;
  for (size_t k = 0; k < r.size(); ++k)
    if (is_inexact(j.params.result_avals[k].dtype())) r[k] = all[next++];
  return r;
}
Arrays cotangents(const TransposeArgs<Missing>& t) {
  Arrays ct, r(t.in.size());
  for (const Array& c : t.ct)
    if (!c.empty_handle()) ct.push_back(c);
  if (ct.empty()) return r;
  const Types lane = lane_types(op_name, t.in, t.params);
  Missing p = t.params;
  p.lane_axes.assign(ct.size(), full_set(p.lanes));
  p.result_avals = {};
  for (size_t i = 0; i < lane.size(); ++i)
    if (t.linear[i]) p.result_avals.push_back(lane[i].strong());
  if (p.masked) ct.push_back(t.x.back());
  const Arrays all = t.op.bind(ct, p);
  size_t next = 0;
  for (size_t i = 0; i < lane.size(); ++i) {
    if (!t.linear[i]) continue;
    // The cotangent of an operand that lanes share is summed over these lanes.
    Ints shared;
    for (size_t l = 0; l < p.lanes.size(); ++l)
      if (!(lanes_of(t.params, i) >> l & 1)) shared.push_back(static_cast<int64_t>(l));
    const Array& c = all[next++];
    r[i] = shared.empty() ? c : lax::reduce_sum(c, shared);
  }
  return r;
}

Missing sample(Ints lanes, Ints lane_axes, bool masked) {
  Missing p{.name = "function", .place = "a sample", .result_avals = {Type(F32, {3})}};
  p.lane_ids = axis_range(std::ssize(lanes));
  p.lanes = std::move(lanes);
  p.lane_axes = std::move(lane_axes);
  p.masked = masked;
  return p;
}
// A sample in which no lane is active.
Sample<Missing> idle(Types in, Missing p) {
  const auto values = [in](uint64_t seed) {
    SampleNumbers r(seed);
    Arrays x;
    for (const Type& t : in) x.push_back(t.dtype() == Bool ? base::zeros(t) : r(t, -1, 1));
    return x;
  };
  return {.in = in, .params = std::move(p), .values = values};
}

const Primitive<Missing>& missing_op = define<Missing>([] {
  auto d = lane_call_op<Missing>(op_name,
                                 "Represents the call of a function that this process does not "
                                 "have. An error is raised where the call would run.",
                                 raise);
  d.type = [](const Types& in, const Missing& p) {
    lane_types(op_name, in, p);
    return with_lanes(p.result_avals, p.lanes);
  };
  d.jvp = tangents;
  d.transpose = cotangents;
  d.effects = [](const Missing&) { return Effect::pure; };
  d.samples = [] {
    const Type x(F32, {3});
    return std::vector<Sample<Missing>>{
        idle({Type(F32, {0, 3}), x}, sample({0}, {1, 0}, false)),
        idle({Type(F32, {2, 3}), x, Type(Bool, {2})}, sample({2}, {1, 0}, true))};
  };
  d.rejects = [] {
    return std::vector<Reject<Missing>>{
        {{Type(F32, {3})}, sample({2}, {1}, false), "does not have the lanes of lane_axes"}};
  };
  return d;
}());

}  // namespace

Arrays missing_call_flat(const std::string& name, const std::string& place, const Types& out,
                         const Arrays& x) {
  return missing_op.bind(x, {.name = name, .place = place, .result_avals = out});
}

}  // namespace weft
