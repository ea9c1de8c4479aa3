// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/transformed.cpp: the cache of transformed programs.
#include "tracer/transformed.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/fork_mutex.h"
#include "core/param.h"

namespace weft {
namespace {

constexpr int64_t limit = 32 << 20;  // bytes of programs

struct KeyHash {
  size_t operator()(const TransformKey& k) const {
    size_t h = std::hash<const void*>()(k.program.get()) + static_cast<size_t>(k.transform);
    const auto mix = [&](size_t x) { h = (h ^ x) * 0x100000001b3ULL + (h >> 29); };
    for (int64_t n : k.numbers) mix(static_cast<size_t>(n));
    for (const Type& t : k.types) mix(t.hash());
    for (const std::string& s : k.names) mix(std::hash<std::string>()(s));
    return h;
  }
};
struct Entry {
  Transformed value;
  int64_t bytes = 0;
  uint64_t used = 0;  // the time of its last use
};
using Entries = std::unordered_map<TransformKey, Entry, KeyHash>;
struct Table {
  ForkMutex guard;
  Entries entries;
  int64_t bytes = 0;
  uint64_t now = 0;
};
Table& table() {
  static auto* t = new Table;
  return *t;
}

int64_t bytes_of(const JaxprData& j) {
  auto bytes = static_cast<int64_t>(sizeof(j) + j.types.size() * sizeof(Type));
  for (const Eqn& e : j.eqns)
    bytes += static_cast<int64_t>(2 * sizeof(e) + e.in.size() * sizeof(Atom));  // and parameters
  return bytes;
}
// Includes the bodies of equations; programs inside those are counted where they were made.
int64_t bytes_of(const std::vector<Jaxpr>& programs) {
  int64_t bytes = 0;
  for (const Jaxpr& j : programs) {
    bytes += bytes_of(*j);
    for (const Eqn& e : j->eqns) for_inner(e, [&](const Jaxpr& body) { bytes += bytes_of(*body); });
  }
  return bytes;
}
bool holds_object(const std::vector<Jaxpr>& programs) {
  return any_equation(programs, [](const JaxprData&, const Eqn& e) {
    const std::vector<ParamField> fields = e.params->fields();
    return std::any_of(fields.begin(), fields.end(), [](const ParamField& f) {
      const Opaque* o = std::get_if<Opaque>(&f.value);
      return o && o->object;
    });
  });
}

// Removes the half that was not used for the longest time. It is destroyed after the lock is
// released.
std::vector<Entries::node_type> drop_old(Table& t) {
  std::vector<std::pair<uint64_t, Entries::const_iterator>> by_age;
  for (auto it = t.entries.cbegin(); it != t.entries.cend(); ++it)
    by_age.emplace_back(it->second.used, it);
  std::sort(by_age.begin(), by_age.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Entries::node_type> dropped;
  for (const auto& [used, it] : by_age) {
    if (t.bytes <= limit / 2) break;
    t.bytes -= it->second.bytes;
    dropped.push_back(t.entries.extract(it));
  }
  return dropped;
}

}  // namespace

Transformed transformed(TransformKey key, FunctionRef<Transformed()> make) {
  for (const NamedAxis& a : axis_env()) {
    key.names.push_back(a.name);
    key.numbers.push_back(a.size);
  }
  Table& t = table();
  {
    const std::lock_guard lock(t.guard);
    if (const auto it = t.entries.find(key); it != t.entries.end()) {
      it->second.used = ++t.now;
      return it->second.value;
    }
  }
  Transformed made = make();
  if (!made.consts.empty()) return made;
  std::vector<Jaxpr> programs = made.programs;
  programs.push_back(key.program);
  if (holds_object(programs)) return made;
  const int64_t bytes = bytes_of(programs);
  std::vector<Entries::node_type> dropped;
  const std::lock_guard lock(t.guard);
  const auto [it, fresh] = t.entries.try_emplace(std::move(key), Entry{made, bytes, ++t.now});
  if (fresh) t.bytes += bytes;
  if (t.bytes > limit) dropped = drop_old(t);
  return made;
}

void clear_transformed() {
  Table& t = table();
  Entries dropped;
  const std::lock_guard lock(t.guard);
  std::swap(dropped, t.entries);
  t.bytes = 0;
}

}  // namespace weft
