// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program_cache.cpp: the compiled programs of the process, by jaxpr. It keeps the programs that
// functions use, and the most recently used among the others (docs/decisions/0012).
#include "jit/program_cache.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/least_recently_used.h"
#include "jit/forced.h"
#include "jit/pipeline.h"
#include "jit/schedule/target.h"
#include "runtime/float_state.h"
#include "runtime/fork.h"
#include "weft/stop.h"

namespace weft::compiler {
namespace {

constexpr int64_t unused_limit = 32 << 20;  // bytes of programs that no function uses

// Each target has separate programs.
struct ProgramKey {
  const JaxprData* jaxpr;
  const TargetInfo* target;
  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
};
struct KeyHash {
  size_t operator()(const ProgramKey& k) const { return hash_fields(k.jaxpr, k.target); }
};

struct Entry {
  Jaxpr jaxpr;  // interned as long as this entry exists
  Ref<const CompiledProgram> program;
  uint64_t used = 0;  // time of the last lookup
  int64_t bytes = 0;
};

using Programs = std::unordered_map<ProgramKey, Entry, KeyHash>;
struct Cache {
  ForkMutex guard;
  Programs programs;
  uint64_t now = 0;
  int64_t added = 0;  // bytes since the last search for unused programs
};
Cache& cache() {
  static auto* c = new Cache;
  return *c;
}

// Removes programs above the limit. The caller frees them after unlocking.
std::vector<Entry> take_unused(Cache& c) {
  c.added = 0;
  struct Use {
    uint64_t used;
    int64_t bytes;
    Programs::iterator at;
  };
  std::vector<Use> unused;
  for (auto it = c.programs.begin(); it != c.programs.end(); ++it)
    if (const Entry& e = it->second; e.program->use_count() == 1)
      unused.push_back({e.used, e.bytes, it});
  std::vector<Entry> out;
  for (const Use& u : least_recently_used(unused, unused_limit)) {
    out.push_back(std::move(u.at->second));
    c.programs.erase(u.at);
  }
  return out;
}

Ref<const CompiledProgram> find(Cache& c, const ProgramKey& key) {
  const auto it = c.programs.find(key);
  if (it == c.programs.end()) return {};
  it->second.used = ++c.now;
  return it->second.program;
}

Ref<const Executable> compile_executable(const Jaxpr& j) { return compile_program(j); }
const bool installed = (install_backend(compile_executable), true);

}  // namespace

Ref<const CompiledProgram> compile_program(const Jaxpr& j, CodeUnit* outer) {
  Cache& c = cache();
  const Jaxpr& first = j->first ? j->first : j;
  const TargetInfo* target = scoped_target();
  // Forced programs belong to the scope that forced them.
  const bool kept = !ForcedScope::entered();
  if (kept) {
    const std::lock_guard lock(c.guard);
    if (Ref<const CompiledProgram> known = find(c, {first.get(), target})) return known;
  }
  if (outer)
    if (const auto at = outer->for_cache.find(first.get()); at != outer->for_cache.end())
      return at->second.program;
  const NoFork hold;
  const FloatState state;  // constant folding needs it
  const TimeLimit interruptible(0);
  CodeUnit own;
  CodeUnit& unit = outer ? *outer : own;
  const auto made = compile(j, unit, outer != nullptr);
  if (!kept) return made;
  unit.for_cache[first.get()] = {first, made};
  if (outer) return made;
  std::vector<Entry> dropped;
  const std::lock_guard lock(c.guard);
  for (auto& [_, e] : unit.for_cache) {
    const ProgramKey key{e.jaxpr.get(), target};
    if (find(c, key)) continue;
    const int64_t bytes = e.program->footprint();
    c.programs[key] = {e.jaxpr, std::move(e.program), ++c.now, bytes};
    c.added += bytes;
  }
  const Ref<const CompiledProgram> known = find(c, {first.get(), target});
  if (c.added > unused_limit / 8) dropped = take_unused(c);
  return known;
}

void clear_program_cache() {
  Cache& c = cache();
  Programs dropped;
  const std::lock_guard lock(c.guard);
  std::swap(dropped, c.programs);
}

}  // namespace weft::compiler
