// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/mapped_loop.cpp: compares the condition of a loop with the masks that freeze
// its carries.
#include "ops/control/rewrites/mapped_loop.h"

#include <algorithm>
#include <map>

#include "core/defining_eqns.h"
#include "core/loops/axis_classes.h"
#include "core/op.h"
#include "ops/kit/lists.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft {
namespace {

// Fewer lanes do not fill a vector. They are better values of a lane around the loop. With 33, two
// programs for 16 and 32 examples (OSQP, NUTS) take 20 and 8 times as long. With 16, jumanji 2048,
// mapped over a loop over 4 x 4 rows of a board, takes 1.4 times as long.
constexpr int64_t fewest_lanes = 16;

// A program and the equations that define its variables.
struct Definitions {
  const JaxprData& j;
  const VarMap<size_t> of = defining_eqns(j);
  const Eqn* operator()(Atom a) const {
    const size_t i = a.is_literal() ? no_equation : of.get(a, no_equation);
    return i == no_equation ? nullptr : &j.eqns[i];
  }
  // The equation that defines `a`, if it is of this op and has this number of operands.
  const Eqn* operator()(Atom a, std::string_view op, size_t operands) const {
    const Eqn* e = (*this)(a);
    return e && e->op->name() == op && e->in.size() == operands ? e : nullptr;
  }
  // JAX compares conditions of loops with false and converts the result to booleans. Returns what
  // is compared.
  Atom without_tests(Atom a) const {
    while (j.type(a).dtype() == Bool) {
      const Eqn* e = (*this)(a, "ne", 2);
      const bool test = e && is_false(e->in[1]);
      if (!test) e = (*this)(a, "convert_element_type", 1);
      if (!e || j.type(e->in[0]).dtype() != Bool) break;
      a = e->in[0];
    }
    return a;
  }

 private:
  bool is_false(Atom a) const {
    if (const Eqn* e = (*this)(a, "broadcast_in_dim", 1)) a = e->in[0];
    return a.is_literal() && is_scalar_value(literal_array(j.literals[a.literal()]), 0);
  }
};

// Decides whether a variable of the condition and one of the body are equal. Both are functions of
// values of the body: input k of the condition is values[k].
class SameValue {
 public:
  // equal_input: for each input of the body, the first one that has the same value.
  SameValue(const Definitions& test, const Definitions& body, std::vector<Atom> values,
            const std::vector<Atom>& equal_input)
      : test_(test), body_(body), values_(std::move(values)), equal_input_(equal_input) {}

  bool operator()(Atom a, Atom b) {
    a = test_.without_tests(a);
    b = body_.without_tests(b);
    if (a.is_literal() || b.is_literal())
      return a.is_literal() && b.is_literal() &&
             test_.j.literals[a.literal()] == body_.j.literals[b.literal()];
    const auto [at, fresh] = known_.emplace(std::pair(a.index, b.index), false);
    if (fresh) at->second = compare(a.index, b.index);
    return at->second;
  }

 private:
  Atom first_equal(Atom a) const {
    return !a.is_literal() && a.index < std::ssize(equal_input_) ? equal_input_[a.index] : a;
  }
  bool compare(int32_t a, int32_t b) {
    const Eqn *e = test_(Atom{a}), *f = body_(Atom{b});
    if (!e) return first_equal(values_[a]) == first_equal(Atom{b});
    return f && e->op == f->op && equal(e->params, f->params) && a - e->out == b - f->out &&
           std::ranges::equal(e->in, f->in, [&](Atom x, Atom y) { return (*this)(x, y); });
  }

  const Definitions &test_, &body_;
  const std::vector<Atom> values_;
  const std::vector<Atom>& equal_input_;
  std::map<std::pair<int32_t, int32_t>, bool> known_;
};

// Returns the mask with these lanes that q repeats along further axes, or q itself.
std::optional<Atom> mask_of(const Definitions& defining, Atom q, const Shape& lanes) {
  const JaxprData& j = defining.j;
  while (j.type(q).shape() != lanes) {
    const Eqn* e = defining(q);
    if (!e || e->in.size() != 1 || e->in[0].is_literal()) return {};
    const Access access = access_of(lower_equation(j, *e), j.in_types(*e), j.out_types(*e));
    if (!access.moves) return {};
    for (int a = 0; a < static_cast<int>(access.reads[0].size()); ++a)
      if (a < lanes.ndim() && access.reads[0][a] != a) return {};
    q = e->in[0];
  }
  return q;
}

// Follows the selects by a mask, in lanes in which the mask is `value`.
class UnderMask {
 public:
  UnderMask(const Definitions& body, const Shape& lanes, FunctionRef<bool(Atom)> is_mask,
            bool value)
      : body_(body), lanes_(lanes), is_mask_(is_mask), value_(value) {}

  Atom operator()(Atom a) const {
    while (const Eqn* e = body_(a, "select_n", 3)) {
      const std::optional<Atom> mask = mask_of(body_, e->in[0], lanes_);
      if (!mask || !is_mask_(*mask)) break;
      a = e->in[value_ ? 2 : 1];
    }
    return a;
  }

 private:
  const Definitions& body_;
  const Shape& lanes_;
  const FunctionRef<bool(Atom)> is_mask_;
  const bool value_;
};

class Recognizer {
 public:
  Recognizer(const While& p, const Arrays& x)
      : o_(body_op(p)),
        test_{*p.cond_jaxpr},
        body_{*p.body_jaxpr},
        first_(static_cast<int32_t>(o_.lane_axes.body_consts.size())) {
    const Arrays carry = o_.operands(x).carry;
    for (int32_t v = 0; v < body_.j.n_in; ++v) equal_input_.push_back(Atom{v});
    for (size_t t = 0; t < carry.size(); ++t)
      for (size_t s = 0; s < t && o_.loop_invariant[t]; ++s)
        if (o_.loop_invariant[s] && equal(carry[s], carry[t])) {
          equal_input_[before(t).index] = before(s);
          break;
        }
  }

  std::optional<MappedLoop> find() {
    Atom any = test_.j.out[0];
    if (const Eqn* both = test_(any, "and", 2)) {
      const size_t side = test_(both->in[0], "reduce_or", 1) ? 0 : 1;
      any = both->in[side];
      if (!read_bound(both->in[1 - side])) return {};
    }
    const Eqn* e = test_(any, "reduce_or", 1);
    if (!e) return {};
    r_.go = e->in[0];
    r_.lanes = test_.j.type(r_.go).shape();
    if (r_.lanes.elements() < fewest_lanes) return {};
    if (!r_.counter && computed_mask()) return r_;
    for (size_t t = 0; t < carries(); ++t)
      if (carried_mask(t)) return r_;
    return {};
  }

 private:
  size_t carries() const { return o_.loop_invariant.size(); }
  Atom before(size_t t) const { return Atom{first_ + static_cast<int32_t>(t)}; }
  Atom after(size_t t) const { return body_.j.out[t]; }
  std::vector<Atom> all_before() const {
    std::vector<Atom> r;
    for (size_t t = 0; t < carries(); ++t) r.push_back(before(t));
    return r;
  }
  static bool equal(const Array& a, const Array& b) {
    const Concrete *c = concrete_or_null(a), *d = concrete_or_null(b);
    return a.ref() == b.ref() ||
           (c && d && a.ndim() == 0 && b.ndim() == 0 && literal_of(*c) == literal_of(*d));
  }

  // The bound: counter < bound.
  bool read_bound(Atom a) {
    const Eqn* less = test_(test_.without_tests(a), "lt", 2);
    if (!less || less->in[0].is_literal() || less->in[0].index >= test_.j.n_in) return false;
    const Atom bound = less->in[1];
    if (!bound.is_literal() &&
        (bound.index >= test_.j.n_in || !o_.loop_invariant[static_cast<size_t>(bound.index)]))
      return false;
    return read_counter(static_cast<size_t>(less->in[0].index), bound);
  }
  // The body adds a literal to the counter and uses it for nothing else. A narrow counter could
  // overflow, and then its largest value would not be the last one.
  bool read_counter(size_t t, std::optional<Atom> bound) {
    const Atom next = after(t), old = before(t);
    const Type& type = body_.j.type(old);
    const Eqn* add = body_(next, "add", 2);
    if (!add || type.ndim() != 0 || !is_integer(type.dtype()) || itemsize(type.dtype()) < 4)
      return false;
    const size_t side = add->in[0] == old ? 0 : 1;
    const Atom step = add->in[1 - side];
    if (add->in[side] != old || !step.is_literal() ||
        body_.j.literals[step.literal()] != literal_of(concrete(base::ones(type))))
      return false;
    const auto reads = [&](const Eqn& e) {
      return std::ranges::any_of(e.in,
                                 [&](Atom a) { return (a == old && &e != add) || a == next; });
    };
    if (std::ranges::count(body_.j.out, next) != 1 || std::ranges::count(body_.j.out, old) != 0 ||
        std::ranges::any_of(body_.j.eqns, reads))
      return false;
    r_.counter = {t, bound};
    return true;
  }
  // JAX computes the mask again in the body: it is the function of the carry that the condition is.
  bool computed_mask() {
    SameValue same(test_, body_, all_before(), equal_input_);
    const auto is_mask = [&](Atom m) { return same(r_.go, m); };
    return freezes(is_mask);
  }

  // Equinox carries it: the mask is the mask before, and the condition of the new carries.
  bool carried_mask(size_t mask) {
    const Eqn* both = body_(after(mask), "and", 2);
    if (!both || body_.j.type(before(mask)) != Type(Bool, r_.lanes)) return false;
    const size_t side = both->in[0] == before(mask) ? 0 : 1;
    if (both->in[side] != before(mask)) return false;
    r_.mask = mask;
    if (r_.counter && !r_.counter->bound) r_.counter.reset();
    const auto is_mask = [&](Atom m) { return m == before(mask); };
    if (!freezes(is_mask)) return false;
    r_.next[mask] = both->in[1 - side];
    return SameValue(test_, body_, r_.next, equal_input_)(r_.go, r_.next[mask]);
  }

  // Returns true if lanes with a false mask keep their carries. Finds the next carries of the
  // others.
  bool freezes(FunctionRef<bool(Atom)> is_mask) {
    const UnderMask ended(body_, r_.lanes, is_mask, false), runs(body_, r_.lanes, is_mask, true);
    r_.next.clear();
    r_.last_mask.clear();
    for (size_t t = 0; t < carries(); ++t) {
      r_.next.push_back(after(t));
      if (o_.loop_invariant[t] || t == r_.mask || (r_.counter && t == r_.counter->carry)) continue;
      if (r_.mask && after(t) == before(*r_.mask)) {
        r_.last_mask.push_back(t);
        continue;
      }
      if (r_.mask && !r_.counter && read_counter(t, {})) continue;
      if (ended(after(t)) != before(t)) return false;
      r_.next[t] = runs(after(t));
    }
    return r_.counter || !r_.mask;
  }

  const BodyOp o_;
  const Definitions test_, body_;
  const int32_t first_;
  std::vector<Atom> equal_input_;
  MappedLoop r_;
};

}  // namespace

std::optional<MappedLoop> mapped_loop(const While& p, const Arrays& x, bool in_loop) {
  std::optional<MappedLoop> r = Recognizer(p, x).find();
  if (!r || !in_loop || r->mask) return r;
  Ints first = r->lanes.sizes();
  while (first.size() > 1 && Shape(Ints(first.begin(), first.end() - 1)).elements() >= fewest_lanes)
    first.pop_back();
  // The lane keeps what has ended along the other axes.
  if (std::ssize(first) < r->lanes.ndim()) r->next = p.body_jaxpr->out;
  r->lanes = Shape(first);
  return r;
}

}  // namespace weft
