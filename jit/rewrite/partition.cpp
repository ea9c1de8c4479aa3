// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/partition.cpp: chooses the equations that are joined into a call.
//
// Between two kernels a value passes through memory. A value with inner axes in each lane (a
// matrix) is also transposed on both sides. Groups start where the planner would store a value.
// They grow in program order: an equation joins the groups that it reads if an axis of lanes runs
// through all of them. A group becomes a call if that costs less than the kernels that the planner
// would make of its equations (docs/decisions/0072-partition.md).
#include "jit/rewrite/partition.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/effects.h"
#include "core/jaxpr_builder.h"
#include "core/loops/platform.h"
#include "core/op.h"
#include "jit/fuse/analysis.h"
#include "jit/fuse/cost.h"
#include "jit/fuse/loop_grid.h"
#include "jit/fuse/plan.h"
#include "jit/fuse/region.h"
#include "jit/rewrite/barriers.h"
#include "jit/rewrite/implementations.h"
#include "jit/rewrite/lane_call.h"
#include "jit/rewrite/lane_group.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;
constexpr size_t none = Program::none;

// The constants of the partition. "Programs" are 51 programs of JAX libraries, on two cores of
// Zen 4.
struct Limits {
  // Longer programs are not searched, because the search looks at paths between equations.
  // Measured: 3,300 equations take 0.1 s, a sixth of their compile time.
  size_t longest_program = 8000;
  // The points that a call has at least. Its vectors run over points only, those of the kernels
  // that it replaces over inner axes, too. Measured: a program of 64 lanes takes 1.06 times as long
  // with calls of 64 points, and 0.98 times as long without them.
  int64_t points = 128;
  // The largest number of instructions. Measured: a derivative of six 4 x 4 products has 7,100, and
  // takes 5 times as long in two calls. LLVM takes 30 us for an instruction.
  int64_t code = 8000;
  // The same limit where unit vectors of a derivative leave out a part of the instructions (0075).
  // Measured: a Kalman filter with the Jacobian of 15 states has 9,200, and takes a fifth of the
  // time in one call.
  int64_t code_with_seeds = 32000;
  // The elements of a value that a lane holds. Values of more than many_scalars are mostly arrays,
  // with loops over their elements. They have short rows, because others fill vectors themselves.
  int64_t elements = 2048;
  // A fold of more terms in memory fills vectors by itself. It is the limit of the planner, too.
  int64_t terms = 64;
  // The multiplications of a lane in a product that native code computes otherwise. In lanes, a
  // step of a Kalman filter with products of 4 x 4 takes a third of the time, and attention over 16
  // rows, each of them a lane, half. Matrices of 16 x 16 in each lane do not fit in registers.
  int64_t native_product = 256;
  // Nanoseconds for an element that a vector over short rows gathers. Measured: .5 to .7.
  double gathered = machine.gathered;
  // Nanoseconds for an element of one or two bytes that a lane loads or stores beside others.
  double narrow = 1;
  // Nanoseconds for an instruction of an element in a kernel of the plan, and for one in a lane.
  // Measured in lanes: .02 to .2, with what they move.
  double instruction = machine.instruction / machine.width, lane_instruction = 0.08;
} constexpr limits;

struct Group : LaneGroup {
  int64_t code = 0;    // instructions of the members
  LaneCall call = {};  // when the group is complete
  bool called = false;
};

class Partitioner {
 public:
  // `plan`: what the planner makes of the program as it is.
  Partitioner(const Program& p, const Plan& plan, const Target& target)
      : p_(p),
        j_(*p.j),
        n_(j_.eqns.size()),
        plan_(plan),
        target_(target),
        axes_(p_),
        group_of_(n_, none),
        order_(p_),
        before_(order_.before),
        after_(order_.after),
        after_group_(n_, false),
        code_(n_, -1),
        refused_(n_, false),
        most_code_(has_seeds() ? limits.code_with_seeds : limits.code) {
    note_equations();
  }
  Jaxpr run();

 private:
  const Lowering& lowering(size_t i) const { return p_.scope.lowering[i]; }
  Form form(size_t i) const { return lowering(i).form; }
  bool has_seeds() const {
    static const Op& seed = *find_op("seed_eq");
    return std::ranges::any_of(j_.eqns, [](const Eqn& e) { return e.op == &seed; });
  }
  bool is_fold(size_t i) const {
    return form(i) == Form::reduce || form(i) == Form::contract || form(i) == Form::prefix;
  }
  bool is_result(size_t i) const {
    return std::ranges::any_of(results_of(j_.eqns[i]), [&](Atom a) { return is_output_[a]; });
  }
  // Returns true if the planner stores a result of the equation.
  bool is_stored(size_t i) const {
    return std::ranges::any_of(results_of(j_.eqns[i]),
                               [&](Atom a) { return plan_.in_memory[a] && !is_output_[a]; });
  }
  void note_equations();
  bool may_join(size_t i) const;
  bool starts_group(size_t i, bool stored) const;
  int64_t code(const LaneGroup& g, size_t i);
  int64_t most_elements(const Group& g, int32_t v) const;
  bool holds(const Group& g, size_t i) const;
  bool is_convex(const Group& g, const std::vector<size_t>& from) const;
  bool fits(const Group& g) const;
  double gathered(const Group& g, size_t i) const;
  double elementwise_time(const Group& g, const KernelPlan& k) const;
  bool pays(const Group& g) const;
  bool extend(size_t group, size_t i, bool convex);
  bool try_join(const std::vector<size_t>& groups, size_t i, bool convex = false);
  void join_or_start(size_t i, bool stored);
  void grow(bool stored);
  void take_operands();
  void drop_results();
  void call_groups();

  const Program& p_;
  const JaxprData& j_;
  const size_t n_;
  const Plan& plan_;
  const Target& target_;
  const LaneAxes axes_;
  VarMap<bool> is_output_;
  std::vector<Group> groups_;     // a group that joined another one is empty
  std::vector<size_t> group_of_;  // by equation; `none`: in no group
  const Dependencies order_;
  const std::vector<std::vector<size_t>>&before_, &after_;
  std::vector<bool> after_group_;     // by equation: it depends on a member of a group, or is one
  std::vector<int> barriers_before_;  // by equation
  std::vector<int64_t> code_;         // by equation: the instructions of an element, or -1
  std::vector<bool> refused_;         // by equation: a call of it does not pay
  const int64_t most_code_;           // of a group
  int64_t most_elements_ = 0;         // of a value in a lane
};

void Partitioner::note_equations() {
  is_output_ = VarMap<bool>(j_, false);
  for (Atom a : j_.out)
    if (!a.is_literal()) is_output_[a] = true;
  int barriers = 0;
  for (size_t i = 0; i < n_; ++i) {
    barriers += is_barrier(j_.eqns[i]);
    barriers_before_.push_back(barriers);
  }
}

// Returns true if the equation is of a form that a lane supports.
bool Partitioner::may_join(size_t i) const {
  const Eqn& e = j_.eqns[i];
  if (e.n_out == 0 || is_barrier(e) || effect_of(e) == Effect::ordered || refused_[i]) return false;
  // A loop around the program may update its carry in place.
  if (lowering(i).destination && !e.in[0].is_literal() && e.in[0].index < j_.n_in) return false;
  return is_fold(i) || form(i) == Form::pull;
}

// Returns true for a fold, or an equation that puts elements of several values together. `stored`:
// also for a value that the planner stores.
bool Partitioner::starts_group(size_t i, bool stored) const {
  if (is_fold(i) || (stored && is_stored(i))) return true;
  int parts = 0;
  for (size_t k = 0; k < j_.eqns[i].in.size(); ++k) {
    const Atom a = j_.eqns[i].in[k];
    if (a.is_literal()) continue;
    const std::vector<int>& reads = p_.scope.access[i].reads[k];
    bool moved = false;
    for (size_t b = 0; b < reads.size(); ++b)
      moved = moved || (reads[b] == -1 && j_.type(a).shape()[static_cast<int64_t>(b)] > 1);
    parts += moved || j_.type(a).elements() < j_.types[j_.eqns[i].out].elements();
  }
  return parts > 1;
}

// Returns the instructions of a member. Each element has its own code, and each of a few terms.
int64_t Partitioner::code(const LaneGroup& g, size_t i) {
  const int32_t v = j_.eqns[i].out;
  const int64_t n = g.inner_elements(j_.types[v], v), terms = terms_of(lowering(i));
  if (code_[i] < 0)
    code_[i] =
        instructions_at_constant(lowering(i), j_.in_types(j_.eqns[i]), j_.out_types(j_.eqns[i]));
  const int64_t each = code_[i] + is_fold(i);
  return each * (n <= many_scalars ? n : 1) * (terms <= limits.terms ? terms : 1);
}

// Returns true if the value has every axis of lanes that fills vectors. Otherwise neighbouring
// lanes read the same elements.
bool has_long_lanes(const LaneGroup& g, int32_t v) {
  return std::ranges::all_of(g.lanes, [&](const LaneGroup::Lane& l) {
    return l.axis[v] >= 0 || l.extent < min_vector_row;
  });
}

// Returns how many elements of a value a lane holds at most. Rows that fill vectors by themselves
// stay outside of lanes.
int64_t Partitioner::most_elements(const Group& g, int32_t v) const {
  const Type& t = j_.types[v];
  const int last = t.ndim() - 1;
  const bool rows =
      last >= 0 && t.shape()[last] >= min_vector_row &&
      std::ranges::none_of(g.lanes, [&](const LaneGroup::Lane& l) { return l.axis[v] == last; });
  return rows ? many_scalars : most_elements_;
}

// Returns true if a lane can hold the values of a member.
bool Partitioner::holds(const Group& g, size_t i) const {
  const Eqn& e = j_.eqns[i];
  // Native code computes the products of each lane with its own matrix, and large ones.
  if (form(i) == Form::contract && is_open(j_, e, target_)) {
    const auto is_shared = [&](Atom a) { return a.is_literal() || !has_long_lanes(g, a.index); };
    if (std::ranges::none_of(e.in, is_shared) ||
        g.inner_elements(j_.types[e.out], e.out) * terms_of(lowering(i)) > limits.native_product)
      return false;
  }
  for (int32_t v = e.out; v < e.out + e.n_out; ++v)
    if (g.inner_elements(j_.types[v], v) > most_elements(g, v)) return false;
  const bool of_terms = form(i) == Form::contract && terms_of(lowering(i)) <= limits.terms;
  bool in_lane = false;
  for (Atom a : e.in) {
    if (a.is_literal()) continue;
    const size_t from = p_.defining_eqn[a];
    // Operands that all lanes read stay in memory. Other operands from outside have a smaller limit
    // if neighbouring lanes share them, or if they are bytes, which a lane loads one by one. Terms
    // that are written out read the former where they are, an element for all lanes of a vector.
    const Type& t = j_.type(a);
    const int64_t n = g.inner_elements(t, a.index);
    const bool outside = from == none || !g.contains(from);
    const bool shared = outside && !has_long_lanes(g, a.index),
               bytes = outside && itemsize(t.dtype()) < 4;
    const int64_t most = shared && !bytes && of_terms ? most_elements_
                         : shared || bytes            ? many_scalars
                                                      : most_elements(g, a.index);
    if (n < t.elements() && n > most) return false;
    in_lane = in_lane || !outside;
  }
  return !is_fold(i) || in_lane || terms_of(lowering(i)) <= limits.terms;
}

// Returns true if no path from these equations leads back to the group from outside of it, and each
// other group is one step. Paths inside the group do not count.
bool Partitioner::is_convex(const Group& g, const std::vector<size_t>& from) const {
  std::vector<bool> seen(n_, false), seen_group(groups_.size(), false);
  std::vector<size_t> stack;
  const auto visit = [&](size_t i) {
    if (g.contains(i) || seen[i] || !after_group_[i]) return;
    seen[i] = true;
    stack.push_back(i);
  };
  for (size_t i : from) std::ranges::for_each(before_[i], visit);
  while (!stack.empty()) {
    const size_t i = stack.back();
    stack.pop_back();
    if (std::ranges::any_of(before_[i], [&](size_t q) { return g.contains(q); })) return false;
    std::ranges::for_each(before_[i], visit);
    const size_t group = group_of_[i];
    if (group == none || seen_group[group]) continue;
    seen_group[group] = true;
    std::ranges::for_each(groups_[group].members, visit);
  }
  return true;
}

// Adds equation i to a group whose lanes all run through it. `convex`: no path can leave the group
// and return through i.
bool Partitioner::extend(size_t group, size_t i, bool convex) {
  Group& g = groups_[group];
  const auto noted = axes_.note(&g, i);
  if (!noted) return false;
  const int64_t more = code(g, i);
  if (g.code + more <= most_code_ && holds(g, i) && (convex || is_convex(g, {i}))) {
    g.insert(i);
    g.code += more;
    group_of_[i] = group;
    return true;
  }
  LaneAxes::forget(&g, *noted);
  return false;
}

// Joins equation i and these groups, or starts a group with it.
bool Partitioner::try_join(const std::vector<size_t>& groups, size_t i, bool convex) {
  std::vector<const LaneGroup*> parts;
  for (size_t g : groups) {
    if (barriers_before_[groups_[g].members[0]] != barriers_before_[i]) return false;
    parts.push_back(&groups_[g]);
  }
  // Behind all members, i cannot begin a path that leaves the group and returns.
  if (groups.size() == 1 && (convex || groups_[groups[0]].members.back() < i) &&
      extend(groups[0], i, convex))
    return true;
  std::optional<LaneGroup> joined = axes_.joined(parts, i);
  if (!joined || joined->points() < limits.points) return false;
  Group all{std::move(*joined)};
  for (size_t k : all.members)
    if (all.code += code(all, k); all.code > most_code_) return false;
  for (size_t k : all.members)
    if (!holds(all, k)) return false;
  if (!convex && !is_convex(all, all.members)) return false;
  const size_t to = groups.empty() ? groups_.size() : groups[0];
  if (groups.empty()) groups_.emplace_back();
  for (size_t g : groups) groups_[g] = {};
  for (size_t k : all.members) group_of_[k] = to;
  groups_[to] = std::move(all);
  return true;
}

// Joins the equation to all groups that it reads, or to one of them, or starts a group.
void Partitioner::join_or_start(size_t i, bool stored) {
  std::vector<size_t> read;
  for (size_t q : before_[i])
    if (const size_t g = group_of_[q];
        g != none && !groups_[g].called && std::ranges::find(read, g) == read.end())
      read.push_back(g);
  if (!read.empty() && try_join(read, i)) return;
  for (size_t k = 0; k < read.size() && read.size() > 1; ++k)
    if (try_join({read[k]}, i)) return;
  if (starts_group(i, stored)) try_join({}, i);
}

// Groups of folds come first. Then values that the planner stores start further groups, or join.
void Partitioner::grow(bool stored) {
  for (size_t i = 0; i < n_; ++i) {
    if (group_of_[i] == none && may_join(i)) join_or_start(i, stored);
    after_group_[i] = group_of_[i] != none ||
                      std::ranges::any_of(before_[i], [&](size_t q) { return after_group_[q]; });
  }
}

// Adds equations whose results only one group reads. No path can leave the group and return.
void Partitioner::take_operands() {
  for (size_t i = n_; i-- > 0;) {
    if (group_of_[i] != none || !may_join(i) || after_[i].empty() || is_result(i)) continue;
    const size_t g = group_of_[after_[i][0]];
    if (g != none && !groups_[g].called &&
        std::ranges::all_of(after_[i], [&](size_t q) { return group_of_[q] == g; }))
      try_join({g}, i, true);
  }
}

// Removes elementwise equations that only others read, if what they read is smaller than their
// results. The readers compute them.
void Partitioner::drop_results() {
  for (size_t i = n_; i-- > 0;) {
    const size_t g = group_of_[i];
    if (g == none || groups_[g].called || form(i) != Form::pull || is_result(i)) continue;
    if (std::ranges::any_of(after_[i], [&](size_t q) { return group_of_[q] == g; })) continue;
    const Eqn& e = j_.eqns[i];
    int64_t stored = 0, read = 0;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) stored += j_.types[v].bytes();
    for (Atom a : e.in)
      if (const size_t from = p_.defining_eqn.get(a, none); from != none && group_of_[from] == g)
        read += j_.type(a).bytes();
    if (stored <= read) continue;
    group_of_[i] = none;
    std::erase(groups_[g].members, i);
  }
}

// Returns true if a lane can run the call, with as many points as the group.
bool Partitioner::fits(const Group& g) const {
  const LaneGrid grid = grid_of(j_, g.call);
  return grid.why.empty() && !grid.grid.empty() && Shape(grid.grid).elements() >= limits.points;
}

// Returns how many elements a product gathers in a kernel of its own, and not in a call. Vectors of
// that kernel run over the result, and cross short rows of operands that have other axes. A call
// needs enough points along the axes that all operands have (jit/fuse/loop_grid.h). The threads of
// a GPU do not gather.
double Partitioner::gathered(const Group& g, size_t i) const {
  const Eqn& e = j_.eqns[i];
  const Shape& result = j_.types[e.out].shape();
  const int64_t last = result.ndim() - 1;
  if (form(i) != Form::contract || last < 0 || result[last] >= min_vector_row) return 0;
  if (!is_host_platform()) return 0;
  std::vector<int32_t> operands;
  for (Atom a : e.in)
    if (!a.is_literal() && g.inner_elements(j_.type(a), a.index) < j_.type(a).elements())
      operands.push_back(a.index);
  int64_t points = 1;
  for (const LaneGroup::Lane& l : g.lanes) {
    if (std::ranges::any_of(operands, [&](int32_t v) { return l.axis[v] < 0; })) continue;
    if (l.axis[e.out] == last) return 0;
    points *= l.extent;
  }
  return points < points_of_call ? 0
                                 : static_cast<double>(operands.size()) *
                                       static_cast<double>(lowering(i).space.elements());
}

// Returns true if vectors along the elements of a value gather what they read of another one, whose
// axes have these axes of the value as indices (-1: unknown). They do if they cross short rows,
// whose elements are read at other places of a row. Elements that are only repeated do not count.
bool crosses_rows(const Shape& value, const Shape& read, const std::vector<int>& axes) {
  int64_t v = value.ndim() - 1, r = read.ndim() - 1;
  for (int64_t n = 1; n < min_vector_row && v >= 0; n *= value[v--]) {
    if (value[v] == 1) continue;
    while (r >= 0 && read[r] == 1) --r;
    if (r < 0) return false;
    const int axis = axes[static_cast<size_t>(r)];
    if (axis != v) {
      const bool repeated = axis >= 0 && std::ranges::find(axes, v) == axes.end();
      return !repeated && n * value[v] < min_vector_row;
    }
    --r;
  }
  return false;
}

// Estimates the nanoseconds in which a kernel of the plan computes elementwise results that are
// members. Unlike a lane, it computes values again that several elements read.
double Partitioner::elementwise_time(const Group& g, const KernelPlan& k) const {
  const auto computed = [&](int32_t v) {
    const size_t i = p_.defining_eqn[v];
    return i != none && g.contains(i) && form(i) == Form::pull && !plan_.in_memory[v];
  };
  double time = 0;
  for (int32_t v : k.roots) {
    const size_t i = p_.defining_eqn[v];
    if (i == none || !g.contains(i) || form(i) != Form::pull) continue;
    Region region(p_, computed, static_cast<int>(limits.code));
    region.add_equation(i);
    double element = 0;
    for (const auto& [read, axes] : region.reads())
      if (g.inner_elements(j_.types[read], read) < j_.types[read].elements() &&
          crosses_rows(j_.types[v].shape(), j_.types[read].shape(), axes))
        element += limits.gathered;
    if (element > 0) element += limits.instruction * region.cost();
    time += element * static_cast<double>(j_.types[v].elements());
  }
  return time;
}

// Compares the call with the kernels of the plan that compute values of members.
bool Partitioner::pays(const Group& g) const {
  double moved = 0, elements = 0, narrow = 0, time = 0;
  for (size_t i : g.members) elements += gathered(g, i);
  for (const std::vector<Atom>* list : {&g.call.eqn.in, &g.call.results})
    for (Atom a : *list) {
      const Type& t = j_.type(a);
      const int64_t n = g.inner_elements(t, a.index);
      if (n == t.elements()) continue;
      moved += static_cast<double>(t.bytes());
      if (n > 1 && t.bytes() < 4 * t.elements()) narrow += static_cast<double>(t.elements());
    }
  for (const Step& step : plan_.steps) time += elementwise_time(g, step.kernel);
  const SavedByCall saved = saved_by(p_, plan_, g.members, g.call);
  const double code = limits.lane_instruction * static_cast<double>(g.code * g.points());
  return saved.launches() + saved.stores() + elements * limits.gathered +
             std::max(time - code - narrow * limits.narrow, 0.) >
         moved * machine.moved_byte;
}

// Makes a call of each group that costs less than its kernels. Other groups are dissolved. Without
// large values, their members would form the same groups again.
void Partitioner::call_groups() {
  for (Group& g : groups_) {
    if (g.members.empty() || g.called) continue;
    g.call = lane_call(p_, g.members);
    g.called = fits(g) && pays(g);
    if (g.called) continue;
    const bool large = std::ranges::any_of(g.members, [&](size_t i) {
      const int32_t v = j_.eqns[i].out;
      return g.inner_elements(j_.types[v], v) > many_scalars;
    });
    for (size_t i : g.members) {
      group_of_[i] = none;
      refused_[i] = !large;
    }
    g = {};
  }
}

// A group that may hold large values leaves axes of its members to the lanes. Where that does not
// pay, there may be groups that keep these axes.
Jaxpr Partitioner::run() {
  for (const int64_t most : {limits.elements, many_scalars}) {
    most_elements_ = most;
    for (const bool stored : {false, true}) {
      grow(stored);
      take_operands();
      // Until they are visited again, equations may be behind any group.
      after_group_.assign(n_, true);
    }
    drop_results();
    call_groups();
  }
  std::vector<CalledGroup> called;
  for (const Group& g : groups_)
    if (g.called) called.push_back({g.members, g.call});
  return called.empty() ? nullptr : with_calls(p_, order_, called);
}

}  // namespace

Jaxpr partition(const Jaxpr& j, const Target& target) {
  if (j->eqns.empty() || j->eqns.size() > limits.longest_program) return j;
  const Program p(j);
  const bool products = std::ranges::any_of(
      p.scope.lowering, [](const Lowering& l) { return l.form == Form::contract; });
  if (j->eqns.size() == 1 && !products) return j;
  const Plan plan = plan_of(p);
  // A few kernels without temporaries are not worth a call, unless one gathers.
  bool stores = products || static_cast<double>(plan.steps.size()) > free_launches;
  for (const Eqn& e : j->eqns)
    for (Atom a : results_of(e))
      stores = stores || (plan.in_memory[a] && std::ranges::find(j->out, a) == j->out.end());
  const Jaxpr r = stores ? Partitioner(p, plan, target).run() : nullptr;
  return r ? r : j;
}

}  // namespace weft::compiler
