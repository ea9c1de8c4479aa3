// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/fuse_loops.cpp: chooses the equations that are joined into a call.
//
// Between two kernels a value passes through memory. A value with inner axes in each lane (a
// matrix) is also transposed on both sides. A call takes loops, the folds and products between and
// around them, and elementwise equations after them, as long as a lane can hold everything.
#include "jit/rewrite/fuse_loops.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/platform.h"
#include "core/loops/work.h"
#include "core/op.h"
#include "jit/fuse/analysis.h"
#include "jit/fuse/cost.h"
#include "jit/fuse/loop_grid.h"
#include "jit/fuse/region.h"
#include "jit/rewrite/equation_set.h"
#include "jit/rewrite/lane_call.h"
#include "weft/detail/ref.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;
using Set = EquationSet;

// Longer programs are not searched, because the search visits every pair of equations.
constexpr size_t longest_program = 8000;
// Sets of longer programs are accepted by their cost. In a shorter one, every set that fits is
// joined: the cost refused sets that gain (docs/decisions/0023-joined-loops.md).
constexpr size_t short_program = 1000;
// The search analyses sets of up to so many equations together, for each equation of the program.
// An equation takes about 15 us. Then sets that would fit are missed in long programs.
constexpr size_t analysed_for_each = 3, fewest_analysed = 4000;
// The longest scan with per-step results in a call. Alone, a scan stores them as it runs, but in a
// call a lane holds all of them. It can hold those of factorizations, one row per step.
constexpr int64_t longest_scan = 32;
// The largest number of instructions between loops. The gradient of a 5 x 5 likelihood has 1,100.
// The nest writer takes longer for one larger call than for several kernels (a chain of 200 sines
// of 3 x 3: 300 ms instead of 60).
constexpr int64_t longest_between = 4 * long_kernel;
// The largest number of elements of a lane that a fold reads from memory in a call. Alone it reads
// them along their rows. In a call each lane has rows of its own, so its vectors are gathered.
constexpr int64_t longest_fold = 4096;
// Lanes are sorted if all sides of a branch but the cheapest one take so many instructions of a
// vector. The number is for each element that a lane moves (jit/schedule/choose/limits.h).
constexpr double sorted_element = 4 * machine.width;
// The number of sets that are analysed one by one if all equations together do not fit.
constexpr int max_tries = 8;

int64_t product(const std::vector<int64_t>& x) {
  int64_t n = 1;
  for (int64_t k : x) n *= k;
  return n;
}

class Joiner {
 public:
  explicit Joiner(const Jaxpr& j)
      : p_(j), j_(*j), n_(j_.eqns.size()), points_(n_, 0), readers_(n_), joined_(n_) {
    for (size_t i = 0; i < n_; ++i)
      if ((form(i) == Form::loop || form(i) == Form::branch) && !writes_as_it_runs(i)) {
        const LaneGrid g = lane_grid(p_.scope.lowering[i].loop, *p_.analysis[i]);
        if (g.why.empty() && !g.grid.empty()) points_[i] = product(g.grid);
      }
    for (size_t i = 0; i < n_; ++i) sorted_.push_back(is_sorted(i));
  }
  // Returns the program with a call for each set that it finds, or the program as it is.
  Jaxpr run();

 private:
  Form form(size_t i) const { return p_.scope.lowering[i].form; }
  bool writes_as_it_runs(size_t i) const {
    const LoopForm& v = p_.scope.lowering[i].loop;
    return v.kind == LoopForm::Kind::scan && v.results().size > 0 && v.length > longest_scan;
  }
  bool is_loop(size_t i) const { return points_[i] > 0; }
  bool is_fold(size_t i) const {
    return form(i) == Form::reduce || form(i) == Form::contract || form(i) == Form::prefix;
  }
  // Returns true for a loop whose lanes end at different times, so that its elements are refilled
  // with other points. A few vectors are not.
  bool is_refilled(size_t i) const {
    const LoopForm& v = p_.scope.lowering[i].loop;
    return points_[i] >= points_of_call && form(i) == Form::loop &&
           v.kind == LoopForm::Kind::loop_while && v.active();
  }
  // Returns true for a branch whose lanes are sorted by the sides that they take.
  bool is_sorted(size_t i) const {
    const LoopForm& v = p_.scope.lowering[i].loop;
    if (points_[i] < points_of_call || form(i) != Form::branch || v.lanes.empty() ||
        !is_host_platform())
      return false;
    double all = 0, cheapest = std::numeric_limits<double>::infinity();
    for (const Jaxpr& side : v.bodies) {
      const double work = ProgramWork(*side).of_all();
      all += work, cheapest = std::min(cheapest, work);
    }
    int64_t moved = 3 * points_[i];  // sorting costs as much as three elements
    const Eqn& e = j_.eqns[i];
    for (const Types& types : {j_.in_types(e), j_.out_types(e)})
      for (const Type& t : types)
        if (t.elements() >= points_[i]) moved += t.elements();
    return all - cheapest >= sorted_element * static_cast<double>(moved);
  }
  // Returns true if a lane's condition of branch i depends on what equation q computes.
  bool decides(size_t q, size_t i) const {
    const size_t from = p_.defining_eqn.get(j_.eqns[i].in[0], Program::none);
    return from != Program::none && (from == q || below_[q].contains(from));
  }
  int64_t elements(size_t i) const {
    int64_t n = 0;
    for (int32_t v = j_.eqns[i].out; v < j_.eqns[i].out + j_.eqns[i].n_out; ++v)
      n = std::max(n, j_.types[v].elements());
    return n;
  }

  // below_[i] has what is computed from i, or from another equation of the call of i, and above_[i]
  // what they are computed from. Readers of i follow it, so their sets are complete before its own.
  void note_readers() {
    below_.assign(n_, Set(n_));
    above_.assign(n_, Set(n_));
    const auto note = [&](size_t from, size_t q) {
      if (below_[from].contains(q)) return;
      readers_[from].push_back(q);
      below_[from].insert(q);
    };
    // Ordered effects keep their order, as if each read the result of the previous one.
    for (size_t q = 0, before = Program::none; q < n_; ++q) {
      for (Atom a : j_.eqns[q].in)
        if (const size_t from = p_.defining_eqn.get(a, Program::none); from != Program::none)
          note(from, q);
      if (effect_of(j_.eqns[q]) != Effect::ordered) continue;
      if (before != Program::none) note(before, q);
      before = q;
    }
    for (size_t i = n_; i-- > 0;)
      for (size_t q : readers_[i]) below_[i] |= below_[q];
    for (size_t i = 0; i < n_; ++i)
      for (size_t q : below_[i].members()) above_[q].insert(i);
  }
  bool reaches(const Set& s, size_t q) const { return s.intersects(above_[q]); }
  bool is_read_in(size_t q, const Set& s) const { return s.intersects(below_[q]); }
  // Returns true if something in s reads q, and nothing outside s.
  bool is_read_only_in(size_t q, const Set& s) const {
    const auto of_q = [&](Atom a) { return p_.defining_eqn.get(a, Program::none) == q; };
    if (std::ranges::any_of(j_.out, of_q)) return false;
    bool read = false;
    for (size_t i = q + 1; i < n_; ++i)
      if (std::ranges::any_of(j_.eqns[i].in, of_q)) {
        if (!s.contains(i)) return false;
        read = true;
      }
    return read;
  }
  // Returns s with all equations on a path between two of its members.
  Set closed(Set s) const {
    for (size_t q = 0; q < n_; ++q)
      if (reaches(s, q) && is_read_in(q, s)) s.insert(q);
    return s;
  }

  // Returns true if all equations are of forms that a lane supports, and in no call. fits() decides
  // about the whole.
  bool may_join(const Set& s) const {
    return !s.intersects(joined_) && std::ranges::all_of(s.members(), [&](size_t i) {
      return is_loop(i) || is_fold(i) || form(i) == Form::pull;
    });
  }
  bool fits(const Set& s);
  bool grow(Set* s, const Set& more) {
    if (more == *s || !may_join(more) || !fits(more)) return false;
    *s = more;
    return true;
  }
  bool pays(const std::vector<size_t>& members, const LaneCall& call, const LaneGrid& g);
  void take(Set* s, FunctionRef<bool(size_t)> which);
  void extend(Set* s);
  void note_call(const Set& s);

  const Program p_;
  const JaxprData& j_;
  const size_t n_;
  std::vector<int64_t> points_;  // by loop that runs in the lane: the points of its grid; else 0
  std::optional<Plan> plan_;     // of the program as it is; made for the first cost
  std::vector<bool> sorted_;     // by equation
  std::vector<Set> below_, above_;
  std::vector<std::vector<size_t>> readers_;  // by equation
  Set joined_;                                // the equations of all calls
  std::map<size_t, LaneCall> calls_;          // by its first equation
  // How many equations of sets the search may still analyse.
  size_t left_ = std::max(fewest_analysed, analysed_for_each* n_);
  // The equations that are in no call, and the first one of each call, as the result has them.
  std::vector<size_t> order_;
};

// Returns true if a lane can run the call. The call must have as many points as its largest loop,
// or points_of_call, and the code between its loops must not be too long.
bool Joiner::fits(const Set& s) {
  const std::vector<size_t> members = s.members();
  if (members.size() > left_) return false;
  left_ -= members.size();
  const LaneCall call = lane_call(p_, members);
  const std::vector<Atom>& in = call.eqn.in;
  const LaneGrid g = grid_of(j_, call);
  if (!g.why.empty() || g.grid.empty()) return false;
  // Each of a few elements of a lane has its own code.
  const int64_t points = product(g.grid);
  int64_t most = 0, written = 0, apart = 0;
  const auto too_long = [&](Atom a) {
    const size_t k = std::ranges::find(in, a) - in.begin();
    return k < in.size() && j_.type(a).elements() * g.readers[k] > longest_fold * points;
  };
  for (size_t i : members) {
    if (is_fold(i) && std::ranges::any_of(j_.eqns[i].in, too_long)) return false;
    most = std::max(most, points_[i]);
    apart += is_refilled(i) || sorted_[i];
    for (size_t q = 0; q < i && sorted_[i]; ++q)
      if (s.contains(q) && form(q) != Form::pull && decides(q, i)) return false;
    const int64_t n = elements(i) / std::max<int64_t>(points, 1);
    if (!is_loop(i)) written += p_.scope.access[i].cost * (n <= small_elements ? n : 1);
  }
  // Elements are refilled only in a kernel with a single loop. Together, each vector would run each
  // loop until its last element ends. Lanes are sorted by one branch, whose conditions are computed
  // before any lane runs, and again after sorting.
  if (apart > 1) return false;
  if (points < std::min(most, points_of_call) || written > longest_between) return false;
  return n_ <= short_program || pays(members, call, g);
}

// Returns true if the call saves at least twice what it costs. Kernels of one loop may have more
// points, or be refilled, which is not estimated.
bool Joiner::pays(const std::vector<size_t>& members, const LaneCall& call, const LaneGrid& g) {
  if (!plan_) plan_ = plan_of(p_);
  const int64_t points = product(g.grid);
  double moved = 0;
  const auto note = [&](Atom a, bool shared) {
    if (!shared && j_.type(a).elements() > points) moved += static_cast<double>(j_.type(a).bytes());
  };
  for (size_t k = 0; k < call.eqn.in.size(); ++k) note(call.eqn.in[k], g.shared[k]);
  for (Atom a : call.results) note(a, false);
  const SavedByCall saved = saved_by(p_, *plan_, members, call);
  return saved.launches() + saved.stores() >
         2 * (moved * machine.moved_byte + g.repeated * machine.instruction / machine.width);
}

// Adds all reachable equations of `which` together. If they do not fit, adds those that fit one by
// one.
void Joiner::take(Set* s, FunctionRef<bool(size_t)> which) {
  Set all = *s;
  for (bool more = true; more;) {
    more = false;
    for (size_t q = 0; q < n_; ++q)
      if (!all.contains(q) && !joined_.contains(q) && which(q) &&
          (reaches(all, q) || is_read_in(q, all))) {
        all.insert(q);
        more = true;
      }
    all = closed(std::move(all));
  }
  if (all == *s || grow(s, all)) return;
  int tries = 0;
  for (size_t q = 0; q < n_; ++q) {
    if (s->contains(q) || !all.contains(q) || !which(q)) continue;
    if (!reaches(*s, q) && !is_read_in(q, *s)) continue;
    if (++tries > max_tries) return;
    Set one = *s;
    one.insert(q);
    grow(s, closed(std::move(one)));
  }
}

// Adds loops first, then folds and products, then elementwise equations. An elementwise equation is
// added if it reads the call's values and is no larger than they are, or if only the call reads it.
void Joiner::extend(Set* s) {
  take(s, [&](size_t q) { return is_loop(q); });
  take(s, [&](size_t q) { return is_fold(q); });
  Set more = *s;
  for (size_t q = 0; q < n_; ++q) {
    if (more.contains(q) || joined_.contains(q) || form(q) != Form::pull) continue;
    int64_t largest = 0;
    for (Atom a : j_.eqns[q].in) {
      const size_t from = p_.defining_eqn.get(a, Program::none);
      if (from != Program::none && more.contains(from))
        largest = std::max(largest, j_.type(a).elements());
    }
    if (largest > 0 && elements(q) <= largest) more.insert(q);
  }
  grow(s, closed(std::move(more)));
  more = *s;
  for (size_t q = n_; q-- > 0;)
    if (form(q) == Form::pull && !joined_.contains(q) && is_read_only_in(q, more)) more.insert(q);
  grow(s, more);
}

// The equations of a call run together. So each of them is computed from what any of them reads.
// Equations that depend on none of them come before the call, and others behind it.
void Joiner::note_call(const Set& s) {
  Set below = s, above = s;
  for (size_t i : s.members()) {
    below |= below_[i];
    above |= above_[i];
  }
  for (size_t i : above.members()) below_[i] |= below;
  for (size_t i : below.members()) above_[i] |= above;
  joined_ |= s;
  std::vector<size_t> members;
  std::ranges::copy_if(order_, std::back_inserter(members),
                       [&](size_t i) { return s.contains(i); });
  const size_t first = members[0];
  std::erase_if(order_, [&](size_t i) { return i != first && s.contains(i); });
  const auto behind =
      std::ranges::stable_partition(order_, [&](size_t i) { return !reaches(s, i); });
  std::ranges::stable_partition(behind, [&](size_t i) { return i == first; });
  calls_.emplace(first, lane_call(p_, members));
}

Jaxpr Joiner::run() {
  if (std::ranges::none_of(points_, [](int64_t n) { return n > 0; })) return p_.j;
  note_readers();
  for (size_t i = 0; i < n_; ++i) order_.push_back(i);
  Set alone(n_);
  const auto next = [&] {
    return std::ranges::find_if(
        order_, [&](size_t i) { return is_loop(i) && !joined_.contains(i) && !alone.contains(i); });
  };
  for (auto at = next(); at != order_.end(); at = next()) {
    Set s(n_);
    s.insert(*at);
    extend(&s);
    if (s.members().size() > 1)
      note_call(s);
    else
      alone.insert(*at);
  }
  if (calls_.empty()) return p_.j;
  JaxprBuilder b(j_);
  b.copy_inputs();
  for (size_t i : order_)
    if (const auto call = calls_.find(i); call != calls_.end())
      b.add(call->second.eqn, call->second.results);
    else
      b.copy(j_.eqns[i]);
  return b.finish(j_.out);
}

}  // namespace

Jaxpr join_loops(const Jaxpr& j) {
  const auto holds_programs = [](const Eqn& e) { return !inner_programs(e.params).empty(); };
  if (j->eqns.size() < 2 || j->eqns.size() > longest_program ||
      std::ranges::none_of(j->eqns, holds_programs))
    return j;
  return Joiner(j).run();
}

}  // namespace weft::compiler
