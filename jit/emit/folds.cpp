// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/folds.cpp: the order of folds, which is that of a block of core/loops/fold_order.h.
#include "jit/emit/folds.h"

#include <llvm/IR/Intrinsics.h>

#include "core/loops/combine.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials;

Partials Folds::make_partials(Id v, const Variance& s, int64_t most) {
  const Inst& i = k_.insts[v];
  Partials p{v, s, {}, {}, i.kinds};
  for (nest::Kind kd : i.kinds) {
    auto* t = ops_.memory_type(kd);
    p.elements.push_back(t);
    p.arrays.push_back(s.varying ? b_.allocate(b_.vector_of(t), most * e_.interleave, "partials")
                                 : b_.allocate(t, most, "partials"));
  }
  return p;
}

Vs Folds::identity(Id v, const Variance& s) {
  Vs out;
  for (size_t r = 0; r < k_.insts[v].kinds.size(); ++r)
    out.append(e_.parts(k_.insts[v].args[r + 1], s));
  return out;
}

Vs Folds::term(Id v, const Variance& s, V index) {
  const nest::BlockId body = k_.insts[v].blocks[0];
  const Id param = k_.blocks[body].params[0];
  e_.set_parts(param, e_.variance(param), {index});
  e_.emit_iteration(body);
  Vs out;
  for (Id y : k_.blocks[body].yields) out.append(e_.parts(y, s));
  return out;
}

// Returns the identity, in place of a missing term.
Vs Folds::identity_term(Id v, const Variance& s) {
  const Inst& i = k_.insts[v];
  Vs out;
  for (size_t r = 0; r < i.kinds.size(); ++r)
    for (size_t n = nest::values_of_term(i.fold[r]); n > 0; --n)
      out.append(e_.parts(i.args[r + 1], s));
  return out;
}

Vs Folds::combine_term(Id v, const Vs& sum, const Vs& x) { return combine_parts(v, sum, x, false); }
Vs Folds::combine_partials(Id v, const Vs& a, const Vs& b) { return combine_parts(v, a, b, true); }

Vs Folds::combine_parts(Id v, const Vs& sum, const Vs& x, bool is_result) {
  const Inst& i = k_.insts[v];
  const size_t width = sum.size() / i.kinds.size();
  Vs out = sum;
  const V* next = x.begin();  // the parts of a value of x
  for (size_t r = 0; r < i.kinds.size(); ++r) {
    const Combine c = is_result ? nest::of_results(i.fold[r]) : i.fold[r];
    const nest::Kind kd = i.kinds[r];
    for (size_t n = r * width; n < (r + 1) * width; ++n, ++next) {
      if (c == Combine::Second) continue;
      if (c == Combine::ArgMin || c == Combine::ArgMax)
        ops_.combine_pair(c, kd, out[n], out[n + width], *next, next[width]);
      else if (c == Combine::MulAdd)
        out[n] = ops_.arith(Opcode::Fma, kd, {*next, next[width], sum[n]});
      else
        out[n] = ops_.arith(nest::opcode_of(c), kd, {sum[n], *next});
    }
    if (c == Combine::MulAdd) next += width;
  }
  return out;
}

// Calls f with the type, address and kind of each part of partial result `index`.
void Folds::for_each_part(const Partials& p, V index,
                          const std::function<void(llvm::Type* t, V at, nest::Kind k)>& f) {
  const int n = p.variance.varying ? e_.interleave : 1;
  for (size_t r = 0; r < p.arrays.size(); ++r) {
    auto* t = p.variance.varying ? b_.vector_of(p.elements[r]) : p.elements[r];
    for (int k = 0; k < n; ++k) {
      const V at = b_.CreateAdd(b_.CreateMul(index, b_.i64(n)), b_.i64(k));
      f(t, b_.CreateGEP(t, p.arrays[r], at), p.kinds[r]);
    }
  }
}

Vs Folds::load_partials(const Partials& p, V index) {
  Vs out;
  for_each_part(p, index, [&](llvm::Type* t, V at, nest::Kind k) {
    out.push_back(ops_.mask_from_memory(b_.CreateLoad(t, at), k));
  });
  return out;
}

void Folds::store_partials(const Partials& p, V index, const Vs& x) {
  const V* next = x.begin();
  for_each_part(p, index, [&](llvm::Type*, V at, nest::Kind k) {
    b_.CreateStore(ops_.mask_to_memory(*next++, k), at);
  });
}

// Returns the number of partial results of a fold of n terms (fold_order::partials).
V Folds::partial_count(V n) {
  const V several = b_.CreateSelect(b_.CreateICmpSLT(n, b_.i64(fold_order::long_block)),
                                    b_.i64(few_partials), b_.i64(many_partials));
  return b_.CreateSelect(b_.CreateICmpSLE(n, b_.i64(fold_order::short_block)), b_.i64(1), several);
}

// The partial result stays in registers.
void Folds::in_order(Id v) {
  const Inst& i = k_.insts[v];
  const int64_t cost = weight(k_, i.blocks[0]);
  const Variance s = e_.variance(e_.divergence.results[v][0]);
  const IrBuilder::Loop l = b_.loop("terms", b_.i64(0), e_.scalar(i.args[0]), b_.i64(1),
                                    identity(v, s), [&](V t, const Vs& all) {
                                      e_.stop_checks().emit(cost);
                                      return combine_term(v, all, term(v, s, t));
                                    });
  e_.set_results(v, l.carry);
}

void Folds::serial(Id v) {
  const Variance s = e_.variance(e_.divergence.results[v][0]);
  const Partials p = make_partials(v, s, many_partials);
  const V n = e_.scalar(k_.insts[v].args[0]);
  fold_partials(p, n, partial_count(n));
  e_.set_results(v, load_partials(p, b_.i64(0)));
}

// Consecutive terms belong to consecutive partial results. A block of them stays in registers while
// the loop strides over the terms. If the terms may be combined in any order, one block takes all
// of them. Returns where it stopped. Short folds are left to fold_partials.
V Folds::fold_register_blocks(const Partials& p, V n, V partials) {
  const Id v = p.fold;
  const auto f = s_.folds.find(v);
  if (f == s_.folds.end()) return b_.i64(0);
  const int block_size = f->second.registers / (p.variance.varying ? e_.interleave : 1);
  n = b_.CreateSelect(b_.CreateICmpEQ(partials, b_.i64(1)), b_.i64(0), n);
  const nest::BlockId body = k_.insts[v].blocks[0];
  const Vs none = identity(v, p.variance);
  const V last = b_.CreateSub(n, b_.i64(block_size - 1));
  const bool any_order = nest::in_any_order(k_.insts[v]);
  const V stride = any_order ? b_.i64(block_size) : partials,
          end =
              any_order ? b_.call(llvm::Intrinsic::smin, {partials, b_.i64(block_size)}) : partials;
  b_.each("partials", b_.i64(0), end, block_size, [&](V first) {
    Vs init;
    for (int k = 0; k < block_size; ++k) init.append(none);
    const IrBuilder::Loop l = b_.loop("terms", first, last, stride, init, [&](V t, const Vs& acc) {
      e_.stop_checks().emit(weight(k_, body) * block_size);
      Vs next;
      for (int k = 0; k < block_size; ++k)
        next.append(combine_term(v, nth_group(acc, k, none.size()),
                                 term(v, p.variance, b_.CreateAdd(t, b_.i64(k)))));
      return next;
    });
    for (int k = 0; k < block_size; ++k)
      store_partials(p, b_.CreateAdd(first, b_.i64(k)), nth_group(l.carry, k, none.size()));
  });
  return b_.CreateAnd(b_.at_least_zero(n), b_.i64(-block_size));
}

void Folds::fold_partials(const Partials& p, V n, V partials) {
  const Id v = p.fold;
  const Vs none = identity(v, p.variance);
  const int64_t cost = weight(k_, k_.insts[v].blocks[0]);
  b_.each("identity", b_.i64(0), partials, 1, [&](V k) { store_partials(p, k, none); });
  const V begin = fold_register_blocks(p, n, partials);
  b_.each("terms", begin, n, 1, [&](V t) {
    e_.stop_checks().emit(cost);
    const Vs x = term(v, p.variance, t);
    const V at = b_.CreateAnd(t, b_.CreateSub(partials, b_.i64(1)));
    store_partials(p, at, combine_term(v, load_partials(p, at), x));
  });
  fold_tree(p, partials);
}

void Folds::fold_tree(const Partials& p, V partials) {
  const V several =
      b_.CreateSelect(b_.CreateICmpEQ(partials, b_.i64(few_partials)), b_.i64(4), b_.i64(6));
  const V levels = b_.CreateSelect(b_.CreateICmpEQ(partials, b_.i64(1)), b_.i64(0), several);
  b_.each("tree", b_.i64(0), levels, 1, [&](V level) {
    const V half = b_.CreateLShr(partials, b_.CreateAdd(level, b_.i64(1)));
    b_.each("pairs", b_.i64(0), half, 1, [&](V k) {
      store_partials(
          p, k,
          combine_partials(p.fold, load_partials(p, k), load_partials(p, b_.CreateAdd(k, half))));
    });
  });
}

}  // namespace weft::compiler
