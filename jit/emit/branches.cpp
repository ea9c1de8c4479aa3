// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/branches.cpp: branches of scalars and of vectors.
#include "jit/emit/branches.h"

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

void Branches::emit(Id v) {
  const Inst& i = k_.insts[v];
  if (const auto side = e_.known_sides.find(v); side != e_.known_sides.end())
    return e_.set_results(v, e_.emit_side(v, i.blocks[side->second]));
  if (e_.divergence.divergent[v]) return divergent_if(v);
  const auto then = [&] { return e_.emit_side(v, i.blocks[0]); };
  const auto otherwise = [&] { return e_.emit_side(v, i.blocks[1]); };
  // In an unrolled loop the condition may be known.
  e_.set_results(v, b_.branch(e_.scalar(i.args[0]), then, otherwise, e_.is_unlikely(i)));
}

// A path that hardly any element takes. All elements compute the usual values without a test. The
// values of elements that take the path are then replaced.
void Branches::unlikely_if(Id v) {
  const Inst& i = k_.insts[v];
  const Vs usual = e_.emit_side(v, i.blocks[1]);
  const Masks outer = e_.active;
  const Masks yes = e_.parts(i.args[0], varying_value);
  e_.active = e_.and_active(yes);
  const auto replaced = [&] {
    Vs out = e_.emit_side(v, i.blocks[0]);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], usual[k]);
    return out;
  };
  const Vs joined = b_.branch(b_.any(e_.active), replaced, [&] { return usual; }, true);
  e_.active = outer;
  e_.set_results(v, joined);
}

void Branches::divergent_if(Id v) {
  const Inst& i = k_.insts[v];
  if (e_.is_unlikely(i) && is_arithmetic(k_, i.blocks[1])) return unlikely_if(v);
  const Masks outer = e_.active;
  const Masks yes = e_.parts(i.args[0], varying_value);
  Masks no;
  for (V m : yes) no.push_back(b_.CreateNot(m));
  const auto reached = [&](BlockId b, const Masks& m) {
    const auto run = [&] { return e_.emit_side(v, b); };
    if (s_.flat.count(b)) return run();
    e_.active = e_.and_active(m);
    const auto skip = [&] {
      Vs none;
      for (Id r : e_.divergence.results[v])
        none.append(e_.interleave,
                    llvm::Constant::getNullValue(b_.vector_of(ops_.type(e_.kind(r)))));
      return none;
    };
    const Vs out = b_.branch(b_.any(e_.active), run, skip, e_.is_unlikely(i) && b == i.blocks[0]);
    e_.active = outer;
    return out;
  };
  Vs out = reached(i.blocks[0], yes);
  const Vs other = reached(i.blocks[1], no);
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], other[k]);
  e_.set_results(v, out);
}

}  // namespace weft::compiler
