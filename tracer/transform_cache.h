// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/transform_cache.h: the cache of transformed programs: each program that an equation holds
// is transformed once (docs/decisions/0015).
#pragma once
#include <concepts>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"
#include "weft/detail/ref.h"

namespace weft {

// The key of a transform: the arguments on which its result depends. The cache adds the program and
// the named axes in scope. Key::Result is the type of the result. programs() returns all programs
// that the result holds; closed() is false if it reads values from outside.
template <class Key>
concept TransformKey =
    std::equality_comparable<Key> && requires(const Key& key, const typename Key::Result& result) {
      { key.hash() } -> std::same_as<size_t>;
      { result.programs() } -> std::same_as<std::vector<Jaxpr>>;
      { result.closed() } -> std::same_as<bool>;
    };

// Keys and results of all transforms are in one table, so that they share its limit.
class AnyTransformKey : public RefCounted {
 public:
  virtual size_t hash() const = 0;
  virtual bool equals(const AnyTransformKey& other) const = 0;
};
class AnyTransformResult : public RefCounted {
 public:
  virtual std::vector<Jaxpr> programs() const = 0;
  virtual bool closed() const = 0;
};
using MakeTransformResult = FunctionRef<Ref<const AnyTransformResult>()>;
Ref<const AnyTransformResult> cached_any_transform(const Jaxpr& program,
                                                   Ref<const AnyTransformKey> key,
                                                   MakeTransformResult make);

template <TransformKey Key>
class TransformKeyOf final : public AnyTransformKey {
 public:
  explicit TransformKeyOf(Key key) : key_(std::move(key)) {}
  size_t hash() const override { return key_.hash(); }
  bool equals(const AnyTransformKey& other) const override {
    const auto* same = dynamic_cast<const TransformKeyOf*>(&other);
    return same && same->key_ == key_;
  }

 private:
  const Key key_;
};
template <class Result>
class TransformResultOf final : public AnyTransformResult {
 public:
  explicit TransformResultOf(Result r) : value(std::move(r)) {}
  std::vector<Jaxpr> programs() const override { return value.programs(); }
  bool closed() const override { return value.closed(); }
  const Result value;
};

// The cached result for this program and key, or the result of `make`, which runs without a lock.
// Results that read outside values or hold user objects (rules) are not cached. The cache evicts
// the least recently used results.
template <TransformKey Key>
typename Key::Result cached_transform(const Jaxpr& program, Key key,
                                      FunctionRef<typename Key::Result()> make) {
  using Made = TransformResultOf<typename Key::Result>;
  const auto result =
      cached_any_transform(program, make_ref<TransformKeyOf<Key>>(std::move(key)),
                           [&] { return Ref<const AnyTransformResult>(make_ref<Made>(make())); });
  return static_cast<const Made&>(*result).value;
}
void clear_transform_cache();

}  // namespace weft
