// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/compiled.cpp: building the steps of a plan, placing temporaries, running.
#include "weft/jit/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "weft/core/error.h"
#include "weft/jit/lane_writer.h"
#include "weft/jit/simplify.h"
#include "weft/jit/steps.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/stop.h"
#include "weft/runtime/threads.h"

namespace weft::compiler {

// An arena that waits for the next run; concurrent runs take one each.
struct ArenaCache {
  std::mutex guard;
  Ref<Buffer> idle;
};

CompiledProgram::CompiledProgram(const Jaxpr& j)
    : j_(simplify(j)), cache_(std::make_shared<ArenaCache>()) {
  const Program p(j_);
  const Plan plan = make_plan(p);
  std::vector<bool> in_memory(j_->types.size(), false);  // what earlier steps have made
  std::fill_n(in_memory.begin(), j_->n_in, true);
  std::vector<Pairs> over;
  for (const Step& step : plan.steps) {
    Built b = step.kind == Step::Kind::kernel ? build_kernel(p, step.kernel, in_memory)
                                              : build_library(p, step);
    for (int32_t v : b.writes) in_memory[static_cast<size_t>(v)] = true;
    step_reads_.push_back(b.reads);
    step_writes_.push_back(b.writes);
    over.push_back(b.over);
    loops_ = loops_ || b.step->loops();
    steps_.push_back(std::move(b.step));
  }
  parallel_for(static_cast<int64_t>(steps_.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) steps_[static_cast<size_t>(s)]->compile_code();
  });
  share_places(over);
  place_temporaries();
}

CompiledProgram::~CompiledProgram() = default;

// From each result back through the steps that may write it over an operand, as long as nothing
// reads that operand otherwise or later.
void CompiledProgram::share_places(const std::vector<Pairs>& pairs) {
  const size_t n = j_->types.size();
  std::vector<int> made(n, -1), last(n, -1);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t v : step_writes_[s]) made[static_cast<size_t>(v)] = static_cast<int>(s);
    for (int32_t v : step_reads_[s]) last[static_cast<size_t>(v)] = static_cast<int>(s);
  }
  std::vector<int> results(n, 0);
  for (Atom a : j_->out)
    if (!a.is_literal()) ++results[static_cast<size_t>(a.index)];
  same_place_.assign(n, -1);
  over_.assign(j_->out.size(), -1);
  for (size_t k = 0; k < j_->out.size(); ++k) {
    const Atom result = j_->out[k];
    if (result.is_literal() || results[static_cast<size_t>(result.index)] != 1) continue;
    for (int32_t v = result.index;;) {
      const int s = made[static_cast<size_t>(v)];
      if (s < 0) break;
      const auto& over = pairs[static_cast<size_t>(s)];
      const auto pair =
          std::find_if(over.begin(), over.end(), [&](const auto& p) { return p.first == v; });
      if (pair == over.end()) break;
      const int32_t u = pair->second;
      const auto& in = step_reads_[static_cast<size_t>(s)];
      if (last[static_cast<size_t>(u)] != s || results[static_cast<size_t>(u)] ||
          std::count(in.begin(), in.end(), u) != 1 || same_place_[static_cast<size_t>(u)] >= 0)
        break;
      if (u < j_->n_in) {
        over_[k] = u;
        break;
      }
      same_place_[static_cast<size_t>(u)] = result.index;
      v = u;
    }
  }
}

// First fit by lifetime: a temporary lives from the step that writes it to the last that reads it.
void CompiledProgram::place_temporaries() {
  const size_t n = j_->types.size();
  std::vector<int> first(n, -1), last(n, -1);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t v : step_writes_[s]) {
      if (first[static_cast<size_t>(v)] < 0) first[static_cast<size_t>(v)] = static_cast<int>(s);
      last[static_cast<size_t>(v)] = static_cast<int>(s);
    }
    for (int32_t v : step_reads_[s]) last[static_cast<size_t>(v)] = static_cast<int>(s);
  }
  offset_.assign(n, -1);
  std::vector<bool> result(n, false);
  for (Atom a : j_->out)
    if (!a.is_literal()) result[static_cast<size_t>(a.index)] = true;
  struct Live {
    int64_t at, size;
    int until;
  };
  std::vector<Live> live;
  for (size_t s = 0; s < steps_.size(); ++s) {
    std::erase_if(live, [&](const Live& l) { return l.until < static_cast<int>(s); });
    for (int32_t v : step_writes_[s]) {
      const auto k = static_cast<size_t>(v);
      if (result[k] || same_place_[k] >= 0 || first[k] != static_cast<int>(s) || offset_[k] >= 0)
        continue;
      const int64_t size = (j_->types[k].bytes() + 63) & ~int64_t{63};
      std::sort(live.begin(), live.end(), [](const Live& a, const Live& b) { return a.at < b.at; });
      int64_t at = 0;
      for (const Live& l : live) {
        if (l.at - at >= size) break;
        at = std::max(at, l.at + l.size);
      }
      offset_[k] = at;
      live.push_back({at, size, last[k]});
      arena_ = std::max(arena_, at + size);
    }
  }
}

void CompiledProgram::run(const void* const* in, void* const* out) const {
  if (!loops_) {
    static const int32_t never = 0;
    return run_inside(in, out, &never);
  }
  const StopFlag flag;
  run_inside(in, out, flag.word());
  flag.check("a compiled program");
}

void CompiledProgram::run_inside(const void* const* in, void* const* out,
                                 const int32_t* stop) const {
  std::vector<void*> ptrs(j_->types.size(), nullptr);
  for (int v = 0; v < j_->n_in; ++v) ptrs[static_cast<size_t>(v)] = const_cast<void*>(in[v]);
  Ref<Buffer> arena;
  if (arena_ > 0) {
    {
      const std::lock_guard lock(cache_->guard);
      std::swap(arena, cache_->idle);
    }
    if (!arena) arena = Buffer::allocate(arena_);
    for (size_t v = 0; v < offset_.size(); ++v)
      if (offset_[v] >= 0) ptrs[v] = static_cast<std::byte*>(arena->data()) + offset_[v];
  }
  for (size_t k = 0; k < j_->out.size(); ++k)
    if (const Atom a = j_->out[k];
        !a.is_literal() && a.index >= j_->n_in && !ptrs[static_cast<size_t>(a.index)])
      ptrs[static_cast<size_t>(a.index)] = out[k];
  for (size_t v = 0; v < same_place_.size(); ++v)
    if (same_place_[v] >= 0) ptrs[v] = ptrs[static_cast<size_t>(same_place_[v])];
  for (const auto& s : steps_) s->run(ptrs.data(), stop);
  // What is not computed but handed on; a result that stands twice.
  for (size_t k = 0; k < j_->out.size(); ++k) {
    const Atom a = j_->out[k];
    if (!out[k]) continue;
    const int64_t bytes = j_->type(a).bytes();
    const void* from =
        a.is_literal()
            ? static_cast<const void*>(j_->literals[static_cast<size_t>(a.literal())].bits)
            : ptrs[static_cast<size_t>(a.index)];
    if (from != out[k] && bytes) std::memcpy(out[k], from, static_cast<size_t>(bytes));
  }
  if (arena) {
    const std::lock_guard lock(cache_->guard);
    if (!cache_->idle) cache_->idle = std::move(arena);
  }
}

ProgramMemory CompiledProgram::memory() const {
  ProgramMemory m;
  for (int v = 0; v < j_->n_in; ++v) m.arguments += j_->types[static_cast<size_t>(v)].bytes();
  for (Atom a : j_->out) m.results += j_->type(a).bytes();
  m.temporaries = arena_;
  for (const auto& step : steps_) {
    if (step->code()) m.code += step->code()->bytes();
    for (const CompiledProgram* p : step->inner()) m.code += p->memory().code;
  }
  return m;
}

// Arithmetic by the types of what is computed; loops of unknown length count as one trip.
Cost CompiledProgram::cost() const {
  Cost c;
  for (const Eqn& e : j_->eqns)
    for (int32_t k = 0; k < e.n_out; ++k)
      c.flops += static_cast<double>(j_->types[static_cast<size_t>(e.out + k)].elements());
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t v : step_reads_[s])
      c.bytes += static_cast<double>(j_->types[static_cast<size_t>(v)].bytes());
    for (int32_t v : step_writes_[s])
      c.bytes += static_cast<double>(j_->types[static_cast<size_t>(v)].bytes());
  }
  return c;
}

namespace {
// Equations for which no code could be written. (The plan refuses such a program: CompileError.)
int64_t without_code(const Jaxpr& j) {
  int64_t n = 0;
  for (const Eqn& e : j->eqns) {
    n += !e.op->has(Op::Slot::lower);
    for_inner(e, [&](const Jaxpr& inner) { n += without_code(inner); });
  }
  return n;
}
}  // namespace

std::string CompiledProgram::report() const {
  std::string s = fmt::format("equations: {}\nequations interpreted: {}\nsteps: {}\n",
                              count_equations(j_), without_code(j_), steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i)
    s += fmt::format("  {}: {}\n", i, steps_[i]->describe());
  const ProgramMemory m = memory();
  s += fmt::format("memory: arguments {} bytes, results {} bytes, temporaries {} bytes\n",
                   m.arguments, m.results, m.temporaries);
  return s;
}

namespace {
struct Cache {
  std::mutex guard;
  std::unordered_map<const JaxprData*, Ref<const CompiledProgram>> programs;
  std::vector<Jaxpr> keys;  // programs stay interned while they are compiled
};
Cache& cache() {
  static auto* c = new Cache;
  return *c;
}
constexpr size_t cache_limit = 4096;
}  // namespace

Ref<const CompiledProgram> compile_program(const Jaxpr& j) {
  Cache& c = cache();
  {
    const std::lock_guard lock(c.guard);
    if (const auto it = c.programs.find(j.get()); it != c.programs.end()) return it->second;
  }
  auto made = make_ref<const CompiledProgram>(j);
  const std::lock_guard lock(c.guard);
  if (c.programs.size() >= cache_limit) {
    c.programs.clear();
    c.keys.clear();
  }
  if (c.programs.emplace(j.get(), made).second) c.keys.push_back(j);
  return made;
}

namespace {
Ref<const Executable> compile_executable(const Jaxpr& j) { return compile_program(j); }
const bool installed = (install_backend(compile_executable), true);
}  // namespace

}  // namespace weft::compiler
