// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom.cpp: tracing functions with rules of their own, and what the rules must return.
#include "weft/transforms/custom.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "weft/ops/control/custom_flat.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/concrete.h"
#include "weft/tracer/types_of.h"

namespace weft::detail {
namespace {

// Weak numbers among the arguments (docs/decisions/0010). C++ numbers are written into the
// programs. The double of a traced one is an operand, in front of the arguments, if a program asks
// for it; then all are traced again.
struct Numbers {
  Arrays written;              // for each argument: the C++ number that it is, or an empty handle
  std::vector<size_t> traced;  // arguments that are traced weak numbers
  std::vector<size_t> with;    // those that have an operand for their double
  bool asked = false;

  explicit Numbers(const Arrays& x) : written(numbers_among(x)) {
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i].type() == Type(F32, Shape{}, true) && x[i].is_traced()) traced.push_back(i);
  }
  bool trace_again() {
    if (!asked || !with.empty()) return false;
    with = traced;
    return true;
  }
  Types doubles() const { return Types(with.size(), Type(F64, Shape{})); }
  Arrays operands(const Arrays& x) const {
    Arrays all;
    for (size_t i : with) all.push_back(base::convert(x[i], F64));
    all.insert(all.end(), x.begin(), x.end());
    return all;
  }
  Arrays arguments(const Arrays& inputs) const {
    return Arrays(inputs.begin() + static_cast<std::ptrdiff_t>(with.size()), inputs.end());
  }
};

// The program of f on the doubles and on inputs of these types; input i is number is[i] (-1: none).
Closed traced(const Types& in, FlatFunction f, Numbers& n, const std::vector<int>& is) {
  Level<Record> level;
  Arrays inputs;
  for (const Type& t : n.doubles()) inputs.push_back(level->input(t));
  for (size_t i = 0; i < in.size(); ++i) {
    Array stands_for;
    if (i < is.size() && is[i] >= 0) {
      const auto it = std::find(n.with.begin(), n.with.end(), static_cast<size_t>(is[i]));
      stands_for = it == n.with.end() ? n.written[static_cast<size_t>(is[i])]
                                      : inputs[static_cast<size_t>(it - n.with.begin())];
    }
    inputs.push_back(level->input(in[i], stands_for));
  }
  Closed c = level->finish(f(inputs));
  for (size_t i = 0; i < std::min(in.size(), is.size()); ++i)
    for (size_t k : n.traced)
      n.asked |= static_cast<int>(k) == is[i] &&
                 static_cast<const RecordTracer&>(inputs[n.with.size() + i].node()).read;
  c.jaxpr = dce(c.jaxpr, std::vector<bool>(c.jaxpr->out.size(), true));
  return c;
}
// Each argument is the number of its place.
std::vector<int> in_order(size_t n) {
  std::vector<int> is(n);
  std::iota(is.begin(), is.end(), 0);
  return is;
}

// Rules outlive the traces around the call (Decided 10).
void refuse_tracers(const char* who, const char* which, const Closed& c) {
  for (const Array& a : c.consts) {
    if (a.node().concrete()) continue;
    const Tracer& t = static_cast<const Tracer&>(a.node());
    throw LeakedTracerError(fmt::format(
        "{}: {} captures a traced value {}{} of the {} around it. Pass it as an argument of the "
        "function instead.",
        who, which, to_string(a.type()), made_at(t), t.level->name()));
  }
}

void same_structure(const char* who, const char* what, TreeOf want, TreeOf got) {
  const std::string d = tree::difference(want(), got(), "result");
  if (!d.empty())
    throw DifferentiationError(fmt::format(
        "{}: {} must have the same structure as the function's result, but {}", who, what, d));
}

// The primal outputs of a rule, and the tangents of the inexact ones.
Arrays rule_results(const Arrays& y, const Types& result, TreeOf out) {
  Arrays kept;
  for (size_t k = 0; k < 2 * result.size(); ++k) {
    const Type want = result[k % result.size()].strong();
    const bool tangent = k >= result.size();
    if (tangent && !is_inexact(want.dtype())) continue;
    Array v = y[k];
    if (v.type() != want && v.weak_type() && v.shape() == want.shape())
      v = base::convert(v, want.dtype());
    if (v.type().strong() != want)
      throw DifferentiationError(
          fmt::format("Custom JVP rule must produce primal and tangent outputs with corresponding "
                      "shapes and dtypes. Expected {} for {}'s {}, but got {}.",
                      to_string(want), tree::paths(out(), "result")[k % result.size()],
                      tangent ? "tangent" : "primal", to_string(v.type())));
    kept.push_back(tangent ? v : base::convert(v, want.dtype(), result[k % result.size()].weak()));
  }
  return kept;
}

}  // namespace

Arrays run_custom_jvp(FlatFunction f, FlatFunction rule, const Arrays& x, TreeOf out,
                      TreeOf rule_out, TreeOf rule_tangent) {
  const Types in = types_of(x);
  Numbers numbers(x);
  const auto arguments_of = in_order(in.size());
  Closed body, ruled;
  do {
    body =
        traced(in, [&](const Arrays& a) { return f(numbers.arguments(a)); }, numbers, arguments_of);
    const Types result = body.jaxpr->out_types();
    Types rule_in = in;
    for (const Type& t : numbers.doubles()) rule_in.push_back(t);
    for (const Type& t : in)
      if (is_inexact(t.dtype())) rule_in.push_back(t.strong());
    const auto on_arguments = [&](const Arrays& inputs) {
      const Arrays a = numbers.arguments(inputs);
      const size_t n = in.size();
      Arrays all(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n));
      // The tangents of the doubles are those of their numbers.
      for (size_t i = 0, next = n + numbers.with.size(); i < n; ++i)
        all.push_back(is_inexact(in[i].dtype()) ? a[next++] : base::zeros(in[i]));
      const Arrays y = rule(all);
      same_structure("custom_jvp", "the primal output of the rule", out, rule_out);
      same_structure("custom_jvp", "the tangent output of the rule", out, rule_tangent);
      return rule_results(y, result, out);
    };
    ruled = traced(rule_in, on_arguments, numbers, arguments_of);
    refuse_tracers("custom_jvp", "the rule", ruled);
  } while (numbers.trace_again());
  return custom_jvp_flat(body, ruled, numbers.operands(x), "custom_jvp");
}

namespace {

// fwd's results are those of the function, whose types they take, then residuals.
void check_forward(Arrays& y, const Types& result, TreeOf out) {
  for (size_t k = 0; k < result.size(); ++k) {
    if (y[k].type().strong() != result[k].strong())
      throw DifferentiationError(fmt::format(
          "custom_vjp: fwd must return the values of the function: {} is {} in fwd, but {} in the "
          "function",
          tree::paths(out(), "result")[k], to_string(y[k].type()), to_string(result[k])));
    y[k] = base::convert(y[k], result[k].dtype(), result[k].weak());
  }
}

// A cotangent for each inexact argument.
Arrays checked_cotangents(const Arrays& ct, const Types& in, TreeOf args) {
  Arrays kept;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!is_inexact(in[i].dtype())) continue;
    const Type want = in[i].strong();
    Array c = ct[i].empty_handle() ? base::zeros(want) : ct[i];
    if (c.weak_type() && c.shape() == want.shape()) c = base::convert(c, want.dtype());
    if (c.type().strong() != want)
      throw DifferentiationError(
          fmt::format("custom_vjp: bwd must return a cotangent of the type of each argument: "
                      "expected {} for {}, got {}",
                      to_string(want), tree::paths(args(), "args")[i], to_string(c.type())));
    kept.push_back(c);
  }
  return kept;
}

// Which number each of these values is, if it is one of the arguments or a C++ number.
std::vector<int> numbers_of(const Arrays& values, const Arrays& arguments, Numbers& n) {
  std::vector<int> is;
  const Arrays written = numbers_among(values);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto same = [&](const Array& a) { return &a.node() == &values[i].node(); };
    const auto it = std::find_if(arguments.begin(), arguments.end(), same);
    if (!written[i].empty_handle()) n.written.push_back(written[i]);
    is.push_back(!written[i].empty_handle() ? static_cast<int>(n.written.size()) - 1
                 : it == arguments.end()    ? -1
                                            : static_cast<int>(it - arguments.begin()));
  }
  return is;
}

}  // namespace

Arrays run_custom_vjp(FlatFunction f, FlatFunction fwd, FlatFunction bwd, const Arrays& x,
                      TreeOf args, TreeOf out, TreeOf fwd_out) {
  const Types in = types_of(x);
  Numbers numbers(x);
  const auto arguments_of = in_order(in.size());
  Closed body, forward, backward;
  do {
    body =
        traced(in, [&](const Arrays& a) { return f(numbers.arguments(a)); }, numbers, arguments_of);
    const Types result = body.jaxpr->out_types();
    const auto n_out = static_cast<std::ptrdiff_t>(result.size());
    // The doubles are the first residuals.
    std::vector<int> residuals;
    const auto forward_on = [&](const Arrays& inputs) {
      const Arrays a = numbers.arguments(inputs);
      Arrays y = fwd(a);
      same_structure("custom_vjp", "the primal output of fwd", out, fwd_out);
      check_forward(y, result, out);
      residuals = numbers_of(Arrays(y.begin() + n_out, y.end()), a, numbers);
      y.insert(y.begin() + n_out, inputs.begin(),
               inputs.end() - static_cast<std::ptrdiff_t>(a.size()));
      return y;
    };
    forward = traced(in, forward_on, numbers, arguments_of);
    refuse_tracers("custom_vjp", "fwd", forward);
    // Residuals first, then a cotangent of every result.
    const Types produced = forward.jaxpr->out_types();
    Types back_in(produced.begin() + n_out + static_cast<std::ptrdiff_t>(numbers.with.size()),
                  produced.end());
    for (const Type& t : result) back_in.push_back(t.strong());
    const auto backward_on = [&](const Arrays& inputs) {
      Arrays ct = checked_cotangents(bwd(numbers.arguments(inputs)), in, args);
      Arrays all;
      for (const Type& t : numbers.doubles()) all.push_back(base::zeros(t));
      all.insert(all.end(), ct.begin(), ct.end());
      return all;
    };
    backward = traced(back_in, backward_on, numbers, residuals);
    refuse_tracers("custom_vjp", "bwd", backward);
  } while (numbers.trace_again());
  return custom_vjp_flat(body, forward, backward, numbers.operands(x), "custom_vjp");
}

void bad_cotangent_tree(size_t argument, const tree::Skeleton& want, const tree::Skeleton& got) {
  throw DifferentiationError(
      fmt::format("custom_vjp: bwd must return cotangents with the same structure as the "
                  "arguments: argument {} is {}, its "
                  "cotangent {}",
                  argument, tree::to_string(want), tree::to_string(got)));
}

}  // namespace weft::detail
