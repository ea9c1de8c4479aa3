// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/gpu_kernels.cpp: writes docs/gpu-kernels.md: ptxas's reports on the kernels of programs,
// and on hand-written kernels for the same work.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/gpu_cases.h"
#include "jit/gpu_program.h"
#include "tools/cuda/sass.h"
#include "tools/cuda/toolkit.h"
#include "tools/page.h"

namespace {

using namespace weft;
using programs::GpuCase;
using toolkit::Resources;
using toolkit::SassCounts;

constexpr const char* architectures[] = {"sm_80", "sm_90"};
constexpr int not_here = 77;  // ctest's exit code for a skipped test

struct Kernel {
  Resources resources;
  SassCounts counts;
};
using Kernels = std::map<std::string, Kernel>;  // by entry

class Toolkit {
 public:
  explicit Toolkit(const std::string& root) : root_(root) {
    for (const char* name : {"ptxas", "nvdisasm", "nvcc"})
      if (find(name).empty()) missing_ = name;
  }
  // the name of a program; empty: nothing is missing
  const std::string& missing() const { return missing_; }
  std::string version() const {
    const std::string text = said(find("ptxas") + " --version"), mark = "Cuda compilation tools, ";
    const size_t from = text.find(mark) + mark.size();
    return text.substr(from, text.find('\n', from) - from);
  }
  Kernels assembled(const std::string& ptx, const std::string& architecture) const {
    const toolkit::Folder folder;
    const std::string cubin = folder / "kernels.cubin";
    const toolkit::Assembled a = toolkit::assemble(find("ptxas"), ptx, architecture, cubin);
    if (!a.error.empty()) throw std::runtime_error("ptxas: " + a.error);
    return read(cubin, a.entries);
  }
  // benchmarks/limit_gpu.cu
  Kernels by_hand(const std::string& architecture) const {
    const toolkit::Folder folder;
    const std::string cubin = folder / "limit.cubin";
    const std::string text =
        said(fmt::format("{} -std=c++17 -O3 --fmad=true -Xptxas -v -arch={} -cubin -o {} {}",
                         find("nvcc"), architecture, cubin, root_ + "/benchmarks/limit_gpu.cu"));
    return read(cubin, toolkit::read_resources(text));
  }

 private:
  // Pinned versions only, so that every machine gives the same page.
  std::string find(const char* name) const {
    return toolkit::find_in(toolkit::pinned_folders(root_), name);
  }
  static std::string said(const std::string& command) {
    const toolkit::Said s = toolkit::run(command);
    if (s.status != 0) throw std::runtime_error(command + ":\n" + s.text);
    return s.text;
  }
  Kernels read(const std::string& cubin, const std::map<std::string, Resources>& entries) const {
    std::map<std::string, SassCounts> counts =
        toolkit::read_sass(said(find("nvdisasm") + " -c " + cubin));
    Kernels r;
    for (const auto& [name, resources] : entries) r[name] = {resources, counts[name]};
    return r;
  }
  const std::string root_;
  std::string missing_;
};

// "12, 14": values of both architectures; "12" if they agree.
template <class Of>
std::string both(const Kernel& a, const Kernel& b, Of&& of) {
  const std::string x = of(a), y = of(b);
  return x == y ? x : x + ", " + y;
}
std::string loops(const Kernel& k) {
  std::string s;
  for (int n : k.counts.inner_loops) s += fmt::format("{}{}", s.empty() ? "" : " + ", n);
  return s.empty() ? "none" : s;
}

struct Row {
  const GpuCase* of;
  compiler::GpuProgram programs[2];
  Kernels kernels[2];
  const Kernel& kernel(size_t architecture, const std::string& entry) const {
    return kernels[architecture].at(entry);
  }
};

std::string program_table(const std::vector<Row>& rows) {
  std::string s =
      "| program | | kernels | on the host | registers, at most | spilled |\n|---|---|--:|---|--:|"
      "--:|\n";
  for (const Row& r : rows) {
    int kernels = 0;
    std::string host;
    for (const auto& step : r.programs[0].steps) {
      kernels += !step.entry.empty();
      if (step.entry.empty())
        host += (host.empty() ? "" : "; ") + step.text.substr(0, step.text.find('\n'));
    }
    std::string most[2], spilled[2];
    for (size_t a : {0, 1}) {
      Resources all;
      for (const auto& [entry, k] : r.kernels[a]) {
        all.registers = std::max(all.registers, k.resources.registers);
        all.spilled += k.resources.spilled;
      }
      most[a] = std::to_string(all.registers), spilled[a] = std::to_string(all.spilled);
    }
    const auto pair = [](const std::string(&x)[2]) {
      return x[0] == x[1] ? x[0] : x[0] + ", " + x[1];
    };
    s += fmt::format("| {} | {} | {} | {} | {} | {} |\n", r.of->name, r.of->what, kernels, host,
                     kernels ? pair(most) : "", kernels ? pair(spilled) : "");
  }
  return s;
}

// Kernels of a program with equal rows.
struct Kind {
  std::string name, cells;
  int times;
};
std::string kernel_table(const std::vector<Row>& rows) {
  std::string s =
      "| program | kernel | times | registers | spilled | stack | shared | instructions | "
      "innermost loops |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n";
  for (const Row& r : rows) {
    std::vector<Kind> kinds;
    for (const auto& step : r.programs[0].steps) {
      if (step.entry.empty()) continue;
      const Kernel &a = r.kernel(0, step.entry), &b = r.kernel(1, step.entry);
      const auto field = [&](int64_t Resources::* f) {
        return both(a, b, [&](const Kernel& k) { return std::to_string(k.resources.*f); });
      };
      const size_t end = step.text.find(", schedule");
      const std::string name = step.text.substr(0, end);
      const std::string cells = fmt::format(
          "{} | {} | {} | {} | {} | {}", field(&Resources::registers), field(&Resources::spilled),
          field(&Resources::stack), field(&Resources::shared),
          both(a, b, [](const Kernel& k) { return std::to_string(k.counts.instructions); }),
          both(a, b, loops));
      const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) {
        return k.name == name && k.cells == cells;
      });
      if (same == kinds.end())
        kinds.push_back({name, cells, 1});
      else
        ++same->times;
    }
    for (const Kind& k : kinds)
      s += fmt::format("| {} | {} | {} | {} |\n", r.of->name, k.name, k.times, k.cells);
  }
  return s;
}

// Instructions that a thread runs for one of its terms of a row. In hand-written loops a trip is a
// term. A trip of ours has as many terms as it loads numbers; without a loop, all terms are
// unrolled.
double of_term(const SassCounts& c, int terms, bool by_hand) {
  double all = c.instructions;
  for (size_t l = 0; l < c.inner_loops.size(); ++l) {
    const int loads = by_hand ? 1 : c.inner_loads[l];
    if (loads == 0) continue;  // no loop over terms
    all += c.inner_loops[l] * (static_cast<double>(terms) / loads - 1);
  }
  return all / terms;
}

// The ratio of our instructions to theirs. For rows, it is per term. For kernels with 16-byte
// accesses, it is for a thread that makes them. Otherwise it is for the longest innermost loops if
// both have loops, else for all instructions.
double quotient(const SassCounts& ours, const SassCounts& theirs, int terms) {
  if (terms > 0) return of_term(ours, terms, false) / of_term(theirs, terms, true);
  if (ours.wide_path > 0 && theirs.wide_path > 0)
    return static_cast<double>(ours.wide_path) / theirs.wide_path;
  const bool loops = !ours.inner_loops.empty() && !theirs.inner_loops.empty();
  const auto longest = [&](const SassCounts& c) {
    return static_cast<double>(loops ? c.inner_loops[0] : c.instructions);
  };
  return longest(ours) / longest(theirs);
}

// The same for rows, per term.
std::string row_table(const std::vector<Row>& rows, const Kernels (&by_hand)[2]) {
  std::string s =
      "| program | architecture | instructions a term | nvcc's | ours / nvcc's |\n|---|---|--:|--:|"
      "--:|\n";
  for (const Row& r : rows)
    for (size_t a : {0, 1}) {
      const auto limit = by_hand[a].find(r.of->name);
      if (r.of->terms == 0 || limit == by_hand[a].end() || r.kernels[a].size() != 1) continue;
      const SassCounts &ours = r.kernels[a].begin()->second.counts, &theirs = limit->second.counts;
      s += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.2f} |\n", r.of->name, architectures[a],
                       of_term(ours, r.of->terms, false), of_term(theirs, r.of->terms, true),
                       quotient(ours, theirs, r.of->terms));
    }
  return s;
}

std::string limit_table(const std::vector<Row>& rows, const Kernels (&by_hand)[2]) {
  std::string s =
      "| program | architecture | registers | instructions | innermost loops | nvcc: registers | "
      "instructions | innermost loops | ours / nvcc's |\n|---|---|--:|--:|---|--:|--:|---|--:|\n";
  for (const Row& r : rows)
    for (size_t a : {0, 1}) {
      const auto limit = by_hand[a].find(r.of->name);
      if (limit == by_hand[a].end() || r.kernels[a].size() != 1) continue;
      const Kernel &ours = r.kernels[a].begin()->second, &theirs = limit->second;
      s += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} |\n", r.of->name,
                       architectures[a], ours.resources.registers, ours.counts.instructions,
                       loops(ours), theirs.resources.registers, theirs.counts.instructions,
                       loops(theirs), quotient(ours.counts, theirs.counts, r.of->terms));
    }
  return s;
}

// Lists the programs that must stay in registers but do not.
std::string goal(const std::vector<Row>& rows) {
  std::string wanted, missed;
  for (const Row& r : rows) {
    if (!r.of->in_registers) continue;
    wanted += (wanted.empty() ? "" : ", ") + r.of->name;
    for (size_t a : {0, 1})
      for (const auto& [entry, k] : r.kernels[a])
        if (k.resources.spilled > 0 || k.resources.registers > 128)
          missed +=
              fmt::format("{}{} on {}", missed.empty() ? "" : ", ", r.of->name, architectures[a]);
  }
  return pages::wrapped(fmt::format("No spill at up to 128 registers is the goal for {}: {}.",
                                    wanted, missed.empty() ? "met" : "missed by " + missed));
}

// The text of the page above its tables.
constexpr const char* head = R"(# Kernels of GPUs

Written by `./dev docs` from the code; do not edit. The assembler and the disassembler of CUDA
report on the programs of `benchmarks/gpu_cases.h` and of `benchmarks/limit_gpu.cu`. **The numbers
are counted, not measured: nothing here ran.** They are those of CUDA {}.

Where sm_80 and sm_90 differ, there are two numbers. Bytes are those of a thread, and of a block for
shared memory.

## Programs

)";
constexpr const char* above_kernels = R"(
## Kernels

A row is a kernel that the program runs so many times. The stack holds arrays of the lane whose
elements are chosen at run time. Innermost loops are counted without the check of the word that
stops a kernel, which runs once a millisecond.

)";
constexpr const char* above_limits = R"(
## Beside kernels written by hand

They do the same work, compiled by `nvcc -O3 --fmad=true`, with loops over elements that are not
unrolled. The last column is the quotient of the instructions in the longest innermost loops, or of
all instructions if one of the kernels has no loop. For rows that a warp shares it is the quotient
of the instructions per term (below). If both kernels move 16 bytes at once, only the instructions
of a thread that does so count. The goal is 1.3.

)";
constexpr const char* above_rows = R"(
A thread has every 32nd term of a row. Its instructions per term are those of all trips of its
loops, and of the rest once, divided by its terms. A trip of a loop by nvcc is one term, and each
loop reads the row again. A trip of ours has as many terms as it loads numbers. A row whose values
stay in registers has no loop: all terms are unrolled.

)";

std::string page(const Toolkit& tools) {
  const std::vector<GpuCase> cases = programs::gpu_cases();
  std::vector<Row> rows;
  for (const GpuCase& c : cases) {
    Row& r = rows.emplace_back();
    r.of = &c;
    for (size_t a : {0, 1}) {
      r.programs[a] = compiler::gpu_program(c.program, architectures[a]);
      if (r.programs[a].ptx.find(".entry") != std::string::npos)
        r.kernels[a] = tools.assembled(r.programs[a].ptx, architectures[a]);
    }
  }
  const Kernels by_hand[] = {tools.by_hand(architectures[0]), tools.by_hand(architectures[1])};
  std::string s = fmt::format(head, tools.version());
  s += program_table(rows) + "\n" + goal(rows);
  s += above_kernels + kernel_table(rows) + above_limits + limit_table(rows, by_hand);
  s += above_rows + row_table(rows, by_hand);
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string root = argc < 2 ? ".." : std::string(argv[argc - 1]) + "/..";
  const Toolkit tools(root);
  if (!tools.missing().empty()) {
    const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
    pages::fail("docs/gpu-kernels.md stays as it is: there is no " + tools.missing() +
                " in build/venv, where ./dev docs puts it");
    return check ? not_here : 0;
  }
  return pages::run(argc, argv, "gpu-kernels.md", [&](const std::string&) { return page(tools); });
}
