// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/turned_products.cpp: finds products that a transpose reads, and swaps their operands.
#include "jit/rewrite/turned_products.h"

#include <algorithm>
#include <utility>

#include "core/defining_eqns.h"
#include "core/op.h"
#include "core/param.h"
#include "tracer/replay.h"
#include "tracer/trace.h"

namespace weft::compiler {
namespace {

const Op& dot_op() {
  static const Op& dot = *find_op("dot_general");
  return dot;
}

// Products with fewer rows or columns are generated code, which computes any order as well.
constexpr int64_t shortest_side = 4;

// Returns true if this permutation of the result of a product swaps its rows and columns, and keeps
// its batch axes.
bool swaps(const JaxprData& j, const Eqn& product, const Ints& permutation) {
  const auto axes = [&](const char* name) {
    return std::ssize(param_field<Ints>(product.params, name).value());
  };
  const int64_t batch = axes("lhs_batch"),
                rows = j.type(product.in[0]).ndim() - batch - axes("lhs_contract"),
                columns = std::ssize(permutation) - batch - rows;
  for (int64_t i = 0; i < std::ssize(permutation); ++i)
    if (permutation[i] != (i < batch ? i : i < batch + columns ? i + rows : i - columns))
      return false;
  const Shape& out = j.types[product.out].shape();
  const auto size = [&](int64_t first, int64_t n) {
    int64_t all = 1;
    for (int64_t a = first; a < first + n; ++a) all *= out[static_cast<int>(a)];
    return all;
  };
  return std::min(size(batch, rows), size(batch + rows, columns)) >= shortest_side;
}

class Turned {
 public:
  explicit Turned(const JaxprData& j) : j_(j), defining_(defining_eqns(j)), readers_(j, 0) {
    const auto read = [&](const std::vector<Atom>& all) {
      for (Atom a : all)
        if (!a.is_literal()) ++readers_[a];
    };
    for (const Eqn& e : j.eqns) read(e.in);
    read(j.out);
  }
  // Returns the number of the product that this equation transposes, or no_equation.
  size_t product(const Eqn& e) const {
    static const Op& transpose = *find_op("transpose");
    if (e.op != &transpose || e.in[0].is_literal() || readers_[e.in[0]] != 1) return no_equation;
    const size_t i = defining_[e.in[0]];
    if (i == no_equation || j_.eqns[i].op != &dot_op()) return no_equation;
    return swaps(j_, j_.eqns[i], param_field<Ints>(e.params, "permutation").value()) ? i
                                                                                     : no_equation;
  }
  bool any() const {
    return std::ranges::any_of(j_.eqns, [&](const Eqn& e) { return product(e) != no_equation; });
  }

 private:
  const JaxprData& j_;
  const VarMap<size_t> defining_;
  VarMap<int> readers_;
};

AnyParams swapped(const AnyParams& product) {
  std::vector<std::pair<std::string, ParamValue>> fields;
  for (const ParamField& f : product->fields()) {
    std::string name = f.name;
    if (name.starts_with("lhs_"))
      name[0] = 'r';
    else if (name.starts_with("rhs_"))
      name[0] = 'l';
    fields.emplace_back(std::move(name), f.value);
  }
  return dot_op().parse_params(fields);
}

}  // namespace

Jaxpr turn_products(const Jaxpr& j) {
  const Turned turned(*j);
  if (!turned.any()) return j;
  std::vector<Arrays> operands(j->eqns.size());
  size_t next = 0;
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    operands[next++] = in;
    const size_t i = turned.product(e);
    if (i == no_equation) return bind_equation(e, in, e.params);
    const Eqn& product = j->eqns[i];
    return bind_equation(product, {operands[i][1], operands[i][0]}, swapped(product.params));
  });
}

}  // namespace weft::compiler
