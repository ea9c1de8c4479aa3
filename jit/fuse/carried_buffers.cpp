// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/carried_buffers.cpp: follows carries from the inputs of bodies to their results.
#include "jit/fuse/carried_buffers.h"

#include <algorithm>

#include "core/defining_eqns.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;

// A body, and whether its first input is the mask of its active lanes.
struct Body {
  const Scope& s;
  bool masked;
};

// Follows the values that share the memory of a carry.
class Chain {
 public:
  Chain(const AxisClasses& an, CarriedBuffer* found) : an_(an), found_(found) {}
  // Returns true if `out`, a result of the body, is its variable v after updates in place.
  bool reaches(Body b, int32_t v, Atom out) {
    const JaxprData& j = *b.s.j;
    for (;;) {
      found_->values.emplace_back(&b.s, v);
      const size_t last = note_reads(b.s, v);
      if (const auto results = std::ranges::count(j.out, Atom{v}); results > 0)
        return results == 1 && out == Atom{v};
      if (last == no_equation || std::ranges::count(j.eqns[last].in, Atom{v}) != 1) return false;
      found_->reads.pop_back();  // by the equation that continues the chain
      const auto& in = j.eqns[last].in;
      const int result =
          continued(b, last, static_cast<int>(std::ranges::find(in, Atom{v}) - in.begin()));
      if (result < 0) return false;
      v = j.eqns[last].out + result;
    }
  }
  // Returns the result of branch i that all sides make of operand k, or -1.
  int branch_result(Body b, size_t i, int k) {
    const Eqn& e = b.s.j->eqns[i];
    const LoopForm& v = b.s.lowering[i].loop;
    const ValueRange operands = v.operands().body_consts;
    // A lane that does not enter has zeros as its results. A lane that runs the body is active.
    const bool enters = !v.entry_mask() || (b.masked && e.in[1] == Atom{0});
    if (!operands.contains(k) || !enters) return -1;
    const int32_t input = v.body_inputs().body_consts.first + (k - operands.first);
    for (int r = 0; r < e.n_out; ++r) {
      if (b.s.j->types[e.out + r] != b.s.j->type(e.in[k])) continue;
      const CarriedBuffer before = *found_;
      if (std::ranges::all_of(b.s.bodies[i], [&](const auto& side) {
            return reaches({*side, v.active()}, input, side->j->out[r]);
          }))
        return r;
      *found_ = before;
    }
    return -1;
  }

 private:
  // Notes the equations that read v. Returns the last one.
  size_t note_reads(const Scope& s, int32_t v) {
    size_t last = no_equation;
    for (size_t q = 0; q < s.j->eqns.size(); ++q) {
      const auto& in = s.j->eqns[q].in;
      for (size_t k = 0; k < in.size(); ++k)
        if (in[k] == Atom{v}) found_->reads.push_back({&s, last = q, k});
    }
    return last;
  }
  // Returns the result of equation i that is its operand k after updates in place, or -1.
  int continued(Body b, size_t i, int k) {
    const Scope& s = b.s;
    const Lowering& l = s.lowering[i];
    const Eqn& e = s.j->eqns[i];
    if (l.form == Form::pull && l.destination && k == 0) {
      found_->updates.emplace_back(&s, i);
      for (int a : written_axes(l, s.j->in_types(e)))
        found_->written.insert(an_.find(s.axis(e.out, a)));
      return 0;
    }
    if (l.form == Form::branch) return branch_result(b, i, k);
    const ValueRange carry = l.loop.operands().carry;
    if (l.form != Form::loop || !carry.contains(k)) return -1;
    const int t = k - carry.first;
    const Scope& body = *s.bodies[i].back();
    const int32_t input = l.loop.body_inputs().carry.first + t;
    return reaches({body, l.loop.active()}, input, body.j->out[t]) ? t : -1;
  }

  const AxisClasses& an_;
  CarriedBuffer* const found_;
};

void collect(const AxisClasses& an, const Scope& s, size_t i, std::vector<CarriedBuffer>* all) {
  const LoopForm& v = s.lowering[i].loop;
  if (s.lowering[i].form == Form::loop) {
    const Scope& body = *s.bodies[i].back();
    const int first = v.body_inputs().carry.first;
    for (int t = 0; t < v.operands().carry.size; ++t) {
      const std::pair<const Scope*, int32_t> input{&body, first + t};
      if (std::ranges::any_of(*all, [&](const CarriedBuffer& b) {
            return std::ranges::find(b.values, input) != b.values.end();
          }))
        continue;
      CarriedBuffer b{&s, i, t};
      if (!Chain(an, &b).reaches({body, v.active()}, input.second, body.j->out[t]) ||
          b.updates.empty())
        continue;
      b.values.emplace_back(&s, s.j->eqns[i].out + t);
      all->push_back(std::move(b));
    }
  }
  for (const auto& body : s.bodies[i])
    for (size_t q = 0; q < body->j->eqns.size(); ++q) collect(an, *body, q, all);
}

}  // namespace

std::vector<CarriedBuffer> carried_buffers(const AxisClasses& an, const Scope& s, size_t i) {
  std::vector<CarriedBuffer> all;
  collect(an, s, i, &all);
  return all;
}

std::vector<int> updated_operands(const AxisClasses& an, const Scope& s, size_t i, bool masked) {
  const Eqn& e = s.j->eqns[i];
  std::vector<int> operands(static_cast<size_t>(e.n_out), -1);
  for (int k = 0; k < static_cast<int>(e.in.size()); ++k) {
    if (e.in[k].is_literal() || std::ranges::count(e.in, e.in[k]) != 1) continue;
    CarriedBuffer found{&s, i, 0};
    const int r = Chain(an, &found).branch_result({s, masked}, i, k);
    if (r >= 0 && !found.updates.empty()) operands[r] = k;
  }
  return operands;
}

}  // namespace weft::compiler
