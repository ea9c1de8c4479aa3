// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/points.cpp: packed accesses, and the code of neighbouring points.
#include "jit/emit/gpu/points.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/points.h"

namespace weft::compiler {

namespace {
constexpr int64_t word_bytes = 4;

// An access to several neighbouring points: its bytes and its elements.
struct PackedAccess {
  int64_t bytes, elements;
  PackedAccess(int64_t element_bytes, int points)
      : bytes(std::min(widest_access, element_bytes * points)), elements(bytes / element_bytes) {}
};

// Elements narrower than a word are moved as words.
llvm::Type* packed_type(IrBuilder& b, llvm::Type* t, int64_t bytes) {
  const int64_t element = static_cast<int64_t>(b.module().getDataLayout().getTypeStoreSize(t));
  if (element >= word_bytes)
    return bytes == element ? t
                            : llvm::FixedVectorType::get(t, static_cast<unsigned>(bytes / element));
  if (bytes <= word_bytes) return b.getIntNTy(static_cast<unsigned>(8 * bytes));
  return llvm::FixedVectorType::get(b.getInt32Ty(), static_cast<unsigned>(bytes / word_bytes));
}

// Returns element n of a value of a packed type.
V unpack_element(IrBuilder& b, V packed, llvm::Type* t, int64_t n) {
  const int64_t bits = t->getPrimitiveSizeInBits();
  const auto part = [&](int64_t k) {
    return packed->getType()->isVectorTy()
               ? b.CreateExtractElement(packed, static_cast<uint64_t>(k))
               : packed;
  };
  if (bits >= 8 * word_bytes) return part(n);
  const int64_t first = n * bits;
  const V word = part(first / (8 * word_bytes));
  return b.CreateTrunc(b.CreateLShr(word, static_cast<uint64_t>(first % (8 * word_bytes))), t);
}

V pack_elements(IrBuilder& b, const Vs& elements, int64_t bytes) {
  auto* t = elements[0]->getType();
  auto* type = packed_type(b, t, bytes);
  const unsigned bits = t->getPrimitiveSizeInBits();
  const auto n = static_cast<unsigned>(elements.size());
  if (type == t) return elements[0];
  if (bits >= 8 * word_bytes) {
    V packed = llvm::PoisonValue::get(type);
    for (unsigned k = 0; k < n; ++k)
      packed = b.CreateInsertElement(packed, elements[k], static_cast<uint64_t>(k));
    return packed;
  }
  auto* word_type = type->getScalarType();
  const unsigned in_word = word_type->getPrimitiveSizeInBits() / bits;
  Vs words;
  for (unsigned k = 0; k < n; ++k) {
    const V x = b.CreateShl(b.CreateZExt(elements[k], word_type), uint64_t{k % in_word * bits});
    if (k % in_word == 0)
      words.push_back(x);
    else
      words.back() = b.CreateOr(words.back(), x);
  }
  return words.size() == 1 ? words[0] : pack_elements(b, words, bytes);
}
}  // namespace

void AdjacentPoints::load(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  const Val& at = e_.value(i.args[0]);
  if (b_.constant_int(at.stride) != 1)
    return e_.set_vectors(v, e_.vectors([&](int p) {
      return ops_.from_memory(
          b_.CreateLoad(t, b_.CreateGEP(t, e_.buffers[i.imm], e_.vec(i.args[0], p))), s);
    }));
  const V first = b_.CreateGEP(t, e_.buffers[i.imm], at.base);
  const PackedAccess access(storage_bytes(s), e_.interleave);
  Vs out;
  for (int64_t p = 0; p < e_.interleave; p += access.elements) {
    const V packed =
        b_.CreateAlignedLoad(packed_type(b_, t, access.bytes), b_.CreateGEP(t, first, b_.i64(p)),
                             llvm::Align(static_cast<uint64_t>(access.bytes)));
    for (int64_t n = 0; n < access.elements; ++n)
      out.push_back(ops_.from_memory(unpack_element(b_, packed, t, n), s));
  }
  e_.set_vectors(v, out);
}

void AdjacentPoints::store(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  const V first = b_.CreateGEP(t, e_.buffers[i.imm], e_.value(i.args[0]).base);
  const PackedAccess access(storage_bytes(s), e_.interleave);
  for (int64_t p = 0; p < e_.interleave; p += access.elements) {
    Vs elements;
    for (int64_t n = 0; n < access.elements; ++n)
      elements.push_back(ops_.to_memory(e_.vec(i.args[1], static_cast<int>(p + n)), s));
    b_.CreateAlignedStore(pack_elements(b_, elements, access.bytes),
                          b_.CreateGEP(t, first, b_.i64(p)),
                          llvm::Align(static_cast<uint64_t>(access.bytes)));
  }
}

// Returns true if the accesses of neighbouring points are aligned.
V AdjacentPoints::are_aligned() {
  V low = b_.i64(0);
  for (const Id v : neighbour_accesses(k_, e_.divergence)) {
    const Inst& i = k_.insts[v];
    auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
    e_.emit_slice(i.args[0]);
    const V at = b_.CreateGEP(t, e_.buffers[i.imm], e_.value(i.args[0]).base);
    const PackedAccess access(element_bytes(k_, v), e_.interleave);
    low = b_.CreateOr(
        low, b_.CreateAnd(b_.CreatePtrToInt(at, b_.getInt64Ty()), b_.i64(access.bytes - 1)));
  }
  return b_.CreateICmpEQ(low, b_.i64(0));
}

void AdjacentPoints::emit(V first, V points, V columns) {
  const int all = s_.interleave;
  const V end = b_.CreateAdd(first, b_.i64(all));
  e_.emit_level(0);
  e_.interleave = all;
  e_.set_point_indices(first, columns);
  V together = b_.CreateAnd(b_.CreateICmpULE(end, points), are_aligned());
  if (columns)  // the points must be in one row
    together =
        b_.CreateAnd(together, b_.CreateICmpEQ(b_.CreateAnd(columns, b_.i64(all - 1)), b_.i64(0)));
  const auto side_by_side = [&] {
    e_.emit_level(1);
    e_.emit_level(2);
  };
  const auto one_by_one = [&] {
    e_.interleave = 1;
    e_.divergence = analyse_divergence(k_, Mode::scalar);
    b_.disable_unroll = true;
    b_.each("points", first, b_.call(llvm::Intrinsic::umin, {end, points}), 1,
            [&](V point) { e_.emit_point(point, columns); });
    b_.disable_unroll = false;
  };
  b_.when(together, side_by_side, one_by_one);
}

}  // namespace weft::compiler
