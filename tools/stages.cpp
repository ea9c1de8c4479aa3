// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/stages.cpp: writes docs/stages.md, which shows one program after each stage of the
// compiler, and the table of passes in docs/architecture.md.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "jit/pipeline.h"
#include "tools/page.h"
#include "weft/control_flow.h"
#include "weft/jit.h"
#include "weft/make_jaxpr.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/vmap.h"

namespace {

// [program]
using namespace weft;

// The square root of one number by Newton's method: each lane takes as many steps as it needs.
Array root(const Array& x) {
  return while_loop([&](const Array& y) { return abs(y * y - x) > 1e-6 * x; },
                    [&](const Array& y) { return 0.5 * (y + x / y); }, x);
}
// [end]

// The text between the marks above.
std::string program(const std::string& docs) {
  const std::string s = weft::pages::read_file(docs + "/../tools/stages.cpp"),
                    begin = "// [program]\n";
  const size_t from = s.find(begin) + begin.size(), to = s.find("// [end]\n");
  if (to == std::string::npos) throw std::runtime_error("the program's text was not found");
  return s.substr(from, to - from);
}

std::string block(const char* language, const std::string& text) {
  return std::string("```") + language + "\n" + text + (text.back() == '\n' ? "" : "\n") +
         "```\n\n";
}

// The part of `text` from the line that begins with `from` to the one that begins with `to`.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find("\n" + from), end = text.find("\n" + to, begin);
  if (end == std::string::npos) throw std::runtime_error("the kernel has no " + from + " or " + to);
  return text.substr(begin + 1, end - begin - 1);
}

std::string page(const std::string& docs) {
  // The text of kernels depends on the instruction set.
  setenv("WEFT_CPU", "x86-64-v3", 1);
  const Array x = arange(1, 10001, 1, F32);
  const auto lowered = jit(vmap(root)).lower(x);
  std::string s = R"(# One program at each stage

Written by `./dev docs`; do not edit. `docs/architecture.md` describes the stages, and `docs/ir.md`
the text of programs.

## The function

)";
  s += block("cpp", program(docs));
  s += "## Traced\n\n`make_jaxpr(root)(x)`, of one number:\n\n";
  s += block("", to_string(make_jaxpr(root)(x.at(0).get())));
  s += R"(## Mapped

`jit(vmap(root)).lower(xs).jaxpr()`, of 10,000 numbers. The predicate is mapped, so the loop has the
parameter `lanes`. It is still one loop of a lane.

)";
  s += block("", lowered.jaxpr());
  s += R"(## Rewritten

`.optimized()`, after the passes of `jit/pipeline.cpp` from jaxpr to jaxpr. `WEFT_LOG=passes` shows
the program after each:

)";
  s += block("", lowered.optimized());
  s += R"(## Kernels

`.kernels()`: the nest of one lane, and its schedule.

)";
  s += block("", lowered.kernels());
  s += R"(## LLVM

`.llvm_ir()` for AVX2: the part with the loop of 32 lanes, four vectors side by side. A lane that is
done keeps its value while others continue. `budget` counts down to the next check of time limits.

)";
  s += block("llvm", between(lowered.llvm_ir(), "while:", "tail:"));
  s.pop_back();
  return s;
}

// docs/architecture.md with the table of passes between its two marks.
std::string architecture(const std::string& docs) {
  const std::string s = weft::pages::read_file(docs + "/architecture.md"),
                    begin = "<!-- passes: ./dev docs writes them from jit/pipeline.cpp -->\n",
                    end = "<!-- end of passes -->\n";
  const size_t from = s.find(begin), to = s.find(end);
  if (from == s.npos || to == s.npos)
    throw std::runtime_error("architecture.md does not have the marks of the table");
  std::string table = "| pass | file | from | to | why |\n|---|---|---|---|---|\n";
  for (const compiler::PassInfo& p : compiler::pass_infos())
    table += fmt::format("| {} | `{}` | {} | {} | {} |\n", p.name, p.file, p.from, p.to, p.why);
  return s.substr(0, from) + begin + table + s.substr(to);
}

}  // namespace

int main(int argc, char** argv) {
  return std::max(weft::pages::run(argc, argv, "stages.md", page),
                  weft::pages::run(argc, argv, "architecture.md", architecture));
}
