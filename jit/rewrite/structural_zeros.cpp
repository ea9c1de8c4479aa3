// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/structural_zeros.cpp: finds structural zeros in the values of a lane, and writes
// programs without their products.
//
// A result is computed as before and then replaced, by `select_n` with a constant mask, where the
// rule says so. Where a lane writes its elements one by one, the mask is known, and the replaced
// element is never computed. Everywhere else the program has the same bits.
#include "jit/rewrite/structural_zeros.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "core/derivative_zero.h"
#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/fold_order.h"
#include "core/op.h"
#include "jit/fuse/equation_alone.h"
#include "jit/fuse/loop_grid.h"
#include "jit/fuse/region.h"
#include "jit/rewrite/known_elements.h"
#include "tracer/base_ops.h"
#include "tracer/derivative_zeros.h"
#include "tracer/record_trace.h"
#include "tracer/replay.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;

// Elements of larger values are not known.
constexpr int64_t most_known = 256;
// The number of instructions that are run to find the elements of one value.
constexpr int64_t most_work = int64_t{1} << 15;
// The elements of carries are found by as many steps at most.
constexpr int most_steps = 4;

int64_t product_of(const Indices& x) {
  return std::accumulate(x.begin(), x.end(), int64_t{1}, std::multiplies<>());
}

// ---- masks

// A set of elements. Along an axis of extent 1 all elements are alike.
struct Mask {
  Indices extents;
  std::vector<bool> set = {};
  bool any() const { return std::ranges::find(set, true) != set.end(); }
  bool all() const { return std::ranges::find(set, false) == set.end(); }
  // As parameters of ops store them (ops/structure/mask.h).
  Ints words() const {
    Ints r((set.size() + 63) / 64, 0);
    for (size_t i = 0; i < set.size(); ++i)
      if (set[i]) r[i / 64] |= static_cast<int64_t>(uint64_t{1} << (i % 64));
    return r;
  }
};

Array bound(const char* op, const Arrays& x,
            const std::vector<std::pair<std::string, ParamValue>>& fields = {}) {
  const Op& o = *find_op(op);
  return bind_op(o, x, o.parse_params(fields))[0];
}

Array broadcast(const Array& x, const Shape& shape, const Ints& axes) {
  if (x.shape() == shape) return x;
  return bound("broadcast_in_dim", {x}, {{"shape", shape.sizes()}, {"broadcast_dimensions", axes}});
}

// The constants of one program. Each of them is one equation, however often it is used.
class Constants {
 public:
  Array mask(const Mask& m, const Shape& shape) {
    Ints axes, extents;
    const Ints words = m.words();
    for (size_t a = 0; a < m.extents.size(); ++a) {
      if (m.extents[a] == 1) continue;
      axes.push_back(static_cast<int64_t>(a));
      extents.push_back(m.extents[a]);
    }
    const auto [it, fresh] = masks_.try_emplace({words, extents, axes, shape.sizes()});
    if (fresh)
      it->second = broadcast(bound("mask", {}, {{"shape", extents}, {"bits", words}}), shape, axes);
    return it->second;
  }
  Array zeros(const Type& t) {
    const auto [it, fresh] = zeros_.try_emplace({t.dtype(), t.shape().sizes()});
    if (fresh) it->second = base::derivative_zeros(t);
    return it->second;
  }
  Array select(const Mask& m, const Array& x, const Array& otherwise) {
    return m.all() ? x : bound("select_n", {mask(m, x.shape()), otherwise, x});
  }

 private:
  std::map<std::array<Ints, 4>, Array> masks_;
  std::map<std::pair<DType, Ints>, Array> zeros_;
};

// ---- rewrites of equations

// Some elements of a result are an operand, its negative, or a zero of a derivative.
struct Replacement {
  Mask where;
  enum { zero, operand, negative } by = zero;
  size_t number = 0;  // of the operand
};

// How an equation changes. All empty: it stays.
struct Change {
  std::vector<Replacement> replaced = {};  // a later one holds where several do
  std::vector<Mask> kept = {};             // of a product, by factor: elements that are not zero
  AnyParams params = {};                   // of an equation that holds programs
  bool any() const { return !replaced.empty() || !kept.empty() || params; }
};

Array replacement(const Replacement& r, const Arrays& in, const Type& out, Constants& constants) {
  if (r.by == Replacement::zero) return constants.zeros(out);
  Array x = in[r.number];
  if (x.type().weak()) x = base::convert(x, out.dtype());
  x = broadcast(x, out.shape(), {});
  return r.by == Replacement::negative ? bound("neg", {x}) : x;
}

Array with_replacements(const Eqn& e, const Arrays& in, const Change& c, const Type& out,
                        Constants& constants) {
  size_t first = c.replaced.size();  // earlier ones do not matter
  while (first > 0 && !(first < c.replaced.size() && c.replaced[first].where.all())) --first;
  Array result;
  if (!c.replaced[first].where.all()) result = bind_equation(e, in, e.params)[0];
  for (; first < c.replaced.size(); ++first) {
    const Replacement& r = c.replaced[first];
    result = constants.select(r.where, replacement(r, in, out, constants), result);
  }
  return result;
}

// The axes of a product of two factors. In the result the batch axes come first, then the other
// axes of either factor.
struct Factor {
  Ints contracted, batch;
  Ints place;  // by axis: the axis of the result, or -1
};
struct ProductAxes {
  Factor factors[2];
  Indices terms;  // extents of the contracted axes
};

ProductAxes product_axes(const JaxprData& j, const Eqn& e) {
  const auto field = [&](const char* name) { return param_field<Ints>(e.params, name).value(); };
  ProductAxes p{{{field("lhs_contract"), field("lhs_batch"), {}},
                 {field("rhs_contract"), field("rhs_batch"), {}}},
                {}};
  auto next = std::ssize(p.factors[0].batch);
  for (size_t k = 0; k < 2; ++k) {
    Factor& f = p.factors[k];
    f.place.assign(static_cast<size_t>(j.type(e.in[k]).ndim()), -1);
    for (size_t i = 0; i < f.batch.size(); ++i) f.place[f.batch[i]] = static_cast<int64_t>(i);
    for (size_t a = 0; a < f.place.size(); ++a)
      if (f.place[a] < 0 && std::ranges::find(f.contracted, a) == f.contracted.end())
        f.place[a] = next++;
  }
  for (int64_t a : p.factors[0].contracted) p.terms.push_back(j.type(e.in[0]).shape()[a]);
  return p;
}

// The index of a factor in the term at these contracted indices of the element at `at`.
Indices index_in_factor(const Factor& f, const Indices& at, const Indices& term) {
  Indices index(f.place.size());
  for (size_t a = 0; a < index.size(); ++a)
    if (f.place[a] >= 0) index[a] = at[f.place[a]];
  for (size_t i = 0; i < term.size(); ++i) index[f.contracted[i]] = term[i];
  return index;
}

// The product without the terms of other elements.
Array masked_product(const Eqn& e, const Arrays& in, const std::vector<Mask>& kept) {
  std::vector<std::pair<std::string, ParamValue>> fields;
  for (const char* axes : {"lhs_contract", "rhs_contract", "lhs_batch", "rhs_batch"})
    fields.emplace_back(axes, param_field<Ints>(e.params, axes).value());
  fields.insert(fields.end(), {{"lhs_shape", kept[0].extents},
                               {"lhs_bits", kept[0].words()},
                               {"rhs_shape", kept[1].extents},
                               {"rhs_bits", kept[1].words()}});
  return bound("masked_dot", in, fields);
}

// ---- the programs of a lane

class LaneRewriter {
 public:
  LaneRewriter(const AxisClasses& axes, const std::map<int, int>& lanes);
  // Returns the parameters of a loop, branch or call with rewritten programs. `out`: what is known
  // of its results.
  AnyParams with_bodies(const Scope& s, size_t i, const std::vector<KnownElements>& operands,
                        std::vector<KnownElements>* out);

 private:
  struct Body {
    Jaxpr program;
    std::vector<KnownElements> out;
  };
  // write = false: only `out` is needed.
  Body body(const Scope& s, const std::vector<KnownElements>& in, bool write);
  Body loop_body(const Scope& s, const LoopForm& v, LoopValues<KnownElements>* in);
  Change change(const Scope& s, size_t i, std::vector<KnownElements>* known);
  Change elements(const Scope& s, size_t i, std::vector<KnownElements>* known);
  Change product(const Scope& s, size_t i, std::vector<KnownElements>* known);
  Indices extents(const Scope& s, int32_t var) const;
  static KnownElements of(const Scope& s, Atom a, const std::vector<KnownElements>& known) {
    return a.is_literal() ? KnownElements(s.j->literals[a.literal()]) : known[a.index];
  }

  const AxisClasses& axes_;
  const std::map<int, int>& lanes_;  // classes
  int64_t unrolled_;                 // values of up to this many elements are scalars
};

LaneRewriter::LaneRewriter(const AxisClasses& axes, const std::map<int, int>& lanes)
    : axes_(axes), lanes_(lanes) {
  const Scope& top = axes.top();
  unrolled_ = top.lowering[0].form == Form::inlined && is_straight(*top.bodies[0][0])
                  ? most_scalars
                  : small_elements;
}

// The extents of the elements that a lane holds.
Indices LaneRewriter::extents(const Scope& s, int32_t var) const {
  Indices r;
  const Shape& shape = s.j->types[var].shape();
  for (int a = 0; a < shape.ndim(); ++a)
    r.push_back(lanes_.contains(axes_.find(s.axis(var, a))) ? 1 : shape[a]);
  return r;
}

LaneRewriter::Body LaneRewriter::body(const Scope& s, const std::vector<KnownElements>& in,
                                      bool write) {
  std::vector<KnownElements> known(s.j->types.size());
  std::ranges::copy(in, known.begin());
  std::unordered_map<const Eqn*, Change> changes;
  for (size_t i = 0; i < s.j->eqns.size(); ++i)
    if (Change c = change(s, i, &known); c.any()) changes[&s.j->eqns[i]] = std::move(c);
  Body r{s.j, {}};
  for (Atom a : s.j->out) r.out.push_back(of(s, a, known));
  if (!write || changes.empty()) return r;
  Constants constants;
  r.program = rewrite(s.j, [&](const Eqn& e, const Arrays& in) {
    const auto it = changes.find(&e);
    if (it == changes.end()) return bind_equation(e, in, e.params);
    const Change& c = it->second;
    if (c.params) return bind_equation(e, in, c.params);
    const SourceScope source(e.source);
    return Arrays{c.kept.empty() ? with_replacements(e, in, c, s.j->types[e.out], constants)
                                 : masked_product(e, in, c.kept)};
  });
  return r;
}

Change LaneRewriter::change(const Scope& s, size_t i, std::vector<KnownElements>* known) {
  const Eqn& e = s.j->eqns[i];
  switch (s.lowering[i].form) {
    case Form::pull:
    case Form::reduce: return elements(s, i, known);
    case Form::contract: return product(s, i, known);
    case Form::loop:
    case Form::branch:
    case Form::inlined: {
      std::vector<KnownElements> in, out;
      for (Atom a : e.in) in.push_back(of(s, a, *known));
      AnyParams params = with_bodies(s, i, in, &out);
      for (size_t k = 0; k < out.size(); ++k) (*known)[static_cast<size_t>(e.out) + k] = out[k];
      return {.params = params == e.params ? AnyParams() : params};
    }
    default: return {};
  }
}

// Sums and multiply-adds drop terms that are zeros of derivatives. Other results are such zeros
// where the rule says so.
Change LaneRewriter::elements(const Scope& s, size_t i, std::vector<KnownElements>* known) {
  static const Op &add = *find_op("add"), &sub = *find_op("sub"), &fma = *find_op("fma"),
                  &seed = *find_op("seed_eq");
  const Eqn& e = s.j->eqns[i];
  if (e.n_out != 1 || !s.lowering[i].element || components(s.j->types[e.out].dtype()) == 2)
    return {};
  std::vector<KnownElements> in;
  bool some = true;
  for (Atom a : e.in) {
    in.push_back(of(s, a, *known));
    some = some && a.is_literal();
  }
  for (size_t k = 0; k < in.size(); ++k)
    some = some || (!in[k].empty() && (!e.in[k].is_literal() || in[k] == in[k].zeros()));
  const Type& type = s.j->types[e.out];
  const Indices all = extents(s, e.out);
  const int64_t n = product_of(all);
  int64_t work = n * std::max(1, s.access[i].cost);
  for (int64_t a : s.lowering[i].axes) work *= s.lowering[i].space[a];
  if (!some || n == 0 || n > most_known || work > most_work) return {};
  const Types in_types = s.j->in_types(e);
  KnownResult r = known_result({s.lowering[i], in_types, in}, type.shape(), all);
  if (r.by_rule.empty()) return {};

  Change c;
  const bool may_change = n <= unrolled_ && !type.weak() && is_floating(type.dtype());
  const auto drop = [&](FunctionRef<bool(const std::vector<bool>&)> where, size_t by,
                        bool negative = false) {
    Replacement p{{all}, negative ? Replacement::negative : Replacement::operand, by};
    for_each_index(all, [&](const Indices& at) {
      std::vector<bool> zero;
      for (size_t k = 0; k < in.size(); ++k) zero.push_back(in[k].at(at).kind == Known::Kind::zero);
      p.where.set.push_back(where(zero));
    });
    if (p.where.any()) c.replaced.push_back(std::move(p));
  };
  if (may_change && e.op == &fma) {
    drop([](const std::vector<bool>& zero) { return zero[0] || zero[1]; }, 2);
  } else if (may_change && e.op == &add) {
    drop([](const std::vector<bool>& zero) { return zero[0]; }, 1);
    drop([](const std::vector<bool>& zero) { return zero[1]; }, 0);
  } else if (may_change && e.op == &sub) {
    drop([](const std::vector<bool>& zero) { return zero[0]; }, 1, true);
    drop([](const std::vector<bool>& zero) { return zero[1]; }, 0);
  } else if (may_change && std::ranges::find(r.by_rule, true) != r.by_rule.end()) {
    c.replaced.push_back({{all, r.by_rule}});
  }
  std::vector<Known> result;
  size_t next = 0;
  for_each_index(all, [&](const Indices& at) {
    Known k = r.known.at(at);
    const bool by_rule = r.by_rule[next];
    bool replaced = false;
    for (const Replacement& p : c.replaced) {
      if (!p.where.set[next]) continue;
      replaced = true;
      if (p.by == Replacement::zero) continue;
      k = in[p.number].at(at);
      if (p.by == Replacement::negative && k.kind == Known::Kind::constant) k = {};
    }
    if (by_rule && !replaced) k = {};
    if (e.op == &seed && k == Known{Known::Kind::constant, 0}) k = {Known::Kind::zero, 0};
    result.push_back(k);
    ++next;
  });
  (*known)[e.out] = KnownElements(all, std::move(result));
  return c;
}

// A product drops the terms in which a factor is a zero, whether of a derivative or not.
Change LaneRewriter::product(const Scope& s, size_t i, std::vector<KnownElements>* known) {
  const Eqn& e = s.j->eqns[i];
  const Type& type = s.j->types[e.out];
  const DType d = type.dtype();
  if ((d != F32 && d != F64) || type.weak() || s.j->type(e.in[0]).dtype() != d ||
      (!e.implementation.empty() && e.implementation != generated))
    return {};
  static const Op& dot = *find_op("dot_general");
  if (e.op != &dot) return {};
  const KnownElements in[2] = {of(s, e.in[0], *known), of(s, e.in[1], *known)};
  if (in[0].empty() && in[1].empty()) return {};
  const ProductAxes p = product_axes(*s.j, e);
  const Indices all = extents(s, e.out);
  const int64_t n = product_of(all), terms = product_of(p.terms);
  if (n == 0 || n > unrolled_ || terms == 0 || terms > fold_order::short_block) return {};

  const uint64_t sign = d == F32 ? uint64_t{1} << 31 : uint64_t{1} << 63;
  const auto is_zero = [&](const Known& x) {
    return x.kind == Known::Kind::zero ||
           (x.kind == Known::Kind::constant && (x.bits & ~sign) == 0);
  };
  std::vector<Known> result(static_cast<size_t>(n), Known{Known::Kind::zero, 0});
  bool skips = false;
  for_each_index(p.terms, [&](const Indices& term) {
    size_t next = 0;
    for_each_index(all, [&](const Indices& at) {
      bool zero = false, of_derivative = false;
      for (size_t k = 0; k < 2; ++k) {
        const Known x = in[k].at(index_in_factor(p.factors[k], at, term));
        of_derivative = of_derivative || x.kind == Known::Kind::zero;
        zero = zero || is_zero(x);
      }
      skips = skips || zero;
      Known& sum = result[next++];
      if (!zero)
        sum = {};
      else if (!of_derivative && sum.kind == Known::Kind::zero)
        sum = {Known::Kind::constant, 0};
    });
  });
  if (!skips) return {};
  Change c;
  for (size_t k = 0; k < 2; ++k) {
    Mask m{in[k].empty() ? Indices(p.factors[k].place.size(), 1) : in[k].extents()};
    for_each_index(m.extents, [&](const Indices& at) { m.set.push_back(!is_zero(in[k].at(at))); });
    c.kept.push_back(std::move(m));
  }
  (*known)[e.out] = KnownElements(all, std::move(result));
  return c;
}

// Runs steps until what is known of the carries does not change, and then writes the body.
LaneRewriter::Body LaneRewriter::loop_body(const Scope& s, const LoopForm& v,
                                           LoopValues<KnownElements>* in) {
  const size_t n = in->carry.size();
  for (int step = 0;; ++step) {
    if (step == most_steps) in->carry.assign(n, {});
    const Body r = body(s, v.to_body(*in, KnownElements()), false);
    std::vector<KnownElements> next;
    for (size_t k = 0; k < n; ++k) next.push_back(in->carry[k].meet(r.out[k]));
    if (next == in->carry) return body(s, v.to_body(*in, KnownElements()), true);
    in->carry = std::move(next);
  }
}

AnyParams LaneRewriter::with_bodies(const Scope& s, size_t i,
                                    const std::vector<KnownElements>& operands,
                                    std::vector<KnownElements>* out) {
  const Eqn& e = s.j->eqns[i];
  const LoopForm& v = s.lowering[i].loop;
  const auto& scopes = s.bodies[i];
  LoopValues<KnownElements> in = v.operands(operands);
  for (KnownElements& x : in.xs) x = x.row();
  std::map<const JaxprData*, Jaxpr> made;
  const auto note = [&](const Scope& of, const Body& b) { made[of.j.get()] = b.program; };
  if (v.kind == LoopForm::Kind::scan || v.kind == LoopForm::Kind::loop_while) {
    const Body b = loop_body(*scopes.back(), v, &in);
    note(*scopes.back(), b);
    *out = in.carry;
    // A lane may take fewer steps, and the other rows are zero.
    for (size_t k = in.carry.size(); k < b.out.size(); ++k)
      out->push_back((v.trip_counts() ? b.out[k].zeros() : b.out[k]).stacked());
    if (v.kind == LoopForm::Kind::loop_while)
      note(*scopes[0], body(*scopes[0], v.to_cond(in), true));
  } else {
    for (const auto& scope : scopes) {
      const Body b = body(*scope, v.to_body(in, KnownElements()), true);
      note(*scope, b);
      for (size_t k = 0; k < b.out.size(); ++k)
        if (&scope == &scopes[0])
          out->push_back(b.out[k]);
        else
          (*out)[k] = (*out)[k].meet(b.out[k]);
    }
    // A lane that takes no branch has zeros.
    if (v.entry_mask())
      for (KnownElements& x : *out) x = x.zeros();
  }
  return with_programs(e, [&](const Jaxpr& j) {
    const auto it = made.find(j.get());
    return it == made.end() ? j : it->second;
  });
}

// Returns true if some program inside j may have structural zeros that matter.
bool may_have_zeros(const JaxprData& j) {
  static const Op &seed = *find_op("seed_eq"), &dot = *find_op("dot_general");
  std::vector<Jaxpr> inner;
  for (const Eqn& e : j.eqns)
    for (const Jaxpr& p : inner_programs(e.params)) inner.push_back(p);
  bool of_derivative = false, zero = false, product = false;
  for_each_program(inner, [&](const JaxprData& p) {
    for (const Literal& l : p.literals) {
      of_derivative = of_derivative || is_derivative_zero(l);
      zero = zero || (is_floating(l.dtype) && l.bits[0] == 0);
    }
    for (const Eqn& e : p.eqns) {
      of_derivative = of_derivative || e.op == &seed;
      product = product || e.op == &dot;
      zero = zero || (e.in.empty() && e.op->name() == "iota");
    }
  });
  return of_derivative || (zero && product);
}

// Drops the operands that a call no longer reads.
void drop_unread_operands(Eqn* e) {
  static const Op& call = *find_op("jit");
  if (e->op != &call) return;
  const Jaxpr body = inner_programs(e->params)[0];
  VarMap<bool> read(*body, false);
  const auto note = [&](const std::vector<Atom>& atoms) {
    for (Atom a : atoms)
      if (!a.is_literal()) read[a] = true;
  };
  for (const Eqn& inner : body->eqns) note(inner.in);
  note(body->out);
  JaxprBuilder b(*body);
  std::vector<Atom> in;
  for (int32_t v = 0; v < body->n_in; ++v) {
    if (!read[v]) continue;
    b.copy_input(v);
    in.push_back(e->in[v]);
  }
  if (in.size() == e->in.size()) return;
  for (const Eqn& inner : body->eqns) b.copy(inner);
  const Jaxpr smaller = b.finish(body->out);
  e->params = with_programs(*e, [&](const Jaxpr&) { return smaller; });
  e->in = std::move(in);
}

// Returns true if the equation runs in the lanes of this grid.
bool has_grid(const JaxprData& j, const Eqn& e, const std::vector<int64_t>& grid) {
  const AxisClasses axes(equation_alone(j, e));
  const LaneGrid g = lane_grid(axes.top().lowering[0].loop, axes);
  return g.why.empty() && g.grid == grid;
}

}  // namespace

Jaxpr skip_structural_zeros(const Jaxpr& j) {
  if (!may_have_zeros(*j)) return j;
  auto r = make_ref<JaxprData>(*j);
  r->interned = false;
  bool changed = false;
  for (Eqn& e : r->eqns) {
    if (inner_programs(e.params).empty()) continue;
    const Form form = lower_equation(*j, e).form;
    if (form != Form::loop && form != Form::branch && form != Form::inlined) continue;
    const AxisClasses axes(equation_alone(*j, e));
    const LaneGrid g = lane_grid(axes.top().lowering[0].loop, axes);
    if (!g.why.empty() || g.grid.empty()) continue;
    const std::vector<KnownElements> unknown(e.in.size());
    std::vector<KnownElements> out;
    Eqn better = e;
    better.params = LaneRewriter(axes, g.classes).with_bodies(axes.top(), 0, unknown, &out);
    // Its programs have more values, which must fit into a lane as well.
    if (better.params == e.params || !has_grid(*j, better, g.grid)) continue;
    changed = true;
    drop_unread_operands(&better);
    e = std::move(better);
  }
  return changed ? dce(intern(std::move(r))) : j;
}

}  // namespace weft::compiler
