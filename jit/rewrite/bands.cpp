// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/bands.cpp: chooses the equations that are joined into a call that runs in blocks.
//
// A library call, a loop in lockstep and a kernel with long rows store their results for all lanes.
// The next step reads them when they have left the cache. A band is a call of such steps. It runs
// all of them for one block of lanes, then for the next. In a loop in lockstep, lanes wait for each
// other. A costly loop is a band of its own, with a block of few lanes, so that few wait.
#include "jit/rewrite/bands.h"

#include <algorithm>
#include <optional>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/platform.h"
#include "core/loops/resize.h"
#include "core/op.h"
#include "jit/fuse/cost.h"
#include "jit/fuse/plan.h"
#include "jit/rewrite/barriers.h"
#include "jit/rewrite/dependencies.h"
#include "jit/rewrite/lane_call.h"
#include "jit/rewrite/lane_group.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;
constexpr size_t none = Program::none;

// Measured with 51 programs of JAX libraries and the laws of speed, on two cores of Zen 4.
struct Limits {
  // Longer programs are not searched: each value that the plan stores is a place to begin.
  size_t longest_program = 4000;
  // The bytes that the steps of a block pass to each other: a share of the second cache.
  int64_t bytes = 256 << 10;
  // The same if kernels need longer blocks: all of the second cache.
  int64_t most_bytes = 1 << 20;
  // The bytes that all lanes pass to each other if a band is to save anything. Fewer stay in the
  // third cache.
  int64_t all_bytes = 4 << 20;
  // The least number of blocks, which threads share. It does not depend on the number of threads,
  // because the bits of a library call may depend on its number of rows.
  int64_t blocks = 16;
  // The least number of lanes of a block: those of a vector.
  int64_t lanes = 16;
  // The least number of points of a kernel of lanes: four vectors.
  int64_t points = 64;
  // Nanoseconds for a byte that is written to memory instead of to a cache, or read from there.
  double moved_byte = 0.02;
  // The trips of a loop whose number is not known.
  int64_t trips = 8;
  // The least nanoseconds of a step of such a loop, for one lane.
  double waiting = 1000;
} constexpr limits;

struct Band {
  LaneGroup group = {};
  int64_t block = 0;
  double gain = 0;  // nanoseconds
};

class Bands {
 public:
  Bands(const Program& p, const Plan& plan)
      : p_(p),
        j_(*p.j),
        n_(j_.eqns.size()),
        plan_(plan),
        order_(p),
        axes_(p, LaneAxes::Within::block),
        lockstep_(plan.in_lockstep(j_)) {}
  // Returns the program with the band that saves most, or nothing. Loops whose lanes wait come
  // first.
  std::optional<Jaxpr> with_band();

 private:
  bool has_lane(const LaneGroup& g, int32_t v) const { return g.lanes[0].axis[v] >= 0; }
  bool joins(LaneGroup* g, size_t i, bool alike) const;
  LaneGroup grown(size_t start, LaneGroup::Lane lane) const;
  bool only_enlarges(const LaneGroup& g, size_t i) const;
  void trim(LaneGroup* g) const;
  bool starts(size_t i) const;
  double evaluate(Band* band) const;
  std::optional<Band> apart(size_t i) const;
  struct Called {
    LaneCall call = {};
    Jaxpr body = {};
    Bools in_blocks = {};
  };
  Called called(const LaneGroup& g) const;
  std::optional<Jaxpr> with_call(const Band& band) const;
  static int64_t stored_in(const Scope& body);
  int64_t fewest_lanes(const LaneGroup& g) const;

  const Program& p_;
  const JaxprData& j_;
  const size_t n_;
  const Plan& plan_;
  const Dependencies order_;
  const LaneAxes axes_;
  std::vector<char> lockstep_;  // by equation: it is a loop over programs
};

// Adds equation i, if the lanes of the group run through it and its results have them. `alike`:
// also an equation that all lanes compute alike, if the plan stores no result of it. The kernels of
// the band compute it where they read it, as the plan does.
bool Bands::joins(LaneGroup* g, size_t i, bool alike) const {
  // For a block the planner would compute whole arrays again instead of updating them in place.
  if (p_.scope.lowering[i].destination) return false;
  const auto noted = axes_.note(g, i);
  if (!noted) return false;
  const Eqn& e = j_.eqns[i];
  alike = alike && p_.scope.lowering[i].form == Form::pull;
  for (int32_t v = e.out; v < e.out + e.n_out; ++v)
    if (!has_lane(*g, v) && !(alike && !plan_.in_memory[v])) {
      LaneAxes::forget(g, *noted);
      return false;
    }
  g->insert(i);
  return true;
}

// Returns the equations that can run in blocks of one lane axis of equation `start`.
LaneGroup Bands::grown(size_t start, LaneGroup::Lane lane) const {
  LaneGroup g;
  g.lanes.push_back(std::move(lane));
  g.insert(start);
  std::vector<char> behind(n_, 0);  // depends on the group and is not in it
  for (size_t i = start + 1; i < n_; ++i) {
    bool reads = false;
    for (size_t q : order_.before[i]) {
      behind[i] = behind[i] || behind[q];
      reads = reads || g.contains(q);
    }
    if (is_barrier(j_.eqns[i])) break;
    if (!behind[i] && joins(&g, i, false)) continue;
    behind[i] = behind[i] || reads;
  }
  for (size_t i = g.members.back(); i-- > 0;) {
    if (is_barrier(j_.eqns[i])) break;
    const std::vector<size_t>& readers = order_.after[i];
    if (g.contains(i) || readers.empty()) continue;
    if (std::ranges::all_of(readers, [&](size_t q) { return g.contains(q); })) joins(&g, i, true);
  }
  return g;
}

// Returns true if the equation makes large results of small operands, and no member reads them.
bool Bands::only_enlarges(const LaneGroup& g, size_t i) const {
  const Eqn& e = j_.eqns[i];
  if (std::ranges::any_of(order_.after[i], [&](size_t q) { return g.contains(q); })) return false;
  int64_t read = 0, written = 0;
  for (Atom a : e.in)
    if (!a.is_literal()) read += j_.type(a).bytes();
  for (Atom a : results_of(e)) written += j_.type(a).bytes();
  return written > 4 * read;
}

// Removes equations until lanes are the leading axis of all operands and results of the group. One
// that reads no member runs before the group. Another one, and its readers, run behind it.
void Bands::trim(LaneGroup* g) const {
  for (bool again = true; again && !g->members.empty();) {
    again = false;
    const VarMap<bool> read = read_outside(j_, g->members);
    std::vector<char> leaves(n_, 0), behind(n_, 0);
    for (size_t i : g->members) {
      const Eqn& e = j_.eqns[i];
      bool first = true;
      for (Atom a : e.in) {
        if (a.is_literal()) continue;
        const size_t from = p_.defining_eqn[a];
        const bool inside = from != none && g->contains(from);
        first = first && !inside;
        if (inside ? behind[from] : g->lanes[0].axis[a] > 0) leaves[i] = 1;
      }
      for (int32_t v = e.out; v < e.out + e.n_out; ++v)
        if (read[v] && g->lanes[0].axis[v] != 0) leaves[i] = 1;
      if (only_enlarges(*g, i)) leaves[i] = 1;
      behind[i] = leaves[i] && !first;
      again = again || leaves[i];
    }
    std::erase_if(g->members, [&](size_t i) { return leaves[i]; });
  }
}

// Returns the bytes of the values of a body that steps pass to each other: those that no
// elementwise equation computes.
int64_t Bands::stored_in(const Scope& body) {
  int64_t bytes = 0;
  for (size_t i = 0; i < body.j->eqns.size(); ++i)
    if (body.lowering[i].form != Form::pull)
      for (Atom a : results_of(body.j->eqns[i])) bytes += body.j->type(a).bytes();
  return bytes;
}

// Returns the least number of lanes of a block: points that fill vectors, for each kernel that has
// a vector of lanes.
int64_t Bands::fewest_lanes(const LaneGroup& g) const {
  int64_t most = 1;
  for (const Step& s : plan_.steps) {
    const bool runs_member =
        std::ranges::any_of(s.kernel.emit, [&](size_t i) { return g.contains(i); });
    if (s.kind != Step::Kind::kernel || !s.kernel.loops || !runs_member) continue;
    int64_t points = 1;
    for (int64_t n : s.kernel.grid) points *= n;
    const int64_t inner = std::max<int64_t>(points / g.lanes[0].extent, 1);
    most = std::max(most, (limits.points + inner - 1) / inner);
  }
  return most;
}

// Returns the nanoseconds that a band saves, and sets its block.
double Bands::evaluate(Band* band) const {
  const LaneGroup& g = band->group;
  const int64_t lanes = g.lanes[0].extent;
  const VarMap<bool> read = read_outside(j_, g.members);
  std::vector<size_t> last(j_.types.size(), 0);
  for (size_t i : g.members)
    for (Atom a : j_.eqns[i].in)
      if (!a.is_literal()) last[a.index] = i;
  const auto is_passed = [&](int32_t v) { return plan_.in_memory[v] && !read[v]; };
  double moved = 0;
  int64_t live = 0, most = 0, steps = 0;
  for (size_t i : g.members) {
    const Eqn& e = j_.eqns[i];
    const LoopForm& loop = p_.scope.lowering[i].loop;
    int64_t inner = 0, inner_steps = 0, trips = 1;
    bool stores = false;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) {
      if (!plan_.in_memory[v]) continue;
      stores = true;
      const int64_t bytes = j_.types[v].bytes();
      if (is_passed(v)) {
        live += bytes;
        moved += 2. * static_cast<double>(bytes);
      } else if (last[v] > i) {
        moved += static_cast<double>(bytes);
      }
    }
    if (lockstep_[i]) {
      for (int64_t k = loop.operands().carry.first; k < loop.operands().carry.end(); ++k)
        inner += 2 * j_.type(e.in[static_cast<size_t>(k)]).bytes();
      for (const auto& body : p_.analysis[i]->top().bodies[0]) {
        inner += stored_in(*body);
        inner_steps += std::ssize(body->j->eqns);
      }
      trips = loop.kind == LoopForm::Kind::scan ? loop.length : limits.trips;
      if (loop.kind == LoopForm::Kind::cond || loop.kind == LoopForm::Kind::call) trips = 1;
      moved += static_cast<double>(trips * inner);
      steps += trips * inner_steps;
    }
    steps += stores;
    most = std::max(most, live + inner);
    for (Atom a : e.in)
      if (!a.is_literal() && is_passed(a.index) && last[a.index] == i) {
        const size_t from = p_.defining_eqn[a];
        if (from != none && g.contains(from)) live -= j_.type(a).bytes();
        last[a.index] = 0;
      }
  }
  if (most < limits.all_bytes) return 0;
  int64_t block = std::min(limits.bytes * lanes / most, lanes / limits.blocks);
  if (block > limits.lanes) block -= block % limits.lanes;
  block = std::max({block, fewest_lanes(g), int64_t{1}});
  if (block * limits.blocks > lanes || block * most > limits.most_bytes * lanes) return 0;
  band->block = block;
  const double blocks = static_cast<double>((lanes + block - 1) / block);
  return moved * limits.moved_byte - blocks * static_cast<double>(steps) * machine.step;
}

// Returns true if lanes of the loop may end at different trips, and a step of one lane is long.
bool lanes_wait(const LoopForm& l) {
  return l.kind == LoopForm::Kind::loop_while && l.lanes.size() == 1 &&
         l.lanes[0] >= limits.blocks && lane_ns(l.bodies[1], l.lanes[0]) >= limits.waiting;
}

// Returns the loop as a band of few lanes, or nothing if launches would take too long, or if lanes
// share products, which take less time for all of them.
std::optional<Band> Bands::apart(size_t i) const {
  const LoopForm& loop = p_.scope.lowering[i].loop;
  if (!lockstep_[i] || !lanes_wait(loop)) return std::nullopt;
  const std::optional<LaneGroup> group = axes_.joined({}, i);
  if (!group) return std::nullopt;
  const int64_t lanes = loop.lanes[0];
  for (const LaneGroup::Lane& lane : group->lanes) {
    Band band{.group = {.members = {i}, .lanes = {lane}}};
    trim(&band.group);
    if (lane.extent != lanes || band.group.members.empty()) continue;
    const Called all = called(band.group);
    size_t steps = 0;
    for (const Jaxpr& body : loop.bodies) steps += body->eqns.size();
    band.block = least_block(all.body, all.in_blocks, lanes, steps).value_or(lanes);
    if (band.block * limits.blocks <= lanes) return band;
  }
  return std::nullopt;
}

// Returns true if the plan stores a result of the equation that other equations read.
bool Bands::starts(size_t i) const {
  return !order_.after[i].empty() &&
         std::ranges::any_of(results_of(j_.eqns[i]), [&](Atom a) { return plan_.in_memory[a]; });
}

std::optional<Jaxpr> Bands::with_band() {
  for (size_t i = 0; i < n_; ++i)
    if (const std::optional<Band> band = apart(i))
      if (std::optional<Jaxpr> r = with_call(*band)) return r;
  Band best;
  std::vector<std::pair<int32_t, int>> tried;  // variables with the axis of their lanes
  for (size_t i = 0; i < n_; ++i) {
    if (!starts(i)) continue;
    const std::optional<LaneGroup> first = axes_.joined({}, i);
    if (!first) continue;
    for (const LaneGroup::Lane& lane : first->lanes) {
      const std::pair<int32_t, int> at{j_.eqns[i].out, lane.axis[j_.eqns[i].out]};
      if (lane.extent < 2 * limits.lanes || std::ranges::find(tried, at) != tried.end()) continue;
      Band band{.group = grown(i, lane)};
      for (size_t k : band.group.members)
        tried.emplace_back(j_.eqns[k].out, band.group.lanes[0].axis[j_.eqns[k].out]);
      trim(&band.group);
      band.gain = evaluate(&band);
      if (band.gain > best.gain) best = std::move(band);
    }
  }
  return best.gain > 0 ? with_call(best) : std::nullopt;
}

// Returns the call of the equations of a group.
Bands::Called Bands::called(const LaneGroup& g) const {
  Called r{.call = lane_call(p_, g.members)};
  r.body = *param_field<Jaxpr>(r.call.eqn.params, "jaxpr");
  for (Atom a : r.call.eqn.in) r.in_blocks.push_back(has_lane(g, a.index));
  return r;
}

// Returns the program with a call in place of the band.
std::optional<Jaxpr> Bands::with_call(const Band& band) const {
  Called r = called(band.group);
  if (!program_of_block(r.body, r.in_blocks, band.block)) return std::nullopt;
  Eqn& e = r.call.eqn;
  e.params = e.op->parse_params({{"jaxpr", r.body},
                                 {"name", std::string("band")},
                                 {"block", band.block},
                                 {"in_blocks", r.in_blocks}});
  return with_calls(p_, order_, {{band.group.members, r.call}});
}

}  // namespace

Jaxpr bands(const Jaxpr& j) {
  if (!is_host_platform()) return j;
  int64_t bytes = 0;
  for (const Type& t : j->types) bytes += t.bytes();
  const auto has_waiting_loop = [&](const Eqn& e) {
    return e.op->compile_eagerly() && lanes_wait(lower_equation(*j, e).loop);
  };
  if (j->eqns.size() > limits.longest_program ||
      (bytes < limits.all_bytes && std::ranges::none_of(j->eqns, has_waiting_loop)))
    return j;
  const Program p(j);
  const Plan plan = make_plan(p);
  const std::optional<Jaxpr> r = Bands(p, plan).with_band();
  return r ? bands(*r) : j;
}

}  // namespace weft::compiler
