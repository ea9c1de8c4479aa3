// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/transpose.cpp: reverse mode: runs a linear program backwards.
#include <fmt/format.h>

#include "autodiff/autodiff.h"
#include "core/effects.h"
#include "core/hash.h"
#include "tracer/concrete.h"
#include "tracer/replay.h"
#include "tracer/transform_cache.h"
#include "tracer/types_of.h"

namespace weft {

namespace {
[[noreturn]] void raise_not_linear(const Eqn& e) {
  throw DifferentiationError(fmt::format(
      "'{}' is not linear here in the operands by which it is transposed: its result depends on "
      "products, quotients or choices of them. linear_transpose takes linear functions, and the "
      "tangent that a rule computes must be linear in its tangents; for other functions, use vjp",
      e.op->name()));
}
// Returns true if the equation converts integers that depend on a linear input. Its result is
// piecewise constant, so the cotangents are zero. Any other use of such integers is not linear.
bool steps_only(const Eqn& e, const std::vector<bool>& linear, const Types& in) {
  for (size_t k = 0; k < in.size(); ++k) {
    if (!linear[k] || is_inexact(in[k].dtype())) continue;
    if (e.op->name() != "convert_element_type") raise_not_linear(e);
    return true;
  }
  return false;
}
}  // namespace

// 1. Finds the variables that depend on a linear input. 2. Forward: computes the other variables.
// 3. Backward: propagates cotangents from the outputs to the linear inputs.
Arrays backward_pass(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                     const Arrays& ct) {
  VarMap<bool> is_linear(*j, false);
  for (int i = 0; i < j->n_in; ++i) is_linear[i] = linear[i];
  const auto linear_atom = [&](Atom a) { return is_linear.get(a, false); };
  Env env(*j, x);
  std::vector<bool> eqn_linear(j->eqns.size(), false);
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    const Eqn& e = j->eqns[i];
    for (Atom a : e.in) eqn_linear[i] = eqn_linear[i] || linear_atom(a);
    if (eqn_linear[i]) {
      is_linear.set_results(e, true);
      continue;
    }
    const SourceScope source(e.source);
    env.write(e, bind_op(*e.op, env.read(e.in), e.params));
  }
  VarMap<Array> cts(*j);
  const auto accumulate = [&](Atom a, const Array& c) {
    if (c.empty_handle() || !linear_atom(a)) return;
    Array& slot = cts[a];
    slot = add_tangents(slot, c);
  };
  for (size_t k = 0; k < j->out.size(); ++k) accumulate(j->out[k], ct[k]);
  for (size_t i = j->eqns.size(); i-- > 0;) {
    const Eqn& e = j->eqns[i];
    if (!eqn_linear[i]) continue;
    Arrays out_ct;
    bool any = false;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) {
      any = any || !cts[v].empty_handle();
      out_ct.push_back(std::exchange(cts[v], Array()));
    }
    const SourceScope source(e.source);
    if (effect_of(e) == Effect::ordered)
      throw DifferentiationError(
          "'" + e.op->name() +
          "' acts on a tangent, which reverse-mode differentiation never computes: it cannot be "
          "transposed. Let it act on values, or use jvp.");
    if (!any) continue;
    const Types in_types = j->in_types(e), out_types = j->out_types(e);
    Arrays in;
    std::vector<bool> lin;
    for (Atom a : e.in) {
      lin.push_back(linear_atom(a));
      in.push_back(lin.back() ? Array() : env.read(a));
    }
    if (steps_only(e, lin, in_types)) continue;
    Arrays back;
    try {
      back = e.op->transpose(out_ct, in, lin, in_types, out_types, e.params);
    } catch (const EmptyArrayError&) {  // the rule needs a value that does not exist
      raise_not_linear(e);
    }
    for (size_t k = 0; k < e.in.size(); ++k) accumulate(e.in[k], back[k]);
  }
  return Arrays(cts.begin(), cts.begin() + j->n_in);
}

namespace {
// (constants…, values that are not linear…, nonzero cotangents…) -> (nonzero cotangents of the
// inputs…).
struct TransposedJaxpr {
  Jaxpr jaxpr;
  Arrays consts;
  std::vector<bool> out_nonzero;
  std::vector<Jaxpr> programs() const { return {jaxpr}; }
  bool closed() const { return consts.empty(); }
};
struct TransposeKey {
  using Result = TransposedJaxpr;
  std::vector<bool> linear, nonzero;
  Types in;
  size_t hash() const { return hash_fields(linear, nonzero, in); }
  friend bool operator==(const TransposeKey&, const TransposeKey&) = default;
};
}  // namespace

Arrays transposed_jaxpr(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                        const Arrays& ct) {
  // The program's inputs are the values that are not linear, and the nonzero cotangents.
  Arrays given;
  std::vector<bool> nonzero;
  for (size_t i = 0; i < x.size(); ++i)
    if (!linear[i]) given.push_back(x[i]);
  for (const Array& c : ct) {
    nonzero.push_back(!c.empty_handle());
    if (nonzero.back()) given.push_back(c);
  }
  const Types in = types_of(given);
  const TransposedJaxpr t = cached_transform(j, TransposeKey{linear, nonzero, in}, [&] {
    TransposedJaxpr made;
    ClosedJaxpr c = record(in, [&](const Arrays& a) {
      Arrays values, cts, out;
      size_t next = 0;
      for (bool l : linear) values.push_back(l ? Array() : a[next++]);
      for (const Array& given : ct) cts.push_back(given.empty_handle() ? Array() : a[next++]);
      for (const Array& back : backward_pass(j, values, linear, cts)) {
        made.out_nonzero.push_back(!back.empty_handle());
        if (made.out_nonzero.back()) out.push_back(back);
      }
      return out;
    });
    made.jaxpr = open_constants(c.jaxpr);
    made.consts = std::move(c.consts);
    return made;
  });
  Arrays args = t.consts;
  args.insert(args.end(), given.begin(), given.end());
  const Arrays back = eval_jaxpr(t.jaxpr, args);
  Arrays result;
  size_t next = 0;
  for (bool on : t.out_nonzero) result.push_back(on ? back[next++] : Array());
  return result;
}

}  // namespace weft
