// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/elements.cpp: reads elements from memory, from local values, or by computing them.
#include "jit/nests/elements.h"

#include <algorithm>
#include <optional>

#include "core/loops/strides.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using Form = Lowering::Form;

namespace {
// Returns the elements among `size` that a clamped index can reach, such as those of a column.
// Returns nothing for other indices.
std::optional<nest::Choice> reachable(const nest::Builder& b, nest::Id index, int64_t size) {
  const auto inst = [&](nest::Id v) -> const nest::Inst& { return b.inst(v); };
  const std::optional<nest::Choice> c = nest::choice_of(inst, index);
  if (!c || c->base != nest::no_id) return {};
  const int64_t end = c->first + c->step * (c->count - 1);
  if (std::min(c->first, end) < 0 || std::max(c->first, end) >= size) return {};
  return c;
}
}  // namespace

Elem Elements::read_scalars(const Frame& f, int32_t var, const ValueLocation& p, const Coords& at) {
  if (p.elems.size() == 1) return p.elems[0];
  if (p.elems.empty()) return literal_elem({f.type(var).dtype(), false, {0, 0}});
  const I64v o = space_.inner_offset(f.lane_type(var), at);
  int64_t k = 0;
  if (o.known(&k)) return p.elems[k];
  const auto size = static_cast<int64_t>(p.elems.size());
  const std::optional<nest::Choice> few = reachable(b_, o.id, size);
  const int64_t count = few ? few->count : size;
  most_indexed_ = std::max(most_indexed_, count);
  if (count > few_elements) dynamically_indexed_.insert({f.number, var});
  Elem e = p.elems[few ? few->first : 0];
  for (k = 1; k < count; ++k) {
    // Values beyond the clamp choose its ends. Other indices are compared for equality: chains of
    // bounds took 1.35 times as long in a factorization.
    const nest::Id found =
        few ? b_.pure(nest::Opcode::SLt, nest::Kind::Mask,
                      {b_.integer(few->least + k - 1, b_.kind(few->value)), few->value})
            : (o == I64v(k)).id;
    e = select_elem(found, p.elems[few ? few->first + k * few->step : k], e);
  }
  return e;
}

Elem Elements::read(Frame& f, Atom a, const Coords& at) {
  if (a.is_literal()) return literal_elem(f.s->j->literals[a.literal()]);
  const ValueLocation& now = f.location[a.index];
  const bool elsewhere = now.cached && !is_own_point(f.lane_type(a.index), at);
  const ValueLocation p_elsewhere = elsewhere ? f.location.initial(a.index) : ValueLocation{};
  const ValueLocation& p = elsewhere ? p_elsewhere : now;
  switch (p.kind) {
    case ValueLocation::Kind::memory: return memory_.load(a.index, at);
    case ValueLocation::Kind::scalars: return read_scalars(f, a.index, p, at);
    case ValueLocation::Kind::local: return arrays_.load_at(p.local, f.lane_type(a.index), at);
    case ValueLocation::Kind::buffer: return memory_.load(p.buffer, at);
    case ValueLocation::Kind::alias: return read(*p.outer, p.atom, at);
    case ValueLocation::Kind::row: {
      Coords c{p.time};
      c.insert(c.end(), at.begin(), at.end());
      return read(*p.outer, p.atom, c);
    }
    case ValueLocation::Kind::pull: break;
    case ValueLocation::Kind::unset:
      throw InternalError("a kernel reads a value that was not computed");
  }
  const auto visible = [&](const Elem& e) {
    return b_.visible(e.re) && (e.im == nest::no_id || b_.visible(e.im));
  };
  std::map<Coords, Elem>& memo = f.memo[a.index];
  if (const auto it = memo.find(at); it != memo.end() && visible(it->second)) return it->second;
  const Elem e = compute(f, p.eqn, a.index - f.eqn(p.eqn).out, at);
  memo[at] = e;
  return e;
}

// Returns true if the lane's own index is used along each axis of its grid.
bool Elements::is_own_point(const LaneType& t, const Coords& at) const {
  for (size_t a = 0; a < at.size(); ++a)
    if (const int g = t.grid_axis(static_cast<int>(a)); g >= 0 && at[a] != space_.grid()[g])
      return false;
  return true;
}

Elem Elements::compute(Frame& f, size_t i, int out, const Coords& at) {
  const Lowering& l = f.lowering(i);
  OperandReader r(*this, f, f.eqn(i));
  switch (l.form) {
    case Form::pull: return l.element(r, out, at);
    case Form::reduce:
    case Form::contract: return folds_.element(l, r, out, at);
    default:
      throw InternalError("a kernel reads an equation that must be emitted first: " +
                          f.eqn(i).op->name());
  }
}

}  // namespace weft::compiler
