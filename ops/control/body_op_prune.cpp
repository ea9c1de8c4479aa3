// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op_prune.cpp: finds the results of while, cond and scan that are operands, and
// removes results that are not read, the carries that only they need, and operands that no body
// reads.
#include <algorithm>

#include "ops/control/body_op.h"
#include "tracer/prune.h"

namespace weft {
namespace {

// The operands and results that remain.
struct Kept {
  LoopValues<bool> operand;
  std::vector<bool> result;  // those that are not carries
  std::vector<bool> outputs() const { return concat_lists(operand.carry, result); }
};

// The least set that is closed under what the bodies read.
Kept find_kept(const BodyOp& o, const std::vector<bool>& read) {
  const size_t n = o.lane_axes.carry.size();
  Kept k{{std::vector<bool>(o.lane_axes.control.size(), true),
          std::vector<bool>(o.lane_axes.cond_consts.size(), false),
          std::vector<bool>(o.lane_axes.body_consts.size(), false), sublist(read, 0, n),
          std::vector<bool>(o.lane_axes.xs.size(), false)},
         drop_first(read, n)};
  const While* loop = std::get_if<While>(&o.like);
  if (loop && loop->max_trips >= 0) k.operand.carry[0] = true;  // it counts the trips
  if (o.test) {
    const LoopValues<bool> in = by_role(inputs_needed(o.test, {true}), o.cond_inputs());
    k.operand.cond_consts = in.cond_consts;
    union_into(&k.operand.carry, in.carry);
  }
  for (bool again = true; again;) {
    again = false;
    const std::vector<bool> outputs = k.outputs();
    for (const Jaxpr& b : o.bodies) {
      const LoopValues<bool> in = by_role(inputs_needed(b, outputs), o.body_inputs());
      union_into(&k.operand.body_consts, in.body_consts);
      union_into(&k.operand.xs, in.xs);
      again |= union_into(&k.operand.carry, in.carry);
    }
  }
  return k;
}

// The program with the inputs that are marked. It reads no others.
Jaxpr with_inputs(const Jaxpr& j, const std::vector<bool>& kept) {
  if (std::ranges::find(kept, false) == kept.end()) return j;
  const Types in(j->types.begin(), j->types.begin() + j->n_in);
  return program(filter_list(in, kept),
                 [&](const Arrays& x) { return eval_jaxpr(j, scatter_list(x, kept)); });
}

// The operand that result k of a body is, or -1.
int returned_operand(const BodyOp& o, const Jaxpr& body, size_t k) {
  const Atom a = body->out[k];
  const LoopRanges in = o.body_inputs(), operands = o.operands();
  if (a.is_literal()) return -1;
  if (o.kind == BodyOp::Kind::cond && in.body_consts.contains(a.index))
    return operands.body_consts.first + a.index - in.body_consts.first;
  const bool same = in.carry.contains(a.index) && a.index - in.carry.first == static_cast<int>(k);
  return same ? operands.carry.first + static_cast<int>(k) : -1;
}

}  // namespace

std::vector<int> body_op_forwards(const BodyOp& o) {
  std::vector<int> r;
  // A loop that changes nothing does not end, unless it has no trips.
  if (o.kind == BodyOp::Kind::loop_while &&
      std::ranges::find(o.loop_invariant, false) == o.loop_invariant.end())
    return r;
  // The results of a cond are zero in lanes that do not run it.
  const bool in_part = o.kind == BodyOp::Kind::cond && (o.active() || o.entry_mask());
  for (size_t k = 0; k < o.bodies[0]->out.size(); ++k) {
    const int first = in_part ? -1 : returned_operand(o, o.bodies[0], k);
    const bool all = std::ranges::all_of(
        o.bodies, [&](const Jaxpr& b) { return returned_operand(o, b, k) == first; });
    r.push_back(all ? first : -1);
  }
  return r;
}

std::optional<Pruned> body_op_prune(const BodyOp& o, const std::vector<bool>& read) {
  const auto all = [](const std::vector<bool>& x) {
    return std::ranges::find(x, false) == x.end();
  };
  // Most loops need all that they have.
  if (all(read) && std::ranges::all_of(o.bodies, [&](const Jaxpr& b) {
        std::vector<bool> inputs = inputs_read(*b);
        if (o.active()) inputs[0] = true;
        return all(inputs);
      }))
    return {};
  const Kept kept = find_kept(o, read);
  const std::vector<bool> operands = in_order(kept.operand), outputs = kept.outputs();
  if (all(operands) && all(outputs)) return {};
  BodyOp r = o;
  r.lane_axes = filter_list(o.lane_axes, kept.operand);
  r.result_lane_axes = filter_list(o.result_lane_axes, kept.result);
  r.loop_invariant = filter_list(o.loop_invariant, kept.operand.carry);
  for (Jaxpr& b : r.bodies) b = with_inputs(prune(b, outputs), o.to_body(kept.operand, true));
  if (o.test) r.test = with_inputs(o.test, o.to_cond(kept.operand));
  return Pruned{operands, outputs, r.params()};
}

}  // namespace weft
