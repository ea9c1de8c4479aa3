// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/nest_values.cpp: values in their three forms, and masks.
#include "jit/emit/nest_values.h"

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

// A splat is created directly after the definition, where it precedes every use and is outside the
// loops that do not change it.
V NestValues::vec(Id v, int vector) {
  Val& x = values_[v];
  if (!x.vectors.empty()) return x.vectors[vector];
  if (x.stride) return linear_vec(x, vector, x.base->getType());
  if (x.splat) return x.splat;
  auto* def = llvm::dyn_cast<llvm::Instruction>(x.base);
  if (!def) return x.splat = b_.splat(x.base);
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  if (llvm::isa<llvm::PHINode>(def))
    b_.SetInsertPoint(def->getParent(), def->getParent()->getFirstNonPHIIt());
  else
    b_.SetInsertPoint(def->getParent(), std::next(def->getIterator()));
  return x.splat = b_.splat(x.base);
}

V NestValues::vector_base(const Val& x, int vector) {
  if (vector == 0 || !positions.empty()) return x.base;
  return b_.CreateAdd(
      x.base,
      b_.CreateMul(x.stride, llvm::ConstantInt::get(x.base->getType(), vector * b_.vector_width)));
}

V NestValues::linear_vec(const Val& x, int vector, llvm::Type* element) {
  const V base = b_.CreateTrunc(vector_base(x, vector), element);
  const V stride = b_.CreateTrunc(x.stride, element);
  const V steps = positions.empty()
                      ? b_.iota(element)
                      : b_.CreateZExtOrTrunc(positions[vector], b_.vector_of(element));
  return b_.CreateAdd(b_.splat(base), b_.CreateMul(steps, b_.splat(stride)));
}

V NestValues::stride_of(Id v) const {
  const Val& x = values_[v];
  return x.stride ? x.stride : llvm::ConstantInt::get(x.base->getType(), 0);
}

Vs NestValues::parts(Id v, const Variance& want) {
  if (!want.varying) return {scalar(v)};
  return vectors([&](int p) { return vec(v, p); });
}

void NestValues::set_parts(Id v, const Variance& s, const Vs& parts) {
  if (s.varying) return set_vectors(v, parts);
  set_linear(v, parts[0], s.uniform() ? nullptr : b_.i64(s.stride));
}

void NestValues::set_results(Id v, const Vs& values) {
  const V* at = values.begin();
  for (Id r : divergence.results[v]) {
    const V* end = at + (variance(r).varying ? interleave : 1);
    set_parts(r, variance(r), Vs(at, end));
    at = end;
  }
}

V NestValues::mask_of(int vector) {
  return active.empty() ? b_.splat(b_.getTrue()) : active[vector];
}

Masks NestValues::and_active(const Masks& m) {
  if (active.empty()) return m;
  return vectors([&](int p) { return b_.CreateAnd(active[p], m[p]); });
}

}  // namespace weft::compiler
