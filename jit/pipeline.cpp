// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/pipeline.cpp: the passes of the compiler, in order. Each pass reads what earlier passes made
// and changes nothing else. WEFT_LOG=passes prints the program after each.
#include "jit/pipeline.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "jit/code_order.h"
#include "jit/forced.h"
#include "jit/fuse/plan.h"
#include "jit/nests/kernel_nest.h"
#include "jit/rewrite/bands.h"
#include "jit/rewrite/barriers.h"
#include "jit/rewrite/fuse_loops.h"
#include "jit/rewrite/implementations.h"
#include "jit/rewrite/op_rewrites.h"
#include "jit/rewrite/pack_lanes.h"
#include "jit/rewrite/partition.h"
#include "jit/rewrite/reads_first.h"
#include "jit/rewrite/simplify.h"
#include "jit/rewrite/structural_zeros.h"
#include "jit/rewrite/sum_updates.h"
#include "jit/rewrite/turned_products.h"
#include "jit/run/bound_kernel.h"
#include "jit/run/steps.h"
#include "runtime/log.h"
#include "weft/device/threads.h"
#include "weft/error.h"
#include "weft/stop.h"

namespace weft::compiler {
namespace {

// The state of a compilation. By step of the plan: its nest and schedule, if it has one, the
// programs of its bodies, and the step that runs.
struct Compilation {
  Jaxpr jaxpr;
  CodeUnit& unit;
  bool inner;  // the body of a loop of the unit
  std::optional<Program> analysed = {};
  Plan plan = {};
  std::vector<KernelNest> nests = {};
  std::vector<Schedule> schedules = {};
  std::vector<Bodies> bodies = {};
  std::vector<CompiledAdapters> adapters = {};
  std::vector<CompiledStep> steps = {};
};

void analyse(Compilation& c) { c.analysed.emplace(c.jaxpr); }

// Threads that share a row have no common array. Each therefore recomputes the values that a lane
// of the host caches.
void choose_kernels(Compilation& c) {
  c.plan = make_plan(*c.analysed);
  if (!current_target().gpu()) return;
  for (Step& s : c.plan.steps) s.kernel.cached.clear();
}

// The variables that a step reads from memory, or whose memory it overwrites.
std::vector<Atom> read_from_memory(const JaxprData& j, const Step& s, const KernelNest& n) {
  std::vector<Atom> r;
  if (s.kind != Step::Kind::kernel) r = j.eqns[s.eqn].in;
  for (const KernelNest::Buffer& b : n.buffers)
    if (!b.written) r.push_back({b.var});
  for (const UpdatedOutput& u : s.kernel.updated) r.push_back({u.initial});
  return r;
}

// Visits the steps in order, with the variables that earlier steps have stored.
template <class F>
void with_stored_before(Compilation& c, const F& visit) {
  const JaxprData& j = *c.analysed->j;
  VarMap<bool> in_memory(j, false);
  std::fill_n(in_memory.begin(), j.n_in, true);
  for (size_t i = 0; i < c.plan.steps.size(); ++i) {
    const Step& s = c.plan.steps[i];
    visit(i, in_memory);
    if (s.kind != Step::Kind::kernel)
      in_memory.set_results(j.eqns[s.eqn], true);
    else
      for (const int32_t v : s.kernel.stored()) in_memory[v] = true;
  }
}

// Writes kernels again without the values that nothing reads from memory. Their readers came into
// the kernel after it had been decided to store them.
void drop_unread_stores(Compilation& c) {
  const Program& p = *c.analysed;
  VarMap<bool> read(*p.j, false);
  const auto mark = [&](const std::vector<Atom>& atoms) {
    for (const Atom a : atoms)
      if (!a.is_literal()) read[a] = true;
  };
  mark(p.j->out);
  for (size_t i = 0; i < c.nests.size(); ++i)
    mark(read_from_memory(*p.j, c.plan.steps[i], c.nests[i]));
  with_stored_before(c, [&](size_t i, const VarMap<bool>& in_memory) {
    KernelPlan& k = c.plan.steps[i].kernel;
    const std::vector<int32_t> before = k.roots;
    std::erase_if(k.roots, [&](int32_t v) { return !read[v]; });
    if (k.roots.size() == before.size()) return;
    for (const int32_t v : before)
      if (!read[v]) c.plan.in_memory[v] = false, c.plan.why_stored[v] = nullptr;
    c.nests[i] = write_nest(p, k, in_memory);
  });
}

void write_nests(Compilation& c) {
  const Program& p = *c.analysed;
  with_stored_before(c, [&](size_t i, const VarMap<bool>& in_memory) {
    StopToken::current().check("compiling");
    const Step& s = c.plan.steps[i];
    c.nests.push_back(s.kind == Step::Kind::kernel ? write_nest(p, s.kernel, in_memory)
                      : s.kind == Step::Kind::scatter
                          ? write_scatter_nest(p, s.eqn, current_target().gpu())
                          : KernelNest{});
  });
  drop_unread_stores(c);
}

void choose_schedules(Compilation& c) {
  for (size_t i = 0; i < c.nests.size(); ++i) {
    const nest::Kernel& k = c.nests[i].kernel;
    const bool none = k.blocks.empty();
    if (const std::string bad = none ? "" : nest::verify(k); !bad.empty())
      throw InternalError("a kernel is malformed: " + bad + "\n" + nest::print(k));
    c.schedules.push_back(none ? Schedule() : schedule_of(k, current_target(), c.nests[i].grid));
  }
}

CompiledAdapters compile_adapters(const LayoutAdapters& a, CodeUnit* unit) {
  return {a.before ? compile_program(a.before, unit) : nullptr,
          a.after ? compile_program(a.after, unit) : nullptr, a.call_results};
}

// The programs of a step that are compiled apart. In the program of a band all rewrites are done.
Bodies compiled_bodies(const Eqn& e, const Lowering& l, CodeUnit& unit) {
  const bool band = param_field<int64_t>(e.params, "block").value_or(0) > 0 &&
                    !param_field<bool>(e.params, "counted").value_or(false);
  Bodies r;
  for (const Jaxpr& b : l.lockstep())
    r.push_back(band ? compile(b, unit, true, true) : compile_program(b, &unit));
  return r;
}

void compile_bodies(Compilation& c) {
  for (const Step& s : c.plan.steps) {
    c.bodies.emplace_back();
    c.adapters.emplace_back();
    const auto lowering = [&]() -> const Lowering& { return c.analysed->scope.lowering[s.eqn]; };
    if (s.kind == Step::Kind::lockstep)
      c.bodies.back() = compiled_bodies(c.analysed->j->eqns[s.eqn], lowering(), c.unit);
    if (s.kind == Step::Kind::native && current_target().gpu() && lowering().native.adapters)
      c.adapters.back() = compile_adapters(lowering().native.adapters(), &c.unit);
  }
}

CompiledStep make_step(const Program& p, const Step& s, KernelNest nest, Schedule schedule,
                       Bodies bodies, CompiledAdapters adapters) {
  switch (s.kind) {
    case Step::Kind::kernel: return build_kernel(p, s.kernel, std::move(nest), std::move(schedule));
    case Step::Kind::native: return build_native(p, s.eqn, std::move(adapters));
    case Step::Kind::scatter: return build_scatter(p, s.eqn, std::move(nest), std::move(schedule));
    case Step::Kind::lockstep: return build_lockstep(p, s, std::move(bodies));
  }
  return {};
}

void make_steps(Compilation& c) {
  for (size_t i = 0; i < c.plan.steps.size(); ++i)
    c.steps.push_back(make_step(*c.analysed, c.plan.steps[i], std::move(c.nests[i]),
                                std::move(c.schedules[i]), std::move(c.bodies[i]),
                                std::move(c.adapters[i])));
}

// Steps are independent of one another. A device reads the number of launches of a body before
// the next step is made.
void make_code(Compilation& c) {
  for (const CompiledStep& s : c.steps) c.unit.steps.push_back(s.step.get());
  if (c.inner && !current_target().gpu()) return;
  const std::vector<RunStep*> steps = std::exchange(c.unit.steps, {});
  std::vector<const nest::Kernel*> kernels;
  for (const RunStep* s : steps) kernels.push_back(s->kernel() ? &s->kernel()->kernel() : nullptr);
  const std::vector<size_t> order = code_order(kernels);
  const StopToken& stop = StopToken::current();
  std::atomic<size_t> next{0};
  parallel_for(static_cast<int64_t>(order.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      stop.check("compiling");
      steps[order[next++]]->compile_code();
    }
  });
}

std::string show_plan(const Compilation& c) { return to_string(c.plan, *c.analysed); }
std::string show_nests(const Compilation& c) {
  std::string s;
  for (const KernelNest& n : c.nests)
    if (!n.kernel.blocks.empty()) s += nest::print(n.kernel);
  return s;
}
std::string show_schedules(const Compilation& c) {
  std::string s;
  for (size_t i = 0; i < c.nests.size(); ++i)
    if (const nest::Kernel& k = c.nests[i].kernel; !k.blocks.empty())
      s += fmt::format("schedule {}\n{}", nest_hash(k), to_string(c.schedules[i]));
  return s;
}
std::string show_steps(const Compilation& c) {
  std::string s;
  for (const CompiledStep& b : c.steps) s += b.step->describe() + "\n";
  return s;
}

// Rewrites bodies before implementations are chosen in them.
Jaxpr simple_body(const Jaxpr& j) {
  return fuse_ops(split_ops(turn_products(simplify(j, simple_body))));
}

Jaxpr chosen(const Jaxpr& j, bool in_expansion) {
  return choose_implementations(
      j, implementation_target(), [](const Op& op) { return demanded_implementation(op); },
      in_expansion);
}
Jaxpr choose(const Jaxpr& j) { return chosen(j, false); }
Jaxpr partition_and_choose(const Jaxpr& j) {
  const Target target = implementation_target();
  return choose_outside_of_lanes(partition(j, target), target,
                                 [](const Op& op) { return demanded_implementation(op); });
}

// Expansions of an op may need a choice again.
Jaxpr expand(const Jaxpr& j) {
  for (Jaxpr before = j;;) {
    const Jaxpr r = expand_ops(before);
    if (r == before) return r;
    before = chosen(simplify(r, simple_body), true);
  }
}

// The equations that pack lanes have no implementations yet.
Jaxpr pack(const Jaxpr& j) {
  const Jaxpr r = pack_lanes(j, [](const Jaxpr& body) { return chosen(body, true); });
  return r == j ? j : expand(chosen(simplify(r, simple_body), true));
}

// A pass rewrites the jaxpr, or adds to the state of the compilation; `show` prints what it did.
struct Pass {
  PassInfo info;
  Jaxpr (*rewrite)(const Jaxpr&);
  void (*run)(Compilation&);
  std::string (*show)(const Compilation&);
};
constexpr Pass passes[] = {
    {{"simplify", "jit/rewrite/simplify.cpp", "jaxpr", "jaxpr",
      "Inlines calls, merges equal equations, applies the ops' `simplify` rules and drops what "
      "nothing reads, also in loops and branches "
      "([0083](decisions/0083-what-is-read.md)). The rules of loops move invariants before them "
      "([0070](decisions/0070-loop-invariants.md)). Values that are equal along an axis are "
      "computed once ([0084](decisions/0084-equal-axes.md)). Later passes then see each value "
      "once, with its final shape."},
     [](const Jaxpr& j) { return simplify(j, simple_body); },
     nullptr,
     nullptr},
    {{"turn products", "jit/rewrite/turned_products.cpp", "jaxpr", "jaxpr",
      "Swaps the operands of products whose result is transposed, as maps over the columns of "
      "`w @ x` write them. Native code then writes the order that is read."},
     turn_products,
     nullptr,
     nullptr},
    {{"choose", "jit/rewrite/implementations.cpp", "jaxpr", "jaxpr with implementations",
      "Writes the name of the cheapest implementation on each equation: generated code, a program "
      "of other ops, native code or a library call. It depends on the target, the shapes and the "
      "loop around the equation ([0017](decisions/0017-implementations.md)). How a kernel runs is "
      "chosen later, by `schedules`."},
     choose,
     nullptr,
     nullptr},
    {{"expand", "jit/rewrite/op_rewrites.cpp", "jaxpr", "jaxpr",
      "Replaces ops that are run as programs of other ops by these programs, and chooses again in "
      "them, until nothing changes."},
     expand,
     nullptr,
     nullptr},
    {{"pack lanes", "jit/rewrite/pack_lanes.cpp", "jaxpr", "jaxpr",
      "Runs costly branches for the lanes that take them, where all lanes would run them together "
      "([0082](decisions/0082-packed-lanes.md))."},
     pack,
     nullptr,
     nullptr},
    {{"split", "jit/rewrite/op_rewrites.cpp", "jaxpr", "jaxpr",
      "Turns long reductions into reductions of reductions, so that all threads can work on one. "
      "The parts are the blocks of the fold order ([0013](decisions/0013-summation-order.md))."},
     split_ops,
     nullptr,
     nullptr},
    {{"fuse ops", "jit/rewrite/op_rewrites.cpp", "jaxpr", "jaxpr",
      "Turns sums of products into multiply-adds. `kernels` decides later which equations share a "
      "kernel. The jaxpr alone decides here, so that the bits do not depend on the kernels "
      "([0008](decisions/0008-fma-contraction.md))."},
     fuse_ops,
     nullptr,
     nullptr},
    {{"join", "jit/rewrite/fuse_loops.cpp", "jaxpr", "jaxpr",
      "Makes loops over the same lanes, and the equations between them, one call. They then pass "
      "values inside the lane instead of through memory "
      "([0023](decisions/0023-joined-loops.md)). `kernels` puts all other equations into kernels."},
     join_loops,
     nullptr,
     nullptr},
    {{"partition", "jit/rewrite/partition.cpp", "jaxpr", "jaxpr",
      "Makes equations that run over the same lanes one call if that costs less than the kernels "
      "and temporaries that they would need apart "
      "([0072](decisions/0072-partition.md)). `kernels` puts all other equations into kernels."},
     partition_and_choose,
     nullptr,
     nullptr},
    {{"zeros", "jit/rewrite/structural_zeros.cpp", "jaxpr", "jaxpr",
      "Leaves out what a lane multiplies by elements that the program fixes as zero: unit vectors "
      "of derivatives, constant matrices ([0075](decisions/0075-structural-zeros.md)). The result "
      "is a jaxpr, so that the bits do not depend on the kernels."},
     skip_structural_zeros,
     nullptr,
     nullptr},
    {{"barriers", "jit/rewrite/barriers.cpp", "jaxpr", "jaxpr",
      "Lets readers of a barrier's result read its operand, so that the result is not stored."},
     through_barriers,
     nullptr,
     nullptr},
    {{"sum updates", "jit/rewrite/sum_updates.cpp", "jaxpr", "jaxpr",
      "In bodies of loops, adds zeros with an update to an array by an update in place "
      "([0073](decisions/0073-carried-buffers.md))."},
     sum_updates,
     nullptr,
     nullptr},
    {{"reads first", "jit/rewrite/reads_first.cpp", "jaxpr", "jaxpr",
      "Puts the reads of an array before its update, so that it can be updated in place "
      "([0073](decisions/0073-carried-buffers.md))."},
     reads_first,
     nullptr,
     nullptr},
    {{"bands", "jit/rewrite/bands.cpp", "jaxpr", "jaxpr",
      "Makes equations over the same lanes a call that runs for one block of lanes after another, "
      "if all lanes would pass more to each other than a cache holds "
      "([0081](decisions/0081-bands.md))."},
     bands,
     nullptr,
     nullptr},
    {{"analyse", "jit/fuse/analysis.cpp", "jaxpr", "axis classes",
      "Runs each lowering rule with symbolic indices, to find the axes that run unchanged through "
      "equations. Only they can be the grid of a kernel."},
     nullptr,
     analyse,
     nullptr},
    {{"kernels", "jit/fuse/plan.cpp", "jaxpr, axis classes", "plan",
      "Decides which values are stored and which kernel computes each. A reduction or a loop "
      "anchors a kernel; other values are computed where they are read."},
     nullptr,
     choose_kernels,
     show_plan},
    {{"nests", "jit/nests/kernel_nest.cpp", "plan", "nests",
      "Writes each kernel as the loop nest of one lane (`core/loops/nest.h`), as every target runs "
      "it ([0001](decisions/0001-nests.md))."},
     nullptr,
     write_nests,
     show_nests},
    {{"schedules", "jit/schedule/choose/choose.cpp", "nest, target", "schedule",
      "Decides how the nest runs: vectors, tiles, threads. It is a value with a text, so that it "
      "can be printed, verified and forced ([0016](decisions/0016-schedules.md))."},
     nullptr,
     choose_schedules,
     show_schedules},
    {{"bodies", "jit/pipeline.cpp", "plan", "compiled programs",
      "Plans the bodies of lockstep loops, and the programs around library calls of a GPU."},
     nullptr,
     compile_bodies,
     nullptr},
    {{"steps", "jit/run/steps.h", "plan, nests, schedules", "steps",
      "Makes one launch of each kernel, call and loop, and collects the operands that it reads."},
     nullptr,
     make_steps,
     nullptr},
    {{"code", "jit/emit/compile/codegen.cpp", "nest, schedule", "machine code, PTX",
      "Writes LLVM IR (`jit/emit/`), which LLVM compiles. It makes no decisions: equal nests and "
      "schedules give equal code. Kernels of a program and of its bodies compile in parallel."},
     nullptr,
     make_code,
     show_steps},
};

// Debug builds verify the result of every pass, for every interned program.
Jaxpr apply(const Pass& pass, const Jaxpr& j) {
  const Jaxpr r = pass.rewrite(j);
#ifndef NDEBUG
  verify(r);
#endif
  return r;
}

}  // namespace

std::vector<PassInfo> pass_infos() {
  std::vector<PassInfo> all;
  for (const Pass& pass : passes) all.push_back(pass.info);
  return all;
}

Jaxpr rewritten(const Jaxpr& j) {
  Jaxpr r = j;
  for (const Pass& pass : passes)
    if (pass.rewrite) r = apply(pass, r);
  return r;
}

Ref<const CompiledProgram> compile(const Jaxpr& j, CodeUnit& unit, bool inner, bool rewritten) {
  using Clock = std::chrono::steady_clock;
  const bool log = log_wants("passes");
  Compilation c{j, unit, inner};
  if (log) log_text(fmt::format("compiling\n{}", to_string(j)));
  std::vector<PassTime> times;
  for (const Pass& pass : passes) {
    if (pass.rewrite && rewritten) continue;
    const auto start = Clock::now();
    if (pass.rewrite)
      c.jaxpr = apply(pass, c.jaxpr);
    else
      pass.run(c);
    times.push_back({pass.info.name, std::chrono::duration<double>(Clock::now() - start).count()});
    if (!log || (!pass.rewrite && !pass.show)) continue;
    log_text(fmt::format("after {}\n{}", pass.info.name,
                         pass.rewrite ? to_string(c.jaxpr) : pass.show(c)));
  }
  auto program = make_ref<CompiledProgram>(std::move(c.jaxpr), std::move(c.steps),
                                           MemorySpace(current_target().device));
  program->set_notes(std::move(times), std::move(c.plan.why_stored));
  return program;
}

}  // namespace weft::compiler
