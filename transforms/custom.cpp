// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom.cpp: traces functions with user-defined derivative rules, and checks the
// results of the rules.
#include <fmt/format.h>

#include <algorithm>

#include "ops/control/custom_flat.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/symbolic_zero_rules.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "tracer/weak_numbers.h"
#include "weft/grad/custom_rules.h"
#include "weft/grad/symbolic_zeros.h"

namespace weft::detail {
namespace {

bool runs(const Interpreter& trace) {
  for (const Interpreter* i = current().get(); i; i = i->parent().get())
    if (i == &trace) return true;
  return false;
}

// When a rule is called: with the function, or when the function is differentiated. In the first
// case the program of the rule outlives the traces around the call, so it must not capture their
// values. In the second case it may capture values of traces that are then active.
enum class Called { with_function, when_differentiated };
void refuse_tracers(const char* who, const char* which, const ClosedJaxpr& c,
                    Called called = Called::with_function) {
  for (const Array& a : c.consts) {
    if (a.node().concrete()) continue;
    const Tracer& t = static_cast<const Tracer&>(a.node());
    if (called == Called::when_differentiated && runs(*t.trace)) continue;
    throw LeakedTracerError(fmt::format(
        "{}: {} captures a traced value {}{} of the {} around it. Pass it as an argument of the "
        "function instead.",
        who, which, to_string(a.type()), made_at(t), t.trace->name()));
  }
}

void same_structure(const char* who, const char* what, TreeOf want, TreeOf got) {
  const std::string d = tree::detail::difference(want(), got(), "result");
  if (!d.empty())
    throw DifferentiationError(fmt::format(
        "{}: {} must have the same structure as the function's result, but {}", who, what, d));
}

// `symbolic`: an empty handle may stand for a zero.
enum class Zeros { written, symbolic };

// Checks the results of a rule. Returns the primal outputs, and the tangents of the inexact ones.
Arrays rule_results(const Arrays& y, const Types& result, TreeOf out, Zeros zeros) {
  Arrays kept;
  for (size_t k = 0; k < 2 * result.size(); ++k) {
    const Type want = result[k % result.size()].strong();
    const bool tangent = k >= result.size();
    if (tangent && !is_inexact(want.dtype())) continue;
    Array v = y[k];
    if (tangent && v.empty_handle() && zeros == Zeros::symbolic) {
      kept.push_back(v);
      continue;
    }
    if (v.type() != want && v.weak_type() && v.shape() == want.shape())
      v = base::convert(v, want.dtype());
    if (v.type().strong() != want)
      throw DifferentiationError(
          fmt::format("Custom JVP rule must produce primal and tangent outputs with corresponding "
                      "shapes and dtypes. Expected {} for {}'s {}, but got {}.",
                      to_string(want), tree::detail::paths(out(), "result")[k % result.size()],
                      tangent ? "tangent" : "primal", to_string(v.type())));
    kept.push_back(tangent ? v : base::convert(v, want.dtype(), result[k % result.size()].weak()));
  }
  return kept;
}

}  // namespace

Arrays run_custom_jvp(FlatFunction f, FlatFunction rule, const Arrays& x, TreeOf args, TreeOf out,
                      TreeOf rule_out, TreeOf rule_tangent) {
  require_initialized("custom_jvp", x, args, "args");
  const Types in = types_of(x);
  WeakArguments numbers(x);
  ClosedJaxpr body, ruled;
  do {
    body = numbers.trace("custom_jvp", in, f);
    const Types result = body.jaxpr->out_types();
    Types rule_in = in;
    rule_in.insert(rule_in.end(), numbers.n_doubles(), Type(F64, Shape{}));
    for (const Type& t : in)
      if (is_inexact(t.dtype())) rule_in.push_back(t.strong());
    const auto on_arguments = [&](const Arrays& a) {
      const size_t n = in.size();
      Arrays all(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n));
      // The tangent of an F64 operand is that of its weak number, so it has no input of its own.
      for (size_t i = 0, next = n + numbers.n_doubles(); i < n; ++i)
        all.push_back(is_inexact(in[i].dtype()) ? a[next++] : base::zeros(in[i]));
      const Arrays y = rule(all);
      same_structure("custom_jvp", "the primal output of the rule", out, rule_out);
      same_structure("custom_jvp", "the tangent output of the rule", out, rule_tangent);
      return rule_results(y, result, out, Zeros::written);
    };
    ruled = numbers.trace("custom_jvp", rule_in, on_arguments);
    refuse_tracers("custom_jvp", "the rule", ruled);
  } while (numbers.trace_again());
  return custom_jvp_flat(body, ruled, numbers.operands(x), "custom_jvp");
}

namespace {

// The results of fwd are those of the function, converted to the types of the function, followed by
// the residuals.
void check_forward(Arrays& y, const Types& result, TreeOf out) {
  for (size_t k = 0; k < result.size(); ++k) {
    if (y[k].type().strong() != result[k].strong())
      throw DifferentiationError(fmt::format(
          "custom_vjp: fwd must return the values of the function: {} is {} in fwd, but {} in the "
          "function",
          tree::detail::paths(out(), "result")[k], to_string(y[k].type()), to_string(result[k])));
    y[k] = base::convert(y[k], result[k].dtype(), result[k].weak());
  }
}

// Returns a checked cotangent for each inexact argument.
Arrays checked_cotangents(const Arrays& ct, const Types& in, TreeOf args, Zeros zeros) {
  Arrays kept;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_inexact(in[i].dtype())) continue;
    const Type want = in[i].strong();
    if (ct[i].empty_handle()) {
      kept.push_back(zeros == Zeros::symbolic ? Array() : base::zeros(want));
      continue;
    }
    Array c = ct[i];
    if (c.weak_type() && c.shape() == want.shape()) c = base::convert(c, want.dtype());
    if (c.type().strong() != want)
      throw DifferentiationError(fmt::format(
          "custom_vjp: bwd must return a cotangent of the type of each argument: "
          "expected {} for {}, got {}",
          to_string(want), tree::detail::paths(args(), "args")[i], to_string(c.type())));
    kept.push_back(c);
  }
  return kept;
}

}  // namespace

Arrays run_custom_vjp(FlatFunction f, FlatFunction fwd, FlatFunction bwd, const Arrays& x,
                      TreeOf args, TreeOf out, TreeOf fwd_out) {
  require_initialized("custom_vjp", x, args, "args");
  const Types in = types_of(x);
  WeakArguments numbers(x);
  ClosedJaxpr body, forward, backward;
  do {
    body = numbers.trace("custom_vjp", in, f);
    const Types result = body.jaxpr->out_types();
    const auto n_out = static_cast<std::ptrdiff_t>(result.size());
    // The doubles are the first residuals.
    std::vector<int> residuals;
    const auto forward_on = [&](const Arrays& a, const Arrays& doubles) {
      Arrays y = fwd(a);
      same_structure("custom_vjp", "the primal output of fwd", out, fwd_out);
      check_forward(y, result, out);
      residuals = numbers.numbers_of(Arrays(y.begin() + n_out, y.end()), a);
      y.insert(y.begin() + n_out, doubles.begin(), doubles.end());
      return y;
    };
    forward = numbers.trace("custom_vjp", in, forward_on);
    refuse_tracers("custom_vjp", "fwd", forward);
    // The inputs of bwd are the residuals, followed by a cotangent of each result.
    const Types produced = forward.jaxpr->out_types();
    Types back_in(produced.begin() + n_out + static_cast<std::ptrdiff_t>(numbers.n_doubles()),
                  produced.end());
    for (const Type& t : result) back_in.push_back(t.strong());
    const auto backward_on = [&](const Arrays& a, const Arrays& doubles) {
      const Arrays ct = checked_cotangents(bwd(a), in, args, Zeros::written);
      Arrays all;
      for (const Array& d : doubles) all.push_back(base::zeros(d.type()));
      all.insert(all.end(), ct.begin(), ct.end());
      return all;
    };
    backward = numbers.trace("custom_vjp", back_in, backward_on, residuals);
    refuse_tracers("custom_vjp", "bwd", backward);
  } while (numbers.trace_again());
  return custom_vjp_flat(body, forward, backward, numbers.operands(x), "custom_vjp");
}

void require_like_argument(size_t argument, const tree::detail::Skeleton& want,
                           const tree::detail::Skeleton& got) {
  const std::string d = tree::detail::difference(want, got, fmt::format("args[{}]", argument));
  if (!d.empty())
    throw DifferentiationError(
        fmt::format("custom_vjp: bwd must return cotangents with the same structure as the "
                    "arguments: argument {} is {}, its cotangent {}: {}. Fields that hold no Array "
                    "are those of the argument",
                    argument, tree::detail::to_string(want), tree::detail::to_string(got), d));
}

// ---- rules with symbolic zeros, which are called when the function is differentiated

namespace {

// Evaluates f at x followed by `more`, which cannot be C++ numbers. f is recorded and evaluated as
// a program, so that the result does not depend on traces that have ended.
Arrays recorded_call(const char* who, const char* which, const Arrays& x, const Arrays& more,
                     FlatFunction f) {
  Arrays all = x, stand_for = x;
  all.insert(all.end(), more.begin(), more.end());
  stand_for.resize(all.size());
  ClosedJaxpr c = record(types_of(all), stand_for, f);
  refuse_tracers(who, which, c, Called::when_differentiated);
  c.jaxpr = dce(c.jaxpr);
  c.consts.insert(c.consts.end(), all.begin(), all.end());
  return eval_jaxpr(open_constants(c.jaxpr), c.consts);
}

// Returns the Arrays of `a` from index i on where the flag is set, zeros elsewhere.
Arrays with_zeros(const Arrays& a, size_t i, const std::vector<bool>& on, const Types& types) {
  Arrays r;
  for (size_t k = 0; k < on.size(); ++k)
    r.push_back(on[k]                          ? a[i++]
                : is_inexact(types[k].dtype()) ? base::zeros(types[k].strong())
                                               : base::zeros(types[k]));
  return r;
}

// The signature of a function whose rule gets symbolic zeros.
struct RuleSignature {
  size_t doubles;  // number of F64 operands in front of the arguments
  Types in, result;
  tree::detail::Skeleton args, out;
};

class UserJvp final : public DualRule {
 public:
  UserJvp(JvpWithZeros rule, RuleSignature s) : rule_(std::move(rule)), s_(std::move(s)) {}
  Dual call(const Arrays& all, const Arrays& all_dx) const override {
    const Arrays x = drop_first(all, s_.doubles), dx = drop_first(all_dx, s_.doubles);
    const std::vector<bool> on = is_nonzero(dx);
    std::vector<bool> nonzero;
    const auto out_tree = [&] { return s_.out; };
    const Arrays y =
        recorded_call("custom_jvp", "the rule", x, filter_list(dx, on), [&](const Arrays& a) {
          const TangentsWithZeros r =
              rule_(sublist(a, 0, x.size()), with_zeros(a, x.size(), on, s_.in), on);
          same_structure("custom_jvp", "the primal output of the rule", out_tree,
                         [&] { return r.out_tree; });
          same_structure("custom_jvp", "the tangent output of the rule", out_tree,
                         [&] { return r.tangent_tree; });
          const Arrays kept =
              rule_results(concat_lists(r.out, r.tangent), s_.result, out_tree, Zeros::symbolic);
          const Arrays tangents = scatter_list(drop_first(kept, r.out.size()), inexact(r.out));
          nonzero = is_nonzero(tangents);
          return concat_lists(sublist(kept, 0, r.out.size()), filter_list(tangents, nonzero));
        });
    return {sublist(y, 0, nonzero.size()), scatter_list(drop_first(y, nonzero.size()), nonzero)};
  }

 private:
  JvpWithZeros rule_;
  RuleSignature s_;
};

class UserBackward final : public BackwardRule {
 public:
  UserBackward(BwdWithZeros bwd, RuleSignature s, std::vector<bool> perturbed)
      : bwd_(std::move(bwd)), s_(std::move(s)), perturbed_(std::move(perturbed)) {}
  Arrays call(const Arrays& residuals, const Arrays& ct) const override {
    const std::vector<bool> on = is_nonzero(ct);
    std::vector<bool> nonzero;
    const size_t n = residuals.size();
    const Arrays y =
        recorded_call("custom_vjp", "bwd", residuals, filter_list(ct, on), [&](const Arrays& a) {
          const Arrays back =
              bwd_(concat_lists(sublist(a, 0, n), with_zeros(a, n, on, s_.result)), on);
          const Arrays kept =
              checked_cotangents(back, s_.in, [&] { return s_.args; }, Zeros::symbolic);
          const Arrays wanted = filter_list(scatter_list(kept, inexact_of_types()), perturbed_);
          nonzero = is_nonzero(wanted);
          return filter_list(wanted, nonzero);
        });
    return scatter_list(y, nonzero);
  }

 private:
  std::vector<bool> inexact_of_types() const {
    return map_list([](const Type& t) { return is_inexact(t.dtype()); }, s_.in);
  }
  BwdWithZeros bwd_;
  RuleSignature s_;
  std::vector<bool> perturbed_;
};

class UserVjp final : public DualRule {
 public:
  UserVjp(FwdWithZeros fwd, RuleSignature s) : fwd_(std::move(fwd)), s_(std::move(s)) {}
  Dual call(const Arrays& all, const Arrays& all_dx) const override {
    const Arrays x = drop_first(all, s_.doubles), dx = drop_first(all_dx, s_.doubles);
    const std::vector<bool> on = is_nonzero(dx);
    const size_t m = s_.result.size();
    BwdWithZeros bwd;
    const auto out_tree = [&] { return s_.out; };
    const Arrays y = recorded_call("custom_vjp", "fwd", x, {}, [&](const Arrays& a) {
      ForwardWithZeros r = fwd_(a, on);
      same_structure("custom_vjp", "the primal output of fwd", out_tree,
                     [&] { return r.out_tree; });
      check_forward(r.out, s_.result, out_tree);
      bwd = std::move(r.bwd);
      return concat_lists(r.out, r.residuals);
    });
    const Arrays out = sublist(y, 0, m);
    const Arrays tangents = linear_by_rule(make_ref<UserBackward>(std::move(bwd), s_, on),
                                           drop_first(y, m), filter_list(dx, on), types_of(out));
    return {out, scatter_list(tangents, inexact(out))};
  }
  Derivatives derivatives() const override { return {.forward = false}; }

 private:
  FwdWithZeros fwd_;
  RuleSignature s_;
};

// Runs f, which is differentiated by the rule that `make` returns for its signature.
Arrays run_with_rule(const char* who, FlatFunction f, const Arrays& x, TreeOf args, TreeOf out,
                     FunctionRef<Ref<const DualRule>(RuleSignature)> make) {
  const Types in = types_of(x);
  WeakArguments numbers(x);
  ClosedJaxpr body;
  do {
    body = numbers.trace(who, in, f);
  } while (numbers.trace_again());
  return custom_jvp_flat(body,
                         make({numbers.n_doubles(), in, body.jaxpr->out_types(), args(), out()}),
                         numbers.operands(x), who);
}

}  // namespace

Arrays run_custom_jvp_with_zeros(FlatFunction f, const JvpWithZeros& rule, const Arrays& x,
                                 TreeOf out) {
  return run_with_rule("custom_jvp", f, x, out, out, [&](RuleSignature s) {
    return Ref<const DualRule>(make_ref<UserJvp>(rule, std::move(s)));
  });
}
Arrays run_custom_vjp_with_zeros(FlatFunction f, const FwdWithZeros& fwd, const Arrays& x,
                                 TreeOf args, TreeOf out) {
  return run_with_rule("custom_vjp", f, x, args, out, [&](RuleSignature s) {
    return Ref<const DualRule>(make_ref<UserVjp>(fwd, std::move(s)));
  });
}

}  // namespace weft::detail
