// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/plan.cpp: decides in one pass over the equations which values are stored, and which
// kernel computes each.
#include "jit/fuse/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/effects.h"
#include "core/loops/fold_order.h"
#include "jit/fuse/check_plan.h"
#include "jit/fuse/cuts.h"
#include "jit/fuse/fold_layout.h"
#include "jit/fuse/loop_grid.h"
#include "jit/fuse/record_axis.h"
#include "jit/fuse/region.h"
#include "jit/fuse/scan_output.h"
#include "jit/fuse/update_form.h"

namespace weft::compiler {
namespace {

using Form = Lowering::Form;

constexpr int deepest_chain = 64;  // inlined equations in a chain; reading recurses along it
constexpr int64_t small_temporary = 1 << 24;  // bytes that a region may store to become shorter
// Bytes that the points of a vector may keep of cached values, next to an input.
constexpr int64_t largest_cached = int64_t{1} << 17;
// A value of an earlier step from which variable v is computed. map[a] is the axis of v that
// indexes axis a of the leaf, or -1.
struct Dep {
  int32_t leaf;
  std::vector<int> map;
};

struct Var {
  bool inlined = false;
  size_t eqn = 0;
  int step = -1;          // the step that computes it, unless it is inlined
  bool usable = false;    // its kernel can read it too, not only later steps through memory
  std::vector<Dep> deps;  // for inlined variables
  int depth = 0, cost = 0;
  int earliest_step = 0;  // the first step that may compute it, because of barriers
  int inlined_by = -1;    // the first step that computes it inline, or -1
  // Where that step reads it: the place in `emit`, and the number of earlier readers.
  size_t place = 0, reader = 0;
};

class Planner {
 public:
  explicit Planner(const Program& p)
      : p_(p),
        j_(*p.j),
        update_forms_(p),
        vars_(j_),
        last_(j_, -1),
        may_alias_input_(j_, false),
        repeated_(repeated_values(p)) {
    plan_.in_memory = VarMap<bool>(j_, false);
    plan_.why_stored = VarMap<const char*>(j_, nullptr);
    for (size_t i = 0; i < j_.eqns.size(); ++i)
      for (Atom a : j_.eqns[i].in)
        if (!a.is_literal()) last_[a] = static_cast<int>(i);
    for (Atom a : j_.out)
      if (!a.is_literal()) last_[a] = static_cast<int>(j_.eqns.size());
    // A value larger than all arguments and results may exist only to be reduced: it is not stored.
    for (int32_t v = 0; v < j_.n_in; ++v) largest_cut_ = std::max(largest_cut_, type(v).bytes());
    for (Atom a : j_.out) largest_cut_ = std::max(largest_cut_, j_.type(a).bytes());
  }
  Plan run();

 private:
  const Type& type(int32_t v) const { return j_.types[v]; }
  Var& var(int32_t v) { return vars_[v]; }
  bool in_memory(int32_t v) const { return plan_.in_memory[v]; }
  bool is_inlined(int32_t v) const { return vars_[v].inlined && !in_memory(v); }
  void pull_equation(size_t i);
  bool updates_in_place(size_t i) const;
  bool may_overwrite_operand(size_t i) const;
  void update_equation(size_t i);
  void materialize_live_reads(int32_t v, size_t i);
  void materialize_before_barrier(size_t i);
  void reduce_equation(size_t i);
  void loop_equation(size_t i);
  void prefix_equation(size_t i);
  void library_equation(size_t i, Step::Kind kind);
  std::vector<Dep> dependencies(size_t eqn);
  int ready(const std::vector<Dep>& deps);
  std::optional<std::vector<int>> fits(int step, const std::vector<Dep>& deps, const Shape& shape,
                                       bool reduction);
  int choose(int earliest_step, const std::vector<Dep>& deps, int32_t v, bool reduction,
             const Region& added, std::vector<int>* grid_axes);
  int64_t new_cost(int step, const Region& added) const;
  bool is_slow_in_rows(int step, int32_t v, const std::vector<int>& grid_axes,
                       const Region& added) const;
  Region region(int most = long_kernel) const;
  bool stays_short(int step, const Region& added) const;
  void store_slow_in_rows(size_t i);
  void add_region_cost(int step, const Region& added);
  void limit_region(size_t i);
  const char* why_apart(const std::vector<Dep>& deps, int32_t v, bool reduction,
                        const Region& added);
  void materialize(const std::vector<Dep>& deps, int step, const char* why);
  void record_reads(int32_t v, int step);
  void cache_inlined(int32_t v, int step);
  bool is_computed_by(int step, int32_t v) const;
  void cache_rows_of_operands(const std::vector<Dep>& deps, int step,
                              const std::vector<int>& grid_axes);
  void cache(int32_t v, int step, std::vector<int> grid_axes, size_t place);
  int64_t elements_of_point(int32_t v, const std::vector<int>& grid_axes) const;
  void store_repeated(size_t i, int64_t elements);
  void store_if_repeated(int32_t v, int64_t reads);
  void materialize_value(int32_t v, const char* why);
  void note_stored(int32_t v, const char* why) {
    plan_.in_memory[v] = true;
    plan_.why_stored[v] = why;
  }
  int add_step(Step s);
  void add_library(size_t i, Step s);
  bool lane_loop(size_t i, KernelPlan* k, LaneGrid* g);
  void update_carry(size_t i, int t);

  const Program& p_;
  const JaxprData& j_;
  const UpdateForms update_forms_;
  VarMap<Var> vars_;
  VarMap<int> last_;              // the last equation that reads the variable
  VarMap<bool> may_alias_input_;  // it may share the memory of an input
  const VarMap<bool> repeated_;
  std::vector<std::set<size_t>> inside_;   // by step: the equations that its kernel computes
  std::vector<int> inside_cost_;           // by step: instructions of those equations
  int64_t largest_cut_ = small_temporary;  // in bytes
  int earliest_step_ = 0;  // the first step that may compute equations after the last barrier
  Plan plan_;
};

// Returns the values from which the outputs of equation eqn are computed, with their output axes.
std::vector<Dep> Planner::dependencies(size_t eqn) {
  const Eqn& e = j_.eqns[eqn];
  const Lowering& l = p_.scope.lowering[eqn];
  std::vector<int> out_axis;
  const bool folds = l.form == Form::reduce || l.form == Form::contract;
  int next = 0;
  const int rank = l.form == Form::pull ? (e.n_out ? type(e.out).ndim() : 0) : l.space.ndim();
  for (int a = 0; a < rank; ++a) {
    const bool folded = folds && std::find(l.axes.begin(), l.axes.end(), a) != l.axes.end();
    out_axis.push_back(folded ? -1 : next++);
  }
  std::vector<Dep> out;
  for (size_t k = 0; k < e.in.size(); ++k) {
    if (e.in[k].is_literal()) continue;
    for (const Dep& d : var(e.in[k].index).deps) {
      Dep n{d.leaf, {}};
      for (int b : d.map) {
        const int a = b < 0 ? -1 : p_.scope.access[eqn].reads[k][b];
        n.map.push_back(a < 0 ? -1 : out_axis[a]);
      }
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const Dep& o) { return o.leaf == n.leaf; });
      if (same == out.end())
        out.push_back(std::move(n));
      else
        for (size_t a = 0; a < n.map.size(); ++a)
          if (same->map[a] != n.map[a]) same->map[a] = -1;
    }
  }
  return out;
}

// Returns the first step at which all of deps are available.
int Planner::ready(const std::vector<Dep>& deps) {
  int r = 0;
  for (const Dep& d : deps) r = std::max(r, var(d.leaf).step + (var(d.leaf).usable ? 0 : 1));
  return r;
}

// Returns the grid axes of a value of this shape if kernel `step` can compute it. Values of that
// kernel must be read at the lane's index.
std::optional<std::vector<int>> Planner::fits(int step, const std::vector<Dep>& deps,
                                              const Shape& shape, bool reduction) {
  const Step& s = plan_.steps[step];
  if (s.kind != Step::Kind::kernel || s.kernel.roots.size() + s.kernel.emit.size() > 64)
    return std::nullopt;
  const KernelPlan& k = s.kernel;
  std::vector<int> grid_axes(shape.size(), -1);
  bool reads = false;
  for (const Dep& d : deps) {
    if (var(d.leaf).step != step) continue;
    if (!var(d.leaf).usable) return std::nullopt;
    reads = true;
    const std::vector<int>& leaf = k.grid_axes.at(d.leaf);
    for (size_t a = 0; a < leaf.size(); ++a) {
      if (leaf[a] < 0) continue;
      const int mine = d.map[a];
      if (mine < 0 || (grid_axes[mine] >= 0 && grid_axes[mine] != leaf[a])) return std::nullopt;
      grid_axes[mine] = leaf[a];
    }
  }
  if (!reads) {
    // A sibling: elementwise over the same grid.
    if (k.loops || k.rows || reduction || shape.sizes() != k.grid) return std::nullopt;
    for (size_t a = 0; a < grid_axes.size(); ++a) grid_axes[a] = static_cast<int>(a);
    return grid_axes;
  }
  int64_t inner = 1, points = 1;
  for (int64_t n : k.grid) points *= n;
  std::vector<bool> covered(k.grid.size(), false);
  for (size_t a = 0; a < grid_axes.size(); ++a) {
    if (grid_axes[a] < 0)
      inner *= shape[static_cast<int64_t>(a)];
    else if (covered[grid_axes[a]])
      return std::nullopt;  // a lane would read the diagonal
    else
      covered[grid_axes[a]] = true;
  }
  if (std::find(covered.begin(), covered.end(), false) != covered.end()) return std::nullopt;
  // A few lanes do not fill a vector, which rows of a fold in a kernel of their own do.
  if (reduction && points > 1 && points < min_vector_row && inner >= min_vector_row)
    return std::nullopt;
  // Long rows are allowed only where vectors run along them, and only with enough rows for all
  // threads.
  const bool row = k.rows ? points >= 8 || inner < 65536 : k.short_rows && is_short_row(inner);
  if (inner > small_elements && !row) return std::nullopt;
  return grid_axes;
}

Region Planner::region(int most) const {
  return {p_, [this](int32_t v) { return is_inlined(v); }, most};
}

// Returns the instructions of the region that kernel `step` does not compute yet.
int64_t Planner::new_cost(int step, const Region& added) const {
  const size_t s = step;
  int64_t cost = 0;
  for (size_t e : added.equations())
    if (!inside_[s].count(e)) cost += p_.scope.access[e].cost;
  return cost;
}

// Returns true if kernel `step` stays short with this region added.
bool Planner::stays_short(int step, const Region& added) const {
  const int64_t cost = inside_cost_[static_cast<size_t>(step)];
  return cost == 0 || cost + new_cost(step, added) <= long_kernel;
}

// Returns true if kernel `step` has vectors along rows, and would compute a value with one element
// a row by scalars although a kernel of its own pays. Values that readers repeat along rows stay.
// The rows would be read again for these readers.
bool Planner::is_slow_in_rows(int step, int32_t v, const std::vector<int>& grid_axes,
                              const Region& added) const {
  return plan_.steps[step].kernel.rows && elements_of_point(v, grid_axes) == 1 && !repeated_[v] &&
         pays_apart_from_rows(type(v), new_cost(step, added));
}

// Stores such values before equation i, if it is not their last reader. The kernel of rows would
// store them for all readers. Their own kernel does so only if it precedes the readers.
void Planner::store_slow_in_rows(size_t i) {
  std::set<int32_t> seen;
  const std::function<void(size_t)> visit = [&](size_t q) {
    for (Atom a : j_.eqns[q].in) {
      if (a.is_literal() || !is_inlined(a.index) || !seen.insert(a.index).second) continue;
      const int32_t v = a.index;
      const int c = ready(var(v).deps);
      if (var(v).cost >= max_recomputed_cost && last_[v] > static_cast<int>(i) &&
          c < static_cast<int>(plan_.steps.size())) {
        Region added = region();
        added.add(v);
        const auto axes = fits(c, var(v).deps, type(v).shape(), false);
        if (axes && is_slow_in_rows(c, v, *axes, added))
          materialize_value(v, stored_because::scalar);
      }
      if (is_inlined(v)) visit(var(v).eqn);
    }
  };
  visit(i);
}

void Planner::add_region_cost(int step, const Region& added) {
  const size_t s = step;
  for (size_t e : added.equations())
    if (inside_[s].insert(e).second) inside_cost_[s] += p_.scope.access[e].cost;
}

// Stores inlined values that equation i reads until its code is short enough. If it would be too
// long even if each equation was computed once, many are stored at once. One by one, the time would
// grow with the square of the number of operands.
void Planner::limit_region(size_t i) {
  constexpr int most_measured = 64 * long_kernel;
  const auto code = [&](int most) {
    Region r = region(most);
    r.add_equation(i);
    return r;
  };
  while (code(long_kernel).full()) {
    const Region all = code(most_measured);
    int64_t too_much = -long_kernel;
    for (size_t e : all.equations()) too_much += p_.scope.access[e].cost;
    const auto inlined = [this](int32_t v) { return is_inlined(v); };
    const std::vector<int32_t> cuts = cuts_of(p_, i, inlined, largest_cut_, too_much);
    if (cuts.empty()) return;
    for (int32_t v : cuts) materialize_value(v, stored_because::too_long);
  }
}

int Planner::choose(int earliest_step, const std::vector<Dep>& deps, int32_t v, bool reduction,
                    const Region& added, std::vector<int>* grid_axes) {
  for (int c = std::max(earliest_step, ready(deps)); c < static_cast<int>(plan_.steps.size()); ++c)
    if (auto l = fits(c, deps, type(v).shape(), reduction);
        l && stays_short(c, added) && (reduction || !is_slow_in_rows(c, v, *l, added))) {
      *grid_axes = std::move(*l);
      return c;
    }
  return -1;
}

// Returns why no kernel that computes one of deps can compute v, too.
const char* Planner::why_apart(const std::vector<Dep>& deps, int32_t v, bool reduction,
                               const Region& added) {
  const int c = ready(deps);
  if (c >= static_cast<int>(plan_.steps.size())) return stored_because::not_kernel;
  if (!fits(c, deps, type(v).shape(), reduction)) return stored_because::other_index;
  return stays_short(c, added) ? stored_because::scalar : stored_because::too_long;
}

// Puts all values that are read from earlier steps into memory.
void Planner::materialize(const std::vector<Dep>& deps, int step, const char* why) {
  for (const Dep& d : deps)
    if (var(d.leaf).step != step) materialize_value(d.leaf, why);
}

// Records that `step` computes v inline. An expensive value that an earlier kernel also computed is
// stored by that kernel instead, if it fits there.
void Planner::record_reads(int32_t v, int step) {
  std::vector<int32_t> stack{v};
  std::unordered_set<int32_t> seen;  // a value may be read along very many paths
  while (!stack.empty()) {
    const int32_t u = stack.back();
    stack.pop_back();
    Var& x = var(u);
    if (!x.inlined || !seen.insert(u).second) continue;
    if (in_memory(u)) {
      if (x.step == step) cache_inlined(u, step);
      continue;
    }
    const KernelPlan& now = plan_.steps[step].kernel;
    const size_t reader = now.emit.size() + now.roots.size();
    if (x.inlined_by == step) {
      if (x.reader != reader) cache_inlined(u, step);
      continue;
    }
    if (x.inlined_by < 0) {
      x.inlined_by = step;
      x.place = now.emit.size();
      x.reader = reader;
    } else if (x.inlined_by < step && x.cost >= max_recomputed_cost) {
      const int first = x.inlined_by;
      if (ready(x.deps) <= first)
        if (auto grid_axes = fits(first, x.deps, type(u).shape(), false)) {
          KernelPlan& k = plan_.steps[first].kernel;
          k.grid_axes[u] = std::move(*grid_axes);
          k.roots.push_back(u);
          materialize(x.deps, first, stored_because::other_operand);
          note_stored(u, stored_because::read_twice);
          x.step = first;
          continue;
        }
    }
    for (Atom a : j_.eqns[x.eqn].in)
      if (!a.is_literal()) stack.push_back(a.index);
  }
}

// Several equations of kernel `step` read v, which it computes inline. The first of them computes
// all elements, and the others read these.
void Planner::cache_inlined(int32_t v, int step) {
  const Var& x = var(v);
  const KernelPlan& k = plan_.steps[step].kernel;
  if ((k.loops && !k.rows) || x.cost < max_recomputed_cost) return;
  Region again(p_, [&](int32_t u) { return u == v || is_computed_by(step, u); }, long_kernel);
  again.add(v);
  if (again.cost() < max_recomputed_cost) return;
  auto grid_axes = in_memory(v) ? k.grid_axes.at(v) : fits(step, x.deps, type(v).shape(), false);
  // Few elements are scalars, which a kernel computes once anyway.
  if (!grid_axes || (!k.rows && elements_of_point(v, *grid_axes) <= fold_order::short_block))
    return;
  cache(v, step, std::move(*grid_axes), x.inlined_by == step ? x.place : k.emit.size());
}

// Returns true if kernel `step` computes v wherever it reads v.
bool Planner::is_computed_by(int step, int32_t v) const {
  const auto& cached = plan_.steps[step].kernel.cached;
  return vars_[v].inlined && (!in_memory(v) || vars_[v].step == step) &&
         std::none_of(cached.begin(), cached.end(), [&](const auto& c) { return c.second == v; });
}

// Copies rows that neighbouring points read from memory, so that blocks of rows are moved.
void Planner::cache_rows_of_operands(const std::vector<Dep>& deps, int step,
                                     const std::vector<int>& grid_axes) {
  const KernelPlan& k = plan_.steps[step].kernel;
  if (!k.short_rows) return;
  for (const Dep& d : deps) {
    if (var(d.leaf).step == step) continue;
    std::vector<int> axes;
    for (int a : d.map) axes.push_back(a < 0 ? -1 : grid_axes[a]);
    const auto first = std::find(axes.begin(), axes.end(), -1);
    const bool row = std::all_of(first, axes.end(), [](int a) { return a < 0; });
    const int last = static_cast<int>(k.grid.size()) - 1;
    const bool strided = std::find(axes.begin(), first, last) != first;
    if (row && strided && is_short_row(elements_of_point(d.leaf, axes)))
      cache(d.leaf, step, std::move(axes), k.emit.size());
  }
}

int64_t Planner::elements_of_point(int32_t v, const std::vector<int>& grid_axes) const {
  int64_t n = 1;
  for (size_t a = 0; a < grid_axes.size(); ++a)
    if (grid_axes[a] < 0) n *= type(v).shape()[static_cast<int64_t>(a)];
  return n;
}

void Planner::cache(int32_t v, int step, std::vector<int> grid_axes, size_t place) {
  KernelPlan& k = plan_.steps[step].kernel;
  const auto bytes_of = [&](int32_t u, const std::vector<int>& axes) {
    return elements_of_point(u, axes) * itemsize(type(u).dtype()) * (k.rows ? 1 : min_vector_row);
  };
  int64_t bytes = bytes_of(v, grid_axes);
  for (const auto& [at, u] : k.cached) {
    if (u == v) return;
    bytes += bytes_of(u, k.grid_axes.at(u));
  }
  if (bytes > largest_cached) return;
  k.grid_axes[v] = std::move(grid_axes);
  k.cached.emplace(place, v);
}

int Planner::add_step(Step s) {
  plan_.steps.push_back(std::move(s));
  inside_.emplace_back();
  inside_cost_.push_back(0);
  return static_cast<int>(plan_.steps.size()) - 1;
}

void Planner::materialize_value(int32_t v, const char* why) {
  if (in_memory(v)) return;
  Var& x = var(v);
  Region added = region();
  added.add(v);
  note_stored(v, why);
  if (!x.inlined) {
    plan_.steps[x.step].kernel.roots.push_back(v);
    return;
  }
  std::vector<int> grid_axes;
  int c = choose(x.earliest_step, x.deps, v, false, added, &grid_axes);
  if (c < 0) {
    Step s;
    s.kernel.grid = type(v).shape().sizes();
    for (int a = 0; a < type(v).ndim(); ++a) grid_axes.push_back(a);
    if (is_record(p_, v, [&](int32_t u) { return u == v || is_inlined(u); })) {
      s.kernel.grid.pop_back();
      grid_axes.back() = -1;
    }
    materialize(x.deps, -2, why_apart(x.deps, v, false, added));
    c = add_step(std::move(s));
  }
  materialize(x.deps, c, stored_because::other_operand);
  add_region_cost(c, added);
  plan_.in_memory[v] = false;
  record_reads(v, c);
  plan_.in_memory[v] = true;
  KernelPlan& k = plan_.steps[c].kernel;
  k.grid_axes[v] = std::move(grid_axes);
  k.roots.push_back(v);
  x.step = c;
  x.usable = true;
  std::vector<int> identity;
  for (int a = 0; a < type(v).ndim(); ++a) identity.push_back(a);
  x.deps = {{v, identity}};
}

// Equation i computes `elements` elements. If it reads an inlined operand more often than the
// operand has elements, it would recompute them. Such an operand is stored if that is cheaper.
void Planner::store_repeated(size_t i, int64_t elements) {
  const auto& in = j_.eqns[i].in;
  const std::vector<int>& times = p_.scope.access[i].times;
  for (size_t k = 0; k < in.size(); ++k) {
    const Atom a = in[k];
    if (a.is_literal()) continue;
    store_if_repeated(a.index, elements * (k < times.size() ? std::max(times[k], 1) : 1));
  }
}

// Stores a value that would be computed for `reads` elements, if that is cheaper.
void Planner::store_if_repeated(int32_t v, int64_t reads) {
  const Var& x = var(v);
  const int64_t own = type(v).elements(), bytes = type(v).bytes();
  if (!is_inlined(v) || x.cost < max_recomputed_cost || own < 2 || own >= reads) return;
  if (bytes > largest_cut_ || reads > (int64_t{1} << 40)) return;
  if (x.cost * (reads - own) > kernel_cost + byte_cost * bytes)
    materialize_value(v, stored_because::repeated);
}

// Returns true if equation i may overwrite the memory of its first operand.
bool Planner::may_overwrite_operand(size_t i) const {
  const auto& in = j_.eqns[i].in;
  return !in.empty() && !in[0].is_literal() && in_memory(in[0].index) && in[0].index >= j_.n_in &&
         is_last_use(p_, last_, in[0], i);
}

// Returns true if equation i updates a small part of an input, or of the result of such an update,
// and its result ends as a carry. A loop around the program can then update the carry in place.
bool Planner::updates_in_place(size_t i) const {
  const Eqn& e = j_.eqns[i];
  if (!p_.scope.lowering[i].destination || !is_last_use(p_, last_, e.in[0], i)) return false;
  constexpr int64_t small_part = 4;
  const int32_t x = e.in[0].index;
  if (j_.type(e.in[1]).elements() * small_part > type(x).elements()) return false;
  return (x < j_.n_in || may_alias_input_[x]) && ends_as_carry(p_, last_, e.out);
}

// Stores small values that are computed from v and read from equation i on: v may be overwritten.
void Planner::materialize_live_reads(int32_t v, size_t i) {
  constexpr int64_t small_part = 4;
  VarMap<bool> late(j_, false);
  late[v] = true;
  for (size_t q = 0; q < i; ++q) {
    const Eqn& e = j_.eqns[q];
    if (std::none_of(e.in.begin(), e.in.end(), [&](Atom a) { return late.get(a, false); }))
      continue;
    for (int32_t w = e.out; w < e.out + e.n_out; ++w) {
      if (!is_inlined(w)) continue;
      const bool read = last_[w] >= static_cast<int>(i);
      if (read && type(w).elements() * small_part <= type(v).elements())
        materialize_value(w, stored_because::overwritten);
      else
        late[w] = true;
    }
  }
}

// Stores inlined values that are read after barrier i, if they are smaller than the memory that
// they would keep alive until then (a sum of products of several layers).
void Planner::materialize_before_barrier(size_t i) {
  const auto read_later = [&](int32_t v) { return last_[v] > static_cast<int>(i); };
  for (int32_t v = j_.n_in; v < vars_.size(); ++v) {
    const Var& x = var(v);
    if (!is_inlined(v) || !read_later(v)) continue;
    int64_t kept = 0;
    for (const Dep& d : x.deps)
      if (d.leaf >= j_.n_in && !read_later(d.leaf)) kept += type(d.leaf).bytes();
    if (kept > type(v).bytes()) materialize_value(v, stored_because::barrier);
  }
}

void Planner::pull_equation(size_t i) {
  if (j_.eqns[i].n_out == 1 && in_memory(j_.eqns[i].out)) return;  // a loop stored it
  if (updates_in_place(i) || update_forms_.is_cheaper_as_update(i, may_overwrite_operand(i)))
    return update_equation(i);
  limit_region(i);
  const Eqn& e = j_.eqns[i];
  if (e.n_out) store_repeated(i, type(e.out).elements());
  int depth = 0, cost = p_.scope.access[i].cost;
  for (Atom a : e.in) {
    if (a.is_literal()) continue;
    if (var(a.index).depth >= deepest_chain) materialize_value(a.index, stored_because::too_long);
    if (in_memory(a.index)) continue;
    depth = std::max(depth, var(a.index).depth);
    cost = std::min(cost + var(a.index).cost, 1 << 20);
  }
  const std::vector<Dep> deps = dependencies(i);
  for (int32_t k = 0; k < e.n_out; ++k) {
    Var& x = var(e.out + k);
    x.inlined = true;
    x.eqn = i;
    x.earliest_step = earliest_step_;
    x.deps = deps;
    x.depth = depth + 1;
    x.cost = cost;
  }
}

void Planner::reduce_equation(size_t i) {
  limit_region(i);
  store_slow_in_rows(i);
  store_repeated(i, p_.scope.lowering[i].space.elements());
  Region added = region();
  added.add_equation(i);
  const Eqn& e = j_.eqns[i];
  const std::vector<Dep> deps = dependencies(i);
  const Shape& shape = type(e.out).shape();
  std::vector<int> grid_axes;
  int c = choose(earliest_step_, deps, e.out, true, added, &grid_axes);
  if (c < 0) {
    Step s;
    s.kernel.grid = shape.sizes();
    const FoldLayout layout = fold_layout(p_, i, [this](int32_t v) { return is_inlined(v); });
    s.kernel.rows = layout == FoldLayout::rows;
    s.kernel.short_rows = layout == FoldLayout::short_rows;
    for (int a = 0; a < shape.ndim(); ++a) grid_axes.push_back(a);
    materialize(deps, -2, why_apart(deps, e.out, true, added));
    c = add_step(std::move(s));
  }
  materialize(deps, c, stored_because::other_operand);
  add_region_cost(c, added);
  cache_rows_of_operands(deps, c, grid_axes);
  for (Atom a : e.in)
    if (!a.is_literal()) record_reads(a.index, c);
  KernelPlan& k = plan_.steps[c].kernel;
  k.emit.push_back(i);
  std::vector<int> identity;
  for (int a = 0; a < shape.ndim(); ++a) identity.push_back(a);
  for (int32_t o = 0; o < e.n_out; ++o) {
    Var& x = var(e.out + o);
    x.step = c;
    x.usable = true;
    x.deps = {{e.out + o, identity}};
    k.grid_axes[e.out + o] = grid_axes;
  }
}

// Returns true if the loop runs inside the lane, and sets its grid.
bool Planner::lane_loop(size_t i, KernelPlan* k, LaneGrid* g) {
  const Eqn& e = j_.eqns[i];
  *g = lane_grid(p_.scope.lowering[i].loop, *p_.analysis[i]);
  if (k->why = g->why; !k->why.empty()) return false;
  k->grid = g->grid;
  k->classes[i] = g->classes;
  for (int32_t o = 0; o < e.n_out; ++o) k->grid_axes[e.out + o] = g->grid_axes[o];
  k->loops = true;
  k->rows = g->along_values;
  return true;
}

// Lets carry t of loop i overwrite its initial value, if nothing reads that later.
void Planner::update_carry(size_t i, int t) {
  const Eqn& e = j_.eqns[i];
  const Atom a = e.in[p_.scope.lowering[i].loop.operands().carry.first + t];
  if (!is_last_use(p_, last_, a, i) || (a.index >= j_.n_in && !may_alias_input_[a])) return;
  materialize_live_reads(a.index, i);
  may_alias_input_[e.out + t] = true;
}

void Planner::loop_equation(size_t i) {
  const Eqn& e = j_.eqns[i];
  const LoopForm& v = p_.scope.lowering[i].loop;
  const ValueRange carry = v.operands().carry;
  Step s;
  limit_region(i);
  LaneGrid g;
  if (!lane_loop(i, &s.kernel, &g)) {
    for (int t = 0; t < carry.size && v.kind != LoopForm::Kind::cond; ++t) update_carry(i, t);
    library_equation(i, Step::Kind::lockstep);
    plan_.steps.back().why = s.kernel.why;
    return;
  }
  s.kernel.emit.push_back(i);
  // Operands are inlined, except large ones that all lanes read, of which each lane would hold a
  // copy, and those that many points would compute. The values that they need from earlier kernels
  // are put into memory first.
  for (size_t k = 0; k < e.in.size() && !s.kernel.grid.empty(); ++k) {
    if (e.in[k].is_literal()) continue;
    const int64_t n = type(e.in[k].index).elements();
    if (g.shared[k] && n > small_elements)
      materialize_value(e.in[k].index, stored_because::all_lanes);
    if (v.kind == LoopForm::Kind::call) store_if_repeated(e.in[k].index, n * g.readers[k]);
  }
  for (int t : g.in_memory) {
    s.kernel.updated.push_back({e.out + t, e.in[carry.first + t].index});
    materialize_value(s.kernel.updated.back().initial, stored_because::in_place);
    update_carry(i, t);
    note_stored(e.out + t, stored_because::in_place);
  }
  for (Atom a : e.in)
    if (!a.is_literal())
      materialize(std::vector<Dep>(var(a.index).deps), -2, stored_because::lane_loop);
  const int c = add_step(std::move(s));
  for (Atom a : e.in)
    if (!a.is_literal()) record_reads(a.index, c);
  KernelPlan& k = plan_.steps[c].kernel;
  for (int32_t o = 0; o < e.n_out; ++o) {
    Var& x = var(e.out + o);
    x.step = c;
    const bool row = v.kind == LoopForm::Kind::scan && o >= carry.size;
    x.usable = !row && !in_memory(e.out + o);
    std::vector<int> identity;
    for (int a = 0; a < type(e.out + o).ndim(); ++a) identity.push_back(a);
    x.deps = {{e.out + o, identity}};
    if (row) {
      const ScanOutput s = scan_output(p_, last_, e.out + o);
      if (v.trip_counts()) k.zeroed.push_back(s.stored);
      note_stored(s.stored, stored_because::by_step);
      var(s.stored).step = c;
      var(s.stored).deps = {{s.stored, identity}};
      k.stored_by_step.push_back(s);
    }
  }
}

// Each lane runs along the axis and stores as it goes.
void Planner::prefix_equation(size_t i) {
  const Eqn& e = j_.eqns[i];
  const int axis = static_cast<int>(p_.scope.lowering[i].axes[0]);
  Step s;
  std::vector<int> grid_axes;
  for (int a = 0; a < type(e.out).ndim(); ++a) {
    grid_axes.push_back(a == axis ? -1 : static_cast<int>(s.kernel.grid.size()));
    if (a != axis) s.kernel.grid.push_back(type(e.out).shape()[a]);
  }
  s.kernel.grid_axes[e.out] = grid_axes;
  s.kernel.stored_by_step.push_back({e.out, e.out, {}});
  s.kernel.emit.push_back(i);
  s.kernel.loops = true;
  materialize(dependencies(i), -2, stored_because::other_index);
  add_library(i, std::move(s));
}

void Planner::library_equation(size_t i, Step::Kind kind) {
  const Eqn& e = j_.eqns[i];
  for (Atom a : e.in)
    if (!a.is_literal()) materialize_value(a.index, stored_because::not_kernel);
  Step s;
  s.kind = kind;
  s.eqn = i;
  add_library(i, std::move(s));
}

void Planner::update_equation(size_t i) {
  const Eqn& e = j_.eqns[i];
  materialize_live_reads(e.in[0].index, i);
  library_equation(i, Step::Kind::scatter);
  may_alias_input_[e.out] = true;
}

// Adds a separate step whose results are in memory.
void Planner::add_library(size_t i, Step s) {
  const Eqn& e = j_.eqns[i];
  const char* const why =
      s.kind == Step::Kind::kernel ? stored_because::by_step : stored_because::not_kernel;
  const int c = add_step(std::move(s));
  for (int32_t o = 0; o < e.n_out; ++o) {
    Var& x = var(e.out + o);
    x.step = c;
    note_stored(e.out + o, why);
    std::vector<int> identity;
    for (int a = 0; a < type(e.out + o).ndim(); ++a) identity.push_back(a);
    x.deps = {{e.out + o, identity}};
  }
}

Plan Planner::run() {
  for (int32_t v = 0; v < j_.n_in; ++v) {
    plan_.in_memory[v] = true;
    std::vector<int> identity(type(v).ndim());
    std::iota(identity.begin(), identity.end(), 0);
    var(v).deps = {{v, std::move(identity)}};
  }
  for (size_t i = 0; i < j_.eqns.size(); ++i) {
    const Lowering& l = p_.scope.lowering[i];
    if (is_barrier(j_.eqns[i])) {
      if (i == 0 || !is_barrier(j_.eqns[i - 1])) materialize_before_barrier(i);
      earliest_step_ = static_cast<int>(plan_.steps.size());
      continue;
    }
    switch (l.form) {
      case Form::pull: pull_equation(i); break;
      case Form::reduce:
      case Form::contract: reduce_equation(i); break;
      case Form::loop:
      case Form::branch:
      case Form::inlined: loop_equation(i); break;
      case Form::scatter: library_equation(i, Step::Kind::scatter); break;
      case Form::prefix: prefix_equation(i); break;
      case Form::opaque:
        library_equation(i, l.native.run ? Step::Kind::native : Step::Kind::lockstep);
        break;
    }
  }
  for (Atom a : j_.out)
    if (!a.is_literal()) materialize_value(a.index, nullptr);
  for (const Step& s : plan_.steps) check_grid_axes(p_, s.kernel);
  return std::move(plan_);
}

}  // namespace

Plan make_plan(const Program& p) { return Planner(p).run(); }

}  // namespace weft::compiler
