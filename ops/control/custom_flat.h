// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_flat.h: functions with derivative or batching rules of their own, over
// programs traced at the call. Constants of f and of its rules become operands (those of the rules
// are no traced values: the front end refuses them), and a derivative with respect to one is the
// DifferentiationError of the op.
#pragma once
#include "weft/tracer/record_trace.h"

namespace weft {

// f: x -> out. rule: (x…, dx of the inexact x…) -> (out…, tangents of the inexact outputs…).
// `smooth`: the rule's outputs are f's own, and its tangents are made of ops that have derivatives:
// then derivatives of any order come from the rule, and operands without a tangent take no part.
Arrays custom_jvp_flat(const Closed& f, const Closed& rule, const Arrays& x,
                       const std::string& name, bool smooth = false);
// f: x -> out. fwd: x -> (out…, residuals…). bwd: (residuals…, ct of each out…) -> a cotangent of
// each inexact x, in order. Batching sums cotangents of x that are not mapped over the lanes.
Arrays custom_vjp_flat(const Closed& f, const Closed& fwd, const Closed& bwd, const Arrays& x,
                       const std::string& name);

// solve: b -> x with matvec(x) = b, differentiated as that x; vecmat: what matvec is transposed to,
// with its own solve (null: there is no derivative in reverse). All take and return values of b's
// types.
struct LinearSystem {
  Closed solve, matvec;
  const Closed *transpose_solve = nullptr, *vecmat = nullptr;
};
Arrays linear_solve_flat(const LinearSystem& system, const Arrays& b);

// solve: guess -> (x…, aux…) with f(x) = 0, differentiated as that x; tangent_solve: (x…, b…) ->
// the y with f'(x) y = b. x, b, y and what f returns have the types of the guess.
struct RootProblem {
  Closed solve, f, tangent_solve;
};
Arrays root_flat(const RootProblem& problem, const Arrays& guess);

// A batching rule: which x are mapped (along axis 0) -> results, and which of them are (along axis
// 0).
class VmapRule : public RefCounted {
 public:
  struct Result {
    Arrays out;
    std::vector<bool> mapped;
  };
  virtual Result call(int64_t size, const std::vector<bool>& mapped, const Arrays& x) const = 0;
};
// f: x -> out, batched by the rule; without a rule one lane after another.
Arrays custom_vmap_flat(const Closed& f, const Ref<const VmapRule>& rule, const Arrays& x);

}  // namespace weft
