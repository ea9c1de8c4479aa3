// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/conformance.cpp: weft conformance: runs a suite in worker processes and reports.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <set>
#include <thread>

#include "runtime/backend.h"
#include "tools/suites/suite.h"
#include "tools/suites/workers.h"
#include "tools/weft/program_file.h"
#include "weft/device.h"
#include "weft/device/threads.h"

namespace weft::tools {
namespace {

// The first word of each line.
std::set<std::string> read_known(const std::string& path) {
  std::set<std::string> known;
  const std::string text = read_text(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const size_t from = line.find_first_not_of(" \t\r");
    if (from != line.npos && line[from] != '#')
      known.insert(line.substr(from, line.find_first_of(" \t\r", from) - from));
    at = end + 1;
  }
  return known;
}

Verdict failure(std::string cause, std::string text) {
  Verdict v;
  v.how = Verdict::How::failed;
  v.cause = std::move(cause);
  v.text = std::move(text);
  return v;
}

// Runs in a worker. Errors become verdicts; the calling process handles the end of the worker
// process.
Verdict guarded(Suite& suite, size_t i) {
  try {
    return suite.run(i);
  } catch (const Error& e) {
    return failure(cause_of(e), e.what());
  } catch (const std::bad_alloc&) {
    return failure("out of memory", "std::bad_alloc");
  }
}

Verdict verdict_of(const Outcome& o, const TaskLimits& limits) {
  if (o.how == Outcome::How::done) return from_text(o.answer);
  if (o.how == Outcome::How::timed_out)
    return failure("time-out",
                   fmt::format("not done after {} s of the processor or {} s by the clock",
                               limits.processor, limits.clock));
  return failure("crash", o.answer);
}

// Joins the lines into one.
std::string flat(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  constexpr size_t most = 400;
  return out.size() > most ? out.substr(0, most) + "…" : out;
}

std::unique_ptr<Suite> suite_of(const ConformanceOptions& o) {
  if (o.stablehlo && o.programs) throw UsageError("--stablehlo and --programs exclude each other");
  return o.stablehlo ? stablehlo_suite(o) : o.programs ? program_suite(o) : jax_suite(o);
}

class Conformance {
 public:
  explicit Conformance(const ConformanceOptions& o) : o_(o), suite_(suite_of(o)) {
    if (!o.known.empty()) known_ = read_known(o.known);
    if (!o.reference && !backend())
      throw UsageError("the compiler is off (WEFT_NO_JIT); use --reference to run without it");
    if (o.device != "cpu")
      require_device();
    else if (o.bits)
      throw UsageError("--bits compares a device with the host; name one by --device");
    size_t matching = 0;
    for (size_t i = 0; i < suite_->size(); ++i)
      if (o.filter.empty() || fnmatch(o.filter.c_str(), suite_->name(i).c_str(), 0) == 0)
        if (matching++ % static_cast<size_t>(o.every) == 0) which_.push_back(i);
    if (which_.empty())
      throw UsageError(o.filter.empty() ? o.dir + " holds no cases"
                                        : fmt::format("--filter: no case matches '{}'", o.filter));
  }

  int run() {
    verdicts_.resize(which_.size());
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    jobs_ = o_.jobs > 0 ? o_.jobs : cores;
    const auto start = std::chrono::steady_clock::now();
    // Single cases are too small to use several threads.
    const auto work = [&](size_t k) {
      set_num_threads(std::max(1, cores / jobs_));
      return to_text(guarded(*suite_, which_[k]));
    };
    const TaskLimits limits{o_.seconds, 6 * o_.seconds};
    run_in_workers(which_.size(), jobs_, limits, work, [&](size_t k, const Outcome& o) {
      verdicts_[k] = verdict_of(o, limits);
      report(k);
    });
    wall_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return conclude();
  }

 private:
  // The check runs in its own process, because a driver does not survive the fork of a worker.
  void require_device() const {
    if (o_.reference)
      throw UsageError("--reference evaluates on the host, so there is no --device to choose");
    std::string missing;
    const auto look = [&](size_t) -> std::string {
      try {
        detail::find_device(o_.device, "--device");
        return "";
      } catch (const DeviceError& e) {
        return e.what();
      }
    };
    run_in_workers(1, 1, {60, 60}, look, [&](size_t, const Outcome& o) {
      missing = o.how == Outcome::How::done      ? o.answer
                : o.how == Outcome::How::crashed ? "--device: looking for it ended in " + o.answer
                                                 : "--device: the driver gives no answer";
    });
    if (!missing.empty()) throw UsageError(missing);
  }

  bool is_known(size_t k) const { return known_.contains(suite_->name(which_[k])); }

  void report(size_t k) const {
    const Verdict& v = verdicts_[k];
    if (v.how != Verdict::How::failed) return;
    fmt::print("{} {}: {}: {}\n", is_known(k) ? "known" : "FAIL ", suite_->name(which_[k]), v.cause,
               flat(v.text));
    std::fflush(stdout);
  }

  // The time of each stage, and the slowest cases.
  std::string times() const {
    Verdict sum;
    for (const Verdict& v : verdicts_) {
      sum.read += v.read;
      sum.trace += v.trace;
      sum.compile += v.compile;
      sum.run += v.run;
      sum.check += v.check;
    }
    std::vector<size_t> order(which_.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return verdicts_[a].seconds() > verdicts_[b].seconds(); });
    std::string slow;
    for (size_t k = 0; k < std::min<size_t>(3, order.size()); ++k)
      slow += fmt::format("{}{} {:.2f} s", k ? ", " : "", suite_->name(which_[order[k]]),
                          verdicts_[order[k]].seconds());
    return fmt::format(
        "time: {:.1f} s by the clock in {} processes; of the processor: read {:.1f}, trace {:.1f}, "
        "compile {:.1f}, run {:.1f}, check {:.1f} s, {:.0f} ms a case; slowest {}\n",
        wall_, jobs_, sum.read, sum.trace, sum.compile, sum.run, sum.check,
        1e3 * sum.seconds() / static_cast<double>(which_.size()), slow);
  }

  std::string bits() const {
    int same = 0;
    std::string others;
    for (size_t k = 0; k < which_.size(); ++k) {
      same += verdicts_[k].bits == Verdict::Bits::same;
      if (verdicts_[k].bits == Verdict::Bits::other_implementation)
        others += fmt::format("{}{}", others.empty() ? "" : " ", suite_->name(which_[k]));
    }
    return fmt::format("bits of the host: {} of {} cases{}{}\n", same, which_.size(),
                       others.empty() ? "" : "; where it calls a library: ", others);
  }

  int conclude() const {
    Tally all;
    int new_failures = 0;
    std::string passing;
    for (size_t k = 0; k < which_.size(); ++k) {
      all.add(verdicts_[k]);
      const bool fails = verdicts_[k].how == Verdict::How::failed;
      if (fails && !is_known(k)) ++new_failures;
      if (!fails && is_known(k)) passing += "passes " + suite_->name(which_[k]) + "\n";
    }
    std::string s = suite_->summary(which_, verdicts_);
    if (all.failed || all.skipped) s += "causes: " + causes_text(all) + "\n";
    if (o_.bits) s += bits();
    s += times();
    if (!passing.empty()) s += "listed in --known, but not failing any more:\n" + passing;
    if (!o_.known.empty()) s += fmt::format("{} failures are not in --known\n", new_failures);
    s += fmt::format("{} passed, {} failed", all.passed, all.failed);
    if (all.skipped) s += fmt::format(", {} skipped", all.skipped);
    fmt::print("{}\n", s);
    return new_failures ? failed : ok;
  }

  const ConformanceOptions& o_;
  std::unique_ptr<Suite> suite_;
  std::set<std::string> known_;
  std::vector<size_t> which_;
  std::vector<Verdict> verdicts_;
  int jobs_ = 1;
  double wall_ = 0;
};

}  // namespace

int conformance_command(const ConformanceOptions& o) { return Conformance(o).run(); }

}  // namespace weft::tools
