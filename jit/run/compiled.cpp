// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/compiled.cpp: placing temporaries, running the steps.
#include "weft/jit/run/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "weft/core/error.h"
#include "weft/core/op.h"
#include "weft/jit/fuse/analysis.h"
#include "weft/jit/fuse/cost.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/device.h"
#include "weft/runtime/float_state.h"
#include "weft/runtime/red_zones.h"
#include "weft/runtime/stop.h"

namespace weft::compiler {

CompiledProgram::CompiledProgram(Jaxpr j, std::vector<Built> steps) : j_(std::move(j)) {
  std::vector<Pairs> over;
  for (Built& b : steps) {
    loops_ = loops_ || b.step->loops();
    step_reads_.push_back(std::move(b.reads));
    step_writes_.push_back(std::move(b.writes));
    over.push_back(std::move(b.over));
    steps_.push_back(std::move(b.step));
  }
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
      const int64_t size = room_of(j_->types[k].bytes());
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

// With the address sanitizer: what step s reads and writes is memory that may be touched as far as
// its types say, and no further as long as the step runs.
struct CompiledProgram::StepMemory {
  StepMemory(const CompiledProgram& p, size_t s, const std::vector<void*>& ptrs,
             const std::byte* arena) {
    if constexpr (red_zone == 0) return;
    for (const auto* variables : {&p.step_reads_[s], &p.step_writes_[s]})
      for (const int32_t v : *variables) {
        const auto* at = static_cast<const std::byte*>(ptrs[static_cast<size_t>(v)]);
        const int64_t bytes = p.j_->types[static_cast<size_t>(v)].bytes();
        if (!at) continue;  // a result that nobody wants
        if (forbidden_in(at, bytes))
          throw InternalError(
              fmt::format("step {} of a program takes {} bytes of memory that has "
                          "fewer: variable {}",
                          s, bytes, v));
        if (!arena || at < arena || at >= arena + p.arena_) continue;
        rests.emplace_back(at + bytes, room_of(bytes) - bytes);
      }
    for (const auto& [at, bytes] : rests) forbid(at, bytes);
  }
  ~StepMemory() {
    for (const auto& [at, bytes] : rests) permit(at, bytes);
  }
  StepMemory(const StepMemory&) = delete;
  std::vector<std::pair<const std::byte*, int64_t>> rests;
};

void CompiledProgram::run(const void* const* in, void* const* out) const {
  const FloatState state;
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
  std::optional<Temporaries> arena;
  if (arena_ > 0) {
    arena.emplace(arena_);
    for (size_t v = 0; v < offset_.size(); ++v)
      if (offset_[v] >= 0) ptrs[v] = arena->data() + offset_[v];
  }
  for (size_t k = 0; k < j_->out.size(); ++k)
    if (const Atom a = j_->out[k];
        !a.is_literal() && a.index >= j_->n_in && !ptrs[static_cast<size_t>(a.index)])
      ptrs[static_cast<size_t>(a.index)] = out[k];
  for (size_t v = 0; v < same_place_.size(); ++v)
    if (same_place_[v] >= 0) ptrs[v] = ptrs[static_cast<size_t>(same_place_[v])];
  weft::detail::HostStream& stream = weft::detail::host_stream();
  for (size_t s = 0; s < steps_.size(); ++s) {
    const StepMemory guard(*this, s, ptrs, arena ? arena->data() : nullptr);
    stream.launch([&] { steps_[s]->run(ptrs.data(), stop); });
  }
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
}

int64_t CompiledProgram::temporaries() const {
  int64_t most = 0;
  for (const auto& step : steps_) most = std::max(most, step->temporaries());
  return arena_ + most;
}

// About what was measured: a step and an equation take half a kilobyte, an instruction of a nest an
// eighth, code its two pages more. Code counts in parts with each program that shares it.
int64_t CompiledProgram::footprint() const {
  int64_t bytes = 2000 + 500 * static_cast<int64_t>(j_->eqns.size() + steps_.size());
  for (const auto& step : steps_) {
    if (const std::shared_ptr<const Code> code = step->code())
      bytes += (code->bytes() + 8192 + 128 * static_cast<int64_t>(code->kernel().insts.size())) /
               std::max<int64_t>(1, code.use_count() - 1);
    for (const CompiledProgram* p : step->inner()) bytes += p->footprint();
  }
  return bytes;
}

ProgramMemory CompiledProgram::memory() const {
  ProgramMemory m;
  for (int v = 0; v < j_->n_in; ++v) m.arguments += j_->types[static_cast<size_t>(v)].bytes();
  for (Atom a : j_->out) m.results += j_->type(a).bytes();
  m.temporaries = temporaries();
  for (const auto& step : steps_) {
    if (step->code()) m.code += step->code()->bytes();
    for (const CompiledProgram* p : step->inner()) m.code += p->memory().code;
  }
  return m;
}

// Loops of unknown length count as one trip.
Cost CompiledProgram::cost() const {
  Cost c;
  c.flops = flops(j_);
  for (size_t s = 0; s < steps_.size(); ++s) {
    for (int32_t v : step_reads_[s])
      c.bytes += static_cast<double>(j_->types[static_cast<size_t>(v)].bytes());
    for (int32_t v : step_writes_[s])
      c.bytes += static_cast<double>(j_->types[static_cast<size_t>(v)].bytes());
    for (const CompiledProgram* p : steps_[s]->inner())
      c.bytes += static_cast<double>(steps_[s]->trips()) * p->cost().bytes;
  }
  return c;
}

// Equations that no step's code computes: back from what each step writes, to what it reads.
int64_t CompiledProgram::without_code() const {
  const std::vector<size_t> maker = makers(*j_);
  std::vector<bool> computed(j_->eqns.size(), false);
  int64_t n = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const std::set<int32_t> reads(step_reads_[s].begin(), step_reads_[s].end());
    std::set<size_t> seen;
    std::vector<int32_t> todo = step_writes_[s];
    while (!todo.empty()) {
      const size_t i = maker[static_cast<size_t>(todo.back())];
      todo.pop_back();
      if (i == Program::none || !seen.insert(i).second) continue;
      computed[i] = true;
      for (Atom a : j_->eqns[i].in)
        if (!a.is_literal() && !reads.count(a.index)) todo.push_back(a.index);
    }
    for (const CompiledProgram* p : steps_[s]->inner()) n += p->without_code();
  }
  return n + std::count(computed.begin(), computed.end(), false);
}

std::string CompiledProgram::implementations() const {
  std::map<std::pair<std::string_view, std::string_view>, int> uses;
  for_each_program({j_}, [&](const JaxprData& j) {
    for (const Eqn& e : j.eqns)
      if (!e.implementation.empty()) ++uses[{e.op->name(), e.implementation}];
  });
  std::string s;
  for (const auto& [use, n] : uses)
    s += fmt::format("{}: {}{}\n", use.first, use.second, n > 1 ? fmt::format(" ({})", n) : "");
  return s;
}

std::string CompiledProgram::report() const {
  std::string s = fmt::format("equations: {}\nequations interpreted: {}\nsteps: {}\n",
                              count_equations(j_), without_code(), steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i)
    s += fmt::format("  {}: {}\n", i, steps_[i]->describe());
  s += implementations();
  const ProgramMemory m = memory();
  s += fmt::format("memory: arguments {} bytes, results {} bytes, temporaries {} bytes\n",
                   m.arguments, m.results, m.temporaries);
  s += "passes:";
  for (const PassTime& t : times_)
    s += fmt::format("{} {} {:.2f} ms", &t == times_.data() ? "" : ",", t.pass, 1e3 * t.seconds);
  return s + "\n";
}

}  // namespace weft::compiler
