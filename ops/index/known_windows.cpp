// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/known_windows.cpp: evaluates indices, and writes windows at known places as slices.
#include "ops/index/known_windows.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>

#include "ops/index/equal_along.h"
#include "ops/structure/structure.h"
#include "tracer/eval_trace.h"
#include "tracer/trace.h"

namespace weft {
namespace {

using namespace index_map_detail;

// The largest value that is evaluated. It limits the time that a compilation takes for it.
constexpr int64_t most_elements = 1024;

class Evaluator {
 public:
  std::optional<Array> of(const Array& x, const Producer* made) {
    if (x.type().elements() > most_elements || !(is_integer(x.dtype()) || x.dtype() == Bool))
      return {};
    if (!made) return x.node().concrete() ? std::optional(x) : std::nullopt;
    if (const auto it = done_.find(&x.node()); it != done_.end()) return it->second;
    return done_[&x.node()] = evaluated(*made);
  }

 private:
  std::optional<Array> evaluated(const Producer& made) {
    if (!computes_indices(made.op.name()) && !moves_elements(made.op.name())) return {};
    Arrays x;
    for (size_t k = 0; k < made.x.size(); ++k) {
      const auto known = of(made.x[k], made.from[k]);
      if (!known) return {};
      x.push_back(*known);
    }
    const CurrentTraceScope eager(eval_interpreter());
    return made.op.reference(x, made.params)[0];
  }
  static bool moves_elements(std::string_view op) {
    constexpr std::array names = {"iota",  "broadcast_in_dim", "reshape", "concatenate",
                                  "slice", "transpose",        "rev",     "squeeze"};
    return std::ranges::find(names, op) != names.end();
  }
  std::map<const void*, std::optional<Array>> done_;
};

// How the windows along one axis of the indices' batch move along one axis of the operand.
struct Steps {
  int axis = -1;  // of the operand; -1: the windows are all at the same place
  int64_t step = 0;
};

class Windows {
 public:
  explicit Windows(const KnownWindows& g)
      : g_(g),
        map_(index_map_of(g.dims, g.x.shape(), g.result.ndim(), g.sizes)),
        batch_(g.indices.shape().erased(g.indices.ndim() - 1)) {}
  std::optional<Array> all() {
    if (g_.x.type().elements() == 0 || g_.result.elements() == 0 || !are_inside()) return {};
    const auto regular = steps();
    return regular ? std::optional(slice(*regular)) : std::nullopt;
  }

 private:
  bool is_paired(size_t q) const {
    return holds(g_.dims.indices_batching, static_cast<int64_t>(q));
  }
  // The start along the operand axis of a component, of the window at an index of the batch.
  int64_t start(int component, const Ints& at) const {
    int64_t flat = 0;
    for (size_t q = 0; q < at.size(); ++q) flat = flat * batch_[static_cast<int64_t>(q)] + at[q];
    return host_index(g_.indices, flat * g_.indices.shape()[-1] + component);
  }
  int64_t clamped(int a, const Ints& at) const {
    const IndexMap::Axis& x = map_.axes[a];
    return std::clamp<int64_t>(start(x.component, at), 0, x.max_start);
  }
  bool are_inside() const {
    bool inside = true;
    for_each_index(batch_, [&](const Ints& at, int64_t) {
      for (const int a : map_.used) {
        const IndexMap::Axis& x = map_.axes[a];
        const int64_t s = start(x.component, at);
        inside = inside && ((s >= 0 && s <= x.max_start) || g_.mode == OutOfBounds::clip);
      }
    });
    return inside;
  }
  // Returns how the windows move along each axis of the batch, or nothing if that is not at a
  // regular distance along one axis of the operand for each.
  std::optional<std::vector<Steps>> steps() const {
    const Ints origin(batch_.size(), 0);
    std::vector<Steps> r(batch_.size());
    for (size_t q = 0; q < r.size(); ++q)
      for (const int a : map_.used) {
        Ints next = origin;
        next[q] = batch_[static_cast<int64_t>(q)] > 1;
        const int64_t step = clamped(a, next) - clamped(a, origin);
        if (step == 0) continue;
        const bool taken = std::ranges::any_of(r, [&](const Steps& s) { return s.axis == a; });
        if (taken || r[q].axis >= 0 || is_paired(q) || entry(g_.sizes, a) != 1) return {};
        r[q] = {a, step};
      }
    bool regular = true;
    for_each_index(batch_, [&](const Ints& at, int64_t) {
      for (const int a : map_.used) {
        int64_t expected = clamped(a, origin);
        for (size_t q = 0; q < r.size(); ++q)
          if (r[q].axis == a) expected += r[q].step * at[q];
        regular = regular && clamped(a, at) == expected;
      }
    });
    return regular ? std::optional(r) : std::nullopt;
  }
  Array slice(const std::vector<Steps>& steps) const {
    const int rank = g_.x.ndim();
    Ints from(rank, 0), to = g_.x.shape().sizes(), stride(rank, 1), out_axis(rank, -1), reversed;
    for (int a = 0; a < rank; ++a) {
      const IndexMap::Axis& x = map_.axes[a];
      out_axis[a] = x.batch >= 0 ? x.batch : x.window;
      if (x.batch >= 0) continue;
      if (x.component >= 0) from[a] = clamped(a, Ints(batch_.size(), 0));
      to[a] = from[a] + entry(g_.sizes, a);
    }
    for (size_t q = 0; q < steps.size(); ++q) {
      const auto [a, step] = steps[q];
      if (a < 0) continue;
      out_axis[a] = map_.batch[q];
      const int64_t last = from[a] + step * (batch_[static_cast<int64_t>(q)] - 1);
      stride[a] = std::abs(step);
      if (step < 0) reversed.push_back(a);
      to[a] = std::max(from[a], last) + 1;
      from[a] = std::min(from[a], last);
    }
    Array r = slice_static(g_.x, from, to, stride);
    if (!reversed.empty()) r = reverse(r, reversed);
    Ints hidden, axes;
    for (int a = 0; a < rank; ++a) (out_axis[a] < 0 ? hidden : axes).push_back(a);
    std::ranges::sort(axes, {}, [&](int64_t a) { return out_axis[a]; });
    Ints order = axes;
    order.insert(order.end(), hidden.begin(), hidden.end());
    if (!std::ranges::is_sorted(order)) r = transpose_axes(r, order);
    r = reshape_to(
        r, Shape(std::vector<int64_t>(r.shape().begin(), r.shape().begin() + std::ssize(axes))));
    for (int64_t& a : axes) a = out_axis[a];
    return broadcast_in_dim(r, g_.result, axes);
  }

  const KnownWindows& g_;
  const IndexMap map_;
  const Shape batch_;
};

}  // namespace

std::optional<Array> known_value(const Array& x, const Producer* made) {
  return Evaluator().of(x, made);
}

std::optional<Array> known_windows(const KnownWindows& g) { return Windows(g).all(); }

}  // namespace weft
