// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/fold_order.h: the order in which reductions and running folds combine their terms. It
// depends only on the reduced extents (docs/decisions/0013). Folds on the host run the templates in
// this file. Kernels (jit/nests/folds.h), their back ends and the stages of large reductions
// (ops/reduce/stages.h) use its constants and follow the same order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::fold_order {

// Within a block, partial k combines, in order, the terms k, k + P, k + 2P, ... Then for s = P/2,
// P/4, ... 1: partial[k] = join(partial[k], partial[k + s]). Partials start from the identity.
inline constexpr int64_t block_terms = 4096, many_partials = 64, few_partials = 16;
inline constexpr int64_t short_block = 16;   // up to this many terms there is one partial
inline constexpr int64_t long_block = 1024;  // from this many terms on there are many_partials
constexpr int64_t partials(int64_t terms) {
  return terms <= short_block ? 1 : terms < long_block ? few_partials : many_partials;
}

// With more than one block, the results of the whole blocks are folded by the same rule. The block
// of the remaining terms is then joined to that result.

// Terms over several axes are numbered row-major, as if they were on one axis. The exception: if
// there are many terms and the last axes alone have many, the last axes are folded first. Their
// results are then folded over the first axes by the same rule. first_axes returns the number of
// those first axes, or 0 if all axes are treated as one.
inline constexpr int64_t many_terms = int64_t{1} << 17, long_rows = 1024, enough_rows = 32;
inline size_t first_axes(const std::vector<int64_t>& extents) {
  int64_t terms = 1, rows = 1, last = 1;
  for (int64_t n : extents) terms *= n;
  if (terms < many_terms) return 0;
  size_t k = extents.size();
  while (k > 0 && last < long_rows) last *= extents[--k];
  for (size_t a = 0; a < k; ++a) rows *= extents[a];
  return rows >= enough_rows ? k : 0;
}

// A running fold (scan) works in runs. The terms of a run are combined sequentially. The prefix
// before a run is the running fold, by the same rule, of the results of the runs before it. It is
// joined to each element of the run.
inline constexpr int64_t run_terms = 32;

template <class V, class Term, class Join>
V fold_block(int64_t n, const V& identity, Term term, Join join) {
  const int64_t p = partials(n);
  V partial[many_partials];
  std::fill_n(partial, p, identity);
  for (int64_t i = 0; i < n; ++i) partial[i % p] = join(partial[i % p], term(i));
  for (int64_t s = p / 2; s > 0; s /= 2)
    for (int64_t k = 0; k < s; ++k) partial[k] = join(partial[k], partial[k + s]);
  return partial[0];
}

// Terms that are stored in memory.
template <class V>
struct Results {
  const V* of;
  V operator()(int64_t i) const { return of[i]; }
};
// The terms from number `first` on. For terms in memory the result has the same type, so that their
// fold is not compiled again for a suffix.
template <class Term>
auto from(Term term, int64_t first) {
  return [term, first](int64_t i) { return term(first + i); };
}
template <class V>
Results<V> from(Results<V> terms, int64_t first) {
  return {terms.of + first};
}

// Folds term(0) ... term(n-1), along one axis.
template <class V, class Term, class Join>
V fold(int64_t n, const V& identity, Term term, Join join) {
  if (n <= block_terms) return fold_block(n, identity, term, join);
  const int64_t whole = n / block_terms, rest = n % block_terms;
  const auto block = [&](int64_t b, int64_t terms) {
    return fold_block(terms, identity, from(term, b * block_terms), join);
  };
  const std::unique_ptr<V[]> result(new V[static_cast<size_t>(whole)]);
  for (int64_t b = 0; b < whole; ++b) result[b] = block(b, block_terms);
  const V all = fold(whole, identity, Results<V>{result.get()}, join);
  return rest ? join(all, block(whole, rest)) : all;
}

// Folds over axes of these extents, with the terms numbered row-major.
template <class V, class Term, class Join>
V fold(const std::vector<int64_t>& extents, const V& identity, Term term, Join join) {
  int64_t n = 1, rows = 1;
  for (int64_t e : extents) n *= e;
  const auto first = static_cast<std::ptrdiff_t>(first_axes(extents));
  if (first == 0) return fold(n, identity, term, join);
  const std::vector<int64_t> front(extents.begin(), extents.begin() + first);
  for (int64_t e : front) rows *= e;
  const int64_t length = n / rows;
  const std::unique_ptr<V[]> result(new V[static_cast<size_t>(rows)]);
  for (int64_t r = 0; r < rows; ++r)
    result[r] = fold(length, identity, from(term, r * length), join);
  return fold(front, identity, Results<V>{result.get()}, join);
}

// Replaces x[0], x[1], ... x[n-1] by their running folds.
template <class V, class Join>
void run(V* x, int64_t n, const V& identity, Join join) {
  const int64_t runs = (n + run_terms - 1) / run_terms;
  const std::unique_ptr<V[]> before(new V[static_cast<size_t>(runs)]);
  for (int64_t r = 0; r < runs; ++r) {
    V sum = identity;
    for (int64_t i = r * run_terms; i < std::min(n, (r + 1) * run_terms); ++i)
      x[i] = sum = join(sum, x[i]);
    before[r] = sum;
  }
  if (runs < 2) return;
  run(before.get(), runs - 1, identity, join);
  for (int64_t i = run_terms; i < n; ++i) x[i] = join(before[i / run_terms - 1], x[i]);
}

}  // namespace weft::fold_order
