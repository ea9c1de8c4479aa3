// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom.cpp: functions with their own derivative rules. Each is one equation that
// carries the programs of the function and of its rules, so that transforms and jit see them.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "autodiff/autodiff.h"
#include "core/derivatives.h"
#include "core/loops/axis_classes.h"
#include "ops/control/custom_flat.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

// The values captured by f and its rules are the leading operands. All programs take them first.
struct CustomJvp {
  Jaxpr jaxpr;  // (consts…, x…) -> out…
  Jaxpr rule;   // (consts…, x…, dx of the inexact x…) -> (out…, tangents of the inexact out…)
  int64_t num_consts = 0;
  std::string name;
  // The rule returns the results of the function. In higher-order derivatives it therefore replaces
  // the function, with the same rule. Its tangents are made of differentiable ops, so zero tangents
  // are left out: an infinite slope times a materialized zero would be NaN.
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
// The derivative of a custom_vjp. It is linear in its last operands, and only its transpose is
// known.
struct CustomLin {
  Jaxpr bwd;  // (residuals…, ct of every result…) -> ct of the linear operands
  int64_t num_residuals = 0;
  Types result_types;  // of all results of the function
  // For each operand, a bit set of axes of the cotangent returned by bwd. They are the lanes that
  // share the operand, and the cotangent is summed over them after bwd. In this way bwd keeps lanes
  // apart. Empty: no axes.
  Ints summed = {};
  WEFT_FIELDS(bwd, num_residuals, result_types, summed)
};

// Binds custom_lin.
Arrays linear_rule(const Arrays& x, const CustomLin& p);

// ---- for the type rules: programs may come from text

void require_results(const char* op, const char* program, const Types& out, const Types& want,
                     const Types& in) {
  if (strong(out) != strong(want))
    reject_shape(
        op, fmt::format("{} returns ({}) and not ({})", program, to_string(out), to_string(want)),
        in);
}

Types jvp_type(const Types& in, const CustomJvp& p) {
  require_counts("custom_jvp_call", {p.num_consts}, 0, in);
  require_body("custom_jvp_call", p.jaxpr, in, in);
  const size_t nc = p.num_consts;
  const Types out = p.jaxpr->out_types();
  require_body("custom_jvp_call", p.rule, concat_lists(in, inexact_of(drop_first(in, nc))), in);
  require_results("custom_jvp_call", "the rule", p.rule->out_types(),
                  concat_lists(out, inexact_of(out)), in);
  return out;
}

int64_t summed_of(const Ints& summed, size_t operand) {
  return operand < summed.size() ? summed[operand] : 0;
}
Ints axes_in(int64_t set, int ndim) {
  Ints r;
  for (int a = 0; a < ndim; ++a)
    if (set >> a & 1) r.push_back(a);
  return r;
}
// Requires that bwd takes (first…, a cotangent of each result…) and returns a cotangent of each of
// `linear`, before the sums.
void require_bwd(const char* op, const Jaxpr& bwd, const Types& first, const Types& results,
                 const Types& linear, const Ints& summed, const Types& in) {
  require_body(op, bwd, concat_lists(first, results), in);
  Types out = bwd->out_types();
  for (size_t k = 0; k < out.size(); ++k) {
    const int64_t set = summed_of(summed, k);
    const Ints axes = axes_in(set, out[k].ndim());
    if (set < 0 || lane_count(set) != static_cast<int>(axes.size()))
      reject_shape(op, "summed names axes that bwd does not return", in);
    for (size_t a = axes.size(); a-- > 0;)
      out[k] = out[k].with_shape(out[k].shape().erased(static_cast<int>(axes[a])));
  }
  require_results(op, "bwd", out, linear, in);
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

Types lin_type(const Types& in, const CustomLin& p) {
  require_counts("custom_lin", {p.num_residuals}, 0, in);
  const size_t n = p.num_residuals;
  require_bwd("custom_lin", p.bwd, sublist(in, 0, n), p.result_types, drop_first(in, n), p.summed,
              in);
  return inexact_of(p.result_types);
}

// Batches j for operands mapped as in `in`. All its results are mapped along their leading axis.
// `at`: the position after its constants.
TracedBody batched_in_front(const Jaxpr& j, size_t at, const Types& types, const MaybeAxes& in,
                            const BatchTrace& trace, const std::vector<bool>& ask) {
  return trace_body(types, at, [&](const Arrays& a) {
    Batched r = batch_eval(j, a, in, trace, trace.mask);
    Arrays out;
    for (size_t k = 0; k < r.out.size(); ++k)
      out.push_back(k >= ask.size() || ask[k] ? move_mapped(r.out[k], r.axis[k], 0, trace.size)
                                              : r.out[k]);
    return out;
  });
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

Dual jvp_dual(const DualArgs<CustomJvp>& d) {
  const CustomJvp& p = d.params;
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = p.num_consts, m = p.jaxpr->out.size();
  const Arrays in = concat_lists(d.x, tangents_of(d.x, d.dx, nc));
  if (p.smooth) {
    const std::vector<bool> has =
        is_nonzero(filter_list(drop_first(d.dx, nc), inexact(drop_first(d.x, nc))));
    const Arrays out = d.op.bind(d.x, p);
    return {out, scatter_list(tangents_by_rule(p.rule, in, has, m), inexact(out))};
  }
  const Arrays all = eval_jaxpr(p.rule, in);
  const Arrays out = sublist(all, 0, m);
  return {out, scatter_list(drop_first(all, m), inexact(out))};
}

// Transposes with respect to operands in which the program is linear, such as the right sides of a
// system. This occurs if the function is used in the tangent of another rule, where this rule does
// not differentiate it.
Arrays jvp_transpose(const TransposeArgs<CustomJvp>& t) {
  return transposed_jaxpr(t.params.jaxpr, t.x, t.linear, t.ct);
}

Batched jvp_batch(const BatchArgs<CustomJvp>& b) {
  const CustomJvp& p = b.params;
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  const size_t nc = p.num_consts;
  const MaybeAxes rule_in =
      concat_lists(in, filter_list(drop_first(in, nc), inexact(drop_first(x, nc))));
  const Types rule_types = mapped_types(p.rule->in_types(), rule_in, b.size);
  Arrays captured;
  const std::vector<Jaxpr> j =
      hoist_captures({batched_in_front(p.jaxpr, nc, types_of(x), in, b.trace, {}),
                      batched_in_front(p.rule, nc, rule_types, rule_in, b.trace, {})},
                     &captured);
  return mapped_in_front(
      b.op.bind(with_captured(x, nc, captured),
                {j[0], j[1], static_cast<int64_t>(nc + captured.size()), p.name, p.smooth}));
}

// k sin(x) y, where k is captured.
Type sample_number() { return Type(I32, {}); }
Type sample_operand() { return Type(F64, {3}); }
Types sample_operands() { return {sample_number(), sample_operand(), sample_operand()}; }
Array scaled(const Array& k, const Array& x) {
  const Array f = lax::convert_element_type(k, x.dtype());
  return lax::mul(broadcast_like(f, x.type()), x);
}
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
  return {{two, alone}, {sample_operands(), captured}, {two, by_operand}};
}

const Primitive<CustomJvp>& custom_jvp_op = define<CustomJvp>([] {
  auto d =
      program_op<CustomJvp>("custom_jvp_call", "A function with a forward derivative of its own.");
  d.type = jvp_type;
  d.dual = jvp_dual;
  d.derivatives = [](const CustomJvp&) { return Derivatives(); };
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
      linear_rule(concat_lists(residuals, tangents_of(d.x, d.dx, nc)),
                  {p.bwd, static_cast<int64_t>(residuals.size()), types_of(out), p.summed});
  return {out, scatter_list(tangents, inexact(out))};
}

// Batches bwd for mapped values. All its results are mapped along their leading axis. `at`: the
// position after its constants.
TracedBody batched_bwd(const Jaxpr& bwd, size_t at, const MaybeAxes& residuals,
                       const BatchTrace& trace) {
  MaybeAxes in = residuals;
  in.resize(bwd->n_in, MaybeAxis(0));
  return batched_in_front(bwd, at, mapped_types(bwd->in_types(), in, trace.size), in, trace, {});
}
Ints batched_sums(const Ints& summed, const std::vector<bool>& operand_mapped) {
  Ints r;
  for (size_t k = 0; k < operand_mapped.size(); ++k)
    r.push_back(summed_of(summed, k) << 1 | (operand_mapped[k] ? 0 : 1));
  return std::all_of(r.begin(), r.end(), [](int64_t set) { return set == 0; }) ? Ints() : r;
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
      hoist_captures({batched_in_front(p.jaxpr, nc, types_of(x), in, b.trace, {}),
                      batched_in_front(p.fwd, nc, types_of(x), in, b.trace, ask),
                      batched_bwd(p.bwd, nb, residuals, b.trace)},
                     &captured);
  return mapped_in_front(b.op.bind(with_captured(x, nc, captured),
                                   {j[0], j[1], j[2], static_cast<int64_t>(nc + captured.size()),
                                    static_cast<int64_t>(nb + captured.size()), p.name,
                                    batched_sums(p.summed, argument_mapped)}));
}

// (k, slopes by x and y, ct) -> k ct slopes
Jaxpr sample_bwd() {
  return program(concat_lists({sample_number()}, Types(3, sample_operand())), [](const Arrays& a) {
    return Arrays{scaled(a[0], lax::mul(a[3], a[1])), scaled(a[0], lax::mul(a[3], a[2]))};
  });
}
std::vector<Sample<CustomVjp>> vjp_samples() {
  const Jaxpr fwd = program(sample_operands(), [](const Arrays& a) {
    return concat_lists(scaled_sines(a), sine_product_slopes(a[1], a[2]));
  });
  return {{sample_operands(),
           {program(sample_operands(), scaled_sines), fwd, sample_bwd(), 1, 1, "captured"}}};
}

const Primitive<CustomVjp>& custom_vjp_op = define<CustomVjp>([] {
  auto d =
      program_op<CustomVjp>("custom_vjp_call", "A function with a reverse derivative of its own.");
  d.type = vjp_type;
  d.dual = vjp_dual;
  d.derivatives = [](const CustomVjp&) { return Derivatives{.forward = false}; };
  d.batch = vjp_batch;
  d.samples = vjp_samples;
  return d;
}());

// ---- custom_lin

// The tangent is zero, because the op has a value only for a zero tangent.
std::vector<Sample<CustomLin>> lin_samples() {
  const Types in = concat_lists({sample_number()}, Types(4, sample_operand()));
  return {{.in = in, .params = {sample_bwd(), 3, {sample_operand()}}, .values = [](uint64_t seed) {
             SampleNumbers r(seed);
             const Array zero = base::zeros(sample_operand());
             return Arrays{r(sample_number(), -3, 3), r(sample_operand(), -2, 2),
                           r(sample_operand(), -2, 2), zero, zero};
           }}};
}

// Returns true for each result of j that depends on its inputs from number `first` on.
std::vector<bool> made_of_inputs(const JaxprData& j, int32_t first) {
  std::vector<bool> made(j.types.size(), false);
  const auto is = [&](Atom a) { return !a.is_literal() && made[a.index]; };
  for (int32_t i = first; i < j.n_in; ++i) made[i] = true;
  for (const Eqn& e : j.eqns)
    if (std::any_of(e.in.begin(), e.in.end(), is))
      for (int32_t k = 0; k < e.n_out; ++k) made[e.out + k] = true;
  return map_list(is, j.out);
}

// NativeCall::axis_map: an axis along which each element of the result of bwd depends only on
// elements of the cotangents at the same position. Results of bwd that do not depend on cotangents
// are not read. Residuals that bwd does not use are not read either.
std::vector<std::vector<int>> rule_axes(const Use<CustomLin>& u) {
  const CustomLin& p = u.params;
  const JaxprData& bwd = *p.bwd;
  const auto n = static_cast<int32_t>(p.num_residuals);
  const std::vector<bool> reads =
      inputs_read(*dce(p.bwd, std::vector<bool>(bwd.out.size(), true), /*effects=*/false));
  std::vector<int32_t> cts;  // the cotangents that are read
  for (int32_t k = n; k < bwd.n_in; ++k)
    if (reads[k]) cts.push_back(k);
  const std::vector<bool> made = made_of_inputs(bwd, n);
  const AxisClasses classes(p.bwd);
  const std::set<int> mixed = classes.mixed_numbers();
  const auto class_at = [&](int32_t v, int axis) {
    return classes.find(classes.top().axis(v, axis));
  };
  // Returns the axis of all results that is in class c, or -1.
  const auto in_results = [&](int c, int64_t extent) {
    const auto fits = [&](int axis) {
      return std::all_of(
                 u.out.begin(), u.out.end(),
                 [&](const Type& t) { return axis < t.ndim() && t.shape()[axis] == extent; }) &&
             std::all_of(cts.begin(), cts.end(), [&](int32_t k) { return class_at(k, axis) == c; });
    };
    for (int axis = 0; axis < u.out[0].ndim(); ++axis)
      if (fits(axis)) return axis;
    return -1;
  };
  std::vector<std::vector<int>> r;
  for (size_t k = 0; k < u.in.size(); ++k) {
    const auto v = static_cast<int32_t>(k);
    const bool residual = v < n;
    const bool used = residual ? reads[k] : made[k - static_cast<size_t>(n)];
    std::vector<int>& axes = r.emplace_back(static_cast<size_t>(u.in[k].ndim()), used ? -1 : -2);
    if (!used || u.out.empty() || cts.empty()) continue;
    const int32_t inside = residual ? v : bwd.out[k - static_cast<size_t>(n)].index;
    const int64_t summed = residual ? 0 : summed_of(p.summed, k - static_cast<size_t>(n));
    for (int b = 0, of_bwd = 0; b < u.in[k].ndim(); ++b, ++of_bwd) {
      while (summed >> of_bwd & 1) ++of_bwd;
      const int c = class_at(inside, of_bwd);
      if (!mixed.contains(c)) axes[b] = in_results(c, u.in[k].shape()[b]);
    }
  }
  return r;
}

const Primitive<CustomLin>& custom_lin_op = define<CustomLin>({
    .name = "custom_lin",
    .doc = "The derivative of a custom_vjp function, known by its transpose alone.",
    .type = lin_type,
    .reference = zeros_reference<CustomLin>,
    .dual = zeros_dual<CustomLin>,
    .transpose =
        [](const TransposeArgs<CustomLin>& t) {
          const CustomLin& p = t.params;
          const size_t n = p.num_residuals;
          Arrays in = sublist(t.x, 0, n);
          size_t next = 0;
          for (const Type& r : p.result_types) {
            if (!is_inexact(r.dtype())) {
              in.push_back(base::zeros(r.strong()));
              continue;
            }
            in.push_back(instantiate(t.ct[next], t.out[next]));
            ++next;
          }
          Arrays ct = eval_jaxpr(p.bwd, in);
          for (size_t k = 0; k < ct.size(); ++k)
            if (const Ints axes = axes_in(summed_of(p.summed, k), ct[k].ndim()); !axes.empty())
              ct[k] = base::reduce_sum(ct[k], axes);
          return concat_lists(Arrays(n), ct);
        },
    .batch =
        [](const BatchArgs<CustomLin>& b) {
          const CustomLin& p = b.params;
          const size_t n = p.num_residuals;
          MaybeAxes in;
          const Arrays x = in_front(b.x, b.axis, b.size, &in);
          CustomLin q = p;
          Arrays captured;
          q.bwd = hoist_captures({batched_bwd(p.bwd, n, sublist(in, 0, n), b.trace)}, &captured)[0];
          q.summed = batched_sums(p.summed, mapped(drop_first(in, n)));
          q.num_residuals = static_cast<int64_t>(n + captured.size());
          q.result_types =
              mapped_types(p.result_types, MaybeAxes(p.result_types.size(), MaybeAxis(0)), b.size);
          return mapped_in_front(b.op.bind(with_captured(x, n, captured), q));
        },
    .implementations =
        [] {
          return std::vector<Implementation<CustomLin>>{
              {.name = "native", .make = [](const Use<CustomLin>& u) {
                 NativeCall call = zeros_call(u);
                 call.axis_map = rule_axes(u);
                 return call;
               }}};
        },
    .nonlinear_in_residuals = [](const CustomLin&) { return true; },
    .samples = lin_samples,
});

Arrays linear_rule(const Arrays& x, const CustomLin& p) { return custom_lin_op.bind(x, p); }

// ---- custom_linear_solve: the system is differentiated, not the solution method

struct LinearSolve {
  Jaxpr jaxpr;  // solve: (consts…, b…) -> (x…, aux…), as transpose_solve
  Jaxpr matvec, transpose_solve, vecmat;
  int64_t num_consts = 0;
  bool transposes = true;  // if false, matvec fills the places of the last two
  WEFT_FIELDS(jaxpr, matvec, transpose_solve, vecmat, num_consts, transposes)
};

Types linear_solve_type(const Types& in, const LinearSolve& p) {
  constexpr auto name = "custom_linear_solve";
  require_counts(name, {p.num_consts}, 0, in);
  const Types b = drop_first(in, static_cast<size_t>(p.num_consts));
  struct {
    const char* name;
    const Jaxpr& j;
    bool has_aux;
  } const programs[] = {{"solve", p.jaxpr, true},
                        {"matvec", p.matvec, false},
                        {"transpose_solve", p.transpose_solve, true},
                        {"vecmat", p.vecmat, false}};
  for (const auto& [which, j, has_aux] : programs) {
    require_body(name, j, in, in);
    Types out = j->out_types();
    if (has_aux && out.size() > b.size()) out = sublist(out, 0, b.size());
    require_results(name, which, out, b, in);
  }
  return concat_lists(strong(b), drop_first(p.jaxpr->out_types(), b.size()));
}

// Solves A x' = b' - A' x. The auxiliary results do not have a tangent.
Arrays linear_solve_jvp(const JvpArgs<LinearSolve>& j) {
  const LinearSolve& p = j.params;
  const size_t nc = p.num_consts;
  const Arrays consts = sublist(j.x, 0, nc), changes = sublist(j.dx, 0, nc);
  Arrays right = drop_first(j.dx, nc);
  const size_t n = right.size();
  const Arrays x = sublist(j.out, 0, n);
  const auto any = [](const std::vector<bool>& on) {
    return std::find(on.begin(), on.end(), true) != on.end();
  };
  if (any(is_nonzero(changes))) {
    const Arrays moved =
        jvp_flat([&](const Arrays& c) { return eval_jaxpr(p.matvec, concat_lists(c, x)); }, consts,
                 changes)
            .tangent;
    for (size_t k = 0; k < right.size(); ++k)
      if (!moved[k].empty_handle()) right[k] = add_tangents(right[k], lax::neg(moved[k]));
  }
  if (!any(is_nonzero(right))) return Arrays(j.out.size());
  const Arrays dx = j.op.bind(concat_lists(consts, map_list(instantiate, right, types_of(x))), p);
  return concat_lists(sublist(dx, 0, n), Arrays(j.out.size() - n));
}

Arrays linear_solve_transpose(const TransposeArgs<LinearSolve>& t) {
  const LinearSolve& p = t.params;
  if (!p.transposes)
    throw DifferentiationError(
        "custom_linear_solve: a derivative in reverse needs transpose_solve, or symmetric = true");
  const size_t nc = p.num_consts;
  const size_t n = t.x.size() - nc;
  const Arrays right = map_list(instantiate, sublist(t.ct, 0, n), sublist(t.out, 0, n));
  const Arrays ct = t.op.bind(concat_lists(sublist(t.x, 0, nc), right),
                              {p.transpose_solve, p.vecmat, p.jaxpr, p.matvec, p.num_consts, true});
  return concat_lists(Arrays(nc), sublist(ct, 0, n));
}

// Moves the mapped axes of the operands to the front. All operands after the constants become
// mapped; a constant is mapped only if it was mapped before.
template <class P>
Arrays mapped_behind(const BatchArgs<P>& b, size_t consts, MaybeAxes* in) {
  Arrays x = in_front(b.x, b.axis, b.size, in);
  for (size_t k = consts; k < x.size(); ++k) {
    x[k] = move_mapped(b.x[k], b.axis[k], 0, b.size);
    (*in)[k] = 0;
  }
  return x;
}

Batched linear_solve_batch(const BatchArgs<LinearSolve>& b) {
  const LinearSolve& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  // The results are mapped, and they are right sides of the transposed system.
  const Arrays x = mapped_behind(b, nc, &in);
  Arrays captured;
  const Types types = types_of(x);
  const auto rewritten_body = [&](const Jaxpr& j) {
    return batched_in_front(j, nc, types, in, b.trace, {});
  };
  const std::vector<Jaxpr> j =
      hoist_captures({rewritten_body(p.jaxpr), rewritten_body(p.matvec),
                      rewritten_body(p.transpose_solve), rewritten_body(p.vecmat)},
                     &captured);
  return mapped_in_front(b.op.bind(
      with_captured(x, nc, captured),
      {j[0], j[1], j[2], j[3], static_cast<int64_t>(nc + captured.size()), p.transposes}));
}

// Systems k x, and k times the reversed x.
std::vector<Sample<LinearSolve>> linear_solve_samples() {
  const Types in = {sample_operand(), sample_operand()};
  const auto turned = [](const Array& x) { return base::flip(x, 0); };
  const auto made = [&](FunctionRef<Array(const Array&, const Array&)> f) {
    return program(in, [&](const Arrays& a) { return Arrays{f(a[0], a[1])}; });
  };
  const Jaxpr times = made([](const Array& k, const Array& x) { return lax::mul(k, x); }),
              over = made([](const Array& k, const Array& b) { return lax::div(b, k); });
  const LinearSolve diagonal{over, times, over, times, 1, true};
  const LinearSolve flipped{
      made([&](const Array& k, const Array& b) { return turned(lax::div(b, k)); }),
      made([&](const Array& k, const Array& x) { return lax::mul(k, turned(x)); }),
      made([&](const Array& k, const Array& b) { return lax::div(turned(b), k); }),
      made([&](const Array& k, const Array& x) { return turned(lax::mul(k, x)); }),
      1,
      true};
  const auto values = [](uint64_t seed) {
    SampleNumbers r(seed);
    return Arrays{r(sample_operand(), 1, 3), r(sample_operand(), -2, 2)};
  };
  return {{.in = in, .params = diagonal, .values = values},
          {.in = in, .params = flipped, .values = values}};
}

const Primitive<LinearSolve>& linear_solve_op = define<LinearSolve>([] {
  auto d = program_op<LinearSolve>(
      "custom_linear_solve",
      "What a program finds as the solution of a linear system, differentiated as that.");
  d.type = linear_solve_type;
  d.jvp = linear_solve_jvp;
  d.derivatives = [](const LinearSolve& p) { return Derivatives{.reverse = p.transposes}; };
  d.transpose = linear_solve_transpose;
  d.batch = linear_solve_batch;
  d.samples = linear_solve_samples;
  return d;
}());

// ---- custom_root: the equation is differentiated, not the method of finding its root

struct CustomRoot {
  Jaxpr jaxpr;          // solve: (consts…, guess…) -> (x…, aux…)
  Jaxpr f;              // (consts…, x…) -> values that are zero at the solution, of the types of x
  Jaxpr tangent_solve;  // (consts…, x…, b…) -> the y with f'(x) y = b
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, f, tangent_solve, num_consts)
};

Types root_type(const Types& in, const CustomRoot& p) {
  constexpr auto name = "custom_root";
  require_counts(name, {p.num_consts}, 0, in);
  const Types guess = drop_first(in, static_cast<size_t>(p.num_consts));
  require_body(name, p.jaxpr, in, in);
  require_body(name, p.f, in, in);
  require_body(name, p.tangent_solve, concat_lists(in, guess), in);
  Types x = p.jaxpr->out_types();
  if (x.size() > guess.size()) x = sublist(x, 0, guess.size());
  require_results(name, "solve", x, guess, in);
  require_results(name, "f", p.f->out_types(), guess, in);
  require_results(name, "tangent_solve", p.tangent_solve->out_types(), guess, in);
  return concat_lists(strong(guess), drop_first(p.jaxpr->out_types(), guess.size()));
}

// f(c, x) = 0 remains true, so f' x' = -(change of f by c'). The guess and the auxiliary results do
// not have an influence on the tangent.
Arrays root_jvp(const JvpArgs<CustomRoot>& j) {
  const CustomRoot& p = j.params;
  const size_t nc = p.num_consts, n = j.x.size() - nc;
  const Arrays consts = sublist(j.x, 0, nc), changes = sublist(j.dx, 0, nc),
               x = sublist(j.out, 0, n);
  Arrays moved = jvp_flat([&](const Arrays& c) { return eval_jaxpr(p.f, concat_lists(c, x)); },
                          consts, changes)
                     .tangent;
  const std::vector<bool> on = is_nonzero(moved);
  if (std::find(on.begin(), on.end(), true) == on.end()) return Arrays(j.out.size());
  moved = map_list(instantiate, moved, types_of(x));
  const Arrays solved = eval_jaxpr(p.tangent_solve, concat_lists(concat_lists(consts, x), moved));
  return concat_lists(map_list(lax::neg, solved), Arrays(j.out.size() - n));
}

Batched root_batch(const BatchArgs<CustomRoot>& b) {
  const CustomRoot& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  // The solutions are mapped, and they are inputs of the same kind as the guesses.
  const Arrays x = mapped_behind(b, nc, &in);
  const Types types = types_of(x), guess = drop_first(types, nc);
  Arrays captured;
  const std::vector<Jaxpr> j =
      hoist_captures({batched_in_front(p.jaxpr, nc, types, in, b.trace, {}),
                      batched_in_front(p.f, nc, types, in, b.trace, {}),
                      batched_in_front(p.tangent_solve, nc, concat_lists(types, guess),
                                       concat_lists(in, drop_first(in, nc)), b.trace, {})},
                     &captured);
  return mapped_in_front(b.op.bind(with_captured(x, nc, captured),
                                   {j[0], j[1], j[2], static_cast<int64_t>(nc + captured.size())}));
}

// The square root of k, as the x with x^2 = k.
std::vector<Sample<CustomRoot>> root_samples() {
  const Type t = sample_operand();
  const auto made = [&](size_t n, FunctionRef<Array(const Arrays&)> f) {
    return program(Types(n, t), [&](const Arrays& a) { return Arrays{f(a)}; });
  };
  const CustomRoot p{
      made(2, [](const Arrays& a) { return lax::add(lax::sqrt(a[0]), lax::sub(a[1], a[1])); }),
      made(2, [](const Arrays& a) { return lax::sub(lax::mul(a[1], a[1]), a[0]); }),
      made(3, [](const Arrays& a) { return lax::div(a[2], lax::add(a[1], a[1])); }), 1};
  const auto values = [](uint64_t seed) {
    SampleNumbers r(seed);
    return Arrays{r(sample_operand(), 1, 3), r(sample_operand(), 1, 2)};
  };
  return {{.in = {t, t}, .params = p, .values = values}};
}

const Primitive<CustomRoot>& custom_root_op = define<CustomRoot>([] {
  auto d = program_op<CustomRoot>(
      "custom_root", "What a program finds as the root of a function, differentiated as that.");
  d.type = root_type;
  d.jvp = root_jvp;
  d.derivatives = [](const CustomRoot& p) { return derivatives_of(p.tangent_solve); };
  d.batch = root_batch;
  d.samples = root_samples;
  return d;
}());

}  // namespace

Arrays root_flat(const RootProblem& r, const Arrays& guess) {
  Arrays all;
  const std::vector<Jaxpr> j = hoist_captures({{r.solve, 0}, {r.f, 0}, {r.tangent_solve, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, guess);
  return custom_root_op.bind(all, {j[0], j[1], j[2], consts});
}

Arrays linear_solve_flat(const LinearSystem& system, const Arrays& b) {
  Arrays all;
  const ClosedJaxpr& other = system.transpose_solve ? *system.transpose_solve : system.matvec;
  const ClosedJaxpr& vecmat = system.vecmat ? *system.vecmat : system.matvec;
  const std::vector<Jaxpr> j =
      hoist_captures({{system.solve, 0}, {system.matvec, 0}, {other, 0}, {vecmat, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, b);
  return linear_solve_op.bind(
      all, {j[0], j[1], j[2], j[3], consts, system.transpose_solve && system.vecmat});
}

Arrays custom_jvp_flat(const ClosedJaxpr& f, const ClosedJaxpr& rule, const Arrays& x,
                       const std::string& name, bool smooth) {
  Arrays all;
  const std::vector<Jaxpr> j = hoist_captures({{f, 0}, {rule, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, x);
  return custom_jvp_op.bind(all, {j[0], j[1], consts, name, smooth});
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
