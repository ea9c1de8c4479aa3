// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/kernel_nest.cpp: writes the equations of a planned kernel in the shortest of several
// forms.
#include "jit/nests/kernel_nest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/loops/fold_order.h"
#include "core/loops/platform.h"
#include "core/loops/strides.h"
#include "jit/nests/elements.h"
#include "jit/nests/equations.h"
#include "jit/nests/nest_cost.h"

namespace weft::compiler {
namespace {

// An output of this many bytes has left the caches when the next kernel, or the caller, reads it. A
// non-temporal store does not read it into the caches first.
constexpr int64_t large_output_bytes = int64_t{1} << 24;

void mark_large_outputs(KernelNest* n, const Program& p, const KernelPlan& plan) {
  nest::Kernel& k = n->kernel;
  const auto is_filled = [&](int32_t v) {
    return std::ranges::count(plan.zeroed, v) > 0 ||
           std::ranges::count(plan.updated, v, &UpdatedOutput::result) > 0;
  };
  for (size_t i = 0; i < n->buffers.size(); ++i) {
    const auto [var, written] = n->buffers[i];
    k.buffers[i].large_output =
        written && p.j->types[var].bytes() >= large_output_bytes && !is_filled(var);
  }
  for (const nest::Inst& i : k.insts)
    if (i.op == nest::Opcode::Load) k.buffers[i.imm].large_output = false;
}

// Counts the instructions that run. Other instructions are unused leftovers.
int64_t instructions(const nest::Kernel& k) {
  int64_t n = 0;
  for (const nest::Block& b : k.blocks) n += static_cast<int64_t>(b.body.size());
  return n;
}

// Returns the number of divisions of indices.
int64_t divisions(const nest::Kernel& k) {
  int64_t n = 0;
  for (const nest::Block& b : k.blocks)
    n += std::ranges::count_if(b.body, [&](nest::Id v) {
      const nest::Inst& i = k.insts[v];
      return (i.op == nest::Opcode::SRem || i.op == nest::Opcode::SDiv) &&
             i.kind == nest::Kind::I64;
    });
  return n;
}

// The quotients and remainders of the index along the last run-time axis, which fills vectors.
struct VectorDigits {
  bool any = false, in_addresses = false;
};
VectorDigits vector_digits(const nest::Kernel& k) {
  enum : uint8_t { index = 1, digit = 2 };
  std::vector<uint8_t> from(k.insts.size(), 0);  // what a value is computed from
  VectorDigits r;
  const auto visit = [&](const auto& self, const nest::Block& b) -> void {
    for (nest::Id v : b.body) {
      const nest::Inst& i = k.insts[v];
      if (i.op == nest::Opcode::Index && i.imm == k.rank - 1) from[v] = index;
      for (nest::Id a : i.args) from[v] |= from[a];
      const bool divides = i.op == nest::Opcode::SRem || i.op == nest::Opcode::SDiv;
      if (divides && i.kind == nest::Kind::I64 && (from[v] & index)) from[v] |= digit, r.any = true;
      const bool memory = i.op == nest::Opcode::Load || i.op == nest::Opcode::Store;
      if (memory && (from[i.args[0]] & digit)) r.in_addresses = true;
      for (nest::BlockId inner : i.blocks) self(self, k.blocks[inner]);
    }
  };
  visit(visit, k.blocks[0]);
  return r;
}

// Counts the loads and stores of a vector at addresses that are not consecutive. Those in a loop
// count for several trips. Vectors run along the last run-time axis.
constexpr int64_t many_gathers = 8;
int64_t gathers(const nest::Kernel& k) {
  std::vector<nest::Variance> variance(k.insts.size());
  int64_t n = 0;
  const auto visit = [&](const auto& self, const nest::Block& b) -> void {
    for (nest::Id v : b.body) {
      const nest::Inst& i = k.insts[v];
      if (i.op == nest::Opcode::Index && i.imm == k.rank - 1)
        variance[v] = {false, true, 1};
      else
        variance[v] = nest::variance_of(k, i, [&](nest::Id a) { return variance[a]; });
      const bool memory = i.op == nest::Opcode::Load || i.op == nest::Opcode::Store;
      const nest::Variance& address = memory ? variance[i.args[0]] : nest::uniform_value;
      if (address.varying || address.stride > 1) n += b.depth > 0 ? many_gathers : 1;
      for (nest::BlockId inner : i.blocks) self(self, k.blocks[inner]);
    }
  };
  visit(visit, k.blocks[0]);
  return n;
}

// Returns true if vectors along an axis of this extent leave many elements unused.
bool wastes_vectors(int64_t extent) {
  constexpr int64_t width = 16;
  return 8 * extent < 7 * ((extent + width - 1) / width * width);
}
bool has_loops(const nest::Kernel& k) { return k.blocks.size() > 1; }

// Returns how many of the last axes of a grid fill vectors as well as all of them together do.
size_t vector_axes(const std::vector<int64_t>& grid) {
  constexpr int64_t whole_vector = 16, several_vectors = 64;
  if (grid.back() >= whole_vector) return 1;
  size_t axes = 0;
  for (int64_t points = 1; axes < grid.size() && points < several_vectors; ++axes)
    points *= grid[grid.size() - 1 - axes];
  return axes;
}

// The longest kernel, in instructions, whose loops over elements are written in pieces and by axes.
// LLVM's time grows with the square of the number of blocks. Measured: docs/decisions/0080.
constexpr int64_t longest_in_pieces = 4000;

LaneFolds::Unrolled unrolled_folds(const KernelShape& s) {
  if (s.small > small_elements) return LaneFolds::Unrolled::all;
  return s.straight ? LaneFolds::Unrolled::several_axes : LaneFolds::Unrolled::none;
}

// The parts that write a kernel, in an order in which each uses only those before it.
struct LaneParts {
  LaneParts(const Program& p, const char* name, KernelShape form, const VarMap<bool>& in_memory)
      : shape(std::move(form)),
        b(name),
        writing(b),
        space(b, shape.grid, shape.together),
        frames(p, shape, in_memory),
        arrays(b, space, shape.along_rows, shape.whole_loops),
        memory(b, space, frames.program()),
        folds(b, space, unrolled_folds(shape)),
        elements(b, space, arrays, memory, folds),
        materializer(space, arrays, elements),
        outputs(b, space, arrays, memory, elements),
        updates(b, space, arrays, memory, elements, materializer),
        equations(b, space, frames, arrays, elements, materializer, outputs, updates) {}
  KernelNest finish(nest::Vector v) {
    return {b.finish(space.rank(), 0, v), memory.take_buffers(), space.extents()};
  }

  const KernelShape shape;
  nest::Builder b;
  num::Writing writing;
  LaneSpace space;
  Frames frames;
  LaneArrays arrays;
  Memory memory;
  LaneFolds folds;
  Elements elements;
  Materializer materializer;
  Outputs outputs;
  Updates updates;
  Equations equations;
};

// The last `together` axes of the grid are one run-time axis. Values of up to `small` elements per
// lane are scalars.
struct Form {
  size_t together = all_axes;
  int64_t small = small_elements;
  bool whole_loops = true;
};

// Returns true if the kernel runs a call without loops and branches. The code of such a kernel is
// not repeated, so more of it may be written.
bool has_straight_call(const Program& p, const KernelPlan& k) {
  bool call = false;
  for (size_t i : k.emit) {
    if (p.scope.lowering[i].form != Lowering::Form::inlined) {
      if (!is_straight(p.scope.lowering[i])) return false;
      continue;
    }
    if (!is_straight(*p.analysis[i]->top().bodies[0][0])) return false;
    call = true;
  }
  return call && !k.rows;
}

KernelShape shape_of(const Program& p, const KernelPlan& k, const Form& form,
                     const FrameValues& in_arrays) {
  KernelShape s{.grid = k.grid,
                .together = form.together,
                .along_rows = k.rows,
                .small = form.small,
                .in_arrays = in_arrays,
                .whole_loops = form.whole_loops,
                .straight = has_straight_call(p, k),
                .grid_axes = k.grid_axes,
                .classes = k.classes};
  for (const ScanOutput& output : k.stored_by_step) s.stored_by_step[output.result] = output;
  for (const UpdatedOutput& output : k.updated) s.updated.insert(output.result);
  return s;
}

struct Written {
  KernelNest nest;
  Form form;
  bool selects;        // among many scalars, at an index known only at run time
  bool divides_loops;  // has whole loops that may be written in pieces or by axes
};

// The values in `in_arrays` are not scalars.
Written write_kernel(const Program& p, const KernelPlan& k, const VarMap<bool>& in_memory,
                     const Form& form, const FrameValues& in_arrays = {}) {
  LaneParts w(p, "kernel", shape_of(p, k, form, in_arrays), in_memory);
  Frame& program = w.frames.program();
  for (size_t n = 0; n < k.emit.size(); ++n) {
    const auto [from, to] = k.cached.equal_range(n);
    for (auto it = from; it != to; ++it) w.materializer.cache(program, it->second);
    w.equations.write(program, k.emit[n]);
  }
  for (auto it = k.cached.lower_bound(k.emit.size()); it != k.cached.end(); ++it)
    w.materializer.cache(program, it->second);
  for (int32_t v : k.roots) w.outputs.store(program, v);
  const bool selects = form.small > small_elements && w.elements.most_indexed() > small_elements;
  if (in_arrays.empty() && !selects && !w.elements.dynamically_indexed().empty())
    return write_kernel(p, k, in_memory, form, w.elements.dynamically_indexed());
  return {w.finish(k.rows           ? nest::Vector::inner
                   : k.grid.empty() ? nest::Vector::none
                                    : nest::Vector::grid),
          form, selects, w.arrays.may_divide()};
}

// Returns the kernel with its last `axes` axes inside the points, where vectors run along them.
KernelPlan with_rows(const KernelPlan& k, size_t axes) {
  KernelPlan r = k;
  r.grid.resize(k.grid.size() - axes);
  for (auto& [v, grid_axes] : r.grid_axes)
    for (int& a : grid_axes)
      if (a >= std::ssize(r.grid)) a = -1;
  r.rows = true;
  return r;
}

// Vectors of points choose among the parts of a concatenation element by element, and gather them.
// Loops over rows have a loop for each part. Returns the kernel in that form if it is cheaper.
std::optional<Written> by_rows(const Program& p, const KernelPlan& k, const VarMap<bool>& in_memory,
                               const Written& by_points) {
  const nest::Kernel& kernel = by_points.nest.kernel;
  const bool elementwise = !k.loops && !k.rows && !k.short_rows && k.emit.empty() &&
                           k.cached.empty() && k.stored_by_step.empty() && k.updated.empty();
  if (!elementwise || !is_host_platform() || kernel.vector != nest::Vector::grid ||
      has_loops(kernel) || !compares_indices(kernel))
    return {};
  // A row form has to be clearly cheaper, and to leave points for threads.
  constexpr double advantage = 0.7;
  constexpr int64_t fewest_points = 16;
  double best = advantage * nest_ns(kernel, by_points.nest.grid, kernel.vector);
  std::optional<Written> rows;
  int64_t row = 1, points = Shape(k.grid).elements();
  for (size_t axes = 1; axes < k.grid.size(); ++axes) {
    const int64_t n = k.grid[k.grid.size() - axes];
    row *= n, points /= std::max<int64_t>(n, 1);
    if (points < fewest_points) break;
    if (row < min_vector_row || n == 1) continue;
    Written w = write_kernel(p, with_rows(k, axes), in_memory,
                             {.small = few_elements, .whole_loops = false});
    const double ns = nest_ns(w.nest.kernel, w.nest.grid, w.nest.kernel.vector);
    if (ns < best) best = ns, rows = std::move(w);
  }
  return rows;
}

// Returns true if loops over the elements of a lane replace code for each element, because that
// code is longer and hardly faster. It is faster where it leaves out what is known of some
// elements, such as products with zeros. The registers of a GPU's threads cannot be indexed by
// loops.
bool is_worth_loops(const Written& straight, const Written& loops) {
  constexpr int64_t shorter = 2;
  constexpr double slower = 1.3;  // measured: docs/decisions/0072-partition.md
  const auto ns = [](const Written& w) {
    return nest_ns(w.nest.kernel, w.nest.grid, w.nest.kernel.vector);
  };
  return is_host_platform() &&
         shorter * instructions(loops.nest.kernel) <= instructions(straight.nest.kernel) &&
         ns(loops) <= slower * ns(straight);
}

// Returns the grid of a scatter whose updates are partitioned.
std::vector<int64_t> scatter_grid(const Program& p, size_t eqn) {
  const Shape updates = p.j->type(p.j->eqns[eqn].in[1]).shape();
  const std::vector<char>& unique = p.scope.lowering[eqn].unique_axes;
  std::vector<int64_t> grid;
  for (size_t a = 0; a < unique.size(); ++a)
    if (unique[a]) grid.push_back(updates[static_cast<int64_t>(a)]);
  return grid;
}

}  // namespace

KernelNest write_nest(const Program& p, const KernelPlan& k, const VarMap<bool>& in_memory) {
  const bool straight = has_straight_call(p, k);
  // The grid is one flat axis, unless operands are indexed along single axes and the last ones are
  // long enough. Operands of the outer axes are then read once for a vector.
  const auto write = [&](Form form) {
    Written n = write_kernel(p, k, in_memory, form);
    const int64_t divides = form.together == all_axes ? divisions(n.nest.kernel) : 0;
    if (divides == 0 || k.grid.size() < 2 || k.rows) return n;
    // Vectors that are half full cost less than many gathers.
    constexpr int64_t half_vector = 8;
    const int64_t flat_gathers = k.grid.back() < half_vector ? 0 : gathers(n.nest.kernel);
    std::optional<Written> apart;
    if (flat_gathers >= many_gathers) {
      form.together = 1;
      apart = write_kernel(p, k, in_memory, form);
      if (flat_gathers - gathers(apart->nest.kernel) < many_gathers) apart.reset();
    }
    // Points of long loops are told apart only for gathers, and if they fill vectors.
    if (k.loops && !straight && (!apart || wastes_vectors(k.grid.back()))) return n;
    form.together = apart ? 1 : vector_axes(k.grid);
    if (form.together == k.grid.size()) return n;
    Written two = apart ? std::move(*apart) : write_kernel(p, k, in_memory, form);
    // More axes fill vectors better, and need not be told apart if all operands have them.
    while (form.together + 1 < k.grid.size() && !vector_digits(two.nest.kernel).any) {
      ++form.together;
      Written wider = write_kernel(p, k, in_memory, form);
      if (vector_digits(wider.nest.kernel).any) break;
      two = std::move(wider);
    }
    if (two.form.together > 1 && divisions(two.nest.kernel) == divides) return n;
    // A few digits per point cost less than vectors that are not full, but not if they make
    // gathers.
    if (has_loops(n.nest.kernel) && wastes_vectors(two.nest.grid.back()) &&
        !vector_digits(n.nest.kernel).in_addresses)
      return n;
    return two;
  };
  // Where lanes choose one of many elements, an array is faster than scalars, and shorter.
  std::optional<Written> n;
  const auto is_long = [](const Written& w) {
    return w.selects || instructions(w.nest.kernel) > longest_straight_kernel;
  };
  if (straight) {
    n = write({.small = many_scalars});
    if (has_loops(n->nest.kernel)) {
      Written more = write({.small = most_scalars});
      if (!is_long(more) && instructions(more.nest.kernel) <= 2 * instructions(n->nest.kernel))
        n = std::move(more);
    }
  }
  if (!straight || n->selects || instructions(n->nest.kernel) > long_kernel) {
    Form form{.small = k.loops && k.rows        ? few_elements
                       : k.rows || k.short_rows ? fold_order::short_block
                                                : small_elements};
    if (n) form.together = n->form.together;
    Written loops = write(form);
    // Registers cannot hold the elements of so long a kernel, so arrays and loops replace scalars.
    const int64_t length = instructions(loops.nest.kernel);
    if (form.small > few_elements && length > long_kernel) {
      Written other = write({.together = loops.form.together, .small = few_elements});
      if (3 * instructions(other.nest.kernel) < 2 * length) loops = std::move(other);
    }
    if (!n || is_long(*n) || is_worth_loops(*n, loops)) n = std::move(loops);
  }
  if (auto rows = by_rows(p, k, in_memory, *n)) n = std::move(rows);
  if (n->form.whole_loops && n->divides_loops &&
      instructions(n->nest.kernel) <= longest_in_pieces) {
    Form form = n->form;
    form.whole_loops = false;
    n = write_kernel(p, k, in_memory, form);
  }
  mark_large_outputs(&n->nest, p, k);
  return std::move(n->nest);
}

KernelNest write_scatter_nest(const Program& p, size_t eqn, bool shared) {
  const std::vector<int64_t> grid = shared ? scatter_grid(p, eqn) : std::vector<int64_t>();
  LaneParts w(p, "scatter", {.grid = grid}, VarMap<bool>(*p.j, true));
  w.updates.scatter(w.frames.program(), eqn, shared);
  return w.finish(!shared        ? nest::Vector::inner
                  : grid.empty() ? nest::Vector::none
                                 : nest::Vector::grid);
}

}  // namespace weft::compiler
