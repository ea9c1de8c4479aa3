// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/symbolic_zero_rules.cpp: the ops of functions whose derivative rules are
// called late, and such rules under vmap.
#include "ops/control/symbolic_zero_rules.h"

#include "batching/saved_trace.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

// jaxpr: (consts…, x…) -> out…. The rule is a DualRule of x. Without a rule, the program is
// differentiated.
struct LateRule {
  Jaxpr jaxpr;
  Opaque rule;
  int64_t num_consts = 0;
  std::string name;
  WEFT_FIELDS(jaxpr, rule, num_consts, name)
};
// (residuals…, dx…) -> tangents of the inexact results. The rule is a BackwardRule.
struct LateLinear {
  Opaque rule;
  int64_t num_residuals = 0;
  Types result_types;  // of all results of the function
  WEFT_FIELDS(rule, num_residuals, result_types)
};

Types late_rule_type(const Types& in, const LateRule& p) {
  require_counts("custom_late_call", {p.num_consts}, 0, in);
  require_body("custom_late_call", p.jaxpr, in, in);
  return p.jaxpr->out_types();
}

Dual late_rule_dual(const DualArgs<LateRule>& d) {
  const LateRule& p = d.params;
  if (!p.rule.object)
    return jvp_flat([&](const Arrays& x) { return eval_jaxpr(p.jaxpr, x); }, d.x, d.dx);
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = p.num_consts;
  return static_cast<const DualRule&>(*p.rule.object)
      .call(drop_first(d.x, nc), drop_first(d.dx, nc));
}

// A batched rule. All its results are mapped, and its operands are mapped as `in` says. The first
// operands describe the lanes of the map.
class MappedRule final : public DualRule {
 public:
  MappedRule(Ref<const DualRule> rule, const BatchTrace& trace, MaybeAxes in)
      : rule_(std::move(rule)), map_(trace), in_(std::move(in)) {}
  Dual call(const Arrays& all, const Arrays& all_dx) const override {
    const size_t own = map_.num_operands(), n = in_.size();
    const Arrays dx = drop_first(all_dx, own);
    const std::vector<bool> on = is_nonzero(dx);
    std::vector<bool> nonzero;
    const auto f = [&](const Arrays& a) {
      const Dual d = rule_->call(sublist(a, 0, n), scatter_list(drop_first(a, n), on));
      nonzero = is_nonzero(d.tangent);
      return concat_lists(d.out, filter_list(d.tangent, nonzero));
    };
    const Batched b = map_.run(f, all, concat_lists(drop_first(all, own), filter_list(dx, on)),
                               concat_lists(in_, filter_list(in_, on)));
    const Arrays out =
        map_list([&](const Array& v, MaybeAxis a) { return move_mapped(v, a, 0, map_.size()); },
                 b.out, b.axis);
    return {sublist(out, 0, nonzero.size()),
            scatter_list(drop_first(out, nonzero.size()), nonzero)};
  }
  Derivatives derivatives() const override { return rule_->derivatives(); }

 private:
  Ref<const DualRule> rule_;
  SavedBatchTrace map_;
  MaybeAxes in_;
};

// A batched backward rule. Cotangents of unmapped operands are summed over the lanes. An inactive
// lane contributes zero, as in custom_vjp_call.
class MappedBackward final : public BackwardRule {
 public:
  MappedBackward(Ref<const BackwardRule> rule, const BatchTrace& trace, MaybeAxes residuals,
                 std::vector<bool> operand_mapped)
      : rule_(std::move(rule)),
        map_(trace),
        residuals_(std::move(residuals)),
        operand_mapped_(std::move(operand_mapped)) {}
  Arrays call(const Arrays& all, const Arrays& ct) const override {
    const size_t n = residuals_.size();
    const std::vector<bool> on = is_nonzero(ct);
    const Arrays cts = filter_list(ct, on);
    std::vector<bool> nonzero;
    const auto f = [&](const Arrays& a) {
      const Arrays back = rule_->call(sublist(a, 0, n), scatter_list(drop_first(a, n), on));
      nonzero = is_nonzero(back);
      return filter_list(back, nonzero);
    };
    const Batched b = map_.run(f, all, concat_lists(drop_first(all, map_.num_operands()), cts),
                               concat_lists(residuals_, MaybeAxes(cts.size(), MaybeAxis(0))));
    const Array active = active_lanes(map_.mask(all), map_.size());
    const auto back = [&](const Array& v, MaybeAxis a, bool mapped) {
      Array rows = move_mapped(v, a, 0, map_.size());
      if (!active.empty_handle()) rows = mask_out(active, rows);
      return mapped ? rows : base::reduce_sum(rows, {0});
    };
    return scatter_list(map_list(back, b.out, b.axis, filter_list(operand_mapped_, nonzero)),
                        nonzero);
  }
  bool goes_forward() const override { return rule_->goes_forward(); }
  Arrays forward(const Arrays& all, const Arrays& dx) const override {
    const size_t n = residuals_.size();
    const auto front = [](bool mapped) { return mapped ? MaybeAxis(0) : MaybeAxis(); };
    const Batched b = map_.run(
        [&](const Arrays& a) { return rule_->forward(sublist(a, 0, n), drop_first(a, n)); }, all,
        concat_lists(drop_first(all, map_.num_operands()), dx),
        concat_lists(residuals_, map_list(front, operand_mapped_)));
    return map_list([&](const Array& v, MaybeAxis a) { return move_mapped(v, a, 0, map_.size()); },
                    b.out, b.axis);
  }

 private:
  Ref<const BackwardRule> rule_;
  SavedBatchTrace map_;
  MaybeAxes residuals_;
  std::vector<bool> operand_mapped_;
};

template <class T>
Ref<const T> rule_of(const Opaque& o) {
  return Ref<const T>(static_cast<const T*>(o.object.get()));
}

Batched late_rule_batch(const BatchArgs<LateRule>& b) {
  const LateRule& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  const Arrays own = p.rule.object ? SavedBatchTrace::operands(b.trace) : Arrays();
  const Arrays all = with_captured(x, nc, own);
  const TracedBody body = trace_body(types_of(all), nc, [&](const Arrays& a) {
    const Batched r =
        batch_eval(p.jaxpr, concat_lists(sublist(a, 0, nc), drop_first(a, nc + own.size())), in,
                   b.trace, b.trace.mask);
    return map_list([&](const Array& v, MaybeAxis at) { return move_mapped(v, at, 0, b.size); },
                    r.out, r.axis);
  });
  LateRule q = p;
  Arrays captured;
  q.jaxpr = hoist_captures({body}, &captured)[0];
  q.num_consts = static_cast<int64_t>(nc + captured.size());
  if (p.rule.object)
    q.rule = Opaque{make_ref<MappedRule>(rule_of<DualRule>(p.rule), b.trace, drop_first(in, nc))};
  return mapped_in_front(b.op.bind(with_captured(all, nc, captured), q));
}

// sin(x) y by its slopes. Only slopes with a nonzero tangent are used.
class SampleRule final : public DualRule {
 public:
  Dual call(const Arrays& x, const Arrays& dx) const override {
    const Arrays s = sine_product_slopes(x[0], x[1]);
    Array t;
    for (size_t i = 0; i < 2; ++i)
      if (!dx[i].empty_handle()) t = add_tangents(t, lax::mul(s[i], dx[i]));
    return {{sine_product(x[0], x[1])}, {t}};
  }
};
std::vector<Sample<LateRule>> late_rule_samples() {
  const Types in(2, Type(F64, {3}));
  const Jaxpr j = program(in, [](const Arrays& x) { return Arrays{sine_product(x[0], x[1])}; });
  return {{in, {j, {}, 0, "none"}}, {in, {j, Opaque{make_ref<SampleRule>()}, 0, "late"}}};
}

const Primitive<LateRule>& late_rule_op = define<LateRule>([] {
  auto d = program_op<LateRule>(
      "custom_late_call",
      "A function whose derivative rule is called when it is differentiated, with symbolic zeros.");
  d.type = late_rule_type;
  d.dual = late_rule_dual;
  d.derivatives = [](const LateRule& p) {
    return p.rule.object ? rule_of<DualRule>(p.rule)->derivatives() : Derivatives();
  };
  d.transpose = [](const TransposeArgs<LateRule>& t) {
    return transposed_jaxpr(t.params.jaxpr, t.x, t.linear, t.ct);
  };
  d.batch = late_rule_batch;
  d.samples = late_rule_samples;
  return d;
}());

// ---- the linear part of a reverse rule

Types late_linear_type(const Types& in, const LateLinear& p) {
  require_counts("custom_late_lin", {p.num_residuals}, 0, in);
  if (!p.rule.object) reject_shape("custom_late_lin", "has no rule", in);
  return inexact_of(p.result_types);
}

Arrays late_linear_transpose(const TransposeArgs<LateLinear>& t) {
  const LateLinear& p = t.params;
  const size_t n = p.num_residuals;
  const auto on = map_list([](const Type& r) { return is_inexact(r.dtype()); }, p.result_types);
  const Arrays ct = scatter_list(t.ct, on);
  try {
    return concat_lists(Arrays(n), rule_of<BackwardRule>(p.rule)->call(sublist(t.x, 0, n), ct));
    // This is an error in the user's rule, so it is rethrown as a ShapeError.
  } catch (const EmptyArrayError& e) {
    throw ShapeError(static_cast<const ShapeError&>(e));
  }
}

Batched late_linear_batch(const BatchArgs<LateLinear>& b) {
  const LateLinear& p = b.params;
  const size_t n = p.num_residuals;
  MaybeAxes in;
  const Arrays own = SavedBatchTrace::operands(b.trace), x = in_front(b.x, b.axis, b.size, &in);
  const MaybeAxes front(p.result_types.size(), MaybeAxis(0));
  return mapped_in_front(b.op.bind(
      concat_lists(own, x),
      {Opaque{make_ref<MappedBackward>(rule_of<BackwardRule>(p.rule), b.trace, sublist(in, 0, n),
                                       mapped(drop_first(in, n)))},
       static_cast<int64_t>(own.size() + n), mapped_types(p.result_types, front, b.size)}));
}

// residual times ct; in forward mode, residual times dx.
class SampleBackward final : public BackwardRule {
 public:
  Arrays call(const Arrays& residuals, const Arrays& ct) const override {
    return {lax::mul(residuals[0], ct[0])};
  }
  bool goes_forward() const override { return true; }
  Arrays forward(const Arrays& residuals, const Arrays& dx) const override {
    return {lax::mul(residuals[0], dx[0])};
  }
};
// The tangent is zero, because the op has a value only for a zero tangent.
std::vector<Sample<LateLinear>> late_linear_samples() {
  const Type t(F64, {3});
  return {{.in = {t, t},
           .params = {Opaque{make_ref<SampleBackward>()}, 1, {t}},
           .values = [t](uint64_t seed) {
             SampleNumbers r(seed);
             return Arrays{r(t, -2, 2), base::zeros(t)};
           }}};
}

const Primitive<LateLinear>& late_linear_op = define<LateLinear>({
    .name = "custom_late_lin",
    .doc = "The derivative of a custom_late_call by a reverse rule, known by its transpose alone.",
    .type = late_linear_type,
    .reference = zeros_reference<LateLinear>,
    .dual = zeros_dual<LateLinear>,
    .transpose = late_linear_transpose,
    .batch = late_linear_batch,
    .implementations =
        [] {
          return std::vector<Implementation<LateLinear>>{
              {.name = "native", .make = zeros_call<LateLinear>}};
        },
    .samples = late_linear_samples,
});

// ---- the same for a rule that gives tangents and cotangents

Arrays forward_value(const Arrays& x, const LateLinear& p) {
  const size_t n = p.num_residuals;
  return rule_of<BackwardRule>(p.rule)->forward(sublist(x, 0, n), drop_first(x, n));
}

const Primitive<LateLinear>& two_way_op = define<LateLinear>({
    .name = "custom_late_linear",
    .doc = "The derivative of a custom_late_call by a rule that gives tangents and cotangents.",
    .type = late_linear_type,
    .reference = forward_value,
    .dual =
        [](const DualArgs<LateLinear>& d) {
          return jvp_flat([&](const Arrays& x) { return forward_value(x, d.params); }, d.x, d.dx);
        },
    .transpose = late_linear_transpose,
    .batch = late_linear_batch,
    .expand = [](const ExpandArgs<LateLinear>& e) { return forward_value(e.x, e.params); },
    .implementations =
        [] { return std::vector<Implementation<LateLinear>>{{.name = std::string(expanded)}}; },
    .samples =
        [] {
          const Type t(F64, {3});
          return std::vector<Sample<LateLinear>>{
              {.in = {t, t},
               .params = {Opaque{make_ref<SampleBackward>()}, 1, {t}},
               .values = [t](uint64_t seed) {
                 SampleNumbers r(seed);
                 return Arrays{r(t, -2, 2), r(t, -2, 2)};
               }}};
        },
});

}  // namespace

Arrays late_rule_flat(const ClosedJaxpr& f, const Ref<const DualRule>& rule, const Arrays& x,
                      const std::string& name) {
  return late_rule_op.bind(
      concat_lists(f.consts, x),
      {open_constants(f.jaxpr), Opaque{rule}, static_cast<int64_t>(f.consts.size()), name});
}

Arrays late_linear(const Ref<const BackwardRule>& back, const Arrays& residuals, const Arrays& dx,
                   const Types& results) {
  const Primitive<LateLinear>& op = back->goes_forward() ? two_way_op : late_linear_op;
  return op.bind(concat_lists(residuals, dx),
                 {Opaque{back}, static_cast<int64_t>(residuals.size()), results});
}

}  // namespace weft
