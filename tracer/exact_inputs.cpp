// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/exact_inputs.cpp: inputs for the F64 values of weak arguments.
#include "tracer/exact_inputs.h"

#include <algorithm>

#include "core/jaxpr_builder.h"
#include "core/op.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft {
namespace {

// The input whose double the equation reads, or -1.
int32_t read_by(const JaxprData& j, const Eqn& e) {
  if (!e.op->reads_weak_f64(e.params) || e.in[0].is_literal() || e.in[0].index >= j.n_in) return -1;
  return is_weak_number(j.type(e.in[0])) ? e.in[0].index : -1;
}

}  // namespace

ExactInputs with_exact_inputs(const Jaxpr& j) {
  ExactInputs w{j, {}};
  for (const Eqn& e : j->eqns)
    if (const int32_t v = read_by(*j, e);
        v >= 0 && std::find(w.of.begin(), w.of.end(), v) == w.of.end())
      w.of.push_back(v);
  if (w.of.empty()) return w;
  JaxprBuilder b(*j);
  b.copy_inputs();
  std::vector<Atom> exact;
  for (size_t k = 0; k < w.of.size(); ++k) exact.push_back(b.add_input(Type(F64, Shape{})));
  for (const Eqn& e : j->eqns) {
    Eqn& n = b.copy(e);
    if (const int32_t v = read_by(*j, e); v >= 0)
      n.in[0] = exact[std::find(w.of.begin(), w.of.end(), v) - w.of.begin()];
  }
  w.jaxpr = b.finish(j->out);
  return w;
}

Arrays ExactInputs::operands(Arrays x) const {
  for (int32_t v : of) {
    const Array& number = x[v];
    x.push_back(concrete_or_null(number) ? scalar_of(F64, number.item<double>())
                                         : base::convert(number, F64));
  }
  return x;
}

}  // namespace weft
