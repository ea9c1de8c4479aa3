// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_flat.h: functions with their own derivative or batching rules, given as
// programs that are traced at the call. Constants of f and of its rules become operands. Constants
// of the rules are not tracers, because the front end rejects those. Differentiation with respect
// to a constant throws the DifferentiationError of the op.
#pragma once
#include "tracer/record_trace.h"

namespace weft {

// f: x -> out. rule: (x…, dx of the inexact x…) -> (out…, tangents of the inexact outputs…).
// `smooth` states that the rule returns the outputs of f, and that its tangents are made of
// differentiable ops. Derivatives of any order then come from the rule, and operands without a
// tangent are left out.
Arrays custom_jvp_flat(const ClosedJaxpr& f, const ClosedJaxpr& rule, const Arrays& x,
                       const std::string& name, bool smooth = false);
// f: x -> out. fwd: x -> (out…, residuals…). bwd: (residuals…, ct of each out…) -> a cotangent of
// each inexact x, in order. Batching sums the cotangents of unmapped x over the lanes.
Arrays custom_vjp_flat(const ClosedJaxpr& f, const ClosedJaxpr& fwd, const ClosedJaxpr& bwd,
                       const Arrays& x, const std::string& name);

// solve: b -> x with matvec(x) = b, differentiated as the solution x. vecmat is the transpose of
// matvec, and transpose_solve solves it; if they are null, there is no reverse-mode derivative. All
// of them take and return values of the types of b.
struct LinearSystem {
  ClosedJaxpr solve, matvec;
  const ClosedJaxpr *transpose_solve = nullptr, *vecmat = nullptr;
};
Arrays linear_solve_flat(const LinearSystem& system, const Arrays& b);

// solve: guess -> (x…, aux…) with f(x) = 0, differentiated as that root x. tangent_solve: (x…, b…)
// -> the y with f'(x) y = b. x, b, y and the results of f have the types of the guess.
struct RootProblem {
  ClosedJaxpr solve, f, tangent_solve;
};
Arrays root_flat(const RootProblem& problem, const Arrays& guess);

// A batching rule. It is told which x are mapped (along axis 0). It returns the results and says
// which of them are mapped (along axis 0).
class VmapRule : public RefCounted {
 public:
  struct Result {
    Arrays out;
    std::vector<bool> mapped;
  };
  virtual Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const = 0;
};
// f: x -> out, batched by the rule. Without a rule the lanes run one after another.
Arrays custom_vmap_flat(const ClosedJaxpr& f, const Ref<const VmapRule>& rule, const Arrays& x);

}  // namespace weft
