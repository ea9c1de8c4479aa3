// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/program_op.h: ops that carry a program and compute its results, such as calls and
// functions with their own rules.
#pragma once
#include "ops/control/lanes.h"

namespace weft {

// Inlines the program in place of the equation.
template <class P>
Lowering inlined_program(const LowerArgs<P>& a) {
  Lowering l;
  l.form = Lowering::Form::inlined;
  l.loop.kind = LoopForm::Kind::call;
  l.loop.lane_axes.body_consts.assign(a.in.size(), 0);
  l.loop.result_lane_axes.assign(a.out.size(), 0);
  l.loop.bodies = {a.params.jaxpr};
  return l;
}

// Defines such an op. P has `jaxpr`, whose inputs are the operands. Its code replaces the equation.
template <class P>
Def<P> program_op(const char* name, const char* doc) {
  Def<P> d;
  d.name = name;
  d.doc = doc;
  d.type = [name](const Types& in, const P& p) {
    require_body(name, p.jaxpr, in, in);
    return p.jaxpr->out_types();
  };
  d.reference = [](const Arrays& x, const P& p) { return eval_jaxpr(p.jaxpr, x); };
  d.lower = inlined_program<P>;
  d.compile_eagerly = true;
  return d;
}

// ---- rules of ops that mean exactly what their program means.
// P has `of`, which returns the same parameters with another program.

template <class P>
Dual program_dual(const DualArgs<P>& d) {
  const std::vector<bool> nonzero = is_nonzero(d.dx);
  const size_t m = d.params.jaxpr->out.size();
  const JvpJaxpr j = jvp_jaxpr(d.params.jaxpr, nonzero, std::vector<bool>(m, false));
  const Arrays out = d.op.bind(concat_lists(d.x, filter_list(d.dx, nonzero)), d.params.of(j.jaxpr));
  return {sublist(out, 0, m), scatter_list(drop_first(out, m), j.out_nonzero)};
}

// `p`: the parameters of the mapped op; this function sets the program.
template <class P>
Batched program_batch(const BatchArgs<P>& b, const P& p) {
  Batched r;
  const TracedBody body = trace_body(types_of(b.x), 0, [&](const Arrays& a) {
    Batched inside = batch_eval(b.params.jaxpr, a, b.axis, b.trace, b.trace.mask);
    r.axis = inside.axis;
    return inside.out;
  });
  Arrays x;
  const P mapped = p.of(hoist_captures({body}, &x)[0]);
  r.out = b.op.bind(concat_lists(x, b.x), mapped);
  return r;
}

template <class P>
Arrays program_transpose(const TransposeArgs<P>& t) {
  const std::vector<bool> has_ct = is_nonzero(t.ct);
  const Arrays x = filter_list(t.x, t.linear, false),
               all = concat_lists(x, filter_list(t.ct, has_ct));
  std::vector<bool> on;
  const Jaxpr j = program(types_of(all), [&](const Arrays& a) {
    const Arrays back =
        transposed_jaxpr(t.params.jaxpr, merge_lists(t.linear, Arrays(t.in.size()), a), t.linear,
                         scatter_list(drop_first(a, x.size()), has_ct));
    on = is_nonzero(back);
    return filter_list(back, on);
  });
  return scatter_list(t.op.bind(all, t.params.of(j)), on);
}

}  // namespace weft
