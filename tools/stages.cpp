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
  std::string s =
      "# One program at each stage\n\n"
      "Written by `./dev docs`; do not edit. `docs/architecture.md` says what the stages do, "
      "`docs/ir.md` how programs are\nwritten.\n\n"
      "## The function\n\n";
  s += block("cpp", program(docs));
  s += "## Traced\n\n`make_jaxpr(root)(x)`, of one number:\n\n";
  s += block("", to_string(make_jaxpr(root)(x.at(0).get())));
  s += "## Mapped\n\n`jit(vmap(root)).lower(xs).jaxpr()`, of 10,000 numbers. The predicate is "
       "mapped, "
       "so the loop has got `lanes`:\nit is still one loop of a lane.\n\n";
  s += block("", lowered.jaxpr());
  s += "## Rewritten\n\n`.optimized()`, after the passes from program to program of "
       "`jit/pipeline.cpp`; "
       "`WEFT_LOG=passes` shows it after\neach:\n\n";
  s += block("", lowered.optimized());
  s += "## Kernels\n\n`.kernels()`: the nest of one lane. Of vectors it says only that "
       "neighbouring points of the grid may fill them.\n\n";
  s += block("", lowered.kernels());
  s += "## LLVM\n\n`.llvm_ir()`, written for AVX2; of it the loop of 32 lanes, four vectors side "
       "by side. "
       "A lane that is done keeps\nits value while others go on; `budget` counts down to the next "
       "look "
       "at time limits.\n\n";
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
