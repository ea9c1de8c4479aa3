// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/product.cpp: finds rows and columns among the axes of the operands.
#include "weft/jit/fuse/product.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/print.h"

namespace weft::compiler {
namespace {

// An operand whose batch axes lead, before rows and columns as groups of axes.
struct Side {
  bool ok = false;
  bool contracted_last = false;
  int64_t batch = 1, free = 1, contracted = 1;
};
Side side_of(const Type& t, const Ints& batch, const Ints& contract) {
  Side s;
  std::vector<int> role;  // 0 batch, 1 free, 2 contracted, in axis order
  Ints seen_batch, seen_contract;
  for (int a = 0; a < t.ndim(); ++a) {
    const auto b = std::find(batch.begin(), batch.end(), a);
    const auto c = std::find(contract.begin(), contract.end(), a);
    role.push_back(b != batch.end() ? 0 : c != contract.end() ? 2 : 1);
    if (b != batch.end()) seen_batch.push_back(b - batch.begin());
    if (c != contract.end()) seen_contract.push_back(c - contract.begin());
    (role.back() == 0 ? s.batch : role.back() == 1 ? s.free : s.contracted) *= t.shape()[a];
  }
  const auto groups = std::unique(role.begin(), role.end()) - role.begin();
  role.resize(static_cast<size_t>(groups));
  if (!role.empty() && role[0] == 0) role.erase(role.begin());
  s.ok = role.size() <= 2 && std::count(role.begin(), role.end(), 0) == 0 &&
         std::is_sorted(seen_batch.begin(), seen_batch.end()) &&
         std::is_sorted(seen_contract.begin(), seen_contract.end());
  s.contracted_last = role.empty() || role.back() == 2;
  return s;
}

}  // namespace

std::optional<Product> product_of(const JaxprData& j, const Eqn& e, const Lowering& l) {
  const Side a = side_of(j.type(e.in[0]), l.lhs_batch, l.lhs_contract),
             b = side_of(j.type(e.in[1]), l.rhs_batch, l.rhs_contract);
  if (!a.ok || !b.ok) return {};
  const Product p{a.batch, a.free, b.free, a.contracted, !a.contracted_last, b.contracted_last};
  const int64_t results = j.types[static_cast<size_t>(e.out)].elements();
  if (b.batch != a.batch || b.contracted != a.contracted || results != p.batch * p.m * p.n)
    throw InternalError("a product has other sizes than its operands: " +
                        equation_text(j, static_cast<size_t>(&e - j.eqns.data())));
  return p;
}

}  // namespace weft::compiler
