// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/equations.cpp: writes equations by their lowering form.
#include "jit/nests/equations.h"

#include "jit/nests/value_uses.h"
#include "weft/error.h"

namespace weft::compiler {

using Form = Lowering::Form;

// Small pull forms are computed in program order, so that reading does not recurse along chains.
// Large ones are computed where they are read, or together (value_uses.h).
void Equations::write(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  switch (f.lowering(i).form) {
    case Form::pull: {
      // Without operands it is computed from indices, so it is cheap to recompute.
      if (e.in.empty() || updates_.update_in_place(f, i) || updates_.update_copy(f, i)) return;
      int64_t n = 0;
      for (int32_t k = 0; k < e.n_out; ++k) n += f.lane_type(e.out + k).inner_elements();
      if (n > f.kernel->small)
        f.deferred.push_back(i);
      else
        for (int32_t k = 0; k < e.n_out; ++k) materializer_.materialize(f, e.out + k);
      return;
    }
    case Form::reduce:
    case Form::contract:
      for (int32_t k = 0; k < e.n_out; ++k) materializer_.materialize(f, e.out + k);
      return;
    case Form::prefix: running_folds_.write(f, i); return;
    case Form::branch:
    case Form::inlined:
    case Form::loop: control_.write(f, i); return;
    case Form::scatter:
    case Form::opaque: throw InternalError("'" + e.op->name() + "' cannot run inside a lane");
  }
}

// Expensive results are computed here, unless each is read once and all at the same index.
void Equations::write_body(Frame& body, bool materialize_results) {
  const size_t equations = body.s->j->eqns.size();
  body.last = last_readers(*body.s->j);
  for (size_t i = 0; i < equations; ++i) {
    if (must_materialize_deferred(body, i)) materializer_.materialize_deferred(body, i);
    write(body, i);
  }
  if (materialize_results) materializer_.materialize_deferred(body, equations);
}

}  // namespace weft::compiler
