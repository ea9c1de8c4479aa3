// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/product.cpp: the tiles and stages of a matrix product.
#include "jit/emit/gpu/product.h"

#include <llvm/IR/Intrinsics.h>

#include <numeric>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
// The number of unrolled terms in code that runs rarely.
constexpr int few_terms = 4;
}  // namespace

// A barrier that also returns true if the condition holds in all threads of the block.
V Product::barrier_and(V condition) {
  const V own = b_.CreateZExt(condition, b_.getInt32Ty());
  const V all = gpu_.barrier_and(own);
  return b_.CreateICmpNE(all, b_.i32(0));
}

// Returns the factors of this thread's points for a term of the stage.
Vs Product::load_stage(const ProductState& p, const ProductSide& s, V stage, V term) {
  const int n = ProductState::points_per_access(static_cast<int>(s.point_offsets.size()));
  auto* vector = llvm::FixedVectorType::get(p.factor_type, static_cast<unsigned>(n));
  const V thread_base =
      b_.CreateGEP(b_.getInt8Ty(), b_.CreateGEP(p.factor_type, stage, s.thread_offset),
                   b_.CreateMul(term, b_.i64(s.stage.pitch)));
  Vs out;
  for (size_t k = 0; k < s.point_offsets.size(); k += static_cast<size_t>(n)) {
    const int64_t at = s.stage.first + s.point_offsets[k] * p.stage.number;
    const V x = b_.CreateAlignedLoad(vector, b_.CreateConstGEP1_64(b_.getInt8Ty(), thread_base, at),
                                     llvm::Align(static_cast<uint64_t>(std::min<int64_t>(
                                         16, static_cast<int64_t>(n) * p.stage.number))));
    for (int l = 0; l < n; ++l) out.push_back(b_.CreateExtractElement(x, static_cast<uint64_t>(l)));
  }
  return out;
}

// Multiplies `terms` terms of a stage, `unrolled` of them per trip.
Vs Product::fma_terms(const ProductState& p, V stage, const Vs& sums, int terms, int unrolled) {
  const auto trip = [&](V first, const Vs& before) {
    Vs now = before;
    for (int k = 0; k < unrolled; ++k) {
      const V term = b_.CreateAdd(first, b_.i64(k));
      const Vs rows = load_stage(p, p.rows, stage, term),
               columns = load_stage(p, p.columns, stage, term);
      size_t at = 0;
      for (V r : rows)
        for (V c : columns) {
          now[at] = ops_.arith(Opcode::Fma, k_.insts[p.loop.loop].kinds[0], {r, c, now[at]});
          ++at;
        }
    }
    return now;
  };
  if (terms == unrolled) return trip(b_.i64(0), sums);
  return b_.loop("terms", b_.i64(0), b_.i64(terms), b_.i64(unrolled), sums, trip).carry;
}

// Emits the code after the loop for each sum.
void Product::epilogue(const ProductState& p, const Vs& sums) {
  const auto point = [&](const ProductSide& s, int other) {
    return b_.CreateAdd(b_.CreateAdd(s.first, s.thread_offset), b_.i64(other));
  };
  size_t at = 0;
  for (const int r : p.rows.point_offsets)
    for (const int c : p.columns.point_offsets) {
      const V row = point(p.rows, r), column = point(p.columns, c), sum = sums[at++];
      b_.when(b_.CreateAnd(b_.CreateICmpSLE(row, p.rows.last),
                           b_.CreateICmpSLE(column, p.columns.last)),
              [&] {
                e_.indices[0] = row;
                e_.indices[1] = column;
                e_.set_results(p.loop.loop, {sum});
                for (const Id v : k_.blocks[0].body)
                  if (e_.divergence.level[v] > 0 && v != p.loop.loop &&
                      k_.insts[v].op != Opcode::Result)
                    e_.emit_inst(v);
              });
    }
}

// Distributes the points of a side. Threads have groups of neighbours, so that the 4 x 8 threads of
// a warp read few lines of memory. With tensor cores the hardware determines the points.
ProductSide Product::make_side(const ProductState& p, bool of_rows) {
  const ProductSchedule& s = p.s;
  ProductSide r{};
  r.factor = of_rows ? &p.loop.rows : &p.loop.columns;
  r.stage = of_rows ? p.stage.rows : p.stage.columns;
  r.axis = of_rows ? 0 : 1;
  r.points = of_rows ? s.rows : s.columns;
  const int moved = r.points * s.terms / s_.block;
  r.group = std::min({moved, r.factor->together, s.terms, r.points});
  r.groups = moved / r.group;
  const int of_thread = of_rows ? s.thread_rows : s.thread_columns;
  const V in_warp = b_.CreateURem(p.thread, b_.i64(warp)),
          own_warp = b_.CreateUDiv(p.thread, b_.i64(warp));
  const auto part = [&](V n, int across) {  // of a position in rows of `across` columns
    return of_rows ? b_.CreateUDiv(n, b_.i64(across)) : b_.CreateAnd(n, b_.i64(across - 1));
  };
  if (s.mma) {
    r.thread_offset = b_.CreateMul(part(own_warp, s.columns / (4 * s.thread_columns)),
                                   b_.i64((of_rows ? 8 : 4) * of_thread));
    r.fragment = tensor_cores_.fragment_offset(p, r, r.thread_offset, in_warp);
    r.thread_offset =
        b_.CreateAdd(r.thread_offset, of_rows ? b_.CreateLShr(in_warp, 2)
                                              : b_.CreateShl(b_.CreateAnd(in_warp, b_.i64(3)), 1));
    for (int k = 0; k < of_thread; ++k)
      r.point_offsets.push_back(of_rows ? 8 * k : 8 * (k / 2) + k % 2);
    return r;
  }
  const int across = s.columns / s.thread_columns, down = s.rows / s.thread_rows,
            n = ProductState::points_per_access(of_thread);
  const bool square = across % 8 == 0 && down % 4 == 0;
  const V own = square ? b_.CreateAdd(part(in_warp, 8), b_.CreateMul(part(own_warp, across / 8),
                                                                     b_.i64(of_rows ? 4 : 8)))
                       : part(p.thread, across);
  r.thread_offset = b_.CreateMul(own, b_.i64(n));
  for (int k = 0; k < of_thread; ++k)
    r.point_offsets.push_back(k / n * n * (of_rows ? down : across) + k % n);
  return r;
}

// Finds the tile of the block. Tiles of a matrix are numbered row of tiles by row of tiles.
void Product::locate_tile(ProductState& p, V block, V rows, V columns) {
  const ProductSchedule& s = p.s;
  const auto tiles_of = [&](V n, int of) {
    return b_.CreateUDiv(b_.CreateAdd(n, b_.i64(of - 1)), b_.i64(of));
  };
  const V matrix = s.matrix ? b_.i64(s.matrix) : rows;
  const V across = tiles_of(columns, s.columns), down = tiles_of(matrix, s.rows);
  const V band = b_.CreateUDiv(block, across), number = b_.CreateUDiv(band, down);
  const V row = b_.CreateMul(b_.CreateSub(band, b_.CreateMul(number, down)), b_.i64(s.rows)),
          column = b_.CreateMul(b_.CreateSub(block, b_.CreateMul(band, across)), b_.i64(s.columns));
  const V top = b_.CreateMul(number, matrix);
  p.rows.first = b_.CreateAdd(top, row);
  p.rows.last =
      b_.CreateSub(b_.call(llvm::Intrinsic::smin, {b_.CreateAdd(top, matrix), rows}), b_.i64(1));
  p.columns.first = column;
  p.columns.last = b_.CreateSub(columns, b_.i64(1));
}

Vs Product::load(const ProductState& p, V first_term) {
  Vs x = factors_.load(p, p.rows, first_term);
  x.append(factors_.load(p, p.columns, first_term));
  return x;
}
void Product::store(const ProductState& p, V at, V first_term, const Vs& loaded) {
  const size_t of_rows = static_cast<size_t>(p.rows.groups) * p.rows.factor->reads.size();
  const V stage = b_.CreateGEP(b_.getInt8Ty(), p.memory, at);
  const llvm::ArrayRef<V> all(loaded);
  factors_.store(p, p.rows, stage, first_term, all.take_front(of_rows));
  factors_.store(p, p.columns, stage, first_term, all.drop_front(of_rows));
}
void Product::copy(const ProductState& p, V at, V first_term) {
  const V stage = b_.CreateGEP(b_.getInt8Ty(), p.memory, at);
  factors_.copy(p, p.rows, stage, first_term);
  factors_.copy(p, p.columns, stage, first_term);
}

// Multiplies all full stages. With `prefetch`, the factors of the next stage are loaded to
// registers while the current one is multiplied. Without it there is less code, for tiles at edges.
Product::Sums Product::full_stages(const ProductState& p, const Vs& sums, bool prefetch) {
  const int terms = p.s.terms;
  const int64_t end = p.loop.terms / terms * terms;
  const auto trip = [&](V at, const Vs& before) {
    e_.stop_checks().emit(terms * static_cast<int64_t>(sums.size()));
    gpu_.barrier();
    const V next = b_.CreateAdd(at, b_.i64(terms)), more = b_.CreateICmpSLT(next, b_.i64(end)),
            other = b_.CreateSub(b_.i64(p.stage.bytes), before.back());
    Vs loaded, none;
    if (prefetch)
      loaded = b_.branch(
          more, [&] { return loaded = load(p, next); },
          [&] {
            for (V x : loaded) none.push_back(llvm::UndefValue::get(x->getType()));
            return none;
          });
    const V stage = b_.CreateGEP(b_.getInt8Ty(), p.memory, before.back());
    const Vs own(before.begin(), before.end() - 1);
    Vs now = p.s.mma
                 ? tensor_cores_.mma_terms(p, stage, own, terms)
                 : fma_terms(p, stage, own, terms, prefetch ? terms : std::min(terms, few_terms));
    if (prefetch)
      store(p, other, next, loaded);
    else
      b_.when(more, [&] { copy(p, other, next); });
    now.push_back(other);
    return now;
  };
  if (prefetch)
    store(p, b_.i64(0), b_.i64(0), load(p, b_.i64(0)));
  else
    copy(p, b_.i64(0), b_.i64(0));
  Vs carry = sums;
  carry.push_back(b_.i64(0));  // the offset of the stage that is read
  const IrBuilder::Loop l = b_.loop("tiles", b_.i64(0), b_.i64(end), b_.i64(terms), carry, trip);
  return {{l.carry.begin(), l.carry.end() - 1}, l.carry.back()};
}

// Adds the terms that do not fill a stage.
Vs Product::remainder(ProductState p, const Sums& before) {
  const int64_t rest = p.loop.terms % p.s.terms, first = p.loop.terms - rest;
  if (rest == 0) return before.sums;
  p.full_stage = false;
  copy(p, before.stage, b_.i64(first));
  gpu_.barrier();
  const V stage = b_.CreateGEP(b_.getInt8Ty(), p.memory, before.stage);
  const int terms = static_cast<int>(rest);
  if (p.s.mma) return tensor_cores_.mma_terms(p, stage, before.sums, terms);
  return fma_terms(p, stage, before.sums, terms, std::gcd(terms, few_terms));
}

void Product::emit(V block, V thread, V rows, V columns) {
  const ProductSchedule& s = s_.product;
  ProductState p{*product_loop(k_),
                 s,
                 ops_.type(k_.insts[s.loop].kinds[0]),
                 nullptr,
                 {},
                 nullptr,
                 thread,
                 true,
                 {},
                 {}};
  p.factor_type = s.mma ? b_.getInt16Ty() : p.sum_type;
  p.stage = compiler::product_stage(s, p.loop, k_);
  p.memory = gpu_.shared_memory(2 * p.stage.bytes);
  p.rows = make_side(p, true);
  p.columns = make_side(p, false);
  locate_tile(p, block, rows, columns);
  const size_t points = p.rows.point_offsets.size() * p.columns.point_offsets.size();
  Sums all{Vs(points, e_.scalar(k_.insts[s.loop].args[2])), b_.i64(0)};
  const bool vectors = p.rows.group > 1 || p.columns.group > 1;
  if (p.loop.terms >= s.terms && vectors) {
    const auto tiles = [&](bool fit) {
      Sums r = full_stages(p, all.sums, fit);
      r.sums.push_back(r.stage);
      return r.sums;
    };
    const V fits = barrier_and(b_.CreateAnd(factors_.fits(p, p.rows), factors_.fits(p, p.columns)));
    all.sums = b_.branch(fits, [&] { return tiles(true); }, [&] { return tiles(false); });
    all.stage = all.sums.pop_back_val();
  } else if (p.loop.terms >= s.terms) {
    all = full_stages(p, all.sums, true);
  }
  epilogue(p, remainder(p, all));
}

}  // namespace weft::compiler
