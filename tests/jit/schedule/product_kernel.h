// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/schedule/product_kernel.h: a nest that is a product of matrices.
#pragma once
#include "core/loops/nest.h"

namespace weft::compiler {

// Computes sums of 40 products for 15 matrices of 45 rows and 70 columns, and writes their
// magnitude.
inline nest::Kernel product_of_matrices(nest::Storage factors = nest::Storage::F32,
                                        bool any_order = false) {
  nest::Builder b("product");
  const int x = b.buffer(factors, false), y = b.buffer(factors, false),
            out = b.buffer(nest::Storage::F32, true);
  const auto op = [&](nest::Opcode o, nest::Id p, nest::Id q) {
    return b.pure(o, nest::Kind::I64, {p, q});
  };
  const nest::Id i = b.index(0), j = b.index(1), terms = b.integer(40);
  const auto body = b.open({nest::Kind::I64, nest::Kind::F32});
  const nest::Id t = b.param(body, 0);
  const nest::Id row = b.load(x, op(nest::Opcode::Add, op(nest::Opcode::Mul, i, terms), t));
  const nest::Id matrix =
      op(nest::Opcode::Mul, op(nest::Opcode::SDiv, i, b.integer(15)), b.integer(7));
  const nest::Id column =
      b.load(y, op(nest::Opcode::Add,
                   op(nest::Opcode::Add, op(nest::Opcode::Mul, t, b.extent(1)), matrix), j));
  b.yield({b.pure(nest::Opcode::Fma, nest::Kind::F32, {row, column, b.param(body, 1)})});
  b.leave();
  const std::vector<nest::Combine> sums(any_order ? 1 : 0, nest::Combine::Add);
  const nest::Id sum =
      b.loop(b.integer(0), terms, 1, {b.constant(nest::Kind::F32, 0)}, body, sums)[0];
  b.store(out, op(nest::Opcode::Add, op(nest::Opcode::Mul, i, b.extent(1)), j),
          b.pure(nest::Opcode::Abs, nest::Kind::F32, {sum}));
  return b.finish(2, 2, nest::Vector::grid);
}

}  // namespace weft::compiler
