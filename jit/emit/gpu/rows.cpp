// SPDX-License-Identifier: Apache-2.0 Copyright The Weft authors jit/emit/gpu/rows.cpp: partitions
// the terms of a row among the threads that share a point. It also keeps values of the row in
// registers between loops, and folds rows that a whole block of threads shares.
#include <algorithm>
#include <utility>

#include "jit/emit/emit_fold.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::long_block;

// Emits a loop over the terms, `terms` per trip. If their number is known, trips in which all
// threads have a term need no test. A loop with kept values is unrolled.
Vs Emitter::dealt_out(Id v, int64_t terms, const Vs& init, const Trip& trip) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const auto most = known(n);
  const auto rolled = [&](V end, bool whole) {
    return loop("terms", i64(0), end, i64(terms), init,
                [&](V at, const Vs& carry) {
                  emit_cancellation_check(terms / sharers_ * weight(k_, i.blocks[0]));
                  return trip(at, carry, whole);
                })
        .carry;
  };
  if (!most) return rolled(n, false);
  if (!from_row_ && std::ranges::count(row_.loops, v) > 0) {
    Vs carry = init;
    for (int64_t at = 0; at < *most; at += terms) {
      turn_ = at / sharers_;
      carry = trip(i64(at), carry, at + terms <= *most);
    }
    turn_.reset();
    return carry;
  }
  const int64_t whole = *most - *most % terms;
  const Vs carry = rolled(i64(whole), true);
  return whole < *most ? trip(i64(whole), carry, false) : carry;
}

// Returns f for this thread's term among those from `first` on; `otherwise` if it has none.
Vs Emitter::own_term(V n, V first, bool whole, const std::function<Vs(V index)>& f,
                     const Vs& otherwise) {
  const auto begin = known(first), end = known(n);
  if (begin && end && *begin >= *end) return otherwise;
  whole = whole || (begin && end && *begin + sharers_ <= *end);
  if (turn_) turn_ = *begin / sharers_;
  const V index = b_.CreateAdd(first, thread_in_point_);
  made_.clear();
  const auto with_kept = [&] {
    Vs x = f(index);
    for (const Id r : made_) x.push_back(kept_.at({r, *turn_}));
    return x;
  };
  Vs none = otherwise;
  const bool before = std::exchange(threads_diverge_, true);
  Vs x = branch(whole ? b_.getTrue() : b_.CreateICmpSLT(index, n), with_kept, [&] {
    for (const Id r : made_)
      none.push_back(llvm::Constant::getNullValue(kept_.at({r, *turn_})->getType()));
    return none;
  });
  threads_diverge_ = before;
  for (size_t r = 0; r < made_.size(); ++r) kept_[{made_[r], *turn_}] = x[otherwise.size() + r];
  x.resize(otherwise.size());
  return x;
}

// Emits the body of a loop over the row, for one turn of this thread.
void Emitter::emit_turn(nest::BlockId body) {
  const int64_t turn = *turn_;
  for (const Id v : k_.blocks[body].body) {
    if (row_.spared.contains(v)) continue;
    const auto same = row_.kept.find(v);
    if (same == row_.kept.end()) {
      emit_inst(v);
    } else if (same->second != v) {
      set(v, kept_.at({same->second, turn}));
    } else {
      emit_inst(v);
      kept_[{v, turn}] = scalar(v);
      made_.push_back(v);
    }
  }
}

// Returns the address of a value of a term in the memory that a block shares.
V Emitter::term_place(Id v, size_t value, V index) {
  const Inst& i = k_.insts[v];
  const int64_t n = *known(scalar(i.args[0]));
  const std::vector<nest::Kind> kinds = term_kinds(i);
  int64_t first = result_bytes(k_);
  for (size_t k = 0; k < value; ++k) first = (first + n * kind_bytes(kinds[k]) + 15) & -16;
  return b_.CreateGEP(
      memory_type(kinds[value]),
      b_.CreateConstGEP1_64(b_.getInt8Ty(), row_memory_, static_cast<uint64_t>(first)), index);
}

Vs Emitter::row_term(Id v, V index) {
  if (!from_row_) return term(v, uniform_value, index);
  Vs out;
  for (const nest::Kind k : term_kinds(k_.insts[v]))
    out.push_back(
        mask_from_memory(b_.CreateLoad(memory_type(k), term_place(v, out.size(), index)), k));
  return out;
}

// The threads of a block store their terms to shared memory. The first warp folds them as it would
// fold its own terms, and stores the results there.
void Emitter::fold_of_block(Id v) {
  const Inst& i = k_.insts[v];
  const V n = scalar(i.args[0]);
  const std::vector<nest::Kind> kinds = term_kinds(i);
  dealt_out(v, sharers_, {}, [&](V at, const Vs&, bool whole) {
    const auto leave = [&](V index) {
      const Vs x = term(v, uniform_value, index);
      for (size_t k = 0; k < x.size(); ++k)
        b_.CreateStore(mask_to_memory(x[k], kinds[k]), term_place(v, k, index));
      return Vs();
    };
    return own_term(n, at, whole, leave, {});
  });
  barrier();
  const auto place = [&](size_t r) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), row_memory_, 16 * r);
  };
  when(b_.CreateICmpULT(thread_in_point_, i64(warp)), [&] {
    const int64_t before = std::exchange(sharers_, warp);
    from_row_ = true;
    const int64_t terms = *known(n);
    const Vs sums = terms <= fold_order::short_block ? fold_few(v, n)
                    : terms < long_block             ? fold_half_warp(v, n)
                                                     : fold_warp(v, n);
    from_row_ = false;
    sharers_ = before;
    for (size_t r = 0; r < sums.size(); ++r)
      b_.CreateStore(mask_to_memory(sums[r], i.kinds[r]), place(r));
  });
  barrier();
  Vs out;
  for (size_t r = 0; r < i.kinds.size(); ++r)
    out.push_back(mask_from_memory(b_.CreateLoad(memory_type(i.kinds[r]), place(r)), i.kinds[r]));
  set_results(v, out);
}

}  // namespace weft::compiler
