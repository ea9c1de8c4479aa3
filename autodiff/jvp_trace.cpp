// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/jvp_trace.cpp: forward mode: pairs of a value and its tangent.
#include "autodiff/autodiff.h"
#include "autodiff/composed.h"
#include "autodiff/linearize.h"
#include "autodiff/partial_eval.h"
#include "core/hash.h"
#include "tracer/base_ops.h"
#include "tracer/derivative_zeros.h"
#include "tracer/transform_cache.h"
#include "tracer/types_of.h"

namespace weft {
namespace {

// The op that made a value, with its operands and their tangents.
class MadeBy : public RefCounted {
 public:
  MadeBy(const Op& op, Arrays x, Arrays dx) : op(op), x(std::move(x)), dx(std::move(dx)) {}
  const Op& op;
  const Arrays x, dx;
};

class JVPTrace final : public Interpreter {
 public:
  // `linear`: the level of the tangents in a linearization. A tangent that is known in that level
  // does not depend on the tangents of the arguments. So it is zero, even if it is an array.
  explicit JVPTrace(Ref<Interpreter> parent, const PartialEvalTrace* linear = nullptr)
      : Interpreter(std::move(parent)), linear_(linear) {}
  const char* name() const override { return "jvp"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array wrap(const Array& primal, const Array& tangent, const Ref<const MadeBy>& made = {});

 private:
  Array composed(const Op& op, const Arrays& x, const AnyParams& params) const;
  const PartialEvalTrace* linear_;
};

class JVPTracer final : public Tracer {
 public:
  JVPTracer(Ref<Interpreter> trace, Array primal, Array tangent, Ref<const MadeBy> made)
      : Tracer(primal.type(), std::move(trace)),
        primal(std::move(primal)),
        tangent(std::move(tangent)),
        made(std::move(made)) {}
  const Array* known_value() const override { return &primal; }
  const Array primal, tangent;
  const Ref<const MadeBy> made;  // null: no composed rule has this op as its inner op
};

// Integers and bools have no tangent.
Array JVPTrace::wrap(const Array& primal, const Array& tangent, const Ref<const MadeBy>& made) {
  if (tangent.empty_handle() || !is_inexact(primal.dtype())) return primal;
  if (linear_ && !linear_->is_unknown(tangent)) return primal;
  return Array(Ref<const Node>(new JVPTracer(Ref<Interpreter>(this), primal, tangent, made)));
}

Arrays JVPTrace::process(const Op& op, const Arrays& x, const AnyParams& params) {
  Arrays primal, tangent;
  bool active = false;
  for (const Array& a : x) {
    const auto* t = tracer_of<JVPTracer>(a, *this);
    primal.push_back(t ? t->primal : a);
    tangent.push_back(t ? t->tangent : Array());
    active = active || t;
  }
  const CurrentTraceScope running(parent());
  if (!active) return bind_op(op, primal, params);
  if (const Array known = composed(op, x, params); !known.empty_handle())
    return {wrap(bind_op(op, primal, params)[0], known)};
  Dual d = op.dual(primal, tangent, params);
  const Ref<const MadeBy> made =
      is_inner(op) ? make_ref<MadeBy>(op, primal, tangent) : Ref<const MadeBy>();
  Arrays out;
  for (size_t i = 0; i < d.out.size(); ++i) out.push_back(wrap(d.out[i], d.tangent[i], made));
  return out;
}

// The tangent by a composed rule for op and the op that made all of its operands, which must be the
// same value. It is empty if there is no rule.
Array JVPTrace::composed(const Op& op, const Arrays& x, const AnyParams& params) const {
  const auto* t = tracer_of<JVPTracer>(x[0], *this);
  if (!t || !t->made) return {};
  const auto same = [](const Array& a, const Array& b) {
    return a.empty_handle() ? b.empty_handle() : !b.empty_handle() && a.ref() == b.ref();
  };
  for (const Array& other : x) {
    const auto* o = tracer_of<JVPTracer>(other, *this);
    if (!o || !o->made || &o->made->op != &t->made->op) return {};
    for (size_t i = 0; i < t->made->x.size(); ++i)
      if (!same(o->made->x[i], t->made->x[i]) || !same(o->made->dx[i], t->made->dx[i])) return {};
  }
  const ComposedRule rule = composed_rule(op, params, t->made->op);
  return rule ? rule(t->made->x, t->made->dx) : Array();
}

Dual run_dual(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const Arrays& dx,
              const PartialEvalTrace* linear) {
  TraceScope<JVPTrace> trace(linear);
  Arrays args;
  for (size_t i = 0; i < x.size(); ++i) args.push_back(trace->wrap(x[i], dx[i]));
  Dual d;
  for (const Array& a : f(args)) {
    const auto* t = tracer_of<JVPTracer>(a, *trace);
    d.out.push_back(t ? t->primal : a);
    d.tangent.push_back(t ? t->tangent : Array());
  }
  return d;
}

}  // namespace

Dual jvp_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const Arrays& dx) {
  return run_dual(f, x, dx, nullptr);
}

Linearized linearize_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                          const std::vector<bool>& wrt) {
  return linearize_first(f, x, wrt, nullptr);
}

Linearized linearize_first(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                           const std::vector<bool>& wrt, const size_t* results) {
  Linearized r;
  r.linear.in_types = types_of(x);
  TraceScope<PartialEvalTrace> pe;
  Arrays dx;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool on = wrt[i] && is_inexact(x[i].dtype());
    dx.push_back(on ? pe->unknown(x[i].type().strong()) : Array());
    if (on) r.linear.in.push_back(static_cast<int>(i));
  }
  Dual d = run_dual(f, x, dx, &*pe);
  Arrays tangents;
  for (size_t k = 0; k < (results ? *results : d.out.size()); ++k) {
    r.linear.out_types.push_back(d.out[k].type());
    if (d.tangent[k].empty_handle()) continue;
    r.linear.out.push_back(static_cast<int>(k));
    tangents.push_back(d.tangent[k]);
  }
  r.out = std::move(d.out);
  const ClosedJaxpr c = pe->finish(tangents);
  const Jaxpr pruned = dce(c.jaxpr, std::vector<bool>(tangents.size(), true));
  r.linear.jaxpr = pruned;
  r.linear.residuals = c.consts;
  return r;
}

Arrays Linear::apply(const Arrays& dx) const {
  Arrays x = residuals;
  for (int i : in) x.push_back(instantiate(dx[i], in_types[i]));
  const Arrays tangents = eval_jaxpr(jaxpr, x);
  Arrays result(out_types.size());
  for (size_t k = 0; k < out.size(); ++k) result[out[k]] = tangents[k];
  for (size_t k = 0; k < result.size(); ++k) result[k] = instantiate(result[k], out_types[k]);
  return result;
}

Arrays Linear::transpose(const Arrays& ct) const {
  Arrays x = residuals;
  std::vector<bool> linear(residuals.size(), false);
  x.resize(residuals.size() + in.size());
  linear.resize(x.size(), true);
  Arrays cts;
  for (int k : out) cts.push_back(ct[k]);
  const Arrays back = backward_pass(jaxpr, x, linear, cts);
  Arrays result(in_types.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t k = in[i];
    result[k] = instantiate(back[residuals.size() + i], in_types[k]);
  }
  return result;
}

namespace {
struct JvpKey {
  using Result = JvpJaxpr;
  std::vector<bool> nonzero, ask;
  size_t hash() const { return hash_fields(nonzero, ask); }
  friend bool operator==(const JvpKey&, const JvpKey&) = default;
};

JvpJaxpr make_jvp(const Jaxpr& j, const std::vector<bool>& nonzero, const std::vector<bool>& ask) {
  Types in = j->in_types();
  const size_t n = in.size();
  for (size_t i = 0; i < n; ++i)
    if (nonzero[i]) in.push_back(in[i].strong());
  JvpJaxpr r;
  ClosedJaxpr c = record(in, [&](const Arrays& args) {
    Arrays x(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(n)), dx;
    size_t next = n;
    for (size_t i = 0; i < n; ++i) dx.push_back(nonzero[i] ? args[next++] : Array());
    Dual d = jvp_flat([&](const Arrays& a) { return eval_jaxpr(j, a); }, x, dx);
    Arrays out = d.out;
    for (size_t k = 0; k < d.out.size(); ++k) {
      const bool on = !d.tangent[k].empty_handle() || (ask[k] && is_inexact(d.out[k].dtype()));
      r.out_nonzero.push_back(on);
      if (on) out.push_back(instantiate(d.tangent[k], d.out[k].type().strong()));
    }
    return out;
  });
  // Programs are closed, so replaying one reads no value from outside.
  r.jaxpr = dce(c.jaxpr);
  return r;
}
}  // namespace

JvpJaxpr jvp_jaxpr(const Jaxpr& j, const std::vector<bool>& nonzero, const std::vector<bool>& ask) {
  return cached_transform(j, JvpKey{nonzero, ask}, [&] { return make_jvp(j, nonzero, ask); });
}

Array add_tangents(const Array& a, const Array& b) {
  if (a.empty_handle()) return b;
  if (b.empty_handle()) return a;
  return base::add(a, b);
}

Array instantiate(const Array& ct, const Type& t) {
  return ct.empty_handle() ? base::derivative_zeros(t.strong()) : ct;
}

Arrays written_tangents(const Dual& d, const size_t* results) {
  Arrays r;
  for (size_t k = 0; k < (results ? *results : d.out.size()); ++k)
    r.push_back(instantiate(d.tangent[k], d.out[k].type()));
  return r;
}

}  // namespace weft
