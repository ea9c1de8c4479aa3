// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/record_trace.cpp: recording programs and replaying them.
#include "tracer/record_trace.h"

#include <fmt/format.h>

#include <atomic>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "runtime/ordered_output.h"
#include "tracer/concrete.h"
#include "tracer/replay.h"
#include "tracer/weak_numbers.h"
#include "weft/stop.h"

namespace weft {

int32_t Recorder::add_input(const Type& t) {
  inputs_.push_back(next());
  recorded_->types.push_back(t);
  return inputs_.back();
}

Atom Recorder::capture(const Array& x) {
  if (x.node().concrete()) {
    const Concrete& c = static_cast<const Concrete&>(x.node());
    if (c.literal) {
      recorded_->literals.push_back(literal_of(c));
      return {~(static_cast<int32_t>(recorded_->literals.size()) - 1)};
    }
  }
  const auto [it, fresh] = known_.try_emplace(&x.node(), next());
  if (fresh) {
    recorded_->types.push_back(x.type());
    constants_.push_back(it->second);
    captured_.push_back(x);
  }
  return {it->second};
}

int32_t Recorder::add(const Op& op, const AnyParams& params, std::vector<Atom> in,
                      const Types& out) {
  const int32_t first = next();
  recorded_->types.insert(recorded_->types.end(), out.begin(), out.end());
  recorded_->eqns.push_back({&op, params, std::move(in), first, static_cast<int32_t>(out.size()),
                             SourceScope::current(), ImplementationScope::of(op)});
  return first;
}

// The order of variables: constants, then inputs, then those that equations define.
ClosedJaxpr Recorder::finish(const std::vector<Atom>& out) const {
  JaxprBuilder b(*recorded_);
  for (int32_t v : constants_) b.copy_constant(v);
  for (int32_t v : inputs_) b.copy_input(v);
  b.reserve(recorded_->eqns.size());
  for (const Eqn& e : recorded_->eqns) b.copy(e);
  return {b.finish(out), captured_};
}

Arrays Recorder::record(const Op& op, const Arrays& x, const AnyParams& params,
                        FunctionRef<Atom(const Array&)> atom,
                        FunctionRef<Node*(const Type&, int32_t var)> value) {
  Types in;
  std::vector<Atom> atoms;
  for (const Array& a : x) {
    in.push_back(a.type());
    atoms.push_back(atom(a));
  }
  const Types out = op.type(in, params);
  const int32_t first = add(op, params, std::move(atoms), out);
  Arrays result;
  for (size_t i = 0; i < out.size(); ++i)
    result.emplace_back(Ref<const Node>(value(out[i], first + static_cast<int32_t>(i))));
  return result;
}

Array JaxprTrace::input(const Type& t, const Array& stands_for) {
  return Array(Ref<const Node>(new JaxprTracer(t, Ref<Interpreter>(this), recorder_.add_input(t),
                                               {JaxprTracer::Origin::input, stands_for})));
}

Atom JaxprTrace::atom(const Array& x) {
  if (const auto* t = tracer_of<JaxprTracer>(x, *this)) return {t->var};
  return recorder_.capture(x);
}

Arrays JaxprTrace::process(const Op& op, const Arrays& x, const AnyParams& params) {
  StopToken::check_scope("tracing");
  if (Arrays converted = convert_exactly(*this, op, x, params); !converted.empty())
    return converted;
  return recorder_.record(
      op, x, params, [&](const Array& a) { return atom(a); },
      [&](const Type& t, int32_t var) {
        return new JaxprTracer(t, Ref<Interpreter>(this), var, origin_of_result(op, x, params));
      });
}

ClosedJaxpr JaxprTrace::finish(const Arrays& out) {
  std::vector<Atom> atoms;
  for (const Array& a : out) {
    if (a.empty_handle())
      throw ShapeError(fmt::format(
          "{}: the function returned an empty Array, of {} in all the one with the number {}: it "
          "was declared, but never given a value; assign one first",
          who_, out.size(), atoms.size()));
    atoms.push_back(atom(a));
  }
  return recorder_.finish(atoms);
}

namespace {
std::atomic<int64_t> recorded{0};
}  // namespace

int64_t programs_recorded() { return recorded.load(std::memory_order_relaxed); }

ClosedJaxpr record(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const char* who) {
  return record(in, {}, f, who);
}

ClosedJaxpr record(const Types& in, const Arrays& stand_for, FunctionRef<Arrays(const Arrays&)> f,
                   const char* who) {
  recorded.fetch_add(1, std::memory_order_relaxed);
  const TimeLimit interruptible(0);
  TraceScope<JaxprTrace> trace(who);
  Arrays args;
  for (size_t i = 0; i < in.size(); ++i)
    args.push_back(trace->input(in[i], i < stand_for.size() ? stand_for[i] : Array()));
  return trace->finish(f(args));
}

Arrays eval_jaxpr(const Jaxpr& j, const Arrays& x) {
  OrderedOutput output;  // covers all its equations
  Arrays out =
      replay(j, x, [](const Eqn& e, const Arrays& in) { return bind_op(*e.op, in, e.params); });
  output.finish();
  return out;
}

Jaxpr dce(const Jaxpr& j, const std::vector<bool>& keep, bool effects) {
  VarMap<bool> live(*j, false);
  const auto mark = [&](Atom a) {
    if (!a.is_literal()) live[a] = true;
  };
  for (size_t i = 0; i < j->out.size(); ++i)
    if (keep[i]) mark(j->out[i]);
  std::vector<bool> used(j->eqns.size(), false);
  for (size_t i = j->eqns.size(); i-- > 0;) {
    const Eqn& e = j->eqns[i];
    bool needed = effects && effect_of(e) == Effect::ordered;
    for (int32_t k = 0; k < e.n_out; ++k) needed = needed || live[e.out + k];
    if (!needed) continue;
    used[i] = true;
    for (Atom a : e.in) mark(a);
  }
  JaxprBuilder b(*j);
  b.copy_inputs();
  for (size_t i = 0; i < j->eqns.size(); ++i)
    if (used[i]) b.copy(j->eqns[i]);
  std::vector<Atom> out;
  for (size_t i = 0; i < j->out.size(); ++i)
    if (keep[i]) out.push_back(j->out[i]);
  return b.finish(out);
}

Jaxpr dce(const Jaxpr& j) { return dce(j, std::vector<bool>(j->out.size(), true)); }

Jaxpr open_constants(const Jaxpr& j) {
  if (j->n_const == 0) return j;
  auto r = make_ref<JaxprData>(*j);
  r->n_const = 0;
  r->interned = false;
  return intern(r);
}

}  // namespace weft
