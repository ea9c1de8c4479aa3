// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/vector_loops.cpp: loops whose iterations fill vectors.
#include "jit/emit/cpu/vector_loops.h"

#include <llvm/IR/Intrinsics.h>

#include <numeric>
#include <utility>

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::few_partials, fold_order::many_partials, fold_order::long_block;

namespace {
// The most steps of a loop that are written without a loop, and their instructions.
constexpr int64_t most_steps = 4, most_code = 256;
}  // namespace

Vs VectorLoops::load_vector(const Partials& p, V index, int n) {
  Vs out;
  for (size_t r = 0; r < p.arrays.size(); ++r) {
    auto* t = p.elements[r];
    const V x = b_.CreateAlignedLoad(llvm::FixedVectorType::get(t, n),
                                     b_.CreateGEP(t, p.arrays[r], index), b_.align_of(t));
    out.push_back(ops_.mask_from_memory(x, p.kinds[r]));
  }
  return out;
}

void VectorLoops::store_vector(const Partials& p, V index, const Vs& x) {
  for (size_t r = 0; r < p.arrays.size(); ++r) {
    auto* t = p.elements[r];
    b_.CreateAlignedStore(ops_.mask_to_memory(x[r], p.kinds[r]),
                          b_.CreateGEP(t, p.arrays[r], index), b_.align_of(t));
  }
}

void VectorLoops::fold(Id v) {
  const Inst& i = k_.insts[v];
  const V n = e_.scalar(i.args[0]);
  const Partials p = folds_.make_partials(v, uniform_value, many_partials);
  b_.vector_width = s_.vector_width;
  const V is_long = b_.CreateICmpSGE(n, b_.i64(long_block));
  // The terms of a short fold are stored in place of the partial results, and combined in order.
  const V few = b_.CreateICmpSLE(n, b_.i64(fold_order::short_block));
  const V partials = b_.CreateSelect(is_long, b_.i64(many_partials), b_.i64(few_partials));
  const Vs none = folds_.identity(v, varying_value);
  for (int k = 0; k < many_partials; k += b_.vector_width) store_vector(p, b_.i64(k), none);
  // The body of the loop is emitted once per register. Without a schedule for it, all terms run in
  // the tail's loop.
  const auto wide = static_cast<int>(many_partials / b_.vector_width),
             narrow = static_cast<int>(few_partials / b_.vector_width);
  V begin = b_.i64(0);
  if (s_.folds.count(v)) {
    const V whole =
        b_.CreateSelect(few, b_.i64(0), b_.CreateAnd(b_.at_least_zero(n), b_.CreateNeg(partials)));
    b_.when(
        is_long, [&] { fold_whole_vectors(p, whole, wide); },
        [&] { fold_whole_vectors(p, whole, narrow); });
    begin = whole;
  }
  fold_tail(p, n, begin, partials, few);
  b_.when(few, [&] { fold_stored_terms(p, n); }, [&] { fold_horizontal(p, partials); });
  b_.vector_width = 1;
  e_.set_results(v, folds_.load_partials(p, b_.i64(0)));
}

// The arrays of the partial results hold the terms themselves, followed by the terms' second
// values, if any (fold_tail).
void VectorLoops::fold_stored_terms(const Partials& p, V n) {
  const int width = std::exchange(b_.vector_width, 1);
  const Inst& i = k_.insts[p.fold];
  const auto term_at = [&](V k) {
    const Vs first = folds_.load_partials(p, k),
             second = folds_.load_partials(p, b_.CreateAdd(k, b_.i64(few_partials)));
    Vs x;
    for (size_t r = 0; r < first.size(); ++r) {
      x.push_back(first[r]);
      if (nest::values_of_term(i.fold[r]) == 2) x.push_back(second[r]);
    }
    return x;
  };
  const IrBuilder::Loop l =
      b_.loop("in order", b_.i64(0), n, b_.i64(1), folds_.identity(p.fold, uniform_value),
              [&](V k, const Vs& all) { return folds_.combine_term(p.fold, all, term_at(k)); });
  folds_.store_partials(p, b_.i64(0), l.carry);
  b_.vector_width = width;
}

void VectorLoops::fold_whole_vectors(const Partials& p, V whole, int registers) {
  const Vs none = folds_.identity(p.fold, varying_value);
  const int64_t cost = weight(k_, k_.insts[p.fold].blocks[0]) * registers,
                step = int64_t{registers} * b_.vector_width;
  Vs all;
  for (int g = 0; g < registers; ++g) all.append(none);
  const auto terms = [&](V at, const Vs& acc) {
    Vs next;
    for (int g = 0; g < registers; ++g)
      next.append(folds_.combine_term(
          p.fold, nth_group(acc, g, none.size()),
          folds_.term(p.fold, varying_value, b_.CreateAdd(at, b_.i64(g * b_.vector_width)))));
    return next;
  };
  if (const auto n = few_steps(whole, step, cost))
    for (int64_t at = 0; at < *n; at += step) all = terms(b_.i64(at), all);
  else
    all = b_.loop("terms", b_.i64(0), whole, b_.i64(step), all, [&](V at, const Vs& acc) {
              e_.stop_checks().emit(cost);
              return terms(at, acc);
            }).carry;
  for (int g = 0; g < registers; ++g)
    store_vector(p, b_.i64(g * b_.vector_width), nth_group(all, g, none.size()));
}

// Returns the constant end of a loop whose few steps are written one after the other. A row then
// stays in registers between the loops of a point.
std::optional<int64_t> VectorLoops::few_steps(V end, int64_t step, int64_t cost) const {
  const auto n = IrBuilder::constant_int(end);
  return n && *n <= most_steps * step && *n / step * cost <= most_code ? n : std::nullopt;
}

void VectorLoops::fold_tail(const Partials& p, V n, V begin, V partials, V few) {
  b_.each("tail", begin, n, b_.vector_width, [&](V at) {
    e_.stop_checks().emit(weight(k_, k_.insts[p.fold].blocks[0]));
    const V slot = b_.CreateAnd(at, b_.CreateSub(partials, b_.i64(1)));
    const V m = b_.prefix_mask(b_.CreateSub(n, at));
    const Vs old = load_vector(p, slot, b_.vector_width);
    Vs x;
    for_rest(m, at, n, [&] { x = folds_.term(p.fold, varying_value, at); });
    Vs next = folds_.combine_term(p.fold, old, x), first, second;
    for (const V* value = x.begin(); const nest::Combine c : k_.insts[p.fold].fold) {
      first.push_back(*value);
      second.push_back(value[nest::values_of_term(c) - 1]);
      value += nest::values_of_term(c);
    }
    for (size_t r = 0; r < next.size(); ++r)
      next[r] = b_.CreateSelect(m, b_.CreateSelect(few, first[r], next[r]), old[r]);
    store_vector(p, slot, next);
    if (x.size() > next.size())
      b_.when(few, [&] { store_vector(p, b_.CreateAdd(slot, b_.i64(few_partials)), second); });
  });
}

void VectorLoops::fold_horizontal(const Partials& p, V partials) {
  b_.when(b_.CreateICmpEQ(partials, b_.i64(many_partials)), [&] {
    for (int half = many_partials / 2; half >= few_partials; half /= 2)
      for (int k = 0; k < half; k += b_.vector_width)
        store_vector(p, b_.i64(k),
                     folds_.combine_partials(p.fold, load_vector(p, b_.i64(k), b_.vector_width),
                                             load_vector(p, b_.i64(k + half), b_.vector_width)));
  });
  Vs x = load_vector(p, b_.i64(0), few_partials);
  for (int half = few_partials / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int, 16> low(half), high(half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    Vs a, b;
    for (V t : x) {
      a.push_back(b_.CreateShuffleVector(t, low));
      b.push_back(b_.CreateShuffleVector(t, high));
    }
    x = folds_.combine_partials(p.fold, a, b);
  }
  for (V& t : x) t = b_.CreateExtractElement(t, uint64_t{0});
  folds_.store_partials(p, b_.i64(0), x);
}

void VectorLoops::for_each(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const V n = e_.scalar(i.args[0]);
  b_.vector_width = s_.vector_width;
  const int64_t cost = weight(k_, i.blocks[0]);
  const auto body = [&](V at) {
    e_.set_linear(index, at, b_.i64(1));
    e_.emit_block(i.blocks[0]);
  };
  const V whole = b_.CreateAnd(n, b_.i64(-b_.vector_width));
  if (const auto few = few_steps(whole, b_.vector_width, cost))
    for (int64_t at = 0; at < *few; at += b_.vector_width) body(b_.i64(at));
  else
    b_.each("each", b_.i64(0), whole, b_.vector_width, [&](V at) {
      e_.stop_checks().emit(cost);
      body(at);
    });
  b_.when(b_.CreateICmpSGT(n, b_.at_least_zero(whole)), [&] {
    for_rest(b_.prefix_mask(b_.CreateSub(n, whole)), whole, n, [&] { body(whole); });
  });
  b_.vector_width = 1;
}

void VectorLoops::for_rest(V mask, V begin, V end, const std::function<void()>& body) {
  LocalArrays& arrays = e_.local_arrays();
  e_.active = {mask};
  arrays.rest_mask = mask;
  arrays.rest_begin = begin;
  arrays.rest_end = end;
  body();
  e_.active.clear();
  arrays.rest_mask = arrays.rest_begin = arrays.rest_end = nullptr;
}

}  // namespace weft::compiler
