// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/loop_grid.cpp: chooses the grid of a loop from the axis classes inside it.
#include "jit/fuse/loop_grid.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/jaxpr_builder.h"
#include "core/loops/platform.h"
#include "core/loops/work.h"
#include "jit/fuse/carried_buffers.h"
#include "jit/fuse/region.h"

namespace weft::compiler {
namespace {

// Elements of one value inside a lane, and the same in a call without loops, which reads each value
// a few times.
constexpr int64_t largest_lane_value = 1024, largest_value_of_call = 2048;
constexpr int64_t largest_lane = 16384;            // elements that a lane holds at a time,
constexpr int64_t largest_lane_bytes = 128 << 10;  // and bytes
// The same limits for a single lane, whose vectors run along its values.
constexpr int64_t largest_row_value = 4096, largest_row_bytes = 512 << 10;
// Elements of a row from which on vectors run along the rows of lanes that take branches. Measured:
// docs/decisions/0079.
constexpr int64_t long_row_of_branch = 128;
// The cost model. Its unit is one instruction for one element of a vector. An instruction for fewer
// elements than a vector has costs as much as for a vector.
constexpr double vector_elements = 16;
constexpr int cost_of_term = 4;  // of a fold: its loads, and the instruction that adds it
constexpr double cost_of_scalar = .25;
constexpr double cost_of_step = 2500;  // of an equation in lockstep: half a launch, about 50 ns
constexpr double little_repeated = 1.25;
constexpr double max_repeated = 4;  // times the work of a step
// Terms; a longer product is faster as a separate kernel.
constexpr int64_t largest_product = 1 << 14;
constexpr const char* holds_too_much = "a lane would hold too much";

// Visits the values of a loop and of everything inside it.
using Visit = std::function<void(const Scope&)>;
void visit_bodies(const Scope& s, const Visit& f) {
  for (const auto& bodies : s.bodies)
    for (const auto& b : bodies) {
      f(*b);
      visit_bodies(*b, f);
    }
}

// The sizes of the values that a lane holds.
struct Footprint {
  int64_t largest = 0, total = 0;  // in elements: the largest value, and all values at a time
  int64_t bytes = 0;               // all values at a time
  int64_t computed = 0;            // elements of all values, one after the other
  int64_t vectors = 0;             // the same, in vectors along the elements of each value

  void add(int64_t elements, const Type& t) {
    largest = std::max(largest, elements);
    total += elements;
    bytes += elements * itemsize(t.dtype());
    computed += elements;
    vectors += (elements + min_vector_row - 1) / min_vector_row;
  }
  // Takes the larger number of each kind.
  void combine(const Footprint& other) {
    largest = std::max(largest, other.largest);
    total = std::max(total, other.total);
    bytes = std::max(bytes, other.bytes);
    computed = std::max(computed, other.computed);
    vectors = std::max(vectors, other.vectors);
  }
};

// Chooses the grid of a loop: which classes become which axis.
class LoopGrid {
 public:
  LoopGrid(const LoopForm& v, const AxisClasses& an)
      : kind_(v.kind),
        an_(an),
        top_(an.top()),
        one_(top_.j->eqns[0]),
        bad_(an.mixed(top_, 0)),
        buffers_(carried_buffers(an, top_, 0)),
        largest_value_(v.kind == LoopForm::Kind::call && is_straight(*top_.bodies[0][0])
                           ? largest_value_of_call
                           : largest_lane_value) {
    note_values(top_);
    visit_bodies(top_, [&](const Scope& s) { note_values(s); });
    for (const auto& body : top_.bodies[0]) note_trips(*body, 1);
    for (const CarriedBuffer& b : buffers_) {
      written_.insert(b.written.begin(), b.written.end());
      in_chain_.insert(b.values.begin(), b.values.end());
      updates_.insert(b.updates.begin(), b.updates.end());
    }
    if (v.kind != LoopForm::Kind::scan) return;
    // The axis of the steps cannot be a grid axis.
    const ValueRange xs = v.operands().xs, results = v.results();
    for (int k = xs.first; k < xs.end(); ++k)
      if (const Atom a = one_.in[static_cast<size_t>(k)]; !a.is_literal())
        bad_.insert(class_at(a.index, 0));
    for (int k = results.first; k < results.end(); ++k) bad_.insert(class_at(one_.out + k, 0));
  }
  int class_at(int32_t var, int axis) const { return an_.find(top_.axis(var, axis)); }
  // Adds the lanes of the op and of the loops inside it, because each lane has its own trip counts.
  // Returns false if a lane axis is mixed inside.
  bool lanes(std::vector<int64_t>* grid) {
    bool all = lanes_of(top_, 0, grid);
    visit_bodies(top_, [&](const Scope& s) {
      for (size_t i = 0; i < s.j->eqns.size(); ++i) all = all && lanes_of(s, i, grid);
    });
    if (!grid->empty()) adopt_results(*grid);
    return all;
  }
  // Returns the instructions that points of a call repeat (LaneGrid::repeated).
  double repeated(const std::vector<int64_t>& grid) const {
    if (kind_ != LoopForm::Kind::call) return 0;
    const Scope& s = *top_.bodies[0][0];
    double all = 0;
    for (size_t i = 0; i < s.j->eqns.size(); ++i) {
      const Eqn& e = s.j->eqns[i];
      if (result_elements(*s.j, e) <= min_vector_row) continue;
      std::vector<bool> has(grid.size(), false);
      for (int32_t v = e.out; v < e.out + e.n_out; ++v) note_axes(s, v, &has);
      const double times = points_of_others(grid, has);
      if (times == 1) continue;
      double once = s.bodies[i].empty() ? work(s, i, {}) : 0;
      for (const auto& b : s.bodies[i]) once += trips_of(s.lowering[i].loop) * work(*b, {});
      all += (times - 1) * once;
    }
    return all;
  }
  // Adds ordinary axes that run through the loop unchanged. Work without such an axis is repeated
  // at each of its points. If the points fill vectors, and a lane holds its values, an axis is
  // added only if it repeats little. Otherwise most of the work must have it on a host. On a GPU
  // the repeated work costs less than more launches.
  void ordinary(std::vector<int64_t>* grid) {
    const double once = work(*grid) + (too_large(*grid).empty() ? 0 : steps() * cost_of_step);
    // The result with the most points defines the axes. An axis of another result joins one of
    // them if it has the same size and never occurs in the same value. A carry that the loop
    // returns unchanged may have axes that no step has. It counts only if no other result has
    // points.
    const auto points = [&](int32_t o) {
      int64_t n = 1;
      for (int a = 0; a < type(o).ndim(); ++a)
        if (may_be_grid(class_at(o, a))) n *= type(o).shape()[a];
      return n;
    };
    const auto width = [&](int32_t o) {
      const int64_t n = points(o);
      return std::pair(n > 0 && changes(o), n);
    };
    int32_t widest = -1;
    for (int32_t o = one_.out; o < one_.out + one_.n_out; ++o)
      if (widest < 0 || width(o) > width(widest)) widest = o;
    if (widest < 0) return;
    const size_t first = grid->size();
    std::vector<int> axes;           // of the widest result, by new grid axis
    int64_t later = points(widest);  // of the axes that are not decided yet
    for (int a : axes_to_try(widest, *grid)) {
      const int c = class_at(widest, a);
      if (!may_be_grid(c)) continue;
      later /= std::max<int64_t>(type(widest).shape()[a], 1);
      const int64_t now = Shape(*grid).elements();
      if (classes.count(c) || repeats(c, now * later)) continue;
      const bool fits = too_large(*grid).empty(), enough = fits && now >= min_vector_row;
      if (fits && now >= points_of_call && reads_again(c)) continue;
      const auto before = std::pair(*grid, classes);
      const double without = enough ? work(*grid) : once;
      classes.emplace(c, static_cast<int>(grid->size()));
      grid->push_back(type(widest).shape()[a]);
      axes.push_back(a);
      adopt_results(*grid);
      const double repeated = work(*grid) / without;
      if (enough ? repeated > little_repeated : is_host_platform() && repeated > max_repeated) {
        std::tie(*grid, classes) = before;
        axes.pop_back();
      }
    }
    put_in_order(axes, first, grid);
  }
  // Returns the carries that stay in memory.
  std::vector<int> in_memory(const std::vector<int64_t>& grid) const {
    std::vector<int> carries;
    for (const CarriedBuffer& b : buffers_)
      if (stays_in_memory(b, grid)) carries.push_back(b.carry);
    return carries;
  }
  // Returns true if vectors run along the values of a lane. There is only one lane, vectors of
  // lanes would hold too much, or lanes take branches and have long rows.
  bool along_values(const std::vector<int64_t>& grid) const {
    return along_values(grid, footprint(grid));
  }
  bool along_values(const std::vector<int64_t>& grid, const Footprint& h) const {
    if (!is_host_platform()) return false;
    if (!grid.empty())
      return h.largest >= min_vector_row && (exceeds_vectors(h, grid) || branches_over_rows());
    const auto reads = [&](const CarriedBuffer& b) { return is_read_whole(b); };
    return h.largest >= min_vector_row || std::ranges::any_of(buffers_, reads);
  }
  // Returns why a lane cannot hold the values of the loop, or an empty text.
  std::string too_large(const std::vector<int64_t>& grid) const {
    const Footprint h = footprint(grid);
    if (along_values(grid, h)) {
      if (h.largest > largest_row_value || h.bytes > largest_row_bytes) return holds_too_much;
      return holds_large_product() ? "a product in it is large" : "";
    }
    if (exceeds_vectors(h, grid)) return holds_too_much;
    return grid.empty() && h.largest > small_elements ? "no axis runs through the whole loop" : "";
  }
  std::vector<char> shared() const {
    std::vector<char> r;
    for (Atom a : one_.in) {
      bool has = a.is_literal();
      for (int axis = 0; !has && axis < type(a.index).ndim(); ++axis)
        has = classes.count(class_at(a.index, axis)) != 0;
      r.push_back(!has);
    }
    return r;
  }
  std::vector<int64_t> readers(const std::vector<int64_t>& grid) const {
    std::vector<int64_t> r;
    for (Atom a : one_.in) {
      std::set<int> axes;  // of the grid
      for (int axis = 0; !a.is_literal() && axis < type(a.index).ndim(); ++axis)
        if (const auto it = classes.find(class_at(a.index, axis)); it != classes.end())
          axes.insert(it->second);
      r.push_back(1);
      for (int g = 0; g < static_cast<int>(grid.size()); ++g)
        if (!axes.contains(g)) r.back() *= grid[g];
    }
    return r;
  }
  Footprint footprint(const std::vector<int64_t>& grid) const {
    Footprint h;
    for (const auto& b : top_.bodies[0]) h.combine(footprint_of(*b));
    for (const CarriedBuffer& b : buffers_)
      if (!stays_in_memory(b, grid))
        h.add(elements_of_point(*b.scope, result_of(b)), b.scope->j->types[result_of(b)]);
    return h;
  }
  std::map<int, int> classes;

 private:
  // A value is held from its equation to the last one that reads it.
  Footprint footprint_of(const Scope& s) const {
    const JaxprData& j = *s.j;
    const size_t n = j.eqns.size();
    const VarMap<size_t> last = last_readers(j);
    std::vector<std::vector<int32_t>> ends(n);  // by equation: the values that end with it
    for (size_t i = 0; i < n; ++i)
      for (Atom a : results_of(j.eqns[i]))
        if (last[a] != n) ends[last[a] == no_equation ? i : last[a]].push_back(a.index);
    Footprint most, now;
    for (size_t i = 0; i < n; ++i) {
      const Eqn& e = j.eqns[i];
      for (int32_t v = e.out; v < e.out + e.n_out; ++v)
        if (!in_chain_.contains({&s, v})) now.add(elements_of_point(s, v), j.types[v]);
      Footprint inside;
      for (const auto& b : s.bodies[i]) inside.combine(footprint_of(*b));
      now.computed += inside.computed;
      now.vectors += inside.vectors;
      inside.total += now.total;
      inside.bytes += now.bytes;
      most.combine(inside);
      most.combine(now);
      for (int32_t v : ends[i]) {
        if (in_chain_.contains({&s, v})) continue;
        now.total -= elements_of_point(s, v);
        now.bytes -= elements_of_point(s, v) * itemsize(j.types[v].dtype());
      }
    }
    return most;
  }
  const Type& type(int32_t v) const { return top_.j->types[v]; }
  int64_t elements_of_point(const Scope& s, int32_t v) const {
    const Shape& shape = s.j->types[v].shape();
    int64_t n = 1;
    for (int a = 0; a < static_cast<int>(shape.size()); ++a)
      if (!classes.count(an_.find(s.axis(v, a)))) n *= shape[a];
    return n;
  }
  // Each element costs a vector of lanes, although a few lanes do not fill it. The alternative are
  // vectors along the values of one lane after the other.
  bool exceeds_vectors(const Footprint& h, const std::vector<int64_t>& grid) const {
    const int64_t lanes = Shape(grid).elements();
    const bool few = !grid.empty() && lanes < min_vector_row;
    return h.largest > largest_value_ || h.total > largest_lane || h.bytes > largest_lane_bytes ||
           (few && h.computed > largest_lane && 2 * h.computed > 3 * lanes * h.vectors);
  }
  // Returns true if lanes take branches, and compute only long rows, their elements and sums. Then
  // each lane runs its own branch. A vector of lanes would run those of all its lanes.
  bool branches_over_rows() const {
    bool branches = kind_ == LoopForm::Kind::cond, rows = branches || kind_ == LoopForm::Kind::call;
    visit_bodies(top_, [&](const Scope& s) {
      for (size_t i = 0; i < s.lowering.size(); ++i) {
        const Lowering::Form form = s.lowering[i].form;
        branches = branches || form == Lowering::Form::branch;
        rows = rows && (form == Lowering::Form::pull || form == Lowering::Form::reduce ||
                        form == Lowering::Form::branch || form == Lowering::Form::inlined);
        for (Atom a : results_of(s.j->eqns[i])) rows = rows && is_long_row(s, a.index);
      }
    });
    return branches && rows;
  }
  // Returns true if each point has one element of the value, or long rows of it.
  bool is_long_row(const Scope& s, int32_t v) const {
    if (elements_of_point(s, v) == 1) return true;
    const int last = s.j->types[v].ndim() - 1;
    return !classes.count(an_.find(s.axis(v, last))) &&
           s.j->types[v].shape()[last] >= long_row_of_branch;
  }
  static int32_t result_of(const CarriedBuffer& b) { return b.scope->j->eqns[b.eqn].out + b.carry; }
  // Returns true if a step computes this result. Otherwise it is a carry that stays as it is.
  bool changes(int32_t result) const {
    const LoopForm& v = top_.lowering[0].loop;
    const int t = result - one_.out;
    if (t >= v.operands().carry.size) return true;
    const Atom input{v.body_inputs().carry.first + t};
    return top_.bodies[0].back()->j->out[t] != input;
  }
  // A written axis cannot be a grid axis: each of its points would run the whole loop.
  bool may_be_grid(int c) const { return !bad_.contains(c) && !written_.contains(c); }
  // Returns true if the steps read a quarter of the buffer or more.
  bool is_read_whole(const CarriedBuffer& b) const {
    constexpr double part = 4;
    const int64_t all = elements_of_point(*b.scope, result_of(b));
    double read = 0;
    for (const auto& [s, i, k] : b.reads) {
      const std::vector<int>& times = s->access[i].times;
      const bool pull = s->lowering[i].form == Lowering::Form::pull;
      const int64_t once = !pull ? all
                           : k >= times.size()
                               ? 0
                               : elements_of_point(*s, s->j->eqns[i].out) * times[k];
      read += static_cast<double>(once) * trips_in_step_.at(s);
    }
    return all >= min_vector_row && read * part >= static_cast<double>(all);
  }
  // Returns true if a buffer stays in memory. A lane holds a small one, or one that it reads as a
  // whole. Without an axis of the grid, all points of the axis would write to the same place.
  bool stays_in_memory(const CarriedBuffer& b, const std::vector<int64_t>& grid) const {
    const int32_t v = result_of(b);
    const int64_t n = elements_of_point(*b.scope, v);
    if (b.scope != &top_ || kind_ == LoopForm::Kind::call || n <= small_elements) return false;
    std::set<int> axes;
    for (int a = 0; a < type(v).ndim(); ++a)
      if (const auto it = classes.find(class_at(v, a)); it != classes.end())
        axes.insert(it->second);
    if (axes.size() != grid.size()) return false;
    return grid.empty() || n > largest_lane_value || !is_read_whole(b);
  }
  bool holds_large_product() const {
    bool large = false;
    visit_bodies(top_, [&](const Scope& s) {
      for (const Lowering& l : s.lowering)
        large =
            large || (l.form == Lowering::Form::contract && l.space.elements() > largest_product);
    });
    return large;
  }
  // Returns the number of equations that a step runs.
  double steps() const {
    double all = 0;
    for (const auto& b : top_.bodies[0]) all += steps(*b);
    return all;
  }
  double steps(const Scope& s) const {
    auto all = static_cast<double>(s.j->eqns.size());
    for (size_t i = 0; i < s.bodies.size(); ++i)
      for (const auto& b : s.bodies[i]) all += trips_of(s.lowering[i].loop) * steps(*b);
    return all;
  }
  // Notes how often a step of the loop runs this body, and those inside it.
  void note_trips(const Scope& s, double n) {
    trips_in_step_[&s] = n;
    for (size_t i = 0; i < s.bodies.size(); ++i)
      for (const auto& body : s.bodies[i]) note_trips(*body, n * trips_of(s.lowering[i].loop));
  }
  // Returns the cost of a step over all points. Work without an axis of the grid is repeated at
  // each of its points.
  double work(const std::vector<int64_t>& grid) const {
    double all = 0;
    for (const auto& b : top_.bodies[0]) all += work(*b, grid);
    return all;
  }
  double work(const Scope& s, const std::vector<int64_t>& grid) const {
    double all = 0;
    for (size_t i = 0; i < s.j->eqns.size(); ++i) {
      for (const auto& b : s.bodies[i]) all += trips_of(s.lowering[i].loop) * work(*b, grid);
      if (s.bodies[i].empty() && s.j->eqns[i].n_out > 0) all += work(s, i, grid);
    }
    return all;
  }
  // Notes the axes of the grid that a variable has. The grid may lack axes that have classes.
  void note_axes(const Scope& s, int32_t v, std::vector<bool>* has) const {
    for (int a = 0; a < s.j->types[v].ndim(); ++a)
      if (const auto it = classes.find(an_.find(s.axis(v, a)));
          it != classes.end() && it->second < std::ssize(*has))
        (*has)[it->second] = true;
  }
  // Returns the number of points along the other axes of the grid.
  static double points_of_others(const std::vector<int64_t>& grid, const std::vector<bool>& has) {
    double n = 1;
    for (size_t g = 0; g < grid.size(); ++g)
      if (!has[g]) n *= static_cast<double>(grid[g]);
    return n;
  }
  // An update in place costs its updates alone.
  double work(const Scope& s, size_t i, const std::vector<int64_t>& grid) const {
    const Eqn& e = s.j->eqns[i];
    const bool pull = s.lowering[i].form == Lowering::Form::pull;
    const Atom made = updates_.contains({&s, i}) ? e.in[1] : Atom{e.out};
    const Shape& space = pull ? s.j->type(made).shape() : s.lowering[i].space;
    double n = static_cast<double>(space.elements());
    std::vector<bool> has(grid.size(), false);
    if (!made.is_literal()) note_axes(s, made.index, &has);
    n *= points_of_others(grid, has);
    // Values that are the same at all points are computed by scalar code beside the vectors.
    if (!grid.empty() && std::ranges::count(has, true) == 0 &&
        s.j->type(made).elements() <= min_vector_row)
      n *= cost_of_scalar;
    return std::max(n, vector_elements) * (pull ? s.access[i].cost : cost_of_term);
  }
  bool lanes_of(const Scope& s, size_t i, std::vector<int64_t>* grid) {
    const Lowering::Form form = s.lowering[i].form;
    const LoopForm& v = s.lowering[i].loop;
    if ((form != Lowering::Form::loop && form != Lowering::Form::branch) || !v.active())
      return true;
    const Scope& body = *s.bodies[i].back();
    for (int a = 0; a < static_cast<int>(v.lanes.size()); ++a) {
      const int c = an_.find(body.axis(0, a));
      const int64_t n = v.lanes[a];
      if (bad_.count(c)) return false;
      if (&s != &top_) adopt(c, n, *grid);
      if (classes.emplace(c, static_cast<int>(grid->size())).second) grid->push_back(n);
    }
    return true;
  }
  // Returns true if a call would repeat a long fold, a loop or much other work at each point of
  // this class, because that work does not have the class. `points`: those that other axes may
  // give.
  bool repeats(int c, int64_t points) const {
    if (kind_ != LoopForm::Kind::call) return false;
    const Scope& body = *top_.bodies[0][0];
    double all = 0, without = 0;
    bool loops = false;
    for (size_t i = 0; i < body.j->eqns.size(); ++i) {
      const Eqn& e = body.j->eqns[i];
      loops = loops || !body.bodies[i].empty();
      bool has = false;
      for (int32_t o = e.out; o < e.out + e.n_out; ++o)
        for (int a = 0; a < body.j->types[o].ndim(); ++a)
          has = has || an_.find(body.axis(o, a)) == c;
      const Lowering& l = body.lowering[i];
      const bool pull = l.form == Lowering::Form::pull, fold = is_short_fold(l);
      if (!pull && !fold && !has) return true;
      double n = 0;
      if (fold) n = static_cast<double>(l.space.elements()) * cost_of_term;
      if (pull && e.n_out > 0)
        n = static_cast<double>(body.j->types[e.out].elements()) * body.access[i].cost;
      all += n;
      if (!has) without += n;
    }
    const double allowed = points >= points_of_call ? .25 : 1;
    return !loops && without * static_cast<double>(an_.extent(c) - 1) > allowed * all;
  }
  // Returns true if the points of a short axis of a call would read the same elements of an
  // operand. Vectors would cross rows, and gather them. With enough other points, a lane reads them
  // once.
  bool reads_again(int c) const {
    if (kind_ != LoopForm::Kind::call || !is_host_platform() || an_.extent(c) >= min_vector_row)
      return false;
    const auto lacks = [&](Atom a) {
      bool has = a.is_literal(), varies = false;
      for (int axis = 0; !a.is_literal() && axis < type(a.index).ndim(); ++axis) {
        has = has || class_at(a.index, axis) == c;
        varies = varies || classes.contains(class_at(a.index, axis));
      }
      return varies && !has;
    };
    return std::ranges::any_of(one_.in, lacks);
  }
  // Returns the axes of a result in the order in which they are tried. For a call, those with the
  // least work per point are first, because with enough points it gets no axes that repeat work.
  std::vector<int> axes_to_try(int32_t var, std::vector<int64_t> grid) {
    std::vector<int> axes(type(var).ndim());
    std::iota(axes.begin(), axes.end(), 0);
    if (kind_ != LoopForm::Kind::call) return axes;
    std::vector<double> cost;
    for (int a : axes) {
      const int64_t n = std::max<int64_t>(1, type(var).shape()[a]);
      grid.push_back(n);
      const auto [it, added] = classes.emplace(class_at(var, a), static_cast<int>(grid.size()) - 1);
      cost.push_back(work(grid) / static_cast<double>(n));
      if (added) classes.erase(it);
      grid.pop_back();
    }
    std::ranges::stable_sort(axes, {}, [&](int a) { return cost[a]; });
    return axes;
  }
  // Orders the axes of the grid from `first` on like the axes of the result that they are from.
  void put_in_order(const std::vector<int>& axes, size_t first, std::vector<int64_t>* grid) {
    const std::vector<int64_t> before = *grid;
    const auto place = [&](size_t g) {
      return first + std::ranges::count_if(axes, [&](int a) { return a < axes[g - first]; });
    };
    for (size_t g = first; g < grid->size(); ++g) (*grid)[place(g)] = before[g];
    for (auto& [c, g] : classes)
      if (static_cast<size_t>(g) >= first) g = static_cast<int>(place(static_cast<size_t>(g)));
  }
  void adopt_results(const std::vector<int64_t>& grid) {
    for (int32_t o = one_.out; o < one_.out + one_.n_out; ++o)
      for (int a = 0; a < type(o).ndim(); ++a) adopt(class_at(o, a), type(o).shape()[a], grid);
  }
  // A class that occurs twice in one value cannot be a grid axis. Classes that occur in the same
  // value are different axes.
  void note_values(const Scope& s) {
    for (size_t t = 0; t < s.j->types.size(); ++t) {
      std::set<int> seen;
      for (int a = 0; a < s.j->types[t].ndim(); ++a)
        if (const int c = an_.find(s.axis(static_cast<int32_t>(t), a)); !seen.insert(c).second)
          bad_.insert(c);
      for (int c : seen) met_[c].insert(seen.begin(), seen.end());
    }
  }
  void adopt(int c, int64_t n, const std::vector<int64_t>& grid) {
    if (!may_be_grid(c) || classes.count(c)) return;
    for (int g = 0; g < static_cast<int>(grid.size()); ++g) {
      bool fits = grid[g] == n;
      for (const auto& [other, axis] : classes) fits = fits && (axis != g || !met_[c].count(other));
      if (!fits) continue;
      classes.emplace(c, g);
      return;
    }
  }
  const LoopForm::Kind kind_;
  const AxisClasses& an_;
  const Scope& top_;
  const Eqn& one_;
  std::set<int> bad_;
  std::map<int, std::set<int>> met_;
  const std::vector<CarriedBuffer> buffers_;
  const int64_t largest_value_;
  std::set<int> written_;                                // classes of their axes
  std::set<std::pair<const Scope*, int32_t>> in_chain_;  // values that share their memory
  std::set<std::pair<const Scope*, size_t>> updates_;    // equations that update them
  std::map<const Scope*, double> trips_in_step_;         // by body
};

// Returns true if a loop or branch with lanes has a result that is not one for each lane, whatever
// its axes are. An example is a residual that all lanes have if any lane took its branch, because a
// sum over the lanes reads it. `joined`: it is in a call, which holds its results per lane.
bool holds_whole_value(const AxisClasses& an, const Scope& s, size_t i, bool joined = false) {
  const LoopForm& v = s.lowering[i].loop;
  const bool loops =
      s.lowering[i].form == Lowering::Form::loop || s.lowering[i].form == Lowering::Form::branch;
  if (!loops || !v.active()) return false;
  const Eqn& e = s.j->eqns[i];
  const Scope& body = *s.bodies[i].back();
  const ValueRange carries = v.body_inputs().carry;
  for (int32_t o = 0; o < e.n_out; ++o) {
    const bool carry = o < carries.size, scan = v.kind == LoopForm::Kind::scan;
    // Every lane that runs the step writes rows to memory. Carries that are passed through
    // unchanged hold one value.
    if (scan && !carry && !joined) continue;
    if (carry && body.j->out[static_cast<size_t>(o)] == Atom{carries.first + o}) continue;
    const auto k = static_cast<size_t>(o);
    if ((carry ? v.lane_axes.carry[k] : v.result_lane_axes[k - v.lane_axes.carry.size()]) == 0)
      return true;
    for (int a = 0; a < static_cast<int>(v.lanes.size()); ++a) {
      bool has = false;
      for (int b = 0; b < s.j->types[e.out + o].ndim(); ++b)
        has = has || an.find(s.axis(e.out + o, b)) == an.find(body.axis(0, a));
      if (!has) return true;
    }
  }
  return false;
}

}  // namespace

LaneGrid lane_grid(const LoopForm& v, const AxisClasses& an) {
  LaneGrid r;
  const auto no = [&](const char* why) {
    r.why = why;
    return r;
  };
  if (std::string called = an.called_inside(an.top(), 0); !called.empty()) {
    r.why = std::move(called);
    return r;
  }
  bool whole = holds_whole_value(an, an.top(), 0);
  visit_bodies(an.top(), [&](const Scope& s) {
    const bool joined = v.kind == LoopForm::Kind::call && &s == an.top().bodies[0][0].get();
    for (size_t q = 0; q < s.j->eqns.size(); ++q)
      whole = whole || holds_whole_value(an, s, q, joined);
  });
  if (whole) return no("a result belongs to all lanes together");
  LoopGrid g(v, an);
  if (!g.lanes(&r.grid)) return no("lanes are mixed inside");
  // If there are lanes, values of a lane stay whole unless they are large.
  if (r.grid.empty() || g.footprint(r.grid).largest > small_elements) g.ordinary(&r.grid);
  r.repeated = g.repeated(r.grid);
  r.shared = g.shared();
  r.readers = g.readers(r.grid);
  r.along_values = g.along_values(r.grid);
  r.in_memory = g.in_memory(r.grid);
  if (r.why = g.too_large(r.grid); !r.why.empty()) return r;
  const Eqn& one = an.top().j->eqns[0];
  for (int32_t o = 0; o < one.n_out; ++o) {
    std::vector<int> axes;
    for (int a = 0; a < an.top().j->types[one.out + o].ndim(); ++a) {
      const auto it = g.classes.find(g.class_at(one.out + o, a));
      axes.push_back(it == g.classes.end() ? -1 : it->second);
    }
    r.grid_axes.push_back(std::move(axes));
  }
  r.classes = std::move(g.classes);
  return r;
}

}  // namespace weft::compiler
