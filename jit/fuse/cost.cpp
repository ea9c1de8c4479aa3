// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/cost.cpp: counts the arithmetic of a program from its lowering rules.
#include "jit/fuse/cost.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/loops/axis_classes.h"
#include "core/loops/resize.h"
#include "core/op.h"
#include "core/scalar/number/ir.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;
using Known = std::unordered_map<const JaxprData*, double>;

// Returns a value of the right kind for every read.
class Probe final : public Reader {
 public:
  Probe(nest::Builder& b, const Types& in) : b_(b), in_(in) {
    for (const Type& t : in) buffers_.push_back(b.buffer(storage_of(t.dtype()), false));
  }
  Elem read(int operand, const Coords&) override {
    const size_t k = operand;
    const auto part = [&](int64_t i) { return b_.load(buffers_[k], b_.integer(i)); };
    return {part(0), components(in_[k].dtype()) == 2 ? part(1) : nest::no_id};
  }

 private:
  nest::Builder& b_;
  const Types& in_;
  std::vector<int> buffers_;
};

// Counts the operations of one element: two for a multiply-add, none for a load, a constant, a
// select or an index, and one for anything else.
double element_flops(const Lowering& l, const Types& in, const Types& out) {
  nest::Builder b("cost");
  const num::Writing writing(b);
  const size_t rank = l.form == Form::pull ? out[0].ndim() : l.space.ndim();
  Coords at;
  for (size_t i = 0; i < rank; ++i) at.push_back(b.index(static_cast<int>(i)));
  Probe probe(b, in);
  const Elem e = l.element(probe, 0, at);
  const nest::Inst& made = b.inst(e.re);
  switch (made.op) {
    case nest::Opcode::Const:
    case nest::Opcode::Extent:
    case nest::Opcode::Index:
    case nest::Opcode::Load:
    case nest::Opcode::Select: return 0;
    case nest::Opcode::Fma: return 2;
    default: return 1;
  }
}

double flops_of(const Jaxpr& j, Known& known);

double equation_flops(const JaxprData& j, const Eqn& e, Known& known) {
  Eqn any = e;
  any.implementation = {};  // count what the generated code would compute, even for a library call
  const Lowering l = lower_equation(j, any);
  if (!l.loop.bodies.empty()) {
    double all = 0, most = 0;
    for (const Jaxpr& body : l.loop.bodies) {
      const double one = flops_of(body, known);
      all += one;
      most = std::max(most, one);
    }
    if (l.loop.kind == LoopForm::Kind::cond) return most;
    return all * (l.loop.kind == LoopForm::Kind::scan ? static_cast<double>(l.loop.length) : 1);
  }
  const Types in = j.in_types(e), out = j.out_types(e);
  if (out.empty()) return 0;
  const auto elements = static_cast<double>(out[0].elements());
  const auto terms = static_cast<double>(l.space.elements());
  switch (l.form) {
    case Form::pull: return elements * element_flops(l, in, out);
    case Form::reduce:
      if (l.combine[0] == nest::Combine::MulAdd) return 2 * terms;
      [[fallthrough]];
    case Form::prefix: return terms * (1 + element_flops(l, in, out));
    case Form::contract: return 2 * terms;
    case Form::scatter: return static_cast<double>(in[1].elements());
    default: return elements;
  }
}

double flops_of(const Jaxpr& j, Known& known) {
  if (const auto it = known.find(j.get()); it != known.end()) return it->second;
  double n = 0;
  for (const Eqn& e : j->eqns) n += equation_flops(*j, e, known);
  return known[j.get()] = n;
}

}  // namespace

double native_ns(const Jaxpr& j) {
  double ns = 0;
  for (const Eqn& e : j->eqns) {
    for (const Jaxpr& b : inner_programs(e.params)) ns += native_ns(b);
    const AnyImplementation* i = find_implementation(*e.op, e.implementation);
    if (!i || !i->make) continue;
    const Types in = j->in_types(e), out = j->out_types(e);
    ns += i->cost({in, out, e.params});
  }
  return ns;
}

double lane_ns(const Jaxpr& j, int64_t lanes) {
  constexpr double flops_per_ns = 10;  // of generated code, also where it is short of vectors
  return native_ns(j) + flops(j) / static_cast<double>(lanes) / flops_per_ns;
}

std::optional<int64_t> least_block(const Jaxpr& j, const Bools& in_blocks, int64_t lanes,
                                   size_t steps) {
  const double all = lane_ns(j, lanes), launches = static_cast<double>(steps) * machine.step;
  for (int64_t block = 1; block < lanes; block *= 2) {
    const std::optional<Jaxpr> some = program_of_block(j, in_blocks, block);
    if (!some) break;
    const double ns = lane_ns(*some, block);
    if (all > (1 + share_of_launches) * ns) break;
    if (ns > (1 + share_of_launches) * all) continue;  // few lanes fill no vectors
    const double parts =
        std::ceil(launches / (share_of_launches * ns * static_cast<double>(block)));
    return block * std::max<int64_t>(1, static_cast<int64_t>(parts));
  }
  return std::nullopt;
}

double flops(const Jaxpr& j) {
  Known known;
  return flops_of(j, known);
}

int64_t instructions_at_constant(const Lowering& l, const Types& in, const Types& out) {
  if (!l.element) return 0;
  nest::Builder b("cost");
  const num::Writing writing(b);
  const Coords at(l.form == Form::pull ? out[0].ndim() : l.space.ndim(), b.integer(0));
  Probe probe(b, in);
  const size_t before = b.size();
  l.element(probe, 0, at);
  int64_t n = 0;
  for (size_t v = before; v < b.size(); ++v) {
    const nest::Opcode op = b.inst(static_cast<nest::Id>(v)).op;
    n += op != nest::Opcode::Const && op != nest::Opcode::Load;
  }
  return n;
}

}  // namespace weft::compiler
