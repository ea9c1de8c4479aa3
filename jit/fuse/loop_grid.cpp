// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/loop_grid.cpp: chooses the grid of a loop among the axis classes inside it.
#include "weft/jit/fuse/loop_grid.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "weft/core/loops/platform.h"
#include "weft/jit/fuse/region.h"

namespace weft::compiler {
namespace {

constexpr int64_t largest_lane_value = 1024;       // elements of one value inside a lane
constexpr int64_t largest_lane = 16384;            // elements of all values inside a lane,
constexpr int64_t largest_lane_bytes = 128 << 10;  // and bytes
// The same of a lane that is alone, which vectors run through.
constexpr int64_t largest_row_value = 4096, largest_row_bytes = 512 << 10;
// Values of so many elements are few enough for each point to compute them again.
constexpr int64_t few_elements = 16;
constexpr int64_t trips_of_while = 16;        // as far as costs go
constexpr int cost_of_term = 4;               // of a fold: its loads, and what adds it
constexpr double most_repeated = 4;           // times the work of a step
constexpr int64_t largest_product = 1 << 14;  // terms; a kernel of its own is faster from there on

bool on_host() { return std::string_view(current_platform()) == "cpu"; }

// The values of a loop and of everything inside it.
using Visit = std::function<void(const Scope&)>;
void visit_bodies(const Scope& s, const Visit& f) {
  for (const auto& bodies : s.bodies)
    for (const auto& b : bodies) {
      f(*b);
      visit_bodies(*b, f);
    }
}

// Chooses the grid of a loop: which classes become which axis.
class LoopGrid {
 public:
  LoopGrid(const LoopForm& v, const AxisClasses& an)
      : kind_(v.kind), an_(an), top_(an.top()), one_(top_.j->eqns[0]), bad_(an.mixed(top_, 0)) {
    note_values(top_);
    visit_bodies(top_, [&](const Scope& s) { note_values(s); });
    if (v.kind != LoopForm::Kind::scan) return;
    // Time is stepped through.
    for (int r = 0; r < v.rows; ++r)
      if (const Atom a = one_.in[static_cast<size_t>(v.first_row() + r)]; !a.is_literal())
        bad_.insert(class_at(a.index, 0));
    for (int r = 0; r < v.results; ++r) bad_.insert(class_at(one_.out + v.carry + r, 0));
  }
  int class_at(int32_t var, int axis) const { return an_.find(top_.axis(var, axis)); }
  // The lanes of the op, and of those inside it: each by itself decides how often a loop runs.
  // False if a lane axis is mixed inside.
  bool lanes(std::vector<int64_t>* grid) {
    bool all = lanes_of(top_, 0, grid);
    visit_bodies(top_, [&](const Scope& s) {
      for (size_t i = 0; i < s.j->eqns.size(); ++i) all = all && lanes_of(s, i, grid);
    });
    if (!grid->empty()) adopt_results(*grid);
    return all;
  }
  // Ordinary axes that run through the loop untouched, unless most of the work has none of them and
  // would be done again at each point: on a host. On a GPU that is less than launches would be.
  void ordinary(std::vector<int64_t>* grid) {
    const auto before = std::pair(*grid, classes);
    const double once = work(*grid);
    add_ordinary(grid);
    if (on_host() && work(*grid) > most_repeated * once) std::tie(*grid, classes) = before;
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
  LaneGrid::Held held() const {
    LaneGrid::Held h;
    visit_bodies(top_, [&](const Scope& s) {
      for (size_t t = static_cast<size_t>(s.j->n_in); t < s.j->types.size(); ++t) {
        const int64_t n = elements_of_point(s, static_cast<int32_t>(t));
        h.total += n;
        h.bytes += n * itemsize(s.j->types[t].dtype());
        h.largest = std::max(h.largest, n);
      }
    });
    return h;
  }
  std::map<int, int> classes;

 private:
  const Type& type(int32_t v) const { return top_.j->types[static_cast<size_t>(v)]; }
  int64_t elements_of_point(const Scope& s, int32_t v) const {
    const Shape& shape = s.j->types[static_cast<size_t>(v)].shape();
    int64_t n = 1;
    for (int a = 0; a < static_cast<int>(shape.size()); ++a)
      if (!classes.count(an_.find(s.axis(v, a)))) n *= shape[a];
    return n;
  }
  // The largest result says which there are; an axis of another result that meets none of them, but
  // has the size of one, runs along with it.
  void add_ordinary(std::vector<int64_t>* grid) {
    int32_t widest = -1;
    for (int32_t o = one_.out; o < one_.out + one_.n_out; ++o)
      if (widest < 0 || type(o).elements() > type(widest).elements()) widest = o;
    if (widest < 0) return;
    for (int a = 0; a < type(widest).ndim(); ++a) {
      const int c = class_at(widest, a);
      if (!bad_.count(c) && !repeats(c) &&
          classes.emplace(c, static_cast<int>(grid->size())).second)
        grid->push_back(type(widest).shape()[a]);
    }
    adopt_results(*grid);
  }
  // Instructions of a step of all points; what lacks an axis of the grid is done at each of its
  // points, but for few elements, which are in registers and the same in all lanes of a vector.
  double work(const std::vector<int64_t>& grid) const {
    double all = 0;
    for (const auto& b : top_.bodies[0]) all += work(*b, grid);
    return all;
  }
  double work(const Scope& s, const std::vector<int64_t>& grid) const {
    double all = 0;
    for (size_t i = 0; i < s.j->eqns.size(); ++i) {
      const Lowering& l = s.lowering[i];
      const bool scan = l.form == Lowering::Form::loop && l.loop.kind == LoopForm::Kind::scan;
      const bool loop_while =
          l.form == Lowering::Form::loop && l.loop.kind == LoopForm::Kind::loop_while;
      const auto trips = static_cast<double>(scan         ? l.loop.length
                                             : loop_while ? trips_of_while
                                                          : 1);
      for (const auto& b : s.bodies[i]) all += trips * work(*b, grid);
      if (s.bodies[i].empty() && s.j->eqns[i].n_out > 0) all += work(s, i, grid);
    }
    return all;
  }
  double work(const Scope& s, size_t i, const std::vector<int64_t>& grid) const {
    const Eqn& e = s.j->eqns[i];
    const bool pull = s.lowering[i].form == Lowering::Form::pull;
    const Shape& space =
        pull ? s.j->types[static_cast<size_t>(e.out)].shape() : s.lowering[i].space;
    double n = static_cast<double>(space.elements()) * (pull ? s.access[i].cost : cost_of_term);
    std::vector<bool> has(grid.size(), false);
    for (int a = 0; a < s.j->types[static_cast<size_t>(e.out)].ndim(); ++a)
      if (const auto it = classes.find(an_.find(s.axis(e.out, a))); it != classes.end())
        has[static_cast<size_t>(it->second)] = true;
    const bool few = elements_of_point(s, e.out) <= few_elements;
    for (size_t g = 0; g < grid.size() && !few; ++g)
      if (!has[g]) n *= static_cast<double>(grid[g]);
    return n;
  }
  bool lanes_of(const Scope& s, size_t i, std::vector<int64_t>* grid) {
    const Lowering::Form form = s.lowering[i].form;
    const LoopForm& v = s.lowering[i].loop;
    if ((form != Lowering::Form::loop && form != Lowering::Form::branch) || !v.active())
      return true;
    const Scope& body = *s.bodies[i].back();
    for (int a = 0; a < static_cast<int>(v.lanes.size()); ++a) {
      const int c = an_.find(body.axis(0, a));
      const int64_t n = v.lanes[static_cast<size_t>(a)];
      if (bad_.count(c)) return false;
      if (&s != &top_) adopt(c, n, *grid);
      if (classes.emplace(c, static_cast<int>(grid->size())).second) grid->push_back(n);
    }
    return true;
  }
  // Whether a call would compute something at each point of the class that has not the class.
  bool repeats(int c) const {
    if (kind_ != LoopForm::Kind::call) return false;
    const Scope& body = *top_.bodies[0][0];
    for (size_t i = 0; i < body.j->eqns.size(); ++i) {
      if (body.lowering[i].form == Lowering::Form::pull) continue;
      const Eqn& e = body.j->eqns[i];
      bool has = false;
      for (int32_t o = e.out; o < e.out + e.n_out; ++o)
        for (int a = 0; a < body.j->types[static_cast<size_t>(o)].ndim(); ++a)
          has = has || an_.find(body.axis(o, a)) == c;
      if (!has) return true;
    }
    return false;
  }
  void adopt_results(const std::vector<int64_t>& grid) {
    for (int32_t o = one_.out; o < one_.out + one_.n_out; ++o)
      for (int a = 0; a < type(o).ndim(); ++a) adopt(class_at(o, a), type(o).shape()[a], grid);
  }
  // A class twice in one value is no lane; classes that meet in a value are different axes.
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
    if (bad_.count(c) || classes.count(c)) return;
    for (int g = 0; g < static_cast<int>(grid.size()); ++g) {
      bool apart = grid[static_cast<size_t>(g)] == n;
      for (const auto& [other, axis] : classes)
        apart = apart && (axis != g || !met_[c].count(other));
      if (!apart) continue;
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
};

// Whether a loop or branch with lanes has a result without some of them: a residual that no lane
// axis reached, say, which is there if any lane took its branch.
// `joined`: among others in a call, which hold what it hands them by lane.
bool holds_whole_value(const AxisClasses& an, const Scope& s, size_t i, bool joined = false) {
  const LoopForm& v = s.lowering[i].loop;
  const bool loops =
      s.lowering[i].form == Lowering::Form::loop || s.lowering[i].form == Lowering::Form::branch;
  if (!loops || !v.active()) return false;
  const Eqn& e = s.j->eqns[i];
  const Scope& body = *s.bodies[i].back();
  for (int32_t o = 0; o < e.n_out; ++o) {
    const bool carry = o < v.carry, scan = v.kind == LoopForm::Kind::scan;
    // Rows are written to memory by every lane that makes the step, carries that pass through hold
    // one value.
    if (scan && !carry && !joined) continue;
    if (carry && body.j->out[static_cast<size_t>(o)] == Atom{1 + v.consts + o}) continue;
    for (int a = 0; a < static_cast<int>(v.lanes.size()); ++a) {
      bool has = false;
      for (int b = 0; b < s.j->types[static_cast<size_t>(e.out + o)].ndim(); ++b)
        has = has || an.find(s.axis(e.out + o, b)) == an.find(body.axis(0, a));
      if (!has) return true;
    }
  }
  return false;
}

bool holds_large_product(const Scope& top) {
  bool large = false;
  visit_bodies(top, [&](const Scope& s) {
    for (const Lowering& l : s.lowering)
      large = large || (l.form == Lowering::Form::contract && l.space.elements() > largest_product);
  });
  return large;
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
  // With lanes, what a lane holds stays together unless it is long.
  if (r.grid.empty() || g.held().largest > small_elements) g.ordinary(&r.grid);
  r.held = g.held();
  r.shared = g.shared();
  r.rows = on_host() && r.grid.empty() && r.held.largest >= fills_vectors;
  if (r.rows ? r.held.largest > largest_row_value || r.held.bytes > largest_row_bytes
             : r.held.largest > largest_lane_value || r.held.total > largest_lane ||
                   r.held.bytes > largest_lane_bytes)
    return no("a lane would hold too much");
  if (r.rows && holds_large_product(an.top())) return no("a product in it is large");
  if (!r.rows && r.grid.empty() && r.held.largest > small_elements)
    return no("no axis runs through the whole loop");
  const Eqn& one = an.top().j->eqns[0];
  for (int32_t o = 0; o < one.n_out; ++o) {
    std::vector<int> lanes;
    for (int a = 0; a < an.top().j->types[static_cast<size_t>(one.out + o)].ndim(); ++a) {
      const auto it = g.classes.find(g.class_at(one.out + o, a));
      lanes.push_back(it == g.classes.end() ? -1 : it->second);
    }
    r.lanes.push_back(std::move(lanes));
  }
  r.classes = std::move(g.classes);
  return r;
}

}  // namespace weft::compiler
