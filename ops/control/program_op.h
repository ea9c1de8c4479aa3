// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/program_op.h: ops that stand for a program they carry (calls, functions with rules of
// their own): what they compute is what the program computes.
#pragma once
#include "weft/ops/control/lanes.h"

namespace weft {

// The program takes the place of the equation.
template <class P>
Lowering inlined_program(const LowerArgs<P>& a) {
  Lowering l;
  l.form = Lowering::Form::inlined;
  l.loop = {.kind = LoopForm::Kind::call,
            .bodies = {a.params.jaxpr},
            .consts = static_cast<int>(a.in.size()),
            .results = static_cast<int>(a.out.size())};
  return l;
}

// P has `jaxpr`, whose inputs are the operands. The code of the program takes the equation's place.
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

}  // namespace weft
