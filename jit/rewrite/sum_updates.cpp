// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/sum_updates.cpp: finds sums of arrays and updated zeros in the bodies of loops.
#include "jit/rewrite/sum_updates.h"

#include <algorithm>

#include "core/defining_eqns.h"
#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "core/param.h"
#include "tracer/concrete.h"
#include "tracer/replay.h"
#include "tracer/trace.h"

namespace weft::compiler {
namespace {

class Sums {
 public:
  explicit Sums(const JaxprData& j) : j_(j), defining_(defining_eqns(j)), readers_(j, 0) {
    for (const Eqn& e : j.eqns)
      for (Atom a : e.in)
        if (!a.is_literal()) ++readers_[a];
    for (Atom a : j.out)
      if (!a.is_literal()) ++readers_[a];
  }
  // Returns the operand of a sum that only this sum reads, and that is zeros after one update of
  // each element at most. Otherwise returns -1.
  int updated_operand(const Eqn& e) const {
    static const Op& add = *find_op("add");
    if (e.op != &add) return -1;
    for (const int k : {1, 0}) {
      const Atom x = e.in[1 - k];
      const size_t i = e.in[k].is_literal() ? no_equation : defining_[e.in[k]];
      if (i == no_equation || readers_[e.in[k]] != 1 || x.is_literal()) continue;
      const Type &t = j_.type(x), &u = j_.types[e.out];
      if (!t.weak() && t.shape() == u.shape() && is_update_of_zeros(j_.eqns[i])) return k;
    }
    return -1;
  }
  size_t defining(Atom a) const { return defining_[a]; }

 private:
  bool is_zero(Atom a) const {
    static const Op& repeat = *find_op("broadcast_in_dim");
    while (!a.is_literal()) {
      const size_t i = defining_[a];
      if (i == no_equation || j_.eqns[i].op != &repeat) return false;
      a = j_.eqns[i].in[0];
    }
    return is_scalar_value(literal_array(j_.literals[a.literal()]), 0);
  }
  bool is_update_of_zeros(const Eqn& e) const {
    static const Op &window = *find_op("dynamic_update_slice"), &scatter = *find_op("scatter");
    constexpr int64_t adds = 1;  // Update::add of ops/index/index.h
    if (e.in.size() < 2 || !is_zero(e.in[0]) ||
        j_.type(e.in[0]).dtype() != j_.type(e.in[1]).dtype())
      return false;
    if (e.op == &window) return true;
    // Narrow floats of a scatter are summed in F32.
    if (e.op != &scatter || itemsize(j_.type(e.in[0]).dtype()) < itemsize(F32) ||
        param_field<int64_t>(e.params, "update") != adds)
      return false;
    const Lowering l = lower_equation(j_, e);
    const Shape& updates = j_.type(e.in[1]).shape();
    for (int a = 0; a < updates.ndim(); ++a)
      if (!l.unique_axes[a] && updates[a] != 1) return false;
    return l.form == Lowering::Form::pull;
  }

  const JaxprData& j_;
  const VarMap<size_t> defining_;
  VarMap<int> readers_;
};

// Returns the sum e of `in`, whose operand k is the result of update w of these operands.
Arrays summed(const Eqn& e, const Arrays& in, int k, const Eqn& w, const Arrays& updated) {
  static const Op& slice = *find_op("dynamic_slice");
  Arrays operands = updated;
  operands[0] = in[1 - k];
  if (w.op->name() == "scatter") return bind_equation(w, operands, w.params);
  const auto batch_dims = param_field<int64_t>(w.params, "batch_dims").value();
  const Shape& window = updated[1].shape();
  const std::vector<int64_t> sizes(window.begin() + batch_dims, window.end());
  Arrays place = updated;
  place.erase(place.begin() + 1);
  place[0] = operands[0];
  Arrays terms(2);
  terms[1 - k] = bind_op(
      slice, place, slice.parse_params({{"slice_sizes", sizes}, {"batch_dims", batch_dims}}))[0];
  terms[k] = updated[1];
  operands[1] = bind_equation(e, terms, e.params)[0];
  return bind_equation(w, operands, w.params);
}

Jaxpr in_body(const Jaxpr& j);

AnyParams with_bodies(const Eqn& e) {
  return with_programs(e, [](const Jaxpr& body) { return in_body(body); });
}

Jaxpr in_body(const Jaxpr& j) {
  const Sums sums(*j);
  std::vector<Arrays> operands(j->eqns.size());
  size_t next = 0;
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    operands[next++] = in;
    if (const int k = sums.updated_operand(e); k >= 0) {
      const size_t w = sums.defining(e.in[k]);
      return summed(e, in, k, j->eqns[w], operands[w]);
    }
    return bind_equation(e, in, with_bodies(e));
  });
}

bool sums_updates(const Jaxpr& j, bool body) {
  const Sums sums(*j);
  return std::ranges::any_of(j->eqns, [&](const Eqn& e) {
    if (body && sums.updated_operand(e) >= 0) return true;
    const auto inner = inner_programs(e.params);
    return std::ranges::any_of(inner, [](const Jaxpr& b) { return sums_updates(b, true); });
  });
}

}  // namespace

Jaxpr sum_updates(const Jaxpr& j) {
  if (!sums_updates(j, false)) return j;
  return rewrite(
      j, [](const Eqn& e, const Arrays& in) { return bind_equation(e, in, with_bodies(e)); });
}

}  // namespace weft::compiler
