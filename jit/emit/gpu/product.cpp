// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/product.cpp: products of matrices. The threads of a block move the factors of a tile
// of points through memory that they share, some terms at a time; each has some points of the tile,
// whose sums stay in registers. A sum takes its terms in order, as the loop of the kernel does.
#include "weft/jit/schedule/product.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "weft/jit/emit/emit.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;
using nest::Opcode;

// One side of the tile.
struct ProductSide {
  const ProductFactor* factor;
  int axis, points, of_thread, threads, pitch;
  V array;  // in shared memory
  V first, last,
      mine;  // points: the first of the tile, the last that there is; which threads these are
};

struct Emitter::Product {
  ProductLoop loop;
  ProductSchedule s;
  llvm::Type* type;
  int bytes;
  V thread;
  ProductSide side[2];  // columns, rows
  bool whole;           // all tiles have as many terms
  const ProductSide& of(bool rows) const { return side[rows ? 1 : 0]; }
};

namespace {
// Neighbouring points of a thread are read together.
constexpr int most_together = 4;
int together(const ProductSide& s) { return std::min(most_together, s.of_thread); }
}  // namespace

V Emitter::shared_memory(int64_t bytes) {
  if (machine_.emulated) {
    fn_->addFnAttr("weft-shared", std::to_string(bytes));
    return call("weft_emulated_shared", b_.getPtrTy(), {i64(0)});
  }
  auto* type = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(bytes));
  auto* memory = new llvm::GlobalVariable(m_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::UndefValue::get(type), "shared", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/3);
  memory->setAlignment(llvm::Align(16));
  return memory;
}

// All threads of the block wait for each other and see what each has written.
void Emitter::barrier() {
  if (machine_.emulated)
    call("weft_emulated_barrier", b_.getVoidTy(), {});
  else
    call(llvm::Intrinsic::nvvm_barrier0, {}, {});
}

// All threads get here equally often, so they look together, and all leave or none.
void Emitter::poll_together(int64_t cost) {
  if (machine_.emulated || !stop_) return poll(cost);
  when(b_.CreateICmpSLT(spend(cost), i32(0)), [&] {
    b_.CreateStore(i32(millisecond), budget_);
    const V flag = b_.CreateLoad(b_.getInt32Ty(), stop_, /*isVolatile=*/true);
    const V all = call(llvm::Intrinsic::nvvm_barrier0_or, {}, {flag});
    auto* go = block("go");
    b_.CreateCondBr(b_.CreateICmpNE(all, i32(0)), exit_, go);
    at(go);
  });
}

// The factor of a point and a term that there are.
V Emitter::product_factor(const Product& p, bool of_rows, V point, V term) {
  const ProductSide& s = p.of(of_rows);
  indices_[s.axis] = point;
  set(k_.blocks[k_.insts[p.loop.loop].blocks[0]].params[0], term);
  for (const Id v : s.factor->slice) emit_inst(v);
  return scalar(s.factor->value);
}

// What this thread moves of the terms from `first_term` on. Behind the last one it moves what
// changes no sum: 0 and -0.
Vs Emitter::product_stage(const Product& p, bool of_rows, V first_term) {
  const ProductSide& s = p.of(of_rows);
  const int each = s.points * p.s.terms / s_.block;
  const V last_term = i64(p.loop.terms - 1);
  const V none = llvm::ConstantFP::get(p.type, of_rows ? 0.0 : -0.0);
  Vs out;
  for (int n = 0; n < each; ++n) {
    const auto [point, own_term] = product_place(p, of_rows, n);
    const V wanted = b_.CreateAdd(first_term, own_term);
    const V is_there = b_.CreateICmpSLE(wanted, last_term);
    const auto held = [&](V x, V most) { return call(llvm::Intrinsic::smin, {x, most}); };
    const V x = product_factor(p, of_rows, held(b_.CreateAdd(s.first, point), s.last),
                               held(wanted, last_term));
    out.push_back(p.whole ? x : b_.CreateSelect(is_there, x, none));
  }
  return out;
}

// Which of the tile's numbers is the nth that this thread moves: its point and its term.
std::pair<V, V> Emitter::product_place(const Product& p, bool of_rows, int n) {
  const ProductSide& s = p.of(of_rows);
  const V at = b_.CreateAdd(p.thread, i64(int64_t{n} * s_.block));
  const int fast = s.factor->along_terms ? p.s.terms : s.points;
  const V low = b_.CreateAnd(at, i64(fast - 1)), high = b_.CreateUDiv(at, i64(fast));
  return s.factor->along_terms ? std::pair(high, low) : std::pair(low, high);
}

void Emitter::product_put(const Product& p, bool of_rows, const Vs& staged) {
  const ProductSide& s = p.of(of_rows);
  for (size_t n = 0; n < staged.size(); ++n) {
    const auto [point, term] = product_place(p, of_rows, static_cast<int>(n));
    const V at = b_.CreateAdd(b_.CreateMul(term, i64(s.pitch)), point);
    b_.CreateAlignedStore(staged[n], b_.CreateGEP(p.type, s.array, at), llvm::Align(p.bytes));
  }
}

// The factors of this thread's points for a term of the tile.
Vs Emitter::product_read(const Product& p, bool of_rows, V term) {
  const ProductSide& s = p.of(of_rows);
  const int n = together(s);
  const V row = b_.CreateMul(term, i64(s.pitch));
  Vs out;
  for (int group = 0; group < s.of_thread / n; ++group) {
    const V first = b_.CreateAdd(b_.CreateMul(s.mine, i64(n)), i64(int64_t{group} * s.threads * n));
    auto* vector = llvm::FixedVectorType::get(p.type, n);
    const V x =
        b_.CreateAlignedLoad(vector, b_.CreateGEP(p.type, s.array, b_.CreateAdd(row, first)),
                             llvm::Align(std::min(16, n * p.bytes)));
    for (int k = 0; k < n; ++k) out.push_back(b_.CreateExtractElement(x, static_cast<uint64_t>(k)));
  }
  return out;
}

Vs Emitter::product_terms(const Product& p, const Vs& sums) {
  constexpr int written_out = 4;
  const int step = std::min(written_out, p.s.terms);
  return loop("terms", i64(0), i64(p.s.terms), i64(step), sums,
              [&](V t, const Vs& before) {
                Vs now = before;
                for (int k = 0; k < step; ++k) {
                  const V term = b_.CreateAdd(t, i64(k));
                  const Vs rows = product_read(p, true, term),
                           columns = product_read(p, false, term);
                  size_t at = 0;
                  for (V r : rows)
                    for (V c : columns) {
                      now[at] = arith(Opcode::Fma, k_.insts[p.loop.loop].kinds[0], {r, c, now[at]});
                      ++at;
                    }
                }
                return now;
              })
      .carry;
}

// What is done with each sum.
void Emitter::product_points(const Product& p, const Vs& sums) {
  const auto point = [&](const ProductSide& s, int k) {
    const int n = together(s);
    const V own =
        b_.CreateAdd(b_.CreateMul(s.mine, i64(n)), i64(int64_t{k / n} * s.threads * n + k % n));
    return b_.CreateAdd(s.first, own);
  };
  const ProductSide &rows = p.of(true), &columns = p.of(false);
  for (int r = 0; r < rows.of_thread; ++r)
    for (int c = 0; c < columns.of_thread; ++c) {
      const V row = point(rows, r), column = point(columns, c);
      when(b_.CreateAnd(b_.CreateICmpSLE(row, rows.last), b_.CreateICmpSLE(column, columns.last)),
           [&] {
             indices_[0] = row;
             indices_[1] = column;
             set_results(p.loop.loop, {sums[static_cast<size_t>(r * columns.of_thread + c)]});
             for (const Id v : k_.blocks[0].body)
               if (divergence_.level[v] > 0 && v != p.loop.loop && k_.insts[v].op != Opcode::Result)
                 emit_inst(v);
           });
    }
}

void Emitter::emit_product(V block, V thread, V rows, V columns) {
  const ProductSchedule& s = s_.product;
  Product p{*product_loop(k_), s, type(k_.insts[s.loop].kinds[0]), 0, thread, {}, false};
  p.bytes = p.type->isDoubleTy() ? 8 : 4;
  p.whole = p.loop.terms % s.terms == 0;
  const auto parts = [&](V n, int of) {
    return b_.CreateUDiv(b_.CreateAdd(n, i64(of - 1)), i64(of));
  };
  const V matrix = s.matrix ? i64(s.matrix) : rows;
  const V across = parts(columns, s.columns), down = parts(matrix, s.rows);
  const V band = b_.CreateUDiv(block, across), number = b_.CreateUDiv(band, down);
  const V row = b_.CreateMul(b_.CreateSub(band, b_.CreateMul(number, down)), i64(s.rows)),
          column = b_.CreateMul(b_.CreateSub(block, b_.CreateMul(band, across)), i64(s.columns));
  const V top = b_.CreateMul(number, matrix);
  const int threads_across = s.columns / s.thread_columns, pitch = s.rows + product_padding;
  const V memory = shared_memory(product_bytes(s_, k_));
  p.side[1] = {&p.loop.rows,
               0,
               s.rows,
               s.thread_rows,
               s.rows / s.thread_rows,
               pitch,
               memory,
               b_.CreateAdd(top, row),
               b_.CreateSub(call(llvm::Intrinsic::smin, {b_.CreateAdd(top, matrix), rows}), i64(1)),
               b_.CreateUDiv(thread, i64(threads_across))};
  p.side[0] = {&p.loop.columns,
               1,
               s.columns,
               s.thread_columns,
               threads_across,
               s.columns,
               b_.CreateConstGEP1_64(p.type, memory, static_cast<uint64_t>(s.terms * pitch)),
               column,
               b_.CreateSub(columns, i64(1)),
               b_.CreateAnd(thread, i64(threads_across - 1))};
  const size_t points = static_cast<size_t>(s.thread_rows * s.thread_columns);
  Vs carry(points, scalar(k_.insts[s.loop].args[2]));
  carry.append(product_stage(p, true, i64(0)));
  const size_t behind_rows = carry.size();
  carry.append(product_stage(p, false, i64(0)));
  const Loop l =
      loop("tiles", i64(0), i64(p.loop.terms), i64(s.terms), carry, [&](V at, const Vs& c) {
        poll_together(s.terms * static_cast<int64_t>(points));
        product_put(p, true, {c.begin() + points, c.begin() + behind_rows});
        product_put(p, false, {c.begin() + behind_rows, c.end()});
        barrier();
        const V next = b_.CreateAdd(at, i64(s.terms));
        const Vs of_rows = product_stage(p, true, next), of_columns = product_stage(p, false, next);
        Vs now = product_terms(p, {c.begin(), c.begin() + points});
        barrier();
        now.append(of_rows);
        now.append(of_columns);
        return now;
      });
  product_points(p, {l.carry.begin(), l.carry.begin() + points});
}

}  // namespace weft::compiler
