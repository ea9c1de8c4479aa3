// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom.cpp: functions with their own derivative rules. Each is one equation that
// carries the program of the function and its rules. Rules are programs too, so that transforms and
// jit see them, or objects (ops/control/symbolic_zero_rules.h).
#include <algorithm>

#include "autodiff/autodiff.h"
#include "batching/saved_trace.h"
#include "ops/control/custom_flat.h"
#include "ops/control/custom_lin.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"
#include "ops/control/symbolic_zero_rules.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

// The values captured by f and its rules are the leading operands. All programs take them first.
struct CustomJvp {
  Jaxpr jaxpr;  // (consts…, x…) -> out…
  // (consts…, x…, dx of the inexact x…) -> (out…, tangents of the inexact out…), or a DualRule of
  // x. Null: the program is differentiated.
  ProgramOrObject rule;
  int64_t num_consts = 0;
  std::string name;
  // The rule, a program, returns the results of the function. In higher-order derivatives it
  // therefore replaces the function, with the same rule. Its tangents are made of differentiable
  // ops, so zero tangents are left out: an infinite slope times a materialized zero would be NaN.
  bool smooth = false;
  WEFT_FIELDS(jaxpr, rule, num_consts, name, smooth)
};
struct CustomVjp {
  Jaxpr jaxpr;             // (consts…, x…) -> out…
  Jaxpr fwd;               // (consts…, x…) -> (out…, residuals…)
  Jaxpr bwd;               // (bwd_consts…, residuals…, ct of out…) -> ct of the inexact x…
  int64_t num_consts = 0;  // bwd_consts are the last consts
  int64_t num_bwd_consts = 0;
  std::string name;
  Ints summed = {};  // as in CustomLin
  WEFT_FIELDS(jaxpr, fwd, bwd, num_consts, num_bwd_consts, name, summed)
};

Types jvp_type(const Types& in, const CustomJvp& p) {
  require_counts("custom_jvp_call", {p.num_consts}, 0, in);
  require_body("custom_jvp_call", p.jaxpr, in, in);
  const size_t nc = p.num_consts;
  const Types out = p.jaxpr->out_types();
  if (const auto* rule = std::get_if<Jaxpr>(&p.rule)) {
    require_body("custom_jvp_call", *rule, concat_lists(in, inexact_of(drop_first(in, nc))), in);
    require_results("custom_jvp_call", "the rule", (*rule)->out_types(),
                    concat_lists(out, inexact_of(out)), in);
  }
  return out;
}

Types vjp_type(const Types& in, const CustomVjp& p) {
  require_counts("custom_vjp_call", {p.num_consts}, 0, in);
  require_counts("custom_vjp_call", {p.num_bwd_consts}, 0,
                 sublist(in, 0, static_cast<size_t>(p.num_consts)));
  require_body("custom_vjp_call", p.jaxpr, in, in);
  require_body("custom_vjp_call", p.fwd, in, in);
  const size_t nc = p.num_consts, nb = p.num_bwd_consts;
  const Types out = p.jaxpr->out_types(), made = p.fwd->out_types();
  if (made.size() < out.size() || strong(sublist(made, 0, out.size())) != strong(out))
    reject_shape("custom_vjp_call", "fwd must return the results of the function first", in);
  require_bwd("custom_vjp_call", p.bwd,
              concat_lists(sublist(in, nc - nb, nb), drop_first(made, out.size())), out,
              inexact_of(drop_first(in, nc)), p.summed, in);
  return out;
}

// The tangents of the inexact operands after the constants. Zeros are materialized.
Arrays tangents_of(const Arrays& x, const Arrays& dx, size_t consts) {
  const std::vector<bool> on = inexact(drop_first(x, consts));
  return map_list([](const Array& t, const Array& v) { return instantiate(t, v.type()); },
                  filter_list(drop_first(dx, consts), on), filter_list(drop_first(x, consts), on));
}

// Returns the tangents from a rule with m results. `has` tells which of the tangents, the last
// operands, are nonzero. The rule is linear in its tangents, so its derivative along them equals
// its result.
Arrays tangents_by_rule(const Jaxpr& rule, const Arrays& in, const std::vector<bool>& has,
                        size_t m) {
  const size_t first = in.size() - has.size(), tangents = rule->out.size() - m;
  const std::vector<bool> results(m, false), all(tangents, true);
  if (std::find(has.begin(), has.end(), false) == has.end())
    return eval_jaxpr(dce(rule, concat_lists(results, all)), in);
  const JvpJaxpr along = jvp_jaxpr(rule, concat_lists(std::vector<bool>(first, false), has),
                                   concat_lists(results, all));
  std::vector<bool> keep(along.jaxpr->out.size(), false);
  std::fill(keep.end() - static_cast<std::ptrdiff_t>(tangents), keep.end(), true);
  return eval_jaxpr(dce(along.jaxpr, keep),
                    concat_lists(in, filter_list(drop_first(in, first), has)));
}

bool no_rule(const CustomJvp& p) {
  const auto* o = std::get_if<Opaque>(&p.rule);
  return o && !o->object;
}

Dual jvp_dual(const DualArgs<CustomJvp>& d) {
  const CustomJvp& p = d.params;
  if (no_rule(p))
    return jvp_flat([&](const Arrays& x) { return eval_jaxpr(p.jaxpr, x); }, d.x, d.dx);
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = p.num_consts, m = p.jaxpr->out.size();
  if (const auto object = rule_object<DualRule>(p.rule))
    return object->call(drop_first(d.x, nc), drop_first(d.dx, nc));
  const auto& rule = std::get<Jaxpr>(p.rule);
  const Arrays in = concat_lists(d.x, tangents_of(d.x, d.dx, nc));
  if (p.smooth) {
    const std::vector<bool> has =
        is_nonzero(filter_list(drop_first(d.dx, nc), inexact(drop_first(d.x, nc))));
    const Arrays out = d.op.bind(d.x, p);
    return {out, scatter_list(tangents_by_rule(rule, in, has, m), inexact(out))};
  }
  const Arrays all = eval_jaxpr(rule, in);
  const Arrays out = sublist(all, 0, m);
  return {out, scatter_list(drop_first(all, m), inexact(out))};
}

// Transposes with respect to operands in which the program is linear, such as the right sides of a
// system. This occurs if the function is used in the tangent of another rule, where this rule does
// not differentiate it.
Arrays jvp_transpose(const TransposeArgs<CustomJvp>& t) {
  return transposed_jaxpr(t.params.jaxpr, t.x, t.linear, t.ct);
}

// The operands of a mapped object that describe the lanes follow the constants.
Batched jvp_batch(const BatchArgs<CustomJvp>& b) {
  const CustomJvp& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  const auto object = rule_object<DualRule>(p.rule);
  const Arrays lanes = object ? SavedBatchTrace::operands(b.trace) : Arrays();
  const Arrays all = with_captured(x, nc, lanes);
  std::vector<TracedBody> bodies = {
      batched_in_front(p.jaxpr, nc, types_of(all), in, b.trace, {}, lanes.size())};
  const auto* rule = std::get_if<Jaxpr>(&p.rule);
  if (rule) {
    const MaybeAxes rule_in =
        concat_lists(in, filter_list(drop_first(in, nc), inexact(drop_first(x, nc))));
    bodies.push_back(batched_in_front(*rule, nc, mapped_types((*rule)->in_types(), rule_in, b.size),
                                      rule_in, b.trace));
  }
  Arrays captured;
  const std::vector<Jaxpr> j = hoist_captures(bodies, &captured);
  CustomJvp q = p;
  q.jaxpr = j[0];
  if (object)
    q.rule = Opaque{mapped_rule(object, b.trace, drop_first(in, nc))};
  else if (rule)
    q.rule = j[1];
  q.num_consts = static_cast<int64_t>(nc + captured.size());
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

// k sin(x) y, where k is captured.
Types sample_operands() { return {sample_number(), sample_operand(), sample_operand()}; }
constexpr auto scaled_sines = [](const Arrays& a) {
  return Arrays{scaled(a[0], sine_product(a[1], a[2]))};
};

std::vector<Sample<CustomJvp>> jvp_samples() {
  const Types two = drop_first(sample_operands(), 1);
  const auto rule = [](const Arrays& a, const Arrays& dx) {
    const Arrays s = sine_product_slopes(a[0], a[1]);
    return lax::add(lax::mul(s[0], dx[0]), lax::mul(s[1], dx[1]));
  };
  CustomJvp alone{program(two, [](const Arrays& a) { return Arrays{sine_product(a[0], a[1])}; }),
                  program(concat_lists(two, two),
                          [&](const Arrays& a) {
                            return Arrays{sine_product(a[0], a[1]), rule(a, drop_first(a, 2))};
                          }),
                  0, "alone"};
  CustomJvp captured{program(sample_operands(), scaled_sines),
                     program(concat_lists(sample_operands(), two),
                             [&](const Arrays& a) {
                               return concat_lists(
                                   scaled_sines(a),
                                   {scaled(a[0], rule(drop_first(a, 1), drop_first(a, 3)))});
                             }),
                     1, "captured"};
  CustomJvp by_operand = alone;
  by_operand.smooth = true;
  const CustomJvp without{alone.jaxpr, Opaque{}, 0, "none"};
  const CustomJvp by_object{alone.jaxpr, Opaque{make_ref<SampleRule>()}, 0, "object"};
  return {{two, alone},
          {sample_operands(), captured},
          {two, by_operand},
          {two, without},
          {two, by_object}};
}

const Primitive<CustomJvp>& custom_jvp_op = define<CustomJvp>([] {
  auto d = program_op<CustomJvp>(
      "custom_jvp_call",
      "Runs the program `jaxpr`, whose forward derivative is given by a rule of the user.");
  d.type = jvp_type;
  d.dual = jvp_dual;
  d.derivatives = [](const CustomJvp& p) {
    const auto object = rule_object<DualRule>(p.rule);
    return object ? object->derivatives() : Derivatives();
  };
  d.transpose = jvp_transpose;
  d.batch = jvp_batch;
  d.samples = jvp_samples;
  return d;
}());

Dual vjp_dual(const DualArgs<CustomVjp>& d) {
  const CustomVjp& p = d.params;
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = p.num_consts, nb = p.num_bwd_consts, m = p.jaxpr->out.size();
  const Arrays all = eval_jaxpr(p.fwd, d.x), out = sublist(all, 0, m),
               residuals = concat_lists(sublist(d.x, nc - nb, nb), drop_first(all, m));
  const Arrays tangents =
      custom_lin(concat_lists(residuals, tangents_of(d.x, d.dx, nc)),
                 {p.bwd, static_cast<int64_t>(residuals.size()), types_of(out), p.summed});
  return {out, scatter_list(tangents, inexact(out))};
}

Batched vjp_batch(const BatchArgs<CustomVjp>& b) {
  const CustomVjp& p = b.params;
  const size_t nc = p.num_consts, nb = p.num_bwd_consts, m = p.jaxpr->out.size();
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  const MaybeAxes made = drop_first(probe_axes(p.fwd, in, b.trace), m);
  const std::vector<bool> ask = concat_lists(std::vector<bool>(m, true), mapped(made));
  const MaybeAxes residuals = concat_lists(sublist(in, nc - nb, nb), map_list(to_front, made));
  const std::vector<bool> argument_mapped =
      filter_list(mapped(drop_first(in, nc)), inexact(drop_first(x, nc)));
  Arrays captured;
  const std::vector<Jaxpr> j =
      hoist_captures({batched_in_front(p.jaxpr, nc, types_of(x), in, b.trace),
                      batched_in_front(p.fwd, nc, types_of(x), in, b.trace, ask),
                      batched_bwd(p.bwd, nb, residuals, b.trace)},
                     &captured);
  return mapped_in_front(b.op.bind(with_captured(x, nc, captured),
                                   {j[0], j[1], j[2], static_cast<int64_t>(nc + captured.size()),
                                    static_cast<int64_t>(nb + captured.size()), p.name,
                                    batched_sums(p.summed, argument_mapped)}));
}

std::vector<Sample<CustomVjp>> vjp_samples() {
  const Jaxpr fwd = program(sample_operands(), [](const Arrays& a) {
    return concat_lists(scaled_sines(a), sine_product_slopes(a[1], a[2]));
  });
  return {{sample_operands(),
           {program(sample_operands(), scaled_sines), fwd, scaled_slopes(), 1, 1, "captured"}}};
}

const Primitive<CustomVjp>& custom_vjp_op = define<CustomVjp>([] {
  auto d = program_op<CustomVjp>(
      "custom_vjp_call",
      "Runs the program `jaxpr`, whose reverse derivative is given by rules of the user.");
  d.type = vjp_type;
  d.dual = vjp_dual;
  d.derivatives = [](const CustomVjp&) { return Derivatives{.forward = false}; };
  d.batch = vjp_batch;
  d.samples = vjp_samples;
  return d;
}());

}  // namespace

Arrays custom_jvp_flat(const ClosedJaxpr& f, const ClosedJaxpr& rule, const Arrays& x,
                       const std::string& name, bool smooth) {
  Arrays all;
  const std::vector<Jaxpr> j = hoist_captures({{f, 0}, {rule, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, x);
  return custom_jvp_op.bind(all, {j[0], j[1], consts, name, smooth});
}

Arrays custom_jvp_flat(const ClosedJaxpr& f, const Ref<const DualRule>& rule, const Arrays& x,
                       const std::string& name) {
  return custom_jvp_op.bind(
      concat_lists(f.consts, x),
      {open_constants(f.jaxpr), Opaque{rule}, static_cast<int64_t>(f.consts.size()), name});
}

Arrays custom_vjp_flat(const ClosedJaxpr& f, const ClosedJaxpr& fwd, const ClosedJaxpr& bwd,
                       const Arrays& x, const std::string& name) {
  // All programs take the constants of all programs. Only the backward rule takes just its own
  // constants.
  Arrays all;
  const std::vector<Jaxpr> j = hoist_captures({{f, 0}, {fwd, 0}, {bwd, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, x);
  return custom_vjp_op.bind(all, {j[0], j[1], open_constants(bwd.jaxpr), consts,
                                  static_cast<int64_t>(bwd.consts.size()), name});
}

}  // namespace weft
