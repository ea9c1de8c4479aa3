// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/jaxpr.cpp: interning of programs, and walking over them.
#include "weft/detail/jaxpr.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "core/fork_mutex.h"
#include "core/hash.h"
#include "core/op.h"
#include "core/weak_literal.h"

namespace weft {
namespace {
struct Table {
  ForkMutex guard;
  std::unordered_multimap<size_t, const JaxprData*> programs;
};
Table& table() {
  static auto* t = new Table;
  return *t;
}

size_t hash_program(const JaxprData& j) {
  size_t h = mix_hash(static_cast<size_t>(j.n_in), static_cast<size_t>(j.n_const));
  for (const Type& t : j.types) h = mix_hash(h, t.hash());
  for (const Literal& l : j.literals)
    h = mix_hash(mix_hash(h, l.bits[0]), l.bits[1] * 31 + static_cast<size_t>(l.dtype));
  for (const Eqn& e : j.eqns) {
    h = mix_hash(h, reinterpret_cast<size_t>(e.op));
    h = mix_hash(h, e.params->hash());
    if (!e.implementation.empty()) h = mix_hash(h, std::hash<std::string_view>()(e.implementation));
    for (Atom a : e.in) h = mix_hash(h, static_cast<size_t>(a.index));
  }
  for (Atom a : j.out) h = mix_hash(h, static_cast<size_t>(a.index));
  return h;
}

bool same_program(const JaxprData& a, const JaxprData& b) {
  if (a.n_in != b.n_in || a.n_const != b.n_const || a.types != b.types ||
      a.literals != b.literals || a.out != b.out || a.eqns.size() != b.eqns.size())
    return false;
  for (size_t i = 0; i < a.eqns.size(); ++i) {
    const Eqn &x = a.eqns[i], &y = b.eqns[i];
    if (x.op != y.op || x.in != y.in || x.n_out != y.n_out ||
        x.implementation != y.implementation || !equal(x.params, y.params))
      return false;
  }
  return true;
}
bool same_place(const Location& a, const Location& b) {
  return a.line == b.line && a.scope == b.scope &&
         (a.file == b.file || std::string_view(a.file) == b.file);
}
// Returns true if errors about j may name the locations of `known`, an equal program. Equations
// parsed from text have no locations.
bool same_places(const JaxprData& known, const JaxprData& j) {
  for (size_t i = 0; i < j.eqns.size(); ++i)
    if (j.eqns[i].source && !same_place(known.eqns[i].source, j.eqns[i].source)) return false;
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    const AnyParams &a = known.eqns[i].params, &b = j.eqns[i].params;
    if (a.get() == b.get()) continue;
    const std::vector<Jaxpr> inner = inner_programs(a), other = inner_programs(b);
    for (size_t k = 0; k < inner.size(); ++k)
      if (inner[k].get() != other[k].get()) return false;
  }
  return true;
}
struct LiteralHash {
  size_t operator()(const Literal& l) const {
    return mix_hash(mix_hash(l.bits[0], l.bits[1]), static_cast<size_t>(l.dtype) * 2 + l.weak);
  }
};
// Stores each used literal once, in the order of use, and drops unused ones. Operands keep only the
// bits that their equation reads, so programs that differ only in other bits become equal.
void number_literals(JaxprData& j) {
  if (j.literals.empty()) return;
  std::vector<Literal> literals;
  std::unordered_map<Literal, int32_t, LiteralHash> known;
  const auto renumber = [&](Atom& a, const Eqn* reader) {
    if (!a.is_literal() || static_cast<size_t>(a.literal()) >= j.literals.size()) return;
    const Literal& given = j.literals[static_cast<size_t>(a.literal())];
    const Literal l = reader ? operand_literal(*reader, given) : given;
    const auto [it, fresh] = known.try_emplace(l, static_cast<int32_t>(literals.size()));
    if (fresh) literals.push_back(l);
    a.index = ~it->second;
  };
  for (Eqn& e : j.eqns)
    for (Atom& a : e.in) renumber(a, &e);
  for (Atom& a : j.out) renumber(a, nullptr);
  j.literals = std::move(literals);
}
}  // namespace

Types JaxprData::in_types() const { return Types(types.begin(), types.begin() + n_in); }
Types JaxprData::out_types() const {
  Types ts;
  for (Atom a : out) ts.push_back(type(a));
  return ts;
}

Types JaxprData::in_types(const Eqn& e) const {
  Types ts;
  for (Atom a : e.in) ts.push_back(type(a));
  return ts;
}
Types JaxprData::out_types(const Eqn& e) const {
  return Types(types.begin() + e.out, types.begin() + e.out + e.n_out);
}

JaxprData::~JaxprData() = default;

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

const JaxprData* ir::identity_of(const JaxprData* j) { return j && j->first ? j->first.get() : j; }

Jaxpr ir::intern(Ref<JaxprData> j) {
  number_literals(*j);
#ifndef NDEBUG
  verify_equations(*j);
#endif
  j->hash = hash_program(*j);
  j->first = nullptr;
  // Keeps programs alive until the lock is released, because their destruction would take it again.
  std::vector<Jaxpr> kept;
  const std::lock_guard lock(table().guard);
  const auto [lo, hi] = table().programs.equal_range(j->hash);
  for (auto it = lo; it != hi; ++it) {
    if (!it->second->try_retain()) continue;
    Jaxpr found = Jaxpr::adopt(it->second);
    if (same_program(*found, *j)) {
      if (same_places(*found, *j)) return found;
      if (!j->first) j->first = found->first ? found->first : found;
    }
    kept.push_back(std::move(found));
  }
  j->interned = true;
  table().programs.emplace(j->hash, j.get());
  return j;
}

namespace {
struct Inner {
  template <class T>
  void operator()(const T&) const {}
  void operator()(const Jaxpr& j) const {
    if (j) f(j);
  }
  void operator()(const std::vector<Jaxpr>& js) const {
    for (const Jaxpr& j : js)
      if (j) f(j);
  }
  FunctionRef<void(const Jaxpr&)> f;
};

using Counts = std::unordered_map<const JaxprData*, int64_t>;
int64_t count(const Jaxpr& j, Counts& known) {
  if (const auto it = known.find(j.get()); it != known.end()) return it->second;
  int64_t n = 0;
  const auto add = [&n](int64_t more) {
    if (__builtin_add_overflow(n, more, &n)) n = std::numeric_limits<int64_t>::max();
  };
  for (const Eqn& e : j->eqns) {
    add(1);
    for_inner(e, [&](const Jaxpr& inner) { add(count(inner, known)); });
  }
  return known[j.get()] = n;
}
}  // namespace

void for_inner(const ParamValue& v, FunctionRef<void(const Jaxpr&)> f) { std::visit(Inner{f}, v); }

std::vector<bool> ir::inputs_read(const JaxprData& j) {
  std::vector<bool> read(j.n_in, false);
  const auto mark = [&](Atom a) {
    if (!a.is_literal() && a.index < j.n_in) read[a.index] = true;
  };
  for (const Eqn& e : j.eqns)
    for (Atom a : e.in) mark(a);
  for (Atom a : j.out) mark(a);
  return read;
}

void ir::for_inner(const Eqn& e, FunctionRef<void(const Jaxpr&)> f) {
  for (const auto& [name, value] : e.params->fields()) for_inner(value, f);
}

std::vector<Jaxpr> ir::inner_programs(const AnyParams& p) {
  std::vector<Jaxpr> r;
  for (const auto& [name, value] : p->fields())
    for_inner(value, [&](const Jaxpr& j) { r.push_back(j); });
  return r;
}

namespace {
// Visits the programs and their nested programs until `holds` returns true for one.
bool any_program(std::vector<Jaxpr> programs, FunctionRef<bool(const JaxprData&)> holds) {
  std::unordered_set<const JaxprData*> seen;
  while (!programs.empty()) {
    const Jaxpr j = std::move(programs.back());
    programs.pop_back();
    if (!seen.insert(j.get()).second) continue;
    if (holds(*j)) return true;
    for (const Eqn& e : j->eqns)
      for_inner(e, [&](const Jaxpr& inner) { programs.push_back(inner); });
  }
  return false;
}
}  // namespace

void ir::for_each_program(std::vector<Jaxpr> programs, FunctionRef<void(const JaxprData&)> visit) {
  any_program(std::move(programs), [&](const JaxprData& j) {
    visit(j);
    return false;
  });
}

bool ir::any_equation(std::vector<Jaxpr> programs,
                      FunctionRef<bool(const JaxprData&, const Eqn&)> holds) {
  return any_program(std::move(programs), [&](const JaxprData& j) {
    return std::any_of(j.eqns.begin(), j.eqns.end(), [&](const Eqn& e) { return holds(j, e); });
  });
}

int64_t ir::count_equations(const Jaxpr& j) {
  Counts known;
  return count(j, known);
}

}  // namespace weft
