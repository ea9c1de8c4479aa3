// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/index_division.cpp: the division of indices. CPUs cannot divide vectors of 64-bit
// integers. The elements of an index are neighbours, and so are their quotients: one scalar
// division and some 32-bit arithmetic suffice.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
constexpr int64_t most = 1 << 30;

bool is_division(Opcode op) { return op == Opcode::SDiv || op == Opcode::UDiv; }
bool is_remainder(Opcode op) { return op == Opcode::SRem || op == Opcode::URem; }
}  // namespace

void CpuEmitter::emit_pure(Id v) {
  const Inst& i = k_.insts[v];
  const bool divides = (is_division(i.op) || is_remainder(i.op)) && i.kind == nest::Kind::I64;
  if (!divides || !(divide_neighbours(v) || divide_linear(v))) BlockEmitter::emit_pure(v);
}

// Returns vector p of an index as a scalar and small differences, if it is known in this form.
std::optional<CpuEmitter::Neighbours> CpuEmitter::neighbours(Id v, int p) {
  auto* n32 = b_.getInt32Ty();
  const Variance& s = variance(v);
  if (!s.varying && s.known && s.stride == 1)
    return Neighbours{vector_base(value(v), p), positions.empty() ? b_.iota(n32) : positions[p]};
  if (const auto it = neighbours_.find(v); it != neighbours_.end()) return it->second[p];
  if (s.varying && range(v).within({0, most - 1}))
    return Neighbours{b_.i64(0), b_.CreateTrunc(vec(v, p), b_.vector_of(n32))};
  return {};
}

// Divides by a constant d. If the scalar is q * d + r, the differences are added to r.
bool CpuEmitter::divide_neighbours(Id v) {
  const Inst& i = k_.insts[v];
  const Inst& divisor = k_.insts[i.args[1]];
  const nest::Range& r = range(i.args[0]);
  if (divisor.op != Opcode::Const || divisor.imm < 1 || divisor.imm > most || r.low < 0)
    return false;
  const int64_t d = divisor.imm;
  std::vector<Neighbours> results;
  for (int p = 0; p < interleave; ++p) {
    const auto a = neighbours(i.args[0], p);
    if (!a) return false;
    const V q = b_.CreateUDiv(a->base, b_.i64(d));
    const V rest =
        b_.CreateTrunc(b_.CreateSub(a->base, b_.CreateMul(q, b_.i64(d))), b_.getInt32Ty());
    const V sum = b_.CreateAdd(b_.splat(rest), a->differences);
    const V by = b_.splat(b_.i32(static_cast<int32_t>(d)));
    if (is_division(i.op))
      results.push_back({q, b_.CreateUDiv(sum, by)});
    else
      results.push_back({b_.i64(0), b_.CreateURem(sum, by)});
  }
  Vs vectors;
  for (const Neighbours& x : results)
    vectors.push_back(b_.CreateAdd(b_.splat(x.base),
                                   b_.CreateZExt(x.differences, b_.vector_of(b_.getInt64Ty()))));
  set_vectors(v, std::move(vectors));
  neighbours_[v] = std::move(results);
  return true;
}

// Divides base, base + 1, ... by a number d that only the running kernel knows, or computes the
// remainders. Elements before the first multiple of d share the quotient of element 0. The distance
// x of the others from that multiple is less than the number of elements. For such x, x / d is
// x * (2^16 / d, rounded up) >> 16.
bool CpuEmitter::divide_linear(Id v) {
  const Inst& i = k_.insts[v];
  const Variance& s = variance(i.args[0]);
  if (s.varying || !s.known || s.stride != 1 || !positions.empty()) return false;
  const auto small = [&](Id a) {
    const nest::Range& r = range(a);
    return r.low >= 0 && r.high < (int64_t{1} << 62);
  };
  if (!variance(i.args[1]).uniform() || !small(i.args[0]) || !small(i.args[1])) return false;
  auto *n32 = b_.getInt32Ty(), *n64 = b_.getInt64Ty();
  const V d = scalar(i.args[1]), zero = b_.CreateICmpEQ(d, b_.i64(0));
  const V divisor = b_.call(llvm::Intrinsic::umax, {d, b_.i64(1)});
  const V few =
      b_.CreateTrunc(b_.call(llvm::Intrinsic::umin, {divisor, b_.i64(b_.vector_width)}), n32);
  const V inverse = b_.CreateUDiv(b_.CreateAdd(few, b_.i32(0xffff)), few);
  Vs vectors;
  for (int p = 0; p < interleave; ++p) {
    const V base = vector_base(value(i.args[0]), p);
    const V q = b_.CreateUDiv(base, divisor), r = b_.CreateSub(base, b_.CreateMul(q, divisor));
    const V room = b_.CreateTrunc(
        b_.call(llvm::Intrinsic::umin, {b_.CreateSub(divisor, r), b_.i64(b_.vector_width)}), n32);
    const V past = b_.CreateSub(b_.iota(n32), b_.splat(room));
    const V wrapped = b_.CreateICmpSGE(past, b_.splat(b_.i32(0)));
    const V more = b_.CreateLShr(b_.CreateMul(past, b_.splat(inverse)), b_.splat(b_.i32(16)));
    if (is_division(i.op)) {
      const V step =
          b_.CreateSelect(wrapped, b_.CreateAdd(more, b_.splat(b_.i32(1))), b_.splat(b_.i32(0)));
      const V all = b_.CreateAdd(b_.splat(q), b_.CreateZExt(step, b_.vector_of(n64)));
      vectors.push_back(b_.CreateSelect(zero, b_.splat(b_.i64(-1)), all));
    } else {
      const V rest = b_.CreateSub(past, b_.CreateMul(more, b_.splat(few)));
      const V all = b_.CreateSelect(wrapped, b_.CreateZExt(rest, b_.vector_of(n64)),
                                    b_.CreateAdd(b_.splat(r), b_.iota(n64)));
      vectors.push_back(b_.CreateSelect(zero, linear_vec(value(i.args[0]), p, n64), all));
    }
  }
  set_vectors(v, std::move(vectors));
  return true;
}

}  // namespace weft::compiler
