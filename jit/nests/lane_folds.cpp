// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_folds.cpp: reductions inside the lane, as one fold, a fold of folds or a loop.
#include "jit/nests/lane_folds.h"

#include <algorithm>

#include "core/loops/fold_order.h"
#include "jit/nests/structured.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;

std::vector<nest::Id> terms_at(const Lowering& l, Reader& reader, const Coords& c) {
  std::vector<nest::Id> ids;
  for (int acc = 0; ids.size() < nest::values_of_term(l.combine); ++acc)
    push(&ids, l.element(reader, acc, c));
  return ids;
}

std::vector<nest::Id> combine_all(nest::Builder& b, const std::vector<nest::Combine>& c,
                                  const std::vector<nest::Id>& x, const std::vector<nest::Id>& y,
                                  bool in_order) {
  using nest::Combine, nest::Kind, nest::Opcode;
  std::vector<nest::Id> r(x.size());
  for (size_t k = 0; k < c.size(); ++k) {
    if (c[k] != Combine::ArgMin && c[k] != Combine::ArgMax) {
      r[k] = b.pure(nest::opcode_of(c[k]), b.kind(x[k]), {x[k], y[k]});
      continue;
    }
    const bool real = b.kind(x[k]) == Kind::F32 || b.kind(x[k]) == Kind::F64;
    const auto less = [&](nest::Id p, nest::Id q) {
      // A mask is 0 or 1, not 0 or -1.
      const bool mask = b.kind(x[k]) == Kind::Mask;
      return b.pure(real ? Opcode::Lt : mask ? Opcode::ULt : Opcode::SLt, Kind::Mask, {p, q});
    };
    nest::Id take = c[k] == Combine::ArgMax ? less(x[k], y[k]) : less(y[k], x[k]);
    nest::Id nx = nest::no_id, ny = nest::no_id;  // true where the value is NaN
    if (real) {
      nx = b.pure(Opcode::Ne, Kind::Mask, {x[k], x[k]});
      ny = b.pure(Opcode::Ne, Kind::Mask, {y[k], y[k]});
      const nest::Id fresh =
          b.pure(Opcode::And, Kind::Mask, {ny, b.pure(Opcode::Not, Kind::Mask, {nx})});
      take = b.pure(Opcode::Or, Kind::Mask, {take, fresh});
    }
    if (!in_order) {
      nest::Id same = b.pure(Opcode::Eq, Kind::Mask, {x[k], y[k]});
      if (real)
        same = b.pure(Opcode::Or, Kind::Mask, {same, b.pure(Opcode::And, Kind::Mask, {nx, ny})});
      const nest::Id lower = b.pure(Opcode::SLt, Kind::Mask, {y[k + 1], x[k + 1]});
      take = b.pure(Opcode::Or, Kind::Mask, {take, b.pure(Opcode::And, Kind::Mask, {same, lower})});
    }
    r[k] = b.pure(Opcode::Select, b.kind(x[k]), {take, y[k], x[k]});
    r[k + 1] = b.pure(Opcode::Select, b.kind(x[k + 1]), {take, y[k + 1], x[k + 1]});
    ++k;
  }
  return r;
}

namespace {
// Combines the accumulators with one more term.
std::vector<nest::Id> combine_with_term(nest::Builder& b, const std::vector<nest::Combine>& c,
                                        const std::vector<nest::Id>& x,
                                        const std::vector<nest::Id>& term, bool in_order) {
  if (c[0] != nest::Combine::MulAdd) return combine_all(b, c, x, term, in_order);
  return {b.pure(nest::Opcode::Fma, b.kind(x[0]), {term[0], term[1], x[0]})};
}
}  // namespace

namespace {
// The largest number of terms with code of their own in a kernel of scalars. A loop would read
// scalars at an index known only at run time.
constexpr int64_t most_unrolled = 64;
// The same limit for the instructions of all terms of a fold in a loop.
constexpr size_t most_unrolled_code = 400;
}  // namespace

// Writes the order of core/loops/fold_order.h term by term.
std::vector<nest::Id> LaneFolds::fold_unrolled(int64_t n, const FoldSpec& f, const Term& term) {
  const int64_t p = fold_order::partials(n);
  std::vector<std::vector<nest::Id>> partial(p, f.identity);
  for (int64_t k = 0; k < n; ++k)
    partial[k % p] = combine_with_term(b_, f.combine, partial[k % p], term(I64v(k)), false);
  for (int64_t s = p / 2; s > 0; s /= 2)
    for (int64_t k = 0; k < s; ++k)
      partial[k] = combine_all(b_, nest::of_results(f.combine), partial[k], partial[k + s]);
  return partial[0];
}

// Folds one block of core/loops/fold_order.h. Short blocks are unrolled.
std::vector<nest::Id> LaneFolds::fold_block(int64_t n, const FoldSpec& f, const Term& term) {
  if (n == 1 || (n <= fold_order::short_block && !f.of_folds)) {
    // The first term initializes an argmax; later terms have higher indices.
    const bool pairs = f.combine.back() == nest::Combine::Second;
    std::vector<nest::Id> all = pairs && n > 0 ? term(I64v(0)) : f.identity;
    for (int64_t k = pairs ? 1 : 0; k < n; ++k)
      all = combine_with_term(b_, f.combine, all, term(I64v(k)), pairs);
    return all;
  }
  if (unrolled_ == Unrolled::all && n <= most_unrolled && !f.of_folds)
    return fold_unrolled(n, f, term);
  const nest::BlockId body = b_.open({nest::Kind::I64});
  b_.yield(term(I64v::at(b_.param(body, 0))));
  b_.leave();
  return b_.fold(b_.integer(n), f.identity, f.combine, body, f.of_folds);
}

// Returns true if the code of n terms is short.
bool LaneFolds::is_short(const Term& term, int64_t n) {
  const size_t before = b_.size();
  const nest::BlockId one = b_.open({nest::Kind::I64});
  b_.yield(term(I64v::at(b_.param(one, 0))));
  b_.leave();
  const size_t size = b_.size() - before;
  b_.discard(one);
  return size * static_cast<size_t>(n) <= most_unrolled_code;
}

// Folds terms one after another.
std::vector<nest::Id> LaneFolds::fold_in_order(int64_t n, const FoldSpec& f, const Term& term) {
  std::vector<nest::Kind> params{nest::Kind::I64};
  for (nest::Id id : f.identity) params.push_back(b_.kind(id));
  const nest::BlockId body = b_.open(params);
  std::vector<nest::Id> sum;
  for (size_t k = 0; k < f.identity.size(); ++k)
    sum.push_back(b_.param(body, static_cast<int>(k) + 1));
  b_.yield(combine_with_term(b_, f.combine, sum, term(I64v::at(b_.param(body, 0))), false));
  b_.leave();
  const std::vector<nest::Combine> free(f.any_order ? f.identity.size() : 0, nest::Combine::Add);
  return b_.loop(b_.integer(0), b_.integer(n), 1, f.identity, body, free);
}

std::vector<nest::Id> LaneFolds::fold_terms(int64_t n, const FoldSpec& f, const Term& term) {
  constexpr int64_t most = fold_order::block_terms;
  if (f.in_order && n > fold_order::short_block) return fold_in_order(n, f, term);
  if (n <= most) return fold_block(n, f, term);
  const auto block = [&](I64v b, int64_t terms) {
    return fold_block(terms, f, [&](I64v k) { return term(b * I64v(most) + k); });
  };
  const std::vector<nest::Id> whole =
      fold_terms(n / most, f.of_results(), [&](I64v b) { return block(b, most); });
  return n % most ? combine_all(b_, f.combine, whole, block(I64v(n / most), n % most)) : whole;
}

// Folds the terms at the digits of these axes.
std::vector<nest::Id> LaneFolds::fold_axes(
    const std::vector<int64_t>& extents, const FoldSpec& f,
    const std::function<std::vector<nest::Id>(const Coords&)>& term) {
  const auto first = f.in_order ? 0 : static_cast<std::ptrdiff_t>(fold_order::first_axes(extents));
  if (first == 0) {
    int64_t n = 1;
    for (int64_t extent : extents) n *= extent;
    const Term numbered = [&](I64v k) {
      return term(extents.empty() ? Coords{} : space_.split(k.id, extents));
    };
    const bool several = std::ranges::count_if(extents, [](int64_t e) { return e > 1; }) > 1;
    if (unrolled_ == Unrolled::several_axes && several && !f.in_order && !f.of_folds &&
        n > fold_order::short_block && n <= most_unrolled && is_short(numbered, n))
      return fold_unrolled(n, f, numbered);
    return fold_terms(n, f, numbered);
  }
  const std::vector<int64_t> rows(extents.begin(), extents.begin() + first),
      row(extents.begin() + first, extents.end());
  return fold_axes(rows, f.of_results(), [&](const Coords& at) {
    return fold_axes(row, f, [&](const Coords& in_row) {
      Coords c = at;
      c.insert(c.end(), in_row.begin(), in_row.end());
      return term(c);
    });
  });
}

Elem LaneFolds::element(const Lowering& l, Reader& reader, int out, const Coords& at) {
  const std::vector<nest::Id> identity = l.identity(b_);
  const std::vector<nest::Id> folded = fold_axes(
      extents_of(l.space, l.axes), {l.combine, identity, false, l.in_order, l.any_order},
      [&](const Coords& digits) {
        Coords c;
        size_t next_out = 0, next_fold = 0;
        for (int a = 0; a < l.space.ndim(); ++a) {
          const bool folded_axis = std::find(l.axes.begin(), l.axes.end(), a) != l.axes.end();
          c.push_back(folded_axis ? digits[next_fold++] : at[next_out++]);
        }
        return terms_at(l, reader, c);
      });
  return l.results(folded)[out];
}

}  // namespace weft::compiler
