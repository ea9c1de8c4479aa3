// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_lin.cpp: the linear ops that functions with a reverse rule leave when they are
// differentiated. The rule gives their transpose.
#include "ops/control/custom_lin.h"

#include <algorithm>
#include <span>

#include "autodiff/autodiff.h"
#include "batching/saved_trace.h"
#include "core/loops/axis_classes.h"
#include "core/var_map.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/samples.h"
#include "ops/control/symbolic_zero_rules.h"
#include "ops/kit/kit.h"
#include "tracer/concrete.h"

namespace weft {
namespace {

int64_t summed_of(const Ints& summed, size_t operand) {
  return operand < summed.size() ? summed[operand] : 0;
}
Ints axes_in(int64_t set, int ndim) {
  Ints r;
  for (int a = 0; a < ndim; ++a)
    if (set >> a & 1) r.push_back(a);
  return r;
}
}  // namespace

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
TracedBody batched_bwd(const Jaxpr& bwd, size_t at, const MaybeAxes& residuals,
                       const BatchTrace& trace) {
  MaybeAxes in = residuals;
  in.resize(bwd->n_in, MaybeAxis(0));
  return batched_in_front(bwd, at, mapped_types(bwd->in_types(), in, trace.size), in, trace);
}
Ints batched_sums(const Ints& summed, const std::vector<bool>& operand_mapped) {
  Ints r;
  for (size_t k = 0; k < operand_mapped.size(); ++k)
    r.push_back(summed_of(summed, k) << 1 | (operand_mapped[k] ? 0 : 1));
  return std::all_of(r.begin(), r.end(), [](int64_t set) { return set == 0; }) ? Ints() : r;
}

namespace {

Types lin_type(const Types& in, const CustomLin& p) {
  require_counts("custom_lin", {p.num_residuals}, 0, in);
  const size_t n = p.num_residuals;
  if (const auto* bwd = std::get_if<Jaxpr>(&p.bwd))
    require_bwd("custom_lin", *bwd, sublist(in, 0, n), p.result_types, drop_first(in, n), p.summed,
                in);
  else if (!rule_object<BackwardRule>(p.bwd))
    reject_shape("custom_lin", "has no rule", in);
  return inexact_of(p.result_types);
}

Arrays cotangents_by_program(const Jaxpr& bwd, const Arrays& residuals, const Arrays& ct,
                             const CustomLin& p) {
  Arrays r = eval_jaxpr(bwd, concat_lists(residuals, map_list(instantiate, ct, p.result_types)));
  for (size_t k = 0; k < r.size(); ++k)
    if (const Ints axes = axes_in(summed_of(p.summed, k), r[k].ndim()); !axes.empty())
      r[k] = base::reduce_sum(r[k], axes);
  return r;
}
Arrays cotangents_by_object(const BackwardRule& rule, const Arrays& residuals, const Arrays& ct) {
  try {
    return rule.call(residuals, ct);
  } catch (const EmptyArrayError& e) {  // an error of the user's rule: rethrown as a ShapeError
    throw ShapeError(static_cast<const ShapeError&>(e));
  }
}
Arrays lin_transpose(const TransposeArgs<CustomLin>& t) {
  const CustomLin& p = t.params;
  const size_t n = p.num_residuals;
  const Arrays residuals = sublist(t.x, 0, n);
  const Arrays ct = scatter_list(
      t.ct, map_list([](const Type& r) { return is_inexact(r.dtype()); }, p.result_types));
  const auto rule = rule_object<BackwardRule>(p.bwd);
  return concat_lists(Arrays(n),
                      rule ? cotangents_by_object(*rule, residuals, ct)
                           : cotangents_by_program(std::get<Jaxpr>(p.bwd), residuals, ct, p));
}

Batched lin_batch(const BatchArgs<CustomLin>& b) {
  const CustomLin& p = b.params;
  const size_t n = p.num_residuals;
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  const MaybeAxes residuals = sublist(in, 0, n);
  const std::vector<bool> operand_mapped = mapped(drop_first(in, n));
  CustomLin q = p;
  q.result_types =
      mapped_types(p.result_types, MaybeAxes(p.result_types.size(), MaybeAxis(0)), b.size);
  Arrays more;  // residuals
  size_t at = n;
  if (const auto rule = rule_object<BackwardRule>(p.bwd)) {
    more = SavedBatchTrace::operands(b.trace);
    at = 0;
    q.bwd = Opaque{mapped_rule(rule, b.trace, residuals, operand_mapped)};
  } else {
    q.bwd = hoist_captures({batched_bwd(std::get<Jaxpr>(p.bwd), n, residuals, b.trace)}, &more)[0];
    q.summed = batched_sums(p.summed, operand_mapped);
  }
  q.num_residuals = static_cast<int64_t>(n + more.size());
  return mapped_in_front(b.op.bind(with_captured(x, at, more), q));
}

// ---- custom_lin: only the transpose is known. The op has a value only for zero tangents, and the
// value is zero. Reverse mode needs it where a loop or a branch materializes zeros.

void require_zeros(DType d, std::span<const std::byte> bytes) {
  with_class<DTypes::inexact>(d, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto* x = reinterpret_cast<const T*>(bytes.data());
    for (size_t i = 0; i < bytes.size() / sizeof(T); ++i)
      if (!(Element<T>::load(x[i]) == Element<T>::load(T{})))
        throw DifferentiationError(
            "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
  });
}

Arrays zeros_reference(const Arrays& x, const CustomLin& p) {
  for (size_t i = p.num_residuals; i < x.size(); ++i)
    require_zeros(x[i].dtype(), {static_cast<const std::byte*>(concrete(x[i]).data()),
                                 static_cast<size_t>(x[i].type().bytes())});
  return map_list(base::zeros, inexact_of(p.result_types));
}

NativeCall zeros_call(const Use<CustomLin>& u) {
  return {[in = u.in, n = u.params.num_residuals](const NativeArgs& a) {
    for (size_t i = n; i < in.size(); ++i) require_zeros(in[i].dtype(), a.in_bytes[i]);
    for (const auto& bytes : a.out_bytes) std::fill(bytes.begin(), bytes.end(), std::byte{0});
  }};
}

// The dual of lin(r, dt). The tangents of the residuals contribute nothing: lin is either zero or
// does not have a value.
Dual zeros_dual(const DualArgs<CustomLin>& d) {
  const size_t n = d.params.num_residuals;
  Dual r;
  r.out = d.op.bind(d.x, d.params);
  r.tangent = r.out;
  const Arrays x = concat_lists(
      sublist(d.x, 0, n), map_list(instantiate, drop_first(d.dx, n), types_of(drop_first(d.x, n))));
  const std::vector<bool> on = is_nonzero(drop_first(d.dx, n));
  if (std::find(on.begin(), on.end(), true) != on.end())
    r.tangent = map_list(add_tangents, r.tangent, d.op.bind(x, d.params));
  return r;
}

// Returns true for each result of j that depends on its inputs from number `first` on.
std::vector<bool> made_of_inputs(const JaxprData& j, int32_t first) {
  VarMap<bool> made(j, false);
  const auto is = [&](Atom a) { return made.get(a, false); };
  for (int32_t i = first; i < j.n_in; ++i) made[i] = true;
  for (const Eqn& e : j.eqns)
    if (std::any_of(e.in.begin(), e.in.end(), is)) made.set_results(e, true);
  return map_list(is, j.out);
}

// NativeCall::axis_map: an axis along which each element of the result of bwd depends only on
// elements of the cotangents at the same position. Results of bwd that do not depend on cotangents
// are not read. Residuals that bwd does not use are not read either.
std::vector<std::vector<int>> rule_axes(const Use<CustomLin>& u) {
  const CustomLin& p = u.params;
  const Jaxpr& program = std::get<Jaxpr>(p.bwd);
  const JaxprData& bwd = *program;
  const auto n = static_cast<int32_t>(p.num_residuals);
  const std::vector<bool> reads =
      inputs_read(*dce(program, std::vector<bool>(bwd.out.size(), true), /*effects=*/false));
  std::vector<int32_t> cts;  // the cotangents that are read
  for (int32_t k = n; k < bwd.n_in; ++k)
    if (reads[k]) cts.push_back(k);
  const std::vector<bool> made = made_of_inputs(bwd, n);
  const AxisClasses classes(program);
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
CustomLin sample_by_object() { return {Opaque{make_ref<SampleBackward>()}, 1, {sample_operand()}}; }

// The tangents are zero, because the op has a value only for zero tangents.
std::vector<Sample<CustomLin>> lin_samples() {
  const Type t = sample_operand();
  const auto by_program = [t](uint64_t seed) {
    SampleNumbers r(seed);
    const Array zero = base::zeros(t);
    return Arrays{r(sample_number(), -3, 3), r(t, -2, 2), r(t, -2, 2), zero, zero};
  };
  const auto by_object = [t](uint64_t seed) {
    SampleNumbers r(seed);
    return Arrays{r(t, -2, 2), base::zeros(t)};
  };
  return {{.in = concat_lists({sample_number()}, Types(4, t)),
           .params = {scaled_slopes(), 3, {t}},
           .values = by_program},
          {.in = {t, t}, .params = sample_by_object(), .values = by_object}};
}

const Primitive<CustomLin>& custom_lin_op = define<CustomLin>({
    .name = "custom_lin",
    .doc = "Represents the derivative of a custom_vjp function as a linear op. Only its transpose "
           "is known, as the rule `bwd`.",
    .type = lin_type,
    .reference = zeros_reference,
    .dual = zeros_dual,
    .transpose = lin_transpose,
    .batch = lin_batch,
    .implementations =
        [] {
          return std::vector<Implementation<CustomLin>>{
              {.name = "native", .make = [](const Use<CustomLin>& u) {
                 NativeCall call = zeros_call(u);
                 if (std::holds_alternative<Jaxpr>(u.params.bwd)) call.axis_map = rule_axes(u);
                 return call;
               }}};
        },
    // A mapped object masks the lanes itself, after it is called.
    .nonlinear_in_residuals =
        [](const CustomLin& p) { return std::holds_alternative<Jaxpr>(p.bwd); },
    .samples = lin_samples,
});

// ---- linear_call: an object gives the tangents too

Types linear_call_type(const Types& in, const CustomLin& p) {
  require_counts("linear_call", {p.num_residuals}, 0, in);
  if (!rule_object<BackwardRule>(p.bwd)) reject_shape("linear_call", "has no rule", in);
  return inexact_of(p.result_types);
}
Arrays forward_value(const Arrays& x, const CustomLin& p) {
  const size_t n = p.num_residuals;
  return rule_object<BackwardRule>(p.bwd)->forward(sublist(x, 0, n), drop_first(x, n));
}

const Primitive<CustomLin>& linear_call_op = define<CustomLin>({
    .name = "linear_call",
    .doc = "Computes a linear function whose transpose is given by a rule of the user.",
    .type = linear_call_type,
    .reference = forward_value,
    .dual =
        [](const DualArgs<CustomLin>& d) {
          return jvp_flat([&](const Arrays& x) { return forward_value(x, d.params); }, d.x, d.dx);
        },
    .transpose = lin_transpose,
    .batch = lin_batch,
    .expand = [](const ExpandArgs<CustomLin>& e) { return forward_value(e.x, e.params); },
    .implementations =
        [] { return std::vector<Implementation<CustomLin>>{{.name = std::string(expanded)}}; },
    .samples =
        [] {
          const Type t = sample_operand();
          return std::vector<Sample<CustomLin>>{
              {.in = {t, t}, .params = sample_by_object(), .values = [t](uint64_t seed) {
                 SampleNumbers r(seed);
                 return Arrays{r(t, -2, 2), r(t, -2, 2)};
               }}};
        },
});

}  // namespace

Arrays custom_lin(const Arrays& x, const CustomLin& p) { return custom_lin_op.bind(x, p); }

Arrays linear_by_rule(const Ref<const BackwardRule>& back, const Arrays& residuals,
                      const Arrays& dx, const Types& results) {
  const Primitive<CustomLin>& op = back->goes_forward() ? linear_call_op : custom_lin_op;
  return op.bind(concat_lists(residuals, dx),
                 {Opaque{back}, static_cast<int64_t>(residuals.size()), results});
}

}  // namespace weft
