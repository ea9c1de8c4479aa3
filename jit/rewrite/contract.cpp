// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/contract.cpp: finds sums of products, and records the program with fma instead.
#include "weft/jit/rewrite/contract.h"

#include <optional>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/core/op.h"
#include "weft/tracer/replay.h"

namespace weft::compiler {
namespace {

// The ops that this pass reads and writes.
struct Ops {
  const Op* add = find_op("add");
  const Op* sub = find_op("sub");
  const Op* mul = find_op("mul");
  const Op* square = find_op("square");
  const Op* neg = find_op("neg");
  const Op* fma = find_op("fma");
  const Op* broadcast = find_op("broadcast_in_dim");
  const Op* reshape = find_op("reshape");
};
const Ops& ops() {
  static const Ops all;
  return all;
}

class Contraction {
 public:
  explicit Contraction(const Jaxpr& j) : j_(j), by_(j->types.size(), nullptr) {
    for (const Eqn& e : j->eqns)
      for (int32_t k = 0; k < e.n_out; ++k) by_[static_cast<size_t>(e.out + k)] = &e;
  }

  // Whether any sum would change.
  bool any() const {
    for (const Eqn& e : j_->eqns)
      if (find(e)) return true;
    return false;
  }

  // What becomes of the equation.
  Arrays operator()(const Eqn& e, const Arrays& in) {
    if (e.op == ops().mul || e.op == ops().square) factors_[&e] = in;
    if (const auto found = find(e)) return {contracted(e, *found, in)};
    return bind_op(*e.op, in, e.params);
  }

 private:
  const Eqn* maker(Atom a) const {
    return a.is_literal() ? nullptr : by_[static_cast<size_t>(a.index)];
  }

  // A product, and what moves it to the sum, outermost first.
  struct Product {
    int operand;  // of the sum
    const Eqn* mul;
    std::vector<const Eqn*> moves;
  };
  std::optional<Product> product(const Eqn& sum, int operand) const {
    Product p{operand, nullptr, {}};
    for (Atom a = sum.in [static_cast<size_t>(operand)];;) {
      const Eqn* e = maker(a);
      if (!e) return {};
      if (e->op == ops().mul || e->op == ops().square) {
        p.mul = e;
        return p;
      }
      if (e->op != ops().broadcast && e->op != ops().reshape) return {};
      p.moves.push_back(e);
      a = e->in[0];
    }
  }
  std::optional<Product> find(const Eqn& e) const {
    if (e.op != ops().add && e.op != ops().sub) return {};
    const DType d = j_->types[static_cast<size_t>(e.out)].dtype();
    if (d != F32 && d != F64) return {};
    if (e.in[0] == e.in[1]) return {};  // p - p is 0, p + p is exact
    // Adding 0 changes nothing but the sign of a product that is 0, or is rounded to it.
    for (int operand : {0, 1})
      if (auto p = product(e, operand); p && !is_zero(e.in[static_cast<size_t>(1 - operand)]))
        return p;
    return {};
  }
  bool is_zero(Atom a) const {
    while (!a.is_literal()) {
      const Eqn* e = maker(a);
      if (!e || (e->op != ops().broadcast && e->op != ops().reshape)) return false;
      a = e->in[0];
    }
    const Literal& l = j_->literals[static_cast<size_t>(a.literal())];
    return l.bits[0] == 0 && l.bits[1] == 0;
  }

  Array contracted(const Eqn& sum, const Product& p, const Arrays& in) const {
    const Arrays& factors = factors_.at(p.mul);
    Array a = factors.front(), b = factors.back(), c = in[static_cast<size_t>(1 - p.operand)];
    const Shape& shape = j_->types[static_cast<size_t>(p.mul->out)].shape();
    a = moved(std::move(a), shape, p.moves);
    b = moved(std::move(b), shape, p.moves);
    const AnyParams none = sum.params;
    if (sum.op == ops().sub) {
      Array& negated = p.operand == 0 ? c : a;
      negated = bind_op(*ops().neg, {negated}, none)[0];
    }
    return bind_op(*ops().fma, {a, b, c}, none)[0];
  }
  // A factor where the product would be; a scalar among arrays stands for all of their elements.
  static Array moved(Array x, const Shape& product, const std::vector<const Eqn*>& moves) {
    if (x.type().shape() != product) return x;
    for (size_t m = moves.size(); m-- > 0;) x = bind_op(*moves[m]->op, {x}, moves[m]->params)[0];
    return x;
  }

  const Jaxpr& j_;
  std::vector<const Eqn*> by_;                      // by variable: the equation that makes it
  std::unordered_map<const Eqn*, Arrays> factors_;  // of the products so far, recorded anew
};

}  // namespace

Jaxpr contract(const Jaxpr& j) {
  Contraction pass(j);
  if (!pass.any()) return j;
  const Jaxpr r = rewrite(j, [&](const Eqn& e, const Arrays& in) { return pass(e, in); });
  if (r->out_types() != j->out_types())
    throw InternalError("contraction changed the type of a result");
  return r;
}

}  // namespace weft::compiler
