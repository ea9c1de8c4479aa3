// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_writer.cpp: reads elements from memory, from local values, or by computing them.
#include "jit/nests/lane_writer.h"

#include <algorithm>

#include "core/loops/fold_order.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using Form = Lowering::Form;

LaneWriter::LaneWriter(const Program& program, std::string name, const VarMap<bool>& in_memory,
                       int64_t small)
    : program_(program), in_memory_(in_memory), small_(small), b_(std::move(name)), writing_(b_) {
  Frame& f = frames_.emplace_back();
  f.s = &program.scope;
  f.location.defining_eqn = &program.defining_eqn;
  f.location.in_memory = &in_memory_;
}

LaneWriter::Frame& LaneWriter::new_frame(const Scope& s) {
  Frame& f = frames_.emplace_back();
  f.number = frames_.size();
  f.s = &s;
  f.defining_eqn = defining_eqns(*s.j);
  f.location.defining_eqn = &f.defining_eqn;
  return f;
}

LaneWriter::Frame& LaneWriter::body_frame(Frame& f, size_t eqn, size_t body) {
  const AxisClasses* analysis = f.analysis ? f.analysis : program_.analysis[eqn].get();
  const auto* classes = f.classes ? f.classes : &classes_[eqn];
  const Scope& s = f.analysis ? *f.s->bodies[eqn][body] : *analysis->top().bodies[0][body];
  Frame& g = new_frame(s);
  g.analysis = analysis;
  g.classes = classes;
  return g;
}

void LaneWriter::set_grid(const std::vector<int64_t>& extents, bool flat) {
  rank_ = extents.empty() ? 0 : extents.size() == 1 || flat ? 1 : 2;
  if (rank_ == 1) grid_ = split(b_.index(0), extents);
  if (rank_ == 2) {
    // The last axis fills the vector; the others form one outer axis.
    grid_ = split(b_.index(0), std::vector<int64_t>(extents.begin(), extents.end() - 1));
    grid_.push_back(b_.index(1));
  }
}

int LaneWriter::grid_axis_of(const Frame& f, int32_t var, int axis) const {
  if (!f.analysis) {
    const auto it = grid_axes_.find(var);
    return it == grid_axes_.end() ? -1 : it->second[axis];
  }
  const auto it = f.classes->find(f.analysis->find(f.s->axis(var, axis)));
  return it == f.classes->end() ? -1 : it->second;
}

std::vector<int> LaneWriter::inner_axes(const Frame& f, int32_t var) const {
  std::vector<int> r;
  for (int a = 0; a < f.type(var).ndim(); ++a)
    if (grid_axis_of(f, var, a) < 0) r.push_back(a);
  return r;
}

std::vector<int64_t> LaneWriter::inner_extents(const Frame& f, int32_t var) const {
  std::vector<int64_t> r;
  for (int a : inner_axes(f, var)) r.push_back(f.type(var).shape()[a]);
  return r;
}

int64_t LaneWriter::inner_elements(const Frame& f, int32_t var) const {
  int64_t n = 1;
  for (int64_t extent : inner_extents(f, var)) n *= extent;
  return n;
}

// Returns the row-major digits of a flat index, and records that together they are that index.
Coords LaneWriter::split(nest::Id flat, const std::vector<int64_t>& extents) {
  if (extents.size() == 1) return {flat};
  Coords ids(extents.size());
  I64v rest = I64v::at(flat);
  size_t first = 0;  // the outermost digit whose extent is not 1
  while (first + 1 < extents.size() && extents[first] == 1) ++first;
  for (size_t i = extents.size(); i-- > 0;) {
    ids[i] = extents[i] == 1 ? I64v(0).id
             : i == first    ? rest.id
                             : num::rem(rest, I64v(extents[i])).id;
    if (i > first) rest = num::div(rest, I64v(extents[i]));
  }
  auto& known = digits_[ids[0]];
  const bool fresh = std::none_of(known.begin(), known.end(), [&](const Digits& g) {
    return g.flat == flat && g.coords == ids && g.extents == extents;
  });
  if (fresh) known.push_back({ids, extents, flat});
  return ids;
}

Coords LaneWriter::coords_at(const Frame& f, int32_t var, int64_t flat) const {
  const Shape& s = f.type(var).shape();
  Coords c(s.size());
  for (int a = s.ndim(); a-- > 0;) {
    const int lane = grid_axis_of(f, var, a);
    if (lane >= 0) {
      c[a] = grid_[lane];
      continue;
    }
    c[a] = I64v(flat % s[a]).id;
    flat /= s[a];
  }
  return c;
}

Coords LaneWriter::coords_with(const Frame& f, int32_t var, const Coords& inner, int except) {
  Coords c = coords_at(f, var, 0);
  size_t next = 0;
  for (int a : inner_axes(f, var))
    if (a != except) c[a] = inner[next++];
  return c;
}

Coords LaneWriter::coords_of_flat(const Frame& f, int32_t var, nest::Id flat, int except) {
  std::vector<int64_t> extents;
  for (int a : inner_axes(f, var))
    if (a != except) extents.push_back(f.type(var).shape()[a]);
  return coords_with(f, var, extents.empty() ? Coords{} : split(flat, extents), except);
}

// Returns the row-major offset over the axes to keep. Coordinates that are the digits of one index
// are replaced by that index.
I64v LaneWriter::offset(const Coords& at, const Shape& s, const std::vector<bool>& keep) const {
  Coords c;
  std::vector<int64_t> extents;
  for (size_t a = 0; a < at.size(); ++a)
    if (keep.empty() || keep[a]) {
      c.push_back(at[a]);
      extents.push_back(s[static_cast<int64_t>(a)]);
    }
  I64v total(0);
  static const std::vector<Digits> none;
  for (size_t a = 0; a < c.size();) {
    size_t used = 1;
    nest::Id id = c[a];
    const auto known = digits_.find(c[a]);
    for (const Digits& g : known == digits_.end() ? none : known->second)
      if (g.coords.size() > 1 && a + g.coords.size() <= c.size() &&
          std::equal(g.coords.begin(), g.coords.end(),
                     c.begin() + static_cast<std::ptrdiff_t>(a)) &&
          std::equal(g.extents.begin(), g.extents.end(),
                     extents.begin() + static_cast<std::ptrdiff_t>(a))) {
        used = g.coords.size();
        id = g.flat;
        break;
      }
    int64_t stride = 1;
    for (size_t k = a + used; k < c.size(); ++k) stride *= extents[k];
    total = total + I64v::at(id) * I64v(stride);
    a += used;
  }
  return total;
}

// The offset over the inner axes.
I64v LaneWriter::inner_offset(const Frame& f, int32_t var, const Coords& at) const {
  std::vector<bool> inner(at.size(), false);
  for (int a : inner_axes(f, var)) inner[a] = true;
  return offset(at, f.type(var).shape(), inner);
}

int LaneWriter::buffer_of(int32_t var, bool written) {
  const auto [it, fresh] = buffer_index_.try_emplace(var, 0);
  if (fresh) {
    it->second = b_.buffer(storage_of(frames_.front().type(var).dtype()), written);
    buffers_.push_back({var, written});
  }
  return it->second;
}

Elem LaneWriter::read_memory(int32_t var, const Coords& at) {
  const Type& t = frames_.front().type(var);
  const int buffer = buffer_of(var, false);
  const int n = components(t.dtype());
  const I64v o = offset(at, t.shape(), {}) * I64v(n);
  return {b_.load(buffer, o.id), n == 2 ? b_.load(buffer, (o + I64v(1)).id) : nest::no_id};
}

Elem LaneWriter::read_scalars(const Frame& f, int32_t var, const ValueLocation& p,
                              const Coords& at) {
  if (p.elems.size() == 1) return p.elems[0];
  if (p.elems.empty()) return literal_elem({f.type(var).dtype(), false, {0, 0}});
  const I64v o = inner_offset(f, var, at);
  int64_t k = 0;
  if (o.known(&k)) return p.elems[k];
  if (static_cast<int64_t>(p.elems.size()) > few_elements)
    dynamically_indexed_.insert({f.number, var});
  Elem e = p.elems[0];
  for (size_t i = 1; i < p.elems.size(); ++i)
    e = select_elem((o == I64v(static_cast<int64_t>(i))).id, p.elems[i], e);
  return e;
}

Elem LaneWriter::read(Frame& f, Atom a, const Coords& at) {
  if (a.is_literal()) return literal_elem(f.s->j->literals[a.literal()]);
  ValueLocation& p = f.location[a.index];
  switch (p.kind) {
    case ValueLocation::Kind::memory: return read_memory(a.index, at);
    case ValueLocation::Kind::scalars: return read_scalars(f, a.index, p, at);
    case ValueLocation::Kind::local: return load_local(p.local, inner_offset(f, a.index, at).id);
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
  const Elem e = compute(f, p.eqn, a.index - f.s->j->eqns[p.eqn].out, at);
  memo[at] = e;
  return e;
}

Elem LaneWriter::compute(Frame& f, size_t i, int out, const Coords& at) {
  const Lowering& l = f.s->lowering[i];
  switch (l.form) {
    case Form::pull: {
      EqnReader r(*this, f, f.s->j->eqns[i]);
      return l.element(r, out, at);
    }
    case Form::reduce:
    case Form::contract: return compute_fold(f, i, out, at);
    default:
      throw InternalError("a kernel reads an equation that must be emitted first: " +
                          f.s->j->eqns[i].op->name());
  }
}

// Combines the accumulators with one more term.
std::vector<nest::Id> combine_with_term(nest::Builder& b, const std::vector<nest::Combine>& c,
                                        const std::vector<nest::Id>& x,
                                        const std::vector<nest::Id>& term, bool in_order) {
  if (c[0] != nest::Combine::MulAdd) return combine_all(b, c, x, term, in_order);
  return {b.pure(nest::Opcode::Fma, b.kind(x[0]), {term[0], term[1], x[0]})};
}

// Combines results component by component. Pairs of ArgMin and ArgMax compare by value, then by
// index.
std::vector<nest::Id> combine_all(nest::Builder& b, const std::vector<nest::Combine>& c,
                                  const std::vector<nest::Id>& x, const std::vector<nest::Id>& y,
                                  bool in_order) {
  using nest::Combine, nest::Kind, nest::Opcode;
  std::vector<nest::Id> r(x.size());
  for (size_t k = 0; k < c.size(); ++k) {
    if (c[k] != Combine::ArgMin && c[k] != Combine::ArgMax) {
      r[k] = b.pure(nest::opcode_of(c[k]), b.kind(x[k]), {x[k], y[k]});
      continue;
    }
    const bool real = b.kind(x[k]) == Kind::F32 || b.kind(x[k]) == Kind::F64;
    const auto less = [&](nest::Id p, nest::Id q) {
      // A mask is 0 or 1, not 0 or -1.
      const bool mask = b.kind(x[k]) == Kind::Mask;
      return b.pure(real ? Opcode::Lt : mask ? Opcode::ULt : Opcode::SLt, Kind::Mask, {p, q});
    };
    nest::Id take = c[k] == Combine::ArgMax ? less(x[k], y[k]) : less(y[k], x[k]);
    nest::Id nx = nest::no_id, ny = nest::no_id;  // true where the value is NaN
    if (real) {
      nx = b.pure(Opcode::Ne, Kind::Mask, {x[k], x[k]});
      ny = b.pure(Opcode::Ne, Kind::Mask, {y[k], y[k]});
      const nest::Id fresh =
          b.pure(Opcode::And, Kind::Mask, {ny, b.pure(Opcode::Not, Kind::Mask, {nx})});
      take = b.pure(Opcode::Or, Kind::Mask, {take, fresh});
    }
    if (!in_order) {
      nest::Id same = b.pure(Opcode::Eq, Kind::Mask, {x[k], y[k]});
      if (real)
        same = b.pure(Opcode::Or, Kind::Mask, {same, b.pure(Opcode::And, Kind::Mask, {nx, ny})});
      const nest::Id lower = b.pure(Opcode::SLt, Kind::Mask, {y[k + 1], x[k + 1]});
      take = b.pure(Opcode::Or, Kind::Mask, {take, b.pure(Opcode::And, Kind::Mask, {same, lower})});
    }
    r[k] = b.pure(Opcode::Select, b.kind(x[k]), {take, y[k], x[k]});
    r[k + 1] = b.pure(Opcode::Select, b.kind(x[k + 1]), {take, y[k + 1], x[k + 1]});
    ++k;
  }
  return r;
}

// Folds one block of core/loops/fold_order.h. Short blocks are unrolled.
std::vector<nest::Id> LaneWriter::fold_block(int64_t n, const FoldSpec& f, const Term& term) {
  if (n == 1 || (n <= fold_order::short_block && !f.of_folds)) {
    // The first term initializes an argmax; later terms have higher indices.
    const bool pairs = f.combine.back() == nest::Combine::Second;
    std::vector<nest::Id> all = pairs && n > 0 ? term(I64v(0)) : f.identity;
    for (int64_t k = pairs ? 1 : 0; k < n; ++k)
      all = combine_with_term(b_, f.combine, all, term(I64v(k)), pairs);
    return all;
  }
  const nest::BlockId body = b_.open({nest::Kind::I64});
  b_.yield(term(I64v::at(b_.param(body, 0))));
  b_.leave();
  return b_.fold(b_.integer(n), f.identity, f.combine, body, f.of_folds);
}

// Folds terms one after another.
std::vector<nest::Id> LaneWriter::fold_in_order(int64_t n, const FoldSpec& f, const Term& term) {
  std::vector<nest::Kind> params{nest::Kind::I64};
  for (nest::Id id : f.identity) params.push_back(b_.kind(id));
  const nest::BlockId body = b_.open(params);
  std::vector<nest::Id> sum;
  for (size_t k = 0; k < f.identity.size(); ++k)
    sum.push_back(b_.param(body, static_cast<int>(k) + 1));
  b_.yield(combine_with_term(b_, f.combine, sum, term(I64v::at(b_.param(body, 0))), false));
  b_.leave();
  const std::vector<nest::Combine> free(f.any_order ? f.identity.size() : 0, nest::Combine::Add);
  return b_.loop(b_.integer(0), b_.integer(n), 1, f.identity, body, free);
}

std::vector<nest::Id> LaneWriter::fold_terms(int64_t n, const FoldSpec& f, const Term& term) {
  constexpr int64_t most = fold_order::block_terms;
  if (f.in_order && n > fold_order::short_block) return fold_in_order(n, f, term);
  if (n <= most) return fold_block(n, f, term);
  const auto block = [&](I64v b, int64_t terms) {
    return fold_block(terms, f, [&](I64v k) { return term(b * I64v(most) + k); });
  };
  const std::vector<nest::Id> whole =
      fold_terms(n / most, f.of_results(), [&](I64v b) { return block(b, most); });
  return n % most ? combine_all(b_, f.combine, whole, block(I64v(n / most), n % most)) : whole;
}

// Folds the terms at the digits of these axes.
std::vector<nest::Id> LaneWriter::fold_axes(
    const std::vector<int64_t>& extents, const FoldSpec& f,
    const std::function<std::vector<nest::Id>(const Coords&)>& term) {
  const auto first = f.in_order ? 0 : static_cast<std::ptrdiff_t>(fold_order::first_axes(extents));
  if (first == 0) {
    int64_t n = 1;
    for (int64_t extent : extents) n *= extent;
    return fold_terms(
        n, f, [&](I64v k) { return term(extents.empty() ? Coords{} : split(k.id, extents)); });
  }
  const std::vector<int64_t> rows(extents.begin(), extents.begin() + first),
      row(extents.begin() + first, extents.end());
  return fold_axes(rows, f.of_results(), [&](const Coords& at) {
    return fold_axes(row, f, [&](const Coords& in_row) {
      Coords c = at;
      c.insert(c.end(), in_row.begin(), in_row.end());
      return term(c);
    });
  });
}

Elem LaneWriter::compute_fold(Frame& f, size_t i, int out, const Coords& at) {
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  const std::vector<nest::Id> identity = l.identity(b_);
  EqnReader r(*this, f, e);
  const std::vector<nest::Id> folded = fold_axes(
      extents_of(l.space, l.axes), {l.combine, identity, false, l.in_order, l.any_order},
      [&](const Coords& digits) {
        Coords c;
        size_t next_out = 0, next_fold = 0;
        for (int a = 0; a < l.space.ndim(); ++a) {
          const bool folded_axis = std::find(l.axes.begin(), l.axes.end(), a) != l.axes.end();
          c.push_back(folded_axis ? digits[next_fold++] : at[next_out++]);
        }
        return terms_at(l, r, c);
      });
  return l.results(folded)[out];
}

KernelNest LaneWriter::finish(nest::Vector v) {
  return {b_.finish(rank_, 0, v), std::move(buffers_)};
}

}  // namespace weft::compiler
