// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/transform_cache.cpp: the cache of transformed programs.
#include "tracer/transform_cache.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/fork_mutex.h"
#include "core/hash.h"
#include "core/least_recently_used.h"
#include "core/param.h"
#include "tracer/trace.h"

namespace weft {
namespace {

constexpr int64_t limit = 32 << 20;  // bytes of programs

struct TableKey {
  Jaxpr program;
  std::vector<NamedAxis> axes;  // in scope
  Ref<const AnyTransformKey> transform;
  // Programs compare by identity: the result for an equal program would name other source
  // locations.
  friend bool operator==(const TableKey& a, const TableKey& b) {
    return a.program.get() == b.program.get() && a.axes == b.axes &&
           a.transform->equals(*b.transform);
  }
};
struct TableKeyHash {
  size_t operator()(const TableKey& k) const {
    size_t h = hash_fields(k.program.get(), k.transform->hash());
    for (const NamedAxis& a : k.axes) h = mix_hash(h, hash_fields(a.name, a.size));
    return h;
  }
};
struct Entry {
  Ref<const AnyTransformResult> result;
  int64_t bytes = 0;
  uint64_t used = 0;  // the time of its last use
};
using Entries = std::unordered_map<TableKey, Entry, TableKeyHash>;
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
  struct Use {
    uint64_t used;
    int64_t bytes;
    Entries::const_iterator at;
  };
  std::vector<Use> uses;
  for (auto it = t.entries.cbegin(); it != t.entries.cend(); ++it)
    uses.push_back({it->second.used, it->second.bytes, it});
  std::vector<Entries::node_type> dropped;
  for (const Use& u : least_recently_used(uses, limit / 2)) {
    t.bytes -= u.bytes;
    dropped.push_back(t.entries.extract(u.at));
  }
  return dropped;
}

}  // namespace

Ref<const AnyTransformResult> cached_any_transform(const Jaxpr& program,
                                                   Ref<const AnyTransformKey> key,
                                                   MakeTransformResult make) {
  TableKey table_key{program, axis_env(), std::move(key)};
  Table& t = table();
  {
    const std::lock_guard lock(t.guard);
    if (const auto it = t.entries.find(table_key); it != t.entries.end()) {
      it->second.used = ++t.now;
      return it->second.result;
    }
  }
  const Ref<const AnyTransformResult> made = make();
  if (!made->closed()) return made;
  std::vector<Jaxpr> programs = made->programs();
  programs.push_back(table_key.program);
  if (holds_object(programs)) return made;
  const int64_t bytes = bytes_of(programs);
  std::vector<Entries::node_type> dropped;
  const std::lock_guard lock(t.guard);
  const auto [it, fresh] = t.entries.try_emplace(std::move(table_key), Entry{made, bytes, ++t.now});
  if (fresh) t.bytes += bytes;
  if (t.bytes > limit) dropped = drop_old(t);
  return made;
}

void clear_transform_cache() {
  Table& t = table();
  Entries dropped;
  const std::lock_guard lock(t.guard);
  std::swap(dropped, t.entries);
  t.bytes = 0;
}

}  // namespace weft
