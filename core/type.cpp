// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/type.cpp: interning and printing of types.
#include "weft/type.h"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/fork_mutex.h"
#include "core/hash.h"
#include "core/ir.h"
#include "weft/error.h"

namespace weft {
namespace {
struct TypeKey {
  DType dtype;
  bool weak;
  Shape shape;
  friend bool operator==(const TypeKey&, const TypeKey&) = default;
};
struct TypeKeyHash {
  size_t operator()(const TypeKey& k) const {
    return hash_fields(k.dtype, k.weak, k.shape.sizes());
  }
};
}  // namespace

Type::Type(DType dtype, const Shape& shape, bool weak) {
  // Never destroyed, because the destructors of other statics may use types.
  static auto& guard = *new ForkMutex;
  static auto* table = new std::unordered_map<TypeKey, std::unique_ptr<Data>, TypeKeyHash>;
  // A cache of the last few types of this thread answers most lookups without the lock.
  thread_local const Data* recent[8] = {};
  const size_t slot = (static_cast<size_t>(dtype) + shape.size() * 3 +
                       (shape.empty() ? 0 : static_cast<size_t>(shape[0]))) %
                      8;
  if (const Data* r = recent[slot];
      r && r->dtype == dtype && r->weak == weak && r->shape == shape) {
    p_ = r;
    return;
  }
  const std::lock_guard lock(guard);
  auto& entry = (*table)[{dtype, weak, shape}];
  if (!entry) entry = std::make_unique<Data>(Data{dtype, weak, shape, shape.elements()});
  p_ = recent[slot] = entry.get();
}

int64_t Type::bytes() const { return checked_mul(elements(), itemsize(dtype())); }

std::string typing::to_string(const Type& t) {
  std::string s = short_name(t.dtype());
  s += '[';
  for (int i = 0; i < t.ndim(); ++i) s += (i ? "," : "") + std::to_string(t.shape()[i]);
  return s + ']';
}

std::string typing::to_string(const Types& ts) {
  std::string s;
  for (const Type& t : ts) s += (s.empty() ? "" : ", ") + to_string(t);
  return s;
}

Promoted ir::common_type(const Types& all) {
  if (all.empty()) return {F32, false};
  Promoted p{all[0].dtype(), all[0].weak()};
  for (const Type& t : all) p = promote(p.dtype, p.weak, t.dtype(), t.weak());
  return p;
}

}  // namespace weft
