// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/batch_trace.cpp: applying batching rules.
#include "weft/batching/batch_trace.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "weft/runtime/fork.h"
#include "weft/runtime/log.h"
#include "weft/tracer/base_ops.h"

namespace weft {

Array BatchLevel::wrap(const Array& value, MaybeAxis axis) {
  if (!axis) return value;
  const Type t = value.type().with_shape(value.shape().erased(*axis));
  return Array(Ref<const Node>(new BatchTracer(t, Ref<Interpreter>(this), value, *axis)));
}

std::pair<Array, MaybeAxis> BatchLevel::unwrap(const Array& x) const {
  if (const auto* t = tracer_of<BatchTracer>(x, *this)) return {t->value, t->axis};
  return {x, std::nullopt};
}

namespace {
FallbackFn& fallback() {
  static FallbackFn f = nullptr;
  return f;
}

// An op without a batching rule: an error if the map is strict, else a loop over lanes, said once.
Batched fall_back(const BatchLevel& level, const Op& op, const Arrays& x, const MaybeAxes& axis,
                  const AnyParams& params) {
  if (level.strict || !fallback())
    throw BatchingError(fmt::format(
        "vmap: '{}' has no batching rule{}", op.name(),
        level.strict
            ? ", and the map is strict (.strict = true); without it, it runs as a loop over lanes"
            : ""));
  static auto& m = *new ForkMutex;
  static auto* said = new std::set<const Op*>;
  if (level.warn) {
    const std::lock_guard lock(m);
    if (said->insert(&op).second)
      log_warning(
          fmt::format("vmap: '{}' has no batching rule; it runs as a loop over lanes", op.name()));
  }
  return fallback()(op, x, axis, level, params);
}
}  // namespace

void install_batch_fallback(FallbackFn f) { fallback() = f; }

// Whether op, or a program that it holds, asks which lane it is in.
bool BatchLevel::asks_for_lane(const Op& op, const AnyParams& params) const {
  if (op.collective()) return true;
  if (axis_name.empty() && randomness == "same") return false;  // nobody can
  return any_equation(inner_programs(params),
                      [](const JaxprData&, const Eqn& e) { return e.op->collective(); });
}

Arrays BatchLevel::process(const Op& op, const Arrays& x, const AnyParams& params) {
  Arrays values;
  MaybeAxes axes;
  bool mapped = false;
  for (const Array& a : x) {
    auto [value, axis] = unwrap(a);
    values.push_back(std::move(value));
    axes.push_back(axis);
    mapped = mapped || axis;
  }
  const Running running(parent());
  if (!mapped && !(in_body && op.compile_eagerly()) && !asks_for_lane(op, params))
    return bind_op(op, values, params);
  Batched b = op.has(Op::Slot::batch) ? op.batch(values, axes, size, params, *this)
                                      : fall_back(*this, op, values, axes, params);
  Arrays out;
  for (size_t i = 0; i < b.out.size(); ++i) out.push_back(wrap(b.out[i], b.axis[i]));
  return out;
}

namespace {
Batched run_mapped(Level<BatchLevel>& level, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                   const MaybeAxes& in) {
  Arrays args;
  for (size_t i = 0; i < x.size(); ++i) args.push_back(level->wrap(x[i], in[i]));
  Batched result;
  for (const Array& a : f(args)) {
    auto [value, axis] = level->unwrap(a);
    result.out.push_back(std::move(value));
    result.axis.push_back(axis);
  }
  return result;
}
}  // namespace

Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in,
                  int64_t size, const MapOptions& o) {
  Level<BatchLevel> level(size, o.axis_name);
  level->strict = o.strict;
  level->randomness = o.randomness;
  level->first_lane = o.first_lane;
  level->warn = o.warn;
  level->whole_size = o.whole_size ? o.whole_size : size;
  const AxisScope scope(o.axis_name, level->whole_size);
  return run_mapped(level, f, x, in);
}

Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size) {
  if (!from) return base::insert_axis(x, to, size);
  return *from == to ? x : base::move_axis(x, *from, to);
}

Batched batch_eval(const Jaxpr& j, const Arrays& x, const MaybeAxes& in, const BatchLevel& like,
                   const LaneMask& mask) {
  Level<BatchLevel> level(like.size, like.axis_name);
  level->strict = like.strict;
  level->randomness = like.randomness;
  level->first_lane = like.first_lane;
  level->warn = like.warn;
  level->mask = mask;
  level->in_body = true;
  level->whole_size = like.whole_size;
  const AxisScope scope(like.axis_name, like.whole_size);
  return run_mapped(level, [&](const Arrays& a) { return eval_jaxpr(j, a); }, x, in);
}

}  // namespace weft
