// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/run.cpp: weft run: reads a program, transforms it, compiles it, and runs or shows it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/text/print_array.h"
#include "jit/forced.h"
#include "jit/program.h"
#include "tools/weft/apply.h"
#include "tools/weft/arrays_file.h"
#include "tools/weft/command.h"
#include "tools/weft/interrupts.h"
#include "tools/weft/program_file.h"
#include "tracer/concrete.h"
#include "tracer/types_of.h"
#include "weft/device.h"

namespace weft::tools {
namespace {

constexpr int64_t shown_lanes = 8;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

void print(std::FILE* to, const std::string& s) {
  if (std::fwrite(s.data(), 1, s.size(), to) != s.size() || std::fflush(to) != 0)
    throw FormatError("standard output: writing failed");
}

// The inputs and outputs of a program.
std::string description(const ProgramFile& p, const Applied& a, const Types& in) {
  std::string s = "inputs\n";
  for (size_t i = 0; i < in.size(); ++i) {
    const bool named = a.n_in == p.names.size() && i < p.names.size();
    s += fmt::format("  in{:<4}{}{}\n", i, to_string(in[i]),
                     named ? fmt::format("  (or {})", p.names[i]) : "");
  }
  if (in.empty()) s += "  none\n";
  s += "outputs\n";
  const Types out = traced(a, in).jaxpr->out_types();
  for (size_t i = 0; i < out.size(); ++i) s += fmt::format("  out{:<3}{}\n", i, to_string(out[i]));
  return s;
}

std::string shown(const detail::LoweredImpl& l, const std::string& what) {
  std::string s;
  if (what == "jaxpr") s = l.jaxpr();
  if (what == "optimized") s = l.optimized();
  if (what == "kernels") s = l.kernels();
  if (what == "llvm") s = l.llvm_ir();
  if (what == "asm") s = l.assembly();
  if (what == "ptx") s = l.ptx();
  if (what == "stablehlo") s = detail::stablehlo_text(l);
  if (what == "report") s = l.report();
  if (!s.ends_with('\n')) s += '\n';
  return s;
}

std::string results(const Arrays& out) {
  std::string s;
  for (size_t i = 0; i < out.size(); ++i)
    s += fmt::format("out{} {}\n{}\n", i, to_string(out[i].type().strong()),
                     array_str(concrete(out[i]).data(), out[i].dtype(), out[i].shape()));
  return s;
}

struct Times {
  double read = 0, trace = 0, compile = 0, first = 0;
};

// On a device, the work may not have finished when a call returns.
void wait_for(const Arrays& x) {
  for (const Array& a : x) a.block_until_ready();
}

// Repeats the call for about a second.
std::string timing(const Times& t, const detail::CompiledImpl& program, const Arrays& x) {
  double best = t.first;
  int calls = 1;
  for (const auto start = Clock::now(); calls < 3 || (seconds_since(start) < 1 && calls < 100000);
       ++calls) {
    check_interrupt("weft run");
    const auto begin = Clock::now();
    wait_for(program.run(x));
    best = std::min(best, seconds_since(begin));
  }
  const auto ms = [](double s) { return s * 1e3; };
  return fmt::format(
      "read {:.3f} ms, trace {:.3f} ms, compile {:.3f} ms, first run {:.3f} ms, best of {} runs "
      "{:.4f} ms\n",
      ms(t.read), ms(t.trace), ms(t.compile), ms(t.first), calls, ms(best));
}

// PTX is text, so showing it does not require a GPU.
bool is_text_for_no_gpu(const RunOptions& o) {
  const auto is_gpu = [](const std::string& name) { return name.starts_with("cuda:"); };
  const bool named = is_gpu(o.device) && o.device.size() > 5 &&
                     o.device.find_first_not_of("0123456789", 5) == std::string::npos;
  const std::vector<std::string> all = devices();
  return named && o.show == "ptx" && o.inputs.empty() &&
         std::none_of(all.begin(), all.end(), is_gpu);
}

class Run {
 public:
  explicit Run(const RunOptions& o) : o_(o), expr_(parse_expr(o.apply)) {
    try {
      default_device(o.device);
    } catch (const DeviceError& e) {
      if (!is_text_for_no_gpu(o)) throw UsageError(fmt::format("--device: {}", e.what()));
      print(stderr, "note: there is no GPU here; the PTX is for the one that its .target names\n");
    }
  }

  int run() {
    const auto start = Clock::now();
    file_ = load_program(o_.program);
    times_.read = seconds_since(start);
    applied_ = apply(expr_, file_.program);
    const bool runs = !o_.inputs.empty() || (applied_.n_in == 0 && o_.show.empty());
    if (!runs && (!o_.out.empty() || o_.time))
      throw UsageError(fmt::format("{} needs --inputs, without which nothing runs",
                                   o_.out.empty() ? "--time" : "--out"));
    const Types in = runs ? read() : example_types();
    if (!runs && o_.show.empty()) {
      print(stdout, description(file_, applied_, in));
      return ok;
    }
    compile(in);
    if (!o_.show.empty()) print(stdout, shown(*lowered_, o_.show));
    if (runs) execute();
    if (o_.show != "jaxpr" || runs) compiler::require_forced_schedules_used();
    return ok;
  }

 private:
  Types read() {
    if (o_.inputs.empty()) return {};
    const bool named = applied_.n_in == file_.names.size();
    x_ = read_inputs(o_.inputs, applied_.n_in, named ? file_.names : std::vector<std::string>());
    fit_inputs(o_.inputs, x_, applied_.in_types(2), applied_.in_types(3));
    return types_of(x_);
  }
  Types example_types() const {
    if (has_open_size(expr_.root))
      print(stderr, fmt::format("note: without --inputs, a vmap without axis_size is shown for {} "
                                "lanes\n",
                                shown_lanes));
    return applied_.in_types(shown_lanes);
  }

  void compile(const Types& in) {
    auto start = Clock::now();
    const ClosedJaxpr closed = traced(applied_, in);
    times_.trace = seconds_since(start);
    check_interrupt("weft run");
    lowered_ = detail::make_lowered(closed);
    if ((o_.show == "jaxpr" || o_.show == "ptx") && x_.empty()) return;
    start = Clock::now();
    compiled_ = lowered_->compile();
    times_.compile = seconds_since(start);
    check_interrupt("weft run");
  }

  void execute() {
    if (!compiled_) compiled_ = lowered_->compile();
    const auto start = Clock::now();
    const Arrays out = compiled_->run(x_);
    wait_for(out);
    times_.first = seconds_since(start);
    if (!o_.out.empty())
      write_outputs(o_.out, out);
    else if (o_.show != "ptx")
      print(stdout, results(out));
    if (o_.time) print(stderr, timing(times_, *compiled_, x_));
  }

  const RunOptions& o_;
  const ParsedExpr expr_;
  ProgramFile file_;
  Applied applied_;
  Arrays x_;
  Ref<const detail::LoweredImpl> lowered_;
  Ref<const detail::CompiledImpl> compiled_;
  Times times_;
};

}  // namespace

int run_command(const RunOptions& o) {
  catch_interrupts();
  return Run(o).run();
}

}  // namespace weft::tools
