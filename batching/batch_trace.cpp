// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/batch_trace.cpp: applying batching rules.
#include "batching/batch_trace.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "core/effects.h"
#include "core/hash.h"
#include "runtime/fork.h"
#include "runtime/log.h"
#include "runtime/ordered_output.h"
#include "tracer/base_ops.h"
#include "tracer/transform_cache.h"
#include "tracer/types_of.h"

namespace weft {

Array BatchTrace::wrap(const Array& value, MaybeAxis axis) {
  if (!axis) return value;
  const Type t = value.type().with_shape(value.shape().erased(*axis));
  return Array(Ref<const Node>(new BatchTracer(t, Ref<Interpreter>(this), value, *axis)));
}

std::pair<Array, MaybeAxis> BatchTrace::unwrap(const Array& x) const {
  if (const auto* t = tracer_of<BatchTracer>(x, *this)) return {t->value, t->axis};
  return {x, std::nullopt};
}

namespace {
FallbackFn& fallback() {
  static FallbackFn f = nullptr;
  return f;
}

// An op without a batching rule is an error if the map is strict. Otherwise it becomes a loop over
// lanes, with one warning per op.
Batched fall_back(const BatchTrace& trace, const Op& op, const Arrays& x, const MaybeAxes& axis,
                  const AnyParams& params) {
  require_lane_loops(trace, op.name());
  if (!fallback()) throw BatchingError(fmt::format("vmap: '{}' has no batching rule", op.name()));
  static auto& m = *new ForkMutex;
  static auto* said = new std::set<const Op*>;
  if (trace.warn) {
    const std::lock_guard lock(m);
    if (said->insert(&op).second)
      log_warning(
          fmt::format("vmap: '{}' has no batching rule; it runs as a loop over lanes", op.name()));
  }
  return fallback()(op, x, axis, trace, params);
}
}  // namespace

void install_batch_fallback(FallbackFn f) { fallback() = f; }
void require_lane_loops(const BatchTrace& trace, const std::string& name) {
  if (trace.strict)
    throw BatchingError(fmt::format(
        "vmap: '{}' has no batching rule, and the map is strict (.strict = true); without it, it "
        "runs as a loop over lanes",
        name));
}

// Returns true if op, or a program that it holds, may depend on the index of its lane.
bool BatchTrace::asks_for_lane(const Op& op, const AnyParams& params) const {
  if (op.collective()) return true;
  if (axis_name.empty() && randomness == "same") return false;  // nothing can refer to this map
  return any_equation(inner_programs(params),
                      [](const JaxprData&, const Eqn& e) { return e.op->collective(); });
}

namespace {
AnyParams numbered_anew(const Op& op, const AnyParams& params, const BatchTrace& trace);

// The number of ops with ordered effects that maps on this thread have processed.
thread_local int64_t effects_met = 0;
}  // namespace

Arrays BatchTrace::process(const Op& op, const Arrays& x, const AnyParams& params) {
  Arrays values;
  MaybeAxes axes;
  bool mapped = false;
  for (const Array& a : x) {
    auto [value, axis] = unwrap(a);
    values.push_back(std::move(value));
    axes.push_back(axis);
    mapped = mapped || axis;
  }
  const CurrentTraceScope running(parent());
  // An op with an ordered effect runs once per lane, even if it does not depend on the lane. In a
  // body, the lanes of ops that call user code are renumbered, too.
  const Effect effect = effect_of(op, params);
  const bool in_each_lane = effect == Effect::ordered && (mapped || !columns);
  if (in_each_lane) ++effects_met;
  const bool rewrites = in_body && (op.compile_eagerly() || effect != Effect::none);
  if (!mapped && !in_each_lane && !asks_for_lane(op, params)) {
    if (!rewrites) return bind_op(op, values, params);
    // An op without lane parameters is unaffected by this map. Binding it unchanged keeps its rules
    // unaware of the map.
    if (!param_field<Ints>(params, "lanes"))
      return bind_op(op, values, numbered_anew(op, params, *this));
  }
  Batched b = op.has(Op::Slot::batch) ? op.batch(values, axes, size, params, *this)
                                      : fall_back(*this, op, values, axes, params);
  Arrays out;
  for (size_t i = 0; i < b.out.size(); ++i) out.push_back(wrap(b.out[i], b.axis[i]));
  return out;
}

Batched run_lanes(BatchTrace& trace, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                  const MaybeAxes& in) {
  const AxisScope scope(trace.axis_name, trace.whole_size);
  Arrays args;
  for (size_t i = 0; i < x.size(); ++i) args.push_back(trace.wrap(x[i], in[i]));
  Batched result;
  for (const Array& a : f(args)) {
    auto [value, axis] = trace.unwrap(a);
    result.out.push_back(std::move(value));
    result.axis.push_back(axis);
  }
  return result;
}

Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in,
                  int64_t size, const MapOptions& o, const Array& first_lane) {
  OrderedOutput output;
  const int64_t met_before = effects_met;
  Batched result;
  {
    TraceScope<BatchTrace> trace(size, o);
    trace->first_lane = first_lane;
    result = run_lanes(*trace, f, x, in);
  }
  // Marks the end of the map: later effects come after the effects of all lanes
  // (runtime/ordered_output.h).
  static const Op& end = *find_op("end_of_map");
  if (effects_met != met_before) bind_op(end, {}, end.parse_params({}));
  output.finish();
  return result;
}

Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size) {
  if (!from) return base::insert_axis(x, to, size);
  return *from == to ? x : base::move_axis(x, *from, to);
}

namespace {
// (constants…, values…, the mask and the number of the first lane, if the map has them) ->
// (results…, with these mapped axes).
struct BatchedJaxpr {
  Jaxpr jaxpr;
  Arrays consts;
  MaybeAxes out_axes;
  std::vector<Jaxpr> programs() const { return {jaxpr}; }
  bool closed() const { return consts.empty(); }
};
struct BatchKey {
  using Result = BatchedJaxpr;
  Types in;  // without constants
  MaybeAxes in_axes;
  bool masked = false, chunked = false;
  Ints mask_ids;  // LaneMask::ids
  int64_t size = 0;
  MapOptions options;
  size_t hash() const {
    return hash_fields(in, in_axes, masked, chunked, mask_ids, size, options.whole_size,
                       options.axis_name, options.randomness, options.strict, options.warn,
                       options.columns);
  }
  friend bool operator==(const BatchKey&, const BatchKey&) = default;
};

// Batches j for values of these types with these mapped axes.
BatchedJaxpr batched_jaxpr(const Jaxpr& j, Types in, const MaybeAxes& axes, const BatchTrace& like,
                           const LaneMask& mask, const Array& first_lane) {
  const bool masked = !mask.active.empty_handle(), chunked = !first_lane.empty_handle();
  if (masked) in.push_back(mask.active.type());
  if (chunked) in.push_back(first_lane.type());
  MapOptions options = like;
  options.one_by_one = false;  // it changes only errors, which are not cached
  BatchKey key{in, axes, masked, chunked, mask.ids, like.size, std::move(options)};
  return cached_transform(j, std::move(key), [&] {
    BatchedJaxpr made;
    ClosedJaxpr c = record(in, [&](const Arrays& a) {
      TraceScope<BatchTrace> trace(like.size, like);
      trace->in_body = true;
      if (chunked) trace->first_lane = a.back();
      trace->mask = mask;
      if (masked) trace->mask.active = a[axes.size()];
      const Arrays x(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(axes.size()));
      Batched b = run_lanes(*trace, [&](const Arrays& v) { return eval_jaxpr(j, v); }, x, axes);
      made.out_axes = std::move(b.axis);
      return b.out;
    });
    made.jaxpr = open_constants(c.jaxpr);
    made.consts = std::move(c.consts);
    return made;
  });
}

// The parameters of an equation that does not depend on the lanes of this map. In its programs,
// loops and calls with lanes get the lane numbers that they have with one more map around them.
AnyParams numbered_anew(const Op& op, const AnyParams& params, const BatchTrace& trace) {
  return with_programs(op, params, [&](const Jaxpr& j) {
    const BatchedJaxpr t =
        batched_jaxpr(j, j->in_types(), MaybeAxes(static_cast<size_t>(j->n_in)), trace, {}, {});
    if (!t.consts.empty() || std::any_of(t.out_axes.begin(), t.out_axes.end(),
                                         [](MaybeAxis a) { return a.has_value(); }))
      throw InternalError("a program that nothing maps has values of lanes: " + to_string(j));
    return t.jaxpr;
  });
}
}  // namespace

Batched batch_eval(const Jaxpr& j, const Arrays& x, const MaybeAxes& in, const BatchTrace& like,
                   const LaneMask& mask) {
  const BatchedJaxpr t = batched_jaxpr(j, types_of(x), in, like, mask, like.first_lane);
  Arrays args = t.consts;
  args.insert(args.end(), x.begin(), x.end());
  for (const Array& more : {mask.active, like.first_lane})
    if (!more.empty_handle()) args.push_back(more);
  return {eval_jaxpr(t.jaxpr, args), t.out_axes};
}

MaybeAxes probe_axes(const Jaxpr& j, const MaybeAxes& in, const BatchTrace& like) {
  Types types;
  for (size_t i = 0; i < in.size(); ++i) {
    const Type& t = j->types[i];
    types.push_back(in[i] ? t.with_shape(t.shape().inserted(*in[i], like.size)) : t);
  }
  return batched_jaxpr(j, types, in, like, {}, like.first_lane).out_axes;
}

}  // namespace weft
