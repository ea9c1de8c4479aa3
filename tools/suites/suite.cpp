// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/suite.cpp: verdicts, their causes and their counts.
#include "tools/suites/suite.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <sstream>

#include "jit/program.h"
#include "jit/run/compiled.h"
#include "runtime/backend.h"
#include "tools/weft/compare.h"
#include "tracer/eval_trace.h"
#include "tracer/placement.h"
#include "tracer/weak_numbers.h"
#include "weft/device.h"

namespace weft::tools {

std::string to_text(const Verdict& v) {
  return fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}", static_cast<int>(v.how),
                     static_cast<int>(v.bits), v.numeric ? 1 : 0, v.read, v.trace, v.compile, v.run,
                     v.check, v.cause, v.text);
}

Verdict from_text(const std::string& s) {
  std::istringstream in(s);
  Verdict v;
  int how = 0, bits = 0;
  in >> how >> bits >> v.numeric >> v.read >> v.trace >> v.compile >> v.run >> v.check;
  in.get();
  std::getline(in, v.cause);
  std::getline(in, v.text, '\0');
  v.how = static_cast<Verdict::How>(how);
  v.bits = static_cast<Verdict::Bits>(bits);
  return v;
}

std::string cause_of(const Error& e) {
  const std::string text = e.what();
  const bool rule = text.find("rule") != text.npos;
  if (dynamic_cast<const FormatError*>(&e) && text.find("missing op") != text.npos)
    return "missing op";
  if (dynamic_cast<const FormatError*>(&e) && text.find("missing type") != text.npos)
    return "missing type";
  if (dynamic_cast<const ParseError*>(&e) || dynamic_cast<const FormatError*>(&e)) return "parse";
  if (rule &&
      (dynamic_cast<const DifferentiationError*>(&e) || dynamic_cast<const BatchingError*>(&e)))
    return "rule missing";
  if (dynamic_cast<const OtherBits*>(&e)) return "other bits";
  if (dynamic_cast<const CompileError*>(&e)) return "compile";
  if (dynamic_cast<const InternalError*>(&e)) return "internal error";
  if (dynamic_cast<const OutOfMemoryError*>(&e)) return "out of memory";
  return "error";
}

double Stopwatch::now() {
  timespec t = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

namespace {

Arrays with_consts(const ClosedJaxpr& c, const Arrays& x) {
  Arrays all = c.consts;
  all.insert(all.end(), x.begin(), x.end());
  return all;
}

// The result of running a program on a device.
struct There {
  Jaxpr jaxpr;
  Ref<const Executable> program;
  Arrays out;
};
There results_there(detail::Device& d, const ClosedJaxpr& c, const Arrays& x, Verdict& v,
                    Stopwatch& watch) {
  const ExactInputs written = with_exact_inputs(c.jaxpr);
  require_one_device(written.jaxpr, d);
  There r{written.jaxpr, d.compile(written.jaxpr), {}};
  v.compile += watch.lap();
  r.out = run_elsewhere(d, r.jaxpr, *r.program, written.operands(with_consts(c, x)));
  for (const Array& a : r.out) a.block_until_ready();
  v.run += watch.lap();
  return r;
}

Arrays results_here(const ClosedJaxpr& c, const Arrays& x, Verdict& v, Stopwatch& watch) {
  const auto compiled = detail::make_lowered(c)->compile();
  v.compile += watch.lap();
  Arrays out = compiled->run(x);
  v.run += watch.lap();
  return out;
}

std::string implementations(const Executable& e) {
  return static_cast<const compiler::CompiledProgram&>(e).implementations();
}

// An op for which the host uses a library that the device does not have may round differently.
void compare_bits(const std::string& device, const There& there, const Arrays& here, Verdict& v) {
  v.bits = std::max(v.bits, Verdict::Bits::same);
  for (size_t i = 0; i < here.size(); ++i) {
    const std::string d = difference(there.out[i], here[i], {Rule::Kind::bits});
    if (d.empty()) continue;
    v.bits = Verdict::Bits::other_implementation;
    if (implementations(*there.program) == implementations(*detail::host().compile(there.jaxpr)))
      throw OtherBits(fmt::format("result {} of '{}' is not that of the host: {}", i, device, d));
  }
}

}  // namespace

Arrays results_of(const ClosedJaxpr& c, const Arrays& x, const ConformanceOptions& o, Verdict& v,
                  Stopwatch& watch) {
  if (o.reference) {
    const ReferenceMode mode;
    Arrays out = eval_jaxpr(c.jaxpr, with_consts(c, x));
    v.run += watch.lap();
    return out;
  }
  detail::Device& d = detail::find_device(o.device, "--device");
  if (&d == &detail::host()) return results_here(c, x, v, watch);
  There there = results_there(d, c, x, v, watch);
  if (o.bits) compare_bits(o.device, there, results_here(c, x, v, watch), v);
  return std::move(there.out);
}

void Tally::add(const Verdict& v) {
  if (v.how == Verdict::How::passed) ++passed;
  if (v.how == Verdict::How::failed) ++failed;
  if (v.how == Verdict::How::skipped) ++skipped;
  if (v.how != Verdict::How::passed) ++causes[v.cause];
}

std::string causes_text(const Tally& t) {
  std::vector<std::pair<std::string, int>> all(t.causes.begin(), t.causes.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string s;
  for (const auto& [cause, n] : all) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", cause, n);
  return s;
}

}  // namespace weft::tools
