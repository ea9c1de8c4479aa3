// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/jaxpr.cpp: interning of programs.
#include "weft/core/jaxpr.h"

#include <mutex>
#include <unordered_map>

#include "weft/core/op.h"

namespace weft {
namespace {
struct Table {
  std::mutex guard;
  std::unordered_multimap<size_t, const JaxprData*> programs;
};
Table& table() {
  static auto* t = new Table;
  return *t;
}

size_t mix(size_t h, size_t x) { return (h ^ (x + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2))) * 0x100000001b3ULL; }

size_t hash_program(const JaxprData& j) {
  size_t h = mix(static_cast<size_t>(j.n_in), static_cast<size_t>(j.n_const));
  for (const Type& t : j.types) h = mix(h, t.hash());
  for (const Literal& l : j.literals) h = mix(mix(h, l.bits[0]), l.bits[1] * 31 + static_cast<size_t>(l.dtype));
  for (const Eqn& e : j.eqns) {
    h = mix(h, reinterpret_cast<size_t>(e.op));
    h = mix(h, e.params->hash());
    for (Atom a : e.in) h = mix(h, static_cast<size_t>(a.index));
  }
  for (Atom a : j.out) h = mix(h, static_cast<size_t>(a.index));
  return h;
}

bool same_program(const JaxprData& a, const JaxprData& b) {
  if (a.n_in != b.n_in || a.n_const != b.n_const || a.types != b.types || a.literals != b.literals || a.out != b.out ||
      a.eqns.size() != b.eqns.size())
    return false;
  for (size_t i = 0; i < a.eqns.size(); ++i) {
    const Eqn &x = a.eqns[i], &y = b.eqns[i];
    if (x.op != y.op || x.in != y.in || x.n_out != y.n_out || !equal(x.params, y.params)) return false;
  }
  return true;
}
}  // namespace

Types JaxprData::out_types() const {
  Types ts;
  for (Atom a : out) ts.push_back(type(a));
  return ts;
}

void JaxprData::dispose() const {
  if (interned) {
    const std::lock_guard lock(table().guard);
    const auto [lo, hi] = table().programs.equal_range(hash);
    for (auto it = lo; it != hi; ++it)
      if (it->second == this) {
        table().programs.erase(it);
        break;
      }
  }
  delete this;
}

Jaxpr intern(Ref<JaxprData> j) {
  j->hash = hash_program(*j);
  // Programs that die while the lock is held would take it again.
  std::vector<Jaxpr> kept;
  const std::lock_guard lock(table().guard);
  const auto [lo, hi] = table().programs.equal_range(j->hash);
  for (auto it = lo; it != hi; ++it) {
    if (!it->second->try_retain()) continue;
    Jaxpr found = Jaxpr::adopt(it->second);
    if (same_program(*found, *j)) return found;
    kept.push_back(std::move(found));
  }
  j->interned = true;
  table().programs.emplace(j->hash, j.get());
  return j;
}

namespace {
struct Nested {
  template <class T> void operator()(const T&) const {}
  void operator()(const Jaxpr& j) const { if (j) f(j); }
  void operator()(const std::vector<Jaxpr>& js) const { for (const Jaxpr& j : js) f(j); }
  FunctionRef<void(const Jaxpr&)> f;
};
}  // namespace

int64_t count_equations(const Jaxpr& j) {
  int64_t n = 0;
  for (const Eqn& e : j->eqns) {
    ++n;
    for (const auto& [name, value] : e.params->fields())
      std::visit(Nested{[&](const Jaxpr& inner) { n += count_equations(inner); }}, value);
  }
  return n;
}

}  // namespace weft
