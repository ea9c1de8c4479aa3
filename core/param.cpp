// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/param.cpp: hashing and comparison of parameters.
#include "core/param.h"

#include <bit>
#include <cmath>
#include <functional>

#include "core/hash.h"
#include "weft/detail/jaxpr.h"

namespace weft {
namespace {
struct Hasher {
  template <class T>
  size_t operator()(const std::vector<T>& v) const {
    size_t h = v.size();
    for (const auto& x : v) h = mix_hash(h, (*this)(T(x)));
    return h;
  }
  size_t operator()(const Ref<const JaxprData>& j) const { return j ? j->hash : 0; }
  size_t operator()(const Type& t) const { return t.hash(); }
  size_t operator()(const Opaque& o) const { return reinterpret_cast<size_t>(o.object.get()); }
  size_t operator()(DType d) const { return static_cast<size_t>(d); }
  // Hashes the bits; all NaNs have the same hash.
  size_t operator()(double x) const {
    return std::isnan(x) ? 1 : std::hash<uint64_t>{}(std::bit_cast<uint64_t>(x));
  }
  template <class T>
  size_t operator()(const T& x) const {
    return std::hash<T>{}(x);
  }
};

// NaN equals NaN, and 0.0 differs from -0.0, because programs are equal exactly if their parameters
// have the same values.
bool same(const ParamValue& a, const ParamValue& b) {
  const double *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  if (!x || !y) return a == b;
  return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y) ||
         (std::isnan(*x) && std::isnan(*y));
}
}  // namespace

size_t hash_of(const ParamValue& v) { return mix_hash(v.index(), std::visit(Hasher{}, v)); }

size_t ParamsBase::hash() const {
  size_t h = 0;
  for (const auto& [name, value] : fields()) h = mix_hash(h, hash_of(value));
  return h;
}

bool ir::equal(const AnyParams& a, const AnyParams& b) {
  if (a == b) return true;
  if (a->type() != b->type()) return false;
  const auto fa = a->fields(), fb = b->fields();
  for (size_t i = 0; i < fa.size(); ++i)
    if (!same(fa[i].value, fb[i].value)) return false;
  return true;
}

}  // namespace weft
