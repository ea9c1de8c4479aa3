// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/body_op.h: treats while, cond and scan as one kind of op, with bodies, and with
// operands by role. The rules of the transforms are written once for all three
// (docs/decisions/0015).
#pragma once
#include <variant>

#include "ops/control/control_flow.h"
#include "ops/control/lanes.h"

namespace weft {

// ---- lists by role (ops/kit/lists.h)

template <class F, class... T>
auto map_list(const F& f, const LoopValues<T>&... x) {
  using R = typename decltype(map_list(f, x.carry...))::value_type;
  return LoopValues<R>{map_list(f, x.control...), map_list(f, x.cond_consts...),
                       map_list(f, x.body_consts...), map_list(f, x.carry...),
                       map_list(f, x.xs...)};
}
template <class T>
LoopValues<T> filter_list(const LoopValues<T>& x, const LoopValues<bool>& flag, bool want = true) {
  return {filter_list(x.control, flag.control, want),
          filter_list(x.cond_consts, flag.cond_consts, want),
          filter_list(x.body_consts, flag.body_consts, want),
          filter_list(x.carry, flag.carry, want), filter_list(x.xs, flag.xs, want)};
}
template <class T>
LoopValues<T> concat_lists(const LoopValues<T>& a, const LoopValues<T>& b) {
  return {concat_lists(a.control, b.control), concat_lists(a.cond_consts, b.cond_consts),
          concat_lists(a.body_consts, b.body_consts), concat_lists(a.carry, b.carry),
          concat_lists(a.xs, b.xs)};
}

// Adds the flags of `more` to the set. Returns true if the set grew.
bool union_into(std::vector<bool>* set, const std::vector<bool>& more);

// One use of such an op. A transform changes a copy and binds the copy.
struct BodyOp : LoopSignature {
  std::variant<Scan, While, Cond> like = {};  // the original parameters, for fields not below
  Jaxpr test = {};                            // for while: the condition
  std::vector<Jaxpr> bodies = {};
  Ints ids = {};                          // of the lanes
  std::vector<bool> loop_invariant = {};  // for while: carries that the body returns unchanged

  Types takes(const LoopValues<Array>& x) const;  // the types of the inputs of a body
  Ints all_lane_axes() const;                     // in the order of the parameter `lane_axes`
  AnyParams params() const;                       // parameters of the op in its present state
  AnyParams as_before() const;                    // parameters of the op from which it was made
  Arrays bind(const Op& op, const LoopValues<Array>& x) const {
    return bind_op(op, in_order(x), params());
  }
  LoopForm form() const;
};
// The ranges of n operands of the op with these parameters.
LoopRanges operands_of(const While& p, size_t n);
LoopRanges operands_of(const Cond& p, size_t n);
LoopRanges operands_of(const Scan& p, size_t n);
BodyOp body_op(const While& p);
BodyOp body_op(const Cond& p);
BodyOp body_op(const Scan& p);

// For the type rules: requires that the carries returned by the body have the types of the carry
// operands.
void require_carries(const char* op, const Types& out, const Types& carry, const Types& in);

// ---- the transforms

Dual body_op_dual(const Op& op, const BodyOp& o, const Arrays& x, const Arrays& dx);
Batched body_op_batch(const Op& op, const BodyOp& o, const Arrays& x, const MaybeAxes& axis,
                      BatchTrace& trace);
// For scan and cond. They are split into a known part, which returns residuals, and an unknown
// part.
Arrays body_op_partial(const Op& op, const BodyOp& o, const Arrays& x,
                       const std::vector<bool>& unknown, PartialEvalTrace& trace);
// For scan and cond.
struct Transposition {
  const Op& op;
  const BodyOp& o;
  const Arrays &ct, &x;  // as in TransposeArgs
  const std::vector<bool>& linear;
  const Types &in, &out;
};
Arrays body_op_transpose(const Transposition& t);

// The unknown operands and results: the least fixed point over the carries.
struct Unknown {
  LoopValues<bool> operand;
  std::vector<bool> result;
  std::vector<Split> bodies;
  Split test;
  bool everything = false;  // the values that decide the course of the op are unknown
};
Unknown find_unknown(const BodyOp& o, const std::vector<bool>& unknown);
// Returns the op restricted to known operands and results. The caller sets its bodies.
BodyOp known_part(const BodyOp& o, const Unknown& u);
// Runs both parts of a scan or cond: the known part, which returns residuals, and the unknown part
// by `run_unknown`. Returns the results of the whole op.
Arrays run_parts(const Op& op, const BodyOp& o, const LoopValues<Array>& x, const Unknown& u,
                 FunctionRef<Arrays(const BodyOp&, const LoopValues<Array>&)> run_unknown);
// Merges the results of both parts into the results of the whole op.
Arrays both_parts(const Unknown& u, const Arrays& known, const Arrays& rest);

// The part of the op that computes the results that are read. Without a value: all of it.
std::optional<Pruned> body_op_prune(const BodyOp& o, const std::vector<bool>& read);
// By result, the operand that is returned as it is, or -1: a carry that no step changes, or an
// operand that all branches return.
std::vector<int> body_op_forwards(const BodyOp& o);

// Adds the rules of such an op to d. steps: the programs of Lowering::lockstep.
template <class P>
Def<P> with_body_rules(Def<P> d, std::vector<Jaxpr> (*steps)(const LowerArgs<P>&)) {
  d.dual = [](const DualArgs<P>& a) { return body_op_dual(a.op, body_op(a.params), a.x, a.dx); };
  d.batch = [](const BatchArgs<P>& a) {
    return body_op_batch(a.op, body_op(a.params), a.x, a.axis, a.trace);
  };
  if (!d.partial)
    d.partial = [](const PartialArgs<P>& a) {
      return body_op_partial(a.op, body_op(a.params), a.x, a.unknown, a.trace);
    };
  if (!d.transpose)
    d.transpose = [](const TransposeArgs<P>& a) {
      return body_op_transpose({a.op, body_op(a.params), a.ct, a.x, a.linear, a.in, a.out});
    };
  d.prune = [](const PruneArgs<P>& a) { return body_op_prune(body_op(a.params), a.read); };
  d.forwards = [](const P& p) { return body_op_forwards(body_op(p)); };
  // The first input of the bodies is the mask of the lanes.
  d.resize = [](const ResizeArgs<P>& r) {
    P p = r.params;
    if (!p.lanes.empty()) p.lanes = inner_programs(make_params(p)).back()->types[0].shape().sizes();
    return p;
  };
  d.lower = [steps](const LowerArgs<P>& a) {
    Lowering l;
    l.loop = body_op(a.params).form();
    l.form = l.loop.kind == LoopForm::Kind::cond ? Lowering::Form::branch : Lowering::Form::loop;
    l.lockstep = [in = a.in, out = a.out, p = a.params, steps] { return steps({in, out, p}); };
    return l;
  };
  d.compile_eagerly = true;
  return d;
}

}  // namespace weft
