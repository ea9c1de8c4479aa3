// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/records.cpp: finds accesses whose indices differ only by constants.
#include "jit/schedule/records.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/rows.h"

namespace weft::compiler {

namespace {

// An index as a sum of multiples of other values, and a constant.
struct Sum {
  std::map<Id, int64_t> terms = {};
  int64_t constant = 0;
};
void add(const Kernel& k, Id v, int64_t times, int depth, Sum* s) {
  constexpr int deepest = 16;
  const Inst& i = k.insts[v];
  const auto constant = [&](int a) { return k.insts[i.args[a]].op == Opcode::Const; };
  const auto imm = [&](int a) { return k.insts[i.args[a]].imm; };
  if (i.op == Opcode::Const) {
    s->constant += times * i.imm;
  } else if (depth < deepest && (i.op == Opcode::Add || i.op == Opcode::Sub)) {
    add(k, i.args[0], times, depth + 1, s);
    add(k, i.args[1], i.op == Opcode::Add ? times : -times, depth + 1, s);
  } else if (depth < deepest && i.op == Opcode::Mul && (constant(0) || constant(1))) {
    add(k, i.args[constant(0) ? 1 : 0], times * imm(constant(0) ? 0 : 1), depth + 1, s);
  } else {
    int64_t& all = s->terms[v];
    all += times;
    if (all == 0) s->terms.erase(v);
  }
}
int64_t accesses(const Kernel& k, nest::BlockId b, int64_t buffer) {
  int64_t n = 0;
  for (Id v : k.blocks[b].body) {
    const Inst& i = k.insts[v];
    n += (i.op == Opcode::Load || i.op == Opcode::Store) && i.imm == buffer;
    for (nest::BlockId inner : i.blocks) n += accesses(k, inner, buffer);
  }
  return n;
}

// A buffer, or else an array of a point, and the common part of the indices.
struct BaseIndex {
  int64_t buffer;
  Id array;
  std::map<Id, int64_t> terms;
  auto operator<=>(const BaseIndex&) const = default;
};
bool is_local(const Inst& i) { return i.op == Opcode::LocalLoad; }
Id index_of(const Inst& i) { return i.args[is_local(i) ? 1 : 0]; }

// Returns where a load or store accesses memory, and the constant part of its index.
std::pair<BaseIndex, int64_t> place_of(const Kernel& k, Id access) {
  const Inst& i = k.insts[access];
  Sum s;
  add(k, index_of(i), 1, 0, &s);
  const BaseIndex base{is_local(i) ? -1 : i.imm, is_local(i) ? i.args[0] : nest::no_id, s.terms};
  return {base, s.constant};
}

// Moves the elements so that the first one is 0.
void count_from_first(Record* r) {
  int64_t first = r->fields[0].element;
  for (const Record::Field& f : r->fields) first = std::min(first, f.element);
  for (Record::Field& f : r->fields) f.element -= first;
}

// Adds the records whose accesses are in block b, which runs in vectors of points or of trips.
void add_records(const Kernel& k, const Divergence& d, nest::BlockId b, bool points,
                 std::map<Id, Record>* out) {
  const auto writes = [&](Id array) {
    return any_inst(
        k, b, [&](const Inst& i) { return i.op == Opcode::LocalStore && i.args[0] == array; });
  };
  std::map<BaseIndex, Record> found;
  for (Id v : k.blocks[b].body) {
    const Inst& i = k.insts[v];
    const bool store = points && i.op == Opcode::Store, local = !points && is_local(i);
    if (!store && !local && (i.op != Opcode::Load || k.buffers[i.imm].written)) continue;
    if (local && d.per_element[i.args[0]]) continue;
    const nest::Variance& along = d.variance[index_of(i)];
    if (!along.linear() || !along.known || along.stride < 2 || (b == 0 && d.level[v] != 2))
      continue;
    const auto [base, element] = place_of(k, v);
    Record& r = found[base];
    r.stride = along.stride;
    r.stored = store;
    r.fields.push_back({v, element});
  }
  for (auto& [base, r] : found) {
    count_from_first(&r);
    const auto n = static_cast<int64_t>(r.fields.size());
    if (n < 2 || r.length() > r.stride) continue;
    std::vector<int64_t> elements;
    for (const Record::Field& f : r.fields) elements.push_back(f.element);
    std::ranges::sort(elements);
    if (std::ranges::adjacent_find(elements) != elements.end()) continue;
    if (r.stored && (n != r.stride || accesses(k, 0, base.buffer) != n)) continue;
    if (base.array != nest::no_id && writes(base.array)) continue;
    out->emplace(r.fields[0].access, std::move(r));
  }
}

// Returns true if a value is the same for all points, or is computed from carries of loops alone.
bool follows_from_carries(const Kernel& k, const Divergence& d, Id v, int depth = 0) {
  constexpr int deepest = 16;
  const Inst& i = k.insts[v];
  if (d.variance[v].uniform() || i.op == Opcode::Param) return true;
  const bool arithmetic = i.op >= Opcode::Add && i.op < Opcode::Load;
  return arithmetic && depth < deepest &&
         std::ranges::all_of(
             i.args, [&](Id a) { return follows_from_carries(k, d, a, depth + 1); });
}

}  // namespace

int64_t Record::length() const {
  int64_t last = 0;
  for (const Field& f : fields) last = std::max(last, f.element);
  return last + 1;
}

bool has_field_of(const Record& r, const std::set<Id>& accesses) {
  return std::ranges::any_of(r.fields,
                             [&](const Record::Field& f) { return accesses.contains(f.access); });
}

bool has_few_shuffles(const Record& r, int64_t vector_width) {
  constexpr int64_t few = 12;  // whole records of four elements
  const int64_t elements = (vector_width - 1) * r.stride + r.length();
  const int64_t vectors = (elements + vector_width - 1) / vector_width;
  return std::ssize(r.fields) * (vectors - 1) <= few;
}

std::vector<int64_t> words_of(const Record& r, int64_t element_bytes) {
  const int64_t n = word_bytes / element_bytes, last = r.length() - n;
  if (last < 0) return {};
  std::vector<int64_t> elements, words;
  for (const Record::Field& f : r.fields) elements.push_back(f.element);
  std::ranges::sort(elements);
  for (int64_t e : elements)
    if (words.empty() || e >= words.back() + n) words.push_back(std::min(e, last));
  return words;
}

int64_t record_bytes(const Kernel& k, Id access) {
  const Inst& i = k.insts[access];
  return is_local(i) ? kind_bytes(i.kind) : element_bytes(k, access);
}

std::map<Id, Record> records_of(const Kernel& k, const Divergence& d) {
  std::map<Id, Record> out;
  if (d.mode != Mode::inner) add_records(k, d, 0, true, &out);
  for (Id v = 0; v < static_cast<Id>(k.insts.size()); ++v)
    if (d.vectorized[v]) add_records(k, d, k.insts[v].blocks[0], false, &out);
  return out;
}

std::map<Id, Record> records_of_points(const Kernel& k, const Divergence& d, nest::BlockId b) {
  std::map<Id, Record> out;
  add_records(k, d, b, true, &out);
  return out;
}

std::map<Id, Record> records_of_steps(const Kernel& k, const Divergence& d) {
  // A comparison of the points' indices takes less time than so many gathers.
  constexpr int64_t fewest = 4;
  std::map<Id, Record> out;
  for (nest::BlockId b = 1; b < static_cast<nest::BlockId>(k.blocks.size()); ++b) {
    std::map<BaseIndex, Record> found;
    for (Id v : k.blocks[b].body) {
      const Inst& i = k.insts[v];
      if (i.op != Opcode::Load || k.buffers[i.imm].written || !d.variance[v].varying) continue;
      if (d.variance[i.args[0]].linear() || !follows_from_carries(k, d, i.args[0])) continue;
      const auto [base, element] = place_of(k, v);
      found[base].fields.push_back({v, element});
    }
    for (auto& [base, r] : found) {
      count_from_first(&r);
      if (std::ssize(r.fields) >= fewest) out.emplace(r.fields[0].access, std::move(r));
    }
  }
  return out;
}

}  // namespace weft::compiler
