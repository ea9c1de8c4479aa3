// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/row_terms.cpp: loops over the terms of a row, and the values that threads keep.
#include "jit/emit/gpu/row_terms.h"

#include <algorithm>
#include <utility>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

void RowTerms::find_kept_values() {
  if (s_.kept) row_ = row_values(k_, e_.divergence, s_.threads);
}

Vs RowTerms::strided_loop(Id v, int64_t terms, const Vs& init, const Trip& trip) {
  const Inst& i = k_.insts[v];
  const V n = e_.scalar(i.args[0]);
  const auto most = b_.constant_int(n);
  const auto rolled = [&](V end, bool whole) {
    return b_
        .loop("terms", b_.i64(0), end, b_.i64(terms), init,
              [&](V at, const Vs& carry) {
                e_.stop_checks().emit(terms / threads * weight(k_, i.blocks[0]));
                return trip(at, carry, whole);
              })
        .carry;
  };
  if (!most) return rolled(n, false);
  if (may_unroll && std::ranges::count(row_.loops, v) > 0) {
    Vs carry = init;
    for (int64_t at = 0; at < *most; at += terms) {
      iteration_ = at / threads;
      carry = trip(b_.i64(at), carry, at + terms <= *most);
    }
    iteration_.reset();
    return carry;
  }
  const int64_t whole = *most - *most % terms;
  const Vs carry = rolled(b_.i64(whole), true);
  return whole < *most ? trip(b_.i64(whole), carry, false) : carry;
}

Vs RowTerms::term(V n, V first, bool whole, const std::function<Vs(V index)>& f,
                  const Vs& otherwise) {
  const auto begin = b_.constant_int(first), end = b_.constant_int(n);
  if (begin && end && *begin >= *end) return otherwise;
  whole = whole || (begin && end && *begin + threads <= *end);
  if (iteration_) iteration_ = *begin / threads;
  const V index = b_.CreateAdd(first, e_.threads().in_point);
  newly_kept_.clear();
  const auto with_kept = [&] {
    Vs x = f(index);
    for (const Id r : newly_kept_) x.push_back(kept_.at({r, *iteration_}));
    return x;
  };
  Vs none = otherwise;
  const bool before = std::exchange(e_.threads().diverge, true);
  Vs x = b_.branch(whole ? b_.getTrue() : b_.CreateICmpSLT(index, n), with_kept, [&] {
    for (const Id r : newly_kept_)
      none.push_back(llvm::Constant::getNullValue(kept_.at({r, *iteration_})->getType()));
    return none;
  });
  e_.threads().diverge = before;
  for (size_t r = 0; r < newly_kept_.size(); ++r)
    kept_[{newly_kept_[r], *iteration_}] = x[otherwise.size() + r];
  x.resize(otherwise.size());
  return x;
}

void RowTerms::emit_iteration(nest::BlockId body) {
  if (!iteration_) return e_.emit_block(body);
  const int64_t iteration = *iteration_;
  for (const Id v : k_.blocks[body].body) {
    if (row_.spared.contains(v)) continue;
    const auto same = row_.kept.find(v);
    if (same == row_.kept.end()) {
      e_.emit_inst(v);
    } else if (same->second != v) {
      e_.set(v, kept_.at({same->second, iteration}));
    } else {
      e_.emit_inst(v);
      kept_[{v, iteration}] = e_.scalar(v);
      newly_kept_.push_back(v);
    }
  }
}

}  // namespace weft::compiler
