// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/contract.cpp: finds products that one sum reads, and records the program with fma instead.
#include "weft/jit/contract.h"

#include <optional>

#include "weft/core/error.h"
#include "weft/core/op.h"
#include "weft/tracer/concrete.h"
#include "weft/tracer/record_trace.h"

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
  explicit Contraction(const Jaxpr& j)
      : j_(j), uses_(j->types.size(), 0), by_(j->types.size(), nullptr), env_(j->types.size()) {
    for (const Eqn& e : j->eqns) {
      for (Atom a : e.in) use(a);
      for (int32_t k = 0; k < e.n_out; ++k) by_[static_cast<size_t>(e.out + k)] = &e;
    }
    for (Atom a : j->out) use(a);
  }

  // Whether any sum would change.
  bool any() const {
    for (const Eqn& e : j_->eqns)
      if (find(e)) return true;
    return false;
  }

  Arrays replay(const Arrays& x) {
    std::copy(x.begin(), x.end(), env_.begin());
    for (const Eqn& e : j_->eqns) {
      const Source source(e.source);
      Arrays out;
      if (const auto found = find(e))
        out = {contracted(e, *found)};
      else
        out = bind_op(*e.op, read(e.in), e.params);
      for (size_t k = 0; k < out.size(); ++k)
        env_[static_cast<size_t>(e.out) + k] = std::move(out[k]);
    }
    return read(j_->out);
  }

 private:
  void use(Atom a) {
    if (!a.is_literal()) ++uses_[static_cast<size_t>(a.index)];
  }
  const Eqn* single(Atom a) const {
    return !a.is_literal() && uses_[static_cast<size_t>(a.index)] == 1
               ? by_[static_cast<size_t>(a.index)]
               : nullptr;
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
      const Eqn* e = single(a);
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
    for (int operand : {0, 1})
      if (auto p = product(e, operand)) return p;
    return {};
  }

  Array contracted(const Eqn& sum, const Product& p) {
    Array a = read(p.mul->in.front()), b = read(p.mul->in.back());
    Array c = read(sum.in[static_cast<size_t>(1 - p.operand)]);
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

  Array read(Atom a) const {
    return a.is_literal() ? literal_array(j_->literals[static_cast<size_t>(a.literal())])
                          : env_[static_cast<size_t>(a.index)];
  }
  Arrays read(const std::vector<Atom>& atoms) const {
    Arrays out;
    for (Atom a : atoms) out.push_back(read(a));
    return out;
  }

  const Jaxpr& j_;
  std::vector<int> uses_;       // by variable
  std::vector<const Eqn*> by_;  // by variable: the equation that makes it
  Arrays env_;
};

}  // namespace

Jaxpr contract(const Jaxpr& j) {
  Contraction pass(j);
  if (!pass.any()) return j;
  Level<Record> record;
  Arrays args;
  for (int v = 0; v < j->n_in; ++v) args.push_back(record->input(j->types[static_cast<size_t>(v)]));
  const Arrays out = pass.replay(args);
  const Closed c = record->finish(out);
  if (!c.consts.empty()) throw InternalError("contraction left a constant");
  for (size_t r = 0; r < out.size(); ++r)
    if (c.jaxpr->out_types()[r] != j->out_types()[r])
      throw InternalError("contraction changed the type of a result");
  return dce(c.jaxpr, std::vector<bool>(out.size(), true));
}

}  // namespace weft::compiler
