// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/composite.cpp: a program under a name that the user gave.
#include "ops/control/calls.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"

namespace weft {
namespace {

// The name stands for this program on these types. Programs made from it by transforms do not have
// a name.
struct Composite {
  Jaxpr jaxpr;
  std::string name;
  int64_t version = 0;
  WEFT_FIELDS(jaxpr, name, version)
};

const Primitive<Composite>& composite_op = define<Composite>([] {
  auto d = program_op<Composite>("composite",
                                 "Runs the program `jaxpr`, which defines the operation called "
                                 "`name` in this `version`, as stablehlo.composite does.");
  d.dual = [](const DualArgs<Composite>& a) {
    return jvp_flat([&](const Arrays& x) { return eval_jaxpr(a.params.jaxpr, x); }, a.x, a.dx);
  };
  d.transpose = [](const TransposeArgs<Composite>& t) {
    return transposed_jaxpr(t.params.jaxpr, t.x, t.linear, t.ct);
  };
  d.batch = [](const BatchArgs<Composite>& b) {
    return batch_eval(b.params.jaxpr, b.x, b.axis, b.trace, b.trace.mask);
  };
  d.samples = [] {
    const Types in(2, Type(F64, {3}));
    const Jaxpr j = program(in, [](const Arrays& x) { return Arrays{sine_product(x[0], x[1])}; });
    return std::vector<Sample<Composite>>{{in, {j, "my.sine_product", 1}}};
  };
  return d;
}());

}  // namespace

Arrays composite_flat(const ClosedJaxpr& f, const Arrays& x, const std::string& name,
                      int64_t version) {
  return composite_op.bind(concat_lists(f.consts, x), {open_constants(f.jaxpr), name, version});
}

}  // namespace weft
