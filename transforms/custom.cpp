// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/custom.cpp: tracing functions with rules of their own, and what the rules must return.
#include "weft/transforms/custom.h"

#include <fmt/format.h>

#include "weft/ops/custom_flat.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/concrete.h"
#include "weft/tracer/types_of.h"

namespace weft::detail {
namespace {

// `numbers`: the C++ numbers among the arguments, which stay what they were written as.
Closed traced(const Types& in, FlatFunction f, const Arrays& numbers = {}) {
  Closed c = record(in, numbers, f);
  c.jaxpr = dce(c.jaxpr, std::vector<bool>(c.jaxpr->out.size(), true));
  return c;
}

// Rules outlive the traces around the call (Decided 10).
void refuse_tracers(const char* who, const char* which, const Closed& c) {
  for (const Array& a : c.consts) {
    if (a.node().concrete()) continue;
    const Tracer& t = static_cast<const Tracer&>(a.node());
    throw LeakedTracerError(fmt::format(
        "{}: {} captures a traced value {}{} of the {} around it. Pass it as an argument of the "
        "function instead.",
        who, which, to_string(a.type()),
        t.made ? fmt::format(", made at {},", to_string(t.made)) : "", t.level->name()));
  }
}

void same_structure(const char* who, const char* what, TreeOf want, TreeOf got) {
  const std::string d = tree::difference(want(), got(), "result");
  if (!d.empty())
    throw DifferentiationError(fmt::format(
        "{}: {} must have the same structure as the function's result, but {}", who, what, d));
}

}  // namespace

Arrays run_custom_jvp(FlatFunction f, FlatFunction rule, const Arrays& x, TreeOf out,
                      TreeOf rule_out, TreeOf rule_tangent) {
  const Types in = types_of(x);
  const Arrays numbers = numbers_among(x);
  const Closed body = traced(in, f, numbers);
  const Types result = body.jaxpr->out_types();
  Types rule_in = in;
  for (const Type& t : in)
    if (is_inexact(t.dtype())) rule_in.push_back(t.strong());
  const Closed ruled = traced(
      rule_in,
      [&](const Arrays& a) {
        const size_t n = in.size();
        Arrays all(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n));
        for (size_t i = 0, next = n; i < n; ++i)
          all.push_back(is_inexact(in[i].dtype()) ? a[next++] : base::zeros(in[i]));
        const Arrays y = rule(all);
        same_structure("custom_jvp", "the primal output of the rule", out, rule_out);
        same_structure("custom_jvp", "the tangent output of the rule", out, rule_tangent);
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
                fmt::format("Custom JVP rule must produce primal and tangent outputs with "
                            "corresponding shapes and dtypes. "
                            "Expected {} for {}'s {}, but got {}.",
                            to_string(want), tree::paths(out(), "result")[k % result.size()],
                            tangent ? "tangent" : "primal", to_string(v.type())));
          kept.push_back(tangent ? v : base::convert(v, want.dtype(), result[k].weak()));
        }
        return kept;
      },
      numbers);
  refuse_tracers("custom_jvp", "the rule", ruled);
  return custom_jvp_flat(body, ruled, x, "custom_jvp");
}

Arrays run_custom_vjp(FlatFunction f, FlatFunction fwd, FlatFunction bwd, const Arrays& x,
                      TreeOf args, TreeOf out, TreeOf fwd_out) {
  const Types in = types_of(x);
  const Arrays numbers = numbers_among(x);
  const Closed body = traced(in, f, numbers);
  const Types result = body.jaxpr->out_types();
  const Closed forward = traced(
      in,
      [&](const Arrays& a) {
        Arrays y = fwd(a);
        same_structure("custom_vjp", "the primal output of fwd", out, fwd_out);
        for (size_t k = 0; k < result.size(); ++k) {
          if (y[k].type().strong() != result[k].strong())
            throw DifferentiationError(fmt::format(
                "custom_vjp: fwd must return the values of the function: {} is {} in fwd, but {} "
                "in "
                "the function",
                tree::paths(out(), "result")[k], to_string(y[k].type()), to_string(result[k])));
          y[k] = base::convert(y[k], result[k].dtype(), result[k].weak());
        }
        return y;
      },
      numbers);
  refuse_tracers("custom_vjp", "fwd", forward);
  // Residuals first, then a cotangent of every result.
  const Types produced = forward.jaxpr->out_types();
  Types back_in(produced.begin() + static_cast<std::ptrdiff_t>(result.size()), produced.end());
  for (const Type& t : result) back_in.push_back(t.strong());
  const Closed backward = traced(back_in, [&](const Arrays& a) {
    const Arrays ct = bwd(a);
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
  });
  refuse_tracers("custom_vjp", "bwd", backward);
  return custom_vjp_flat(body, forward, backward, x, "custom_vjp");
}

void bad_cotangent_tree(size_t argument, const tree::Skeleton& want, const tree::Skeleton& got) {
  throw DifferentiationError(
      fmt::format("custom_vjp: bwd must return cotangents with the same structure as the "
                  "arguments: argument {} is {}, its "
                  "cotangent {}",
                  argument, tree::to_string(want), tree::to_string(got)));
}

}  // namespace weft::detail
