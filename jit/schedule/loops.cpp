// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/loops.cpp: finds loops that need not run trip by trip.
#include "jit/schedule/loops.h"

#include <algorithm>
#include <cstdlib>

#include "core/loops/fold_order.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::run_terms;

namespace {

bool has_effect(const Inst& i) { return i.op == Opcode::Store || i.op == Opcode::LocalStore; }

// Returns true if nothing else in the loop accesses the buffer that v writes.
bool only_access(const Kernel& k, Id v, BlockId body) {
  int64_t n = 0;
  any_inst(k, body, [&](const Inst& i) {
    n += (i.op == Opcode::Load || i.op == Opcode::Store) && i.imm == k.insts[v].imm;
    return false;
  });
  return n == 1;
}

// Returns the accesses for which `allowed` holds, among those that tiles of `rows` rows can serve.
template <class Allowed>
std::vector<Id> in_tiles(const Kernel& k, const Divergence& d, int64_t rows,
                         const Allowed& allowed) {
  std::vector<Id> out;
  for (Id v : k.blocks[0].body)
    if (allowed(v) && is_strided(d.variance[k.insts[v].args[0]]) &&
        stride_along(k, k.insts[v].args[0], {.axis = 0, .tile = rows}) == 1)
      out.push_back(v);
  return out;
}
}  // namespace

int64_t storage_bytes(nest::Storage s) {
  switch (s) {
    case nest::Storage::Bool:
    case nest::Storage::I8: return 1;
    case nest::Storage::I16:
    case nest::Storage::BF16:
    case nest::Storage::F16: return 2;
    case nest::Storage::I32:
    case nest::Storage::F32: return 4;
    default: return 8;
  }
}
int64_t element_bytes(const Kernel& k, Id access) {
  return storage_bytes(k.buffers[k.insts[access].imm].storage);
}

Id run_end(const Kernel& k, const Divergence& d, Id v) {
  const Inst& i = k.insts[v];
  if (i.op != Opcode::For || d.divergent[v]) return no_id;
  const nest::Block& body = k.blocks[i.blocks[0]];
  const auto is = [&](Id a, int64_t n) {
    return k.insts[a].op == Opcode::Const && k.insts[a].imm == n;
  };
  const Inst& hi = k.insts[i.args[1]];
  if (!is(i.args[0], 0) || hi.op != Opcode::Const || body.yields.empty()) return no_id;
  const Id end =
      k.insts[body.yields[0]].op == Opcode::Result ? k.insts[body.yields[0]].args[0] : no_id;
  if (end == no_id || k.insts[end].op != Opcode::If || k.insts[end].home != i.blocks[0] ||
      d.divergent[end] || d.results[end] != body.yields)
    return no_id;
  const Inst& equal = k.insts[k.insts[end].args[0]];
  if (equal.op != Opcode::Eq || !is(equal.args[1], run_terms - 1)) return no_id;
  const Inst& digit = k.insts[equal.args[0]];
  if (digit.op != Opcode::And || !is(digit.args[1], run_terms - 1)) return no_id;
  const Id trip = digit.args[0];
  const Inst& back = k.insts[trip];
  const bool counts = i.imm > 0 ? trip == body.params[0]
                                : back.op == Opcode::Sub && is(back.args[0], hi.imm - 1) &&
                                      back.args[1] == body.params[0];
  const nest::Block& between = k.blocks[k.insts[end].blocks[1]];
  if (!counts || !between.body.empty()) return no_id;
  for (size_t r = 0; r < between.yields.size(); ++r)
    if (d.variance[between.yields[r]] != d.variance[body.params[r + 1]]) return no_id;
  // A value of the last trip is available after the loop only if the body yields it.
  const auto handed_on = [&](Id a) {
    const Inst& x = k.insts[a];
    return x.home != i.blocks[0] || x.op == Opcode::Param || a == trip ||
           std::find(between.yields.begin(), between.yields.end(), a) != between.yields.end();
  };
  const auto reads_others = [&](const Inst& x) {
    return !std::all_of(x.args.begin(), x.args.end(), handed_on);
  };
  return any_inst(k, k.insts[end].blocks[0], reads_others) ? no_id : end;
}

bool is_strided(const Variance& index) {
  return !index.varying && index.known && (index.stride < -1 || index.stride > 2);
}

std::vector<LoopSchedule::Operand> row_operands(const Kernel& k, const Divergence& d, Id loop) {
  const Inst& l = k.insts[loop];
  std::vector<LoopSchedule::Operand> out;
  if (l.op != Opcode::For || d.divergent[loop]) return out;
  const nest::Block& body = k.blocks[l.blocks[0]];
  if (!d.variance[body.params[0]].uniform()) return out;
  for (Id v : body.body) {
    const Inst& i = k.insts[v];
    const bool load = i.op == Opcode::Load && !k.buffers[i.imm].written;
    if (!load && !(i.op == Opcode::Store && only_access(k, v, l.blocks[0]))) continue;
    if (!is_strided(d.variance[i.args[0]])) continue;
    const int64_t step =
        stride_along(k, i.args[0], {.index = body.params[0], .block = l.blocks[0]}).value_or(0);
    if (step == 1 || step == -1) out.push_back({v, step});
  }
  return out;
}

std::vector<Id> tile_loads(const Kernel& k, const Divergence& d, int64_t rows) {
  return in_tiles(k, d, rows, [&](Id v) {
    return k.insts[v].op == Opcode::Load && !k.buffers[k.insts[v].imm].written;
  });
}

std::vector<Id> tile_accesses(const Kernel& k, const Divergence& d, int64_t rows) {
  std::vector<Id> all = tile_loads(k, d, rows);
  std::ranges::copy(
      in_tiles(k, d, rows,
               [&](Id v) { return k.insts[v].op == Opcode::Store && only_access(k, v, 0); }),
      std::back_inserter(all));
  return all;
}

namespace {
// A refill repeats the loops around the while for a whole vector. They are as long as so many trips
// of it at most.
constexpr int64_t most_trips_around = 8;

bool holds_loop(const Kernel& k, const Inst& i) {
  return is_loop(i) ||
         std::ranges::any_of(i.blocks, [&](BlockId b) { return any_inst(k, b, is_loop); });
}

}  // namespace

std::optional<int64_t> constant_trips(const Kernel& k, const Inst& i) {
  const auto constant = [&](size_t a) -> std::optional<int64_t> {
    const Inst& x = k.insts[i.args[a]];
    return x.op == Opcode::Const ? std::optional<int64_t>(x.imm) : std::nullopt;
  };
  switch (i.op) {
    case Opcode::Fold:
    case Opcode::ForEach: return constant(0);
    case Opcode::For:
      if (const auto lo = constant(0), hi = constant(1); lo && hi) return *hi - *lo;
      return {};
    default: return {};
  }
}

std::optional<int64_t> instructions_run(const Kernel& k, const Inst& i) {
  constexpr int64_t most = INT32_MAX;  // sums of such numbers do not overflow
  const std::optional<int64_t> trips = is_loop(i) ? constant_trips(k, i) : 1;
  if (!trips) return {};
  int64_t body = 0;
  for (size_t side = is_cold(i) ? 1 : 0; side < i.blocks.size(); ++side)
    for (const Id v : k.blocks[i.blocks[side]].body) {
      const std::optional<int64_t> n = instructions_run(k, k.insts[v]);
      if (!n) return {};
      body = std::min(body + *n, most);
    }
  return std::min(1 + std::clamp<int64_t>(*trips, 0, most) * body, most);
}

Id refillable_while(const Kernel& k, const Divergence& d) {
  if (d.mode != Mode::grid || k.rank == 0) return no_id;
  Id found = no_id;
  std::vector<Id> others;  // structured instructions with loops
  for (Id v : k.blocks[0].body) {
    const Inst& i = k.insts[v];
    if (i.op == Opcode::While && d.divergent[v] && found == no_id)
      found = v;
    else if (holds_loop(k, i))
      others.push_back(v);
  }
  if (found == no_id || any_inst(k, k.insts[found].blocks[0], has_effect)) return no_id;
  const Divergence points = analyse_divergence(k, Mode::refill);
  int64_t around = 0;
  for (Id v : others) {
    const std::optional<int64_t> n = instructions_run(k, k.insts[v]);
    if (!n || points.divergent[v]) return no_id;
    around += *n;
  }
  if (around > most_trips_around * weight(k, k.insts[found].blocks[1])) return no_id;
  for (Id v : k.blocks[0].body)
    if (k.insts[v].op == Opcode::Local && !points.per_element[v]) return no_id;
  // Each element keeps these values in its slot.
  const RefillParts parts = refill_parts(k, points, found);
  const bool kept =
      std::ranges::all_of(parts.kept, [&](Id v) { return points.variance[v].varying; });
  return kept ? found : no_id;
}

Id thread_refillable_while(const Kernel& k) {
  const Id loop = refillable_while(k, analyse_divergence(k, Mode::grid));
  if (loop == no_id || any_inst(k, k.insts[loop].blocks[0], is_loop)) return no_id;
  // All threads of a warp wait while one of them runs the code around the loop.
  const bool others = std::ranges::any_of(
      k.blocks[0].body, [&](Id v) { return v != loop && holds_loop(k, k.insts[v]); });
  return others ? no_id : loop;
}

namespace {
// Collects the varying values of the top block that `b` and its inner blocks read.
void reads(const Kernel& k, const Divergence& d, BlockId b, std::vector<Id>& out) {
  const auto add = [&](Id a) {
    const Inst& i = k.insts[a];
    if (i.home == 0 && d.level[a] == 2 && i.op != Opcode::Local && !is_structured(i.op) &&
        std::ranges::find(out, a) == out.end())
      out.push_back(a);
  };
  for (Id v : k.blocks[b].body) {
    for (Id a : k.insts[v].args) add(a);
    for (BlockId inner : k.insts[v].blocks) reads(k, d, inner, out);
  }
  for (Id y : k.blocks[b].yields) add(y);
}
}  // namespace

RefillParts refill_parts(const Kernel& k, const Divergence& d, Id loop) {
  RefillParts r;
  bool after = false;
  for (Id v : k.blocks[0].body) {
    if (v == loop)
      after = true;
    else if (k.insts[v].op != Opcode::Local && d.level[v] == 2)
      (after ? r.epilogue : r.prologue).push_back(v);
  }
  const Inst& w = k.insts[loop];
  for (BlockId b : w.blocks) reads(k, d, b, r.running);
  for (Id v : r.epilogue) {
    for (Id a : k.insts[v].args) r.finished.push_back(a);
    for (BlockId b : k.insts[v].blocks) reads(k, d, b, r.finished);
  }
  // An unchanged carry is read as its initial value.
  const nest::Block& body = k.blocks[w.blocks[1]];
  for (size_t c = 0; c < w.kinds.size(); ++c)
    if (body.yields[c] == body.params[c])
      r.running.push_back(w.args[c]), r.finished.push_back(w.args[c]);
  const auto keep = [&](std::vector<Id>& from) {
    std::erase_if(from, [&](Id v) { return std::ranges::find(r.prologue, v) == r.prologue.end(); });
    std::ranges::sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
  };
  keep(r.running);
  keep(r.finished);
  std::ranges::set_union(r.running, r.finished, std::back_inserter(r.kept));
  return r;
}

std::vector<char> partitionable_loops(const Kernel& k) {
  std::vector<char> shared = analyse_divergence(k, Mode::inner).vectorized;
  const auto inside = [&](BlockId b, Id loop) {
    for (Id owner = k.blocks[b].owner; owner != no_id; owner = k.blocks[k.insts[owner].home].owner)
      if (owner == loop) return true;
    return false;
  };
  for (Id loop = 0; loop < static_cast<Id>(shared.size()); ++loop)
    if (shared[loop])
      shared[loop] = !any_inst(k, k.insts[loop].blocks[0], [&](const Inst& i) {
        return i.op == Opcode::LocalStore && !inside(k.insts[i.args[0]].home, loop);
      });
  return shared;
}

Divergence divergence_by(const Schedule& s, const Kernel& k) {
  Divergence d = analyse_divergence(k, s.mode);
  if (s.threads > 1) d.vectorized = partitionable_loops(k);
  return d;
}

std::vector<char> emitted_blocks(const Kernel& k, bool gpu) {
  std::vector<char> out(k.blocks.size(), 0);
  out[0] = 1;
  for (size_t b = 0; b < out.size(); ++b)  // blocks follow those that contain them
    for (Id v : k.blocks[b].body)
      for (BlockId side : k.insts[v].blocks) {
        const bool called = !gpu && is_cold(k.insts[v]) && side == k.insts[v].blocks[0];
        out[side] = out[b] && !called;
      }
  return out;
}

bool branches_at_run_time(const Kernel& k, const Divergence& d, Id branch, bool gpu) {
  const Inst& i = k.insts[branch];
  if (i.op != Opcode::If || !d.divergent[branch]) return false;
  return gpu || !is_cold(i) || !is_arithmetic(k, i.blocks[1]);
}

bool can_prefetch(const Kernel& k, const Divergence& d, const Schedule& s, Id load) {
  const Inst& i = k.insts[load];
  if (i.op != Opcode::Load || k.buffers[i.imm].written || !d.variance[load].varying ||
      !d.variance[i.args[0]].linear())
    return false;
  bool all_run = s.mode == Mode::grid && (s.versioned || s.tile > 0);
  for (BlockId b = i.home; b != 0; b = k.blocks[b].parent) {
    const Id owner = k.blocks[b].owner;
    if (d.divergent[owner]) return false;
    if (d.vectorized[owner]) all_run = k.insts[owner].op == Opcode::ForEach || s.folds.count(owner);
  }
  return all_run;
}

bool writes_whole_vectors(const Kernel& k, const Divergence& d, const Schedule& s, int64_t buffer) {
  for (Id v = 0; v < static_cast<Id>(k.insts.size()); ++v) {
    const Inst& i = k.insts[v];
    if (i.op != Opcode::Store || i.imm != buffer) continue;
    const Variance& at = d.variance[i.args[0]];
    if (!at.linear() || !at.known) continue;
    if (s.records.contains(v) && 2 * s.vector_width * element_bytes(k, v) >= cache_line)
      return true;
    const auto moves = [&](const auto& loop) {
      return std::ranges::any_of(loop.second.operands,
                                 [&](const auto& o) { return o.access == v; });
    };
    if (at.stride == 1 ||
        (at.stride * element_bytes(k, v) % cache_line == 0 && std::ranges::any_of(s.loops, moves)))
      return true;
  }
  return false;
}

bool constant_value(const Kernel& k, Id v, const Constants& known, int64_t* value) {
  const Inst& i = k.insts[v];
  if (const auto it = known.find(v); it != known.end()) {
    *value = it->second;
    return true;
  }
  if (i.kind != nest::Kind::I64 && i.kind != nest::Kind::I32) return false;
  const auto wrapped = [&](uint64_t x) {
    return i.kind == nest::Kind::I64 ? static_cast<int64_t>(x) : static_cast<int32_t>(x);
  };
  if (i.op == Opcode::Const) {
    *value = wrapped(static_cast<uint64_t>(i.imm));
    return true;
  }
  int64_t a = 0, b = 0;
  const bool one = i.op == Opcode::SExt || i.op == Opcode::Narrow;
  const bool two = i.op == Opcode::Add || i.op == Opcode::Sub || i.op == Opcode::Mul ||
                   i.op == Opcode::SMin || i.op == Opcode::SMax;
  if ((!one && !two) || !constant_value(k, i.args[0], known, &a) ||
      (two && !constant_value(k, i.args[1], known, &b)))
    return false;
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (i.op) {
    case Opcode::Add: *value = wrapped(ua + ub); break;
    case Opcode::Sub: *value = wrapped(ua - ub); break;
    case Opcode::Mul: *value = wrapped(ua * ub); break;
    case Opcode::SMin: *value = std::min(a, b); break;
    case Opcode::SMax: *value = std::max(a, b); break;
    default: *value = wrapped(ua); break;
  }
  return true;
}

bool is_arithmetic(const Kernel& k, BlockId b) {
  return std::none_of(k.blocks[b].body.begin(), k.blocks[b].body.end(),
                      [&](Id v) { return k.insts[v].op >= Opcode::Load; });
}

}  // namespace weft::compiler
