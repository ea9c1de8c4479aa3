// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/marks.cpp: identity ops that mark their operand with a name, or as computed
// later.
#include "ops/control/remat/remat.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

// Defines an op that returns the first of its n operands, of any type.
template <class P>
Def<P> identity(const char* name, const char* doc, size_t n, std::vector<P> samples) {
  Def<P> d;
  d.name = name;
  d.doc = doc;
  d.type = [name, n](const Types& in, const P&) {
    require_operands(name, in, n);
    return Types{in[0]};
  };
  d.reference = [](const Arrays& x, const P&) { return Arrays{x[0]}; };
  d.lower = [](const LowerArgs<P>&) {
    Lowering l;
    l.element = [](Reader& x, int, const Coords& at) { return x.read(0, at); };
    return l;
  };
  d.batch = [](const BatchArgs<P>& b) { return Batched{b.op.bind(b.x, b.params), {b.axis[0]}}; };
  d.samples = [n, samples] {
    std::vector<Sample<P>> all;
    for (const P& p : samples)
      for (const Type& t : {Type(F32, {2, 3}), Type(F64, {}), Type(I32, {4}), Type(Bool, {0}),
                            Type(C64, {3}), Type(BF16, {5})})
        all.push_back({Types(n, t), p});
    return all;
  };
  d.rejects = [n] {
    return std::vector<Reject<P>>{{{}, {}, "takes " + std::to_string(n) + " operands"}};
  };
  return d;
}

struct Name {
  std::string name;
  WEFT_FIELDS(name)
};
const Primitive<Name>& name_op = define<Name>([] {
  auto d = identity<Name>(
      "name", "Returns the operand, marked with a name that policies of checkpoint can refer to.",
      1, {{"a"}, {"it's a name"}});
  d.jvp = [](const JvpArgs<Name>& j) { return j.dx; };
  d.transpose = [](const TransposeArgs<Name>& t) { return t.ct; };
  d.simplify = [](const SimplifyArgs<Name>& s) { return s.x; };
  d.forwards_operand = true;
  return d;
}());

const Primitive<None>& schedule_after_op = define<None>([] {
  auto d = identity<None>("schedule_after",
                          "Returns the first operand. Values made from the result are computed "
                          "after the second operand and after all preceding equations.",
                          2, {{}});
  d.jvp = [](const JvpArgs<None>& j) {
    return Arrays{j.dx[0].empty_handle() ? Array() : schedule_after(j.dx[0], j.x[1])};
  };
  d.transpose = [](const TransposeArgs<None>& t) { return Arrays{t.ct[0], Array()}; };
  d.forwards_operand = true;
  return d;
}());

}  // namespace

Array named(const Array& x, const std::string& name) { return name_op({x}, {name}); }
Array schedule_after(const Array& x, const Array& when) { return schedule_after_op({x, when}); }

}  // namespace weft
