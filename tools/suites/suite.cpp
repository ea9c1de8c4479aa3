// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/suite.cpp: verdicts, their causes and their counts.
#include "weft/tools/suites/suite.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <sstream>

#include "weft/jit/program.h"
#include "weft/tracer/eval_trace.h"

namespace weft::tools {

std::string to_text(const Verdict& v) {
  return fmt::format("{} {} {} {} {} {} {}\n{}\n{}", static_cast<int>(v.how), v.numeric ? 1 : 0,
                     v.read, v.trace, v.compile, v.run, v.check, v.cause, v.text);
}

Verdict from_text(const std::string& s) {
  std::istringstream in(s);
  Verdict v;
  int how = 0;
  in >> how >> v.numeric >> v.read >> v.trace >> v.compile >> v.run >> v.check;
  in.get();
  std::getline(in, v.cause);
  std::getline(in, v.text, '\0');
  v.how = static_cast<Verdict::How>(how);
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

Arrays results_of(const Closed& c, const Arrays& x, bool reference, Verdict& v, Stopwatch& watch) {
  Arrays out;
  if (reference) {
    const ReferenceMode mode;
    Arrays all = c.consts;
    all.insert(all.end(), x.begin(), x.end());
    out = eval_jaxpr(c.jaxpr, all);
  } else {
    const auto compiled = detail::make_lowered(c)->compile();
    v.compile += watch.lap();
    out = compiled->run(x);
  }
  v.run += watch.lap();
  return out;
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
