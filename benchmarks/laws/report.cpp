// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/report.cpp: writes the results.
#include "benchmarks/laws/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::speed {
namespace {

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ms", seconds * 1e3);
}

std::string line(const Finding& f) {
  const Interval& r = f.times.ratio;
  std::string s = fmt::format("broken {:8} {:28} {:.2f} ({:.2f} to {:.2f})  {}: {} beside {}\n",
                              f.law->name, f.program, r.middle, r.low, r.high, f.what,
                              time_text(f.times.first), time_text(f.times.second));
  if (!f.lockstep.empty()) s.insert(s.size() - 1, "; " + f.lockstep);
  return s;
}

std::string summary(const Run& r, const std::string& name) {
  std::set<std::string> programs, broken, undecided;
  std::vector<double> ratios;
  for (const Finding& f : r.measured.findings) {
    if (f.law->name != name) continue;
    if (!f.times.decided()) {
      undecided.insert(f.program);
      continue;
    }
    programs.insert(f.program);
    ratios.push_back(f.times.ratio.middle);
    if (f.broken()) broken.insert(f.program);
  }
  const std::string mean = ratios.empty() ? "none" : fmt::format("{:.3f}", geometric_mean(ratios));
  return fmt::format(
      "law {:8} {} programs measured, {} broken, {} with undecided comparisons; {} comparisons, "
      "geometric mean {}\n",
      name, programs.size(), broken.size(), undecided.size(), ratios.size(), mean);
}

nlohmann::json as_json(const Measured& m) {
  nlohmann::json findings = nlohmann::json::array();
  for (const Finding& f : m.findings) {
    const Comparison& t = f.times;
    findings.push_back({{"program", f.program},
                        {"law", f.law->name},
                        {"what", f.what},
                        {"limit", f.law->limit},
                        {"pairs", t.pairs},
                        {"ratio", t.ratio.middle},
                        {"low", t.ratio.low},
                        {"high", t.ratio.high},
                        {"first_s", t.first},
                        {"second_s", t.second},
                        {"decided", t.decided()},
                        {"broken", f.broken()},
                        {"lockstep", f.lockstep}});
  }
  return {{"findings", findings}, {"refused", m.refused}};
}
// Messages of errors may contain bytes that are not UTF-8.
std::string dumped(const nlohmann::json& j) {
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

size_t count_broken(const Run& r) {
  return static_cast<size_t>(std::count_if(r.measured.findings.begin(), r.measured.findings.end(),
                                           [](const Finding& f) { return f.broken(); }));
}

std::string report_text(const Run& r) {
  std::vector<const Finding*> broken;
  for (const Finding& f : r.measured.findings)
    if (f.broken()) broken.push_back(&f);
  std::stable_sort(broken.begin(), broken.end(), [](const Finding* a, const Finding* b) {
    return a->times.ratio.middle > b->times.ratio.middle;
  });
  std::string s;
  for (const std::string& text : r.measured.refused) s += "refused " + text + '\n';
  for (const Finding* f : broken) s += line(*f);
  for (const std::string& name : r.laws) s += summary(r, name);
  s += fmt::format("{} programs, {} of them not begun; {:.0f} s of at most {:.0f} s\n", r.programs,
                   r.skipped, r.seconds, r.most_seconds);
  return s;
}

std::string to_text(const Measured& m) { return dumped(as_json(m)); }

Measured from_text(const std::string& text) {
  const auto all = nlohmann::json::parse(text);
  Measured m;
  for (const auto& j : all.at("findings")) {
    Finding f;
    f.program = j.at("program").get<std::string>();
    for (const Law& l : all_laws)
      if (j.at("law").get<std::string>() == l.name) f.law = &l;
    f.what = j.at("what").get<std::string>();
    f.lockstep = j.at("lockstep").get<std::string>();
    f.times.pairs = j.at("pairs").get<size_t>();
    f.times.first = j.at("first_s").get<double>();
    f.times.second = j.at("second_s").get<double>();
    // JSON has no infinite bounds.
    if (f.times.decided())
      f.times.ratio = {j.at("low").get<double>(), j.at("ratio").get<double>(),
                       j.at("high").get<double>()};
    m.findings.push_back(std::move(f));
  }
  m.refused = all.at("refused").get<std::vector<std::string>>();
  return m;
}

std::string report_json(const Run& r) {
  nlohmann::json all = as_json(r.measured);
  all["laws"] = r.laws;
  all["programs"] = r.programs;
  all["skipped"] = r.skipped;
  all["seconds"] = r.seconds;
  return dumped(all) + '\n';
}

}  // namespace weft::speed
