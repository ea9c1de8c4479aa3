// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/kernel_step.cpp: runs a generated kernel, and partitions its grid among threads.
#include <fmt/format.h>

#include <algorithm>

#include "jit/nests/aliasing.h"
#include "jit/run/bound_kernel.h"
#include "jit/run/memory_space.h"
#include "jit/run/steps.h"
#include "weft/device/threads.h"

namespace weft::compiler {
namespace {

struct Output {
  int32_t var;
  int64_t bytes;
  int32_t initial = -1;  // the variable whose value it first holds; without one it is cleared
};

class KernelStep final : public RunStep {
 public:
  // axes: the extents of the kernel's axes.
  KernelStep(BoundKernel k, std::vector<int64_t> axes, std::vector<Output> filled,
             const KernelPlan& plan, size_t equations)
      : bound_(std::move(k)),
        axes_(std::move(axes)),
        grid_(plan.grid),
        filled_(std::move(filled)),
        loops_(plan.loops),
        what_(plan.loops  ? "loop in the lane"
              : plan.rows ? "rows"
                          : "elementwise"),
        equations_(equations) {
    estimate();
  }
  void compile_code() override { bound_.compile(); }
  void run(void* const* ptrs, const int32_t* stop) const override;
  std::string describe() const override {
    std::string g;
    for (int64_t n : grid_) g += fmt::format("{}{}", g.empty() ? "" : "x", n);
    const auto updated =
        std::ranges::count_if(filled_, [](const Output& o) { return o.initial >= 0; });
    return fmt::format("kernel ({}), grid [{}], {} equations, {} instructions, {}{}", what_, g,
                       equations_, bound_.kernel().insts.size(),
                       updated ? fmt::format("{} results updated in place, ", updated) : "",
                       bound_.describe());
  }
  const BoundKernel* kernel() const override { return &bound_; }
  bool loops() const override { return loops_; }
  int64_t launches() const override {
    if (!bound_.on_gpu()) return -1;
    return static_cast<int64_t>(filled_.size()) + (bound_.gpu().has_points() ? 1 : 0);
  }
  void launch(const LaunchContext& l, void* const* ptrs) const override {
    for (const Output& o : filled_) {
      if (o.initial < 0)
        l.to.clear(ptrs[o.var], o.bytes);
      else if (ptrs[o.initial] != ptrs[o.var])
        l.to.copy_within(ptrs[o.var], ptrs[o.initial], o.bytes);
    }
    bound_.launch(l.to, ptrs);
  }

 private:
  void estimate();
  BoundKernel bound_;
  MemorySpace place_{current_target().device};
  std::vector<int64_t> axes_, grid_;
  std::vector<Output> filled_;  // before it runs
  bool loops_;
  const char* what_;
  size_t equations_;
  double ns_per_point_ = 1;
};

// Estimates the cost of a grid point, instructions times trips, to choose the size of the parts.
void KernelStep::estimate() {
  const nest::Kernel& k = bound_.kernel();
  const auto cost = [&](auto&& self, nest::BlockId b) -> double {
    double c = 0;
    for (nest::Id v : k.blocks[b].body) {
      const nest::Inst& i = k.insts[v];
      double trips = 1;
      const auto constant = [&](nest::Id a) {
        const nest::Inst& x = k.insts[a];
        return x.op == nest::Opcode::Const ? static_cast<double>(x.imm) : 64.0;
      };
      if (i.op == nest::Opcode::While) trips = 64;
      if (i.op == nest::Opcode::For) trips = constant(i.args[1]);
      if (i.op == nest::Opcode::Fold || i.op == nest::Opcode::ForEach) trips = constant(i.args[0]);
      c += 1;
      for (nest::BlockId inner : i.blocks) c += trips * self(self, inner);
    }
    return c;
  };
  ns_per_point_ = 0.05 * cost(cost, 0);
}

void KernelStep::run(void* const* ptrs, const int32_t* stop) const {
  if (bound_.on_gpu()) return launch({bound_.gpu().stream(), nullptr}, ptrs);
  for (const Output& o : filled_) {
    if (o.initial < 0)
      place_.clear(ptrs[o.var], o.bytes);
    else
      copy_by_threads(ptrs[o.var], ptrs[o.initial], o.bytes);
  }
  const BoundKernel::Run call(bound_, ptrs, stop);
  if (axes_.empty()) return call.run_single_point();
  const int64_t inner = axes_.back(), outer = axes_.size() == 2 ? axes_[0] : 1;
  const int64_t points = outer * inner;
  if (points == 0) return;
  // Parts take at least 20 microseconds. There are enough of them to balance uneven loops.
  const double total_ns = ns_per_point_ * static_cast<double>(points);
  const int threads = total_ns < 40000 ? 1 : num_threads();
  const bool split_outer = outer >= 2 * threads;
  const int64_t n = split_outer ? outer : inner;
  int64_t grain = n;
  if (threads > 1) {
    const double parts = std::min(total_ns / 20000, threads * 16.0);
    grain = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) / parts));
    // A part has whole vectors, several of them if there are enough, and whole tiles of rows if
    // there are enough rows. Points that fill vectors by themselves need no rounding.
    const Mode mode = bound_.schedule().mode;
    const bool lanes = mode == Mode::grid || mode == Mode::refill;
    int64_t unit = n >= 256 * threads ? 64 : 16;
    // Blocks that are sorted are the better the more points they have.
    if (const int64_t sorted = bound_.schedule().sort_points; sorted && !split_outer) {
      grain = std::max(grain, std::min(sorted, n / (2 * threads)));
      if (grain >= sorted) unit = sorted;
    }
    if (lanes && (!split_outer || grain >= 32)) grain = (grain + unit - 1) / unit * unit;
  }
  const auto part = [&](int64_t begin, int64_t end) {
    call.run_range({split_outer ? begin : 0, split_outer ? end : outer, split_outer ? 0 : begin,
                    split_outer ? inner : end});
  };
  if (threads == 1)
    part(0, n);
  else
    parallel_for(n, grain, part);
}

}  // namespace

CompiledStep build_kernel(const Program& p, const KernelPlan& k, KernelNest nest,
                          Schedule schedule) {
  CompiledStep b;
  std::vector<Output> filled;
  for (const auto& x : nest.buffers) (x.written ? b.writes : b.reads).push_back(x.var);
  // Rows that no step writes read as zero; without lanes no step runs.
  const bool lanes = std::find(k.grid.begin(), k.grid.end(), 0) == k.grid.end();
  std::vector<int32_t> unwritten = k.zeroed;
  if (!lanes)
    for (const ScanOutput& s : k.stored_by_step) unwritten.push_back(s.stored);
  for (int32_t v : unwritten) filled.push_back({v, p.j->types[v].bytes()});
  for (const UpdatedOutput& u : k.updated) {
    filled.push_back({u.result, p.j->types[u.result].bytes(), u.initial});
    b.reads.push_back(u.initial);
    b.in_place.emplace_back(u.result, u.initial);
  }
  for (int32_t v : k.stored())
    if (std::find(b.writes.begin(), b.writes.end(), v) == b.writes.end()) b.writes.push_back(v);
  b.may_alias = aliases(nest, k, *p.j);
  std::vector<int64_t> axes = nest.grid;
  b.step = std::make_unique<KernelStep>(BoundKernel(std::move(nest), std::move(schedule), *p.j),
                                        std::move(axes), std::move(filled), k,
                                        k.emit.size() + k.roots.size());
  return b;
}

}  // namespace weft::compiler
