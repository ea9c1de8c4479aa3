// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/main.cpp: speed_laws measures programs and lists those that break a law of speed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "benchmarks/laws/report.h"

namespace weft::speed {
namespace {

struct Options {
  std::vector<std::string> filters, laws;
  std::string programs, json;
  double seconds = 3600;
  int64_t random = 500;
  uint64_t from = 0;
  bool strict = false, list = false;
};

void add_options(CLI::App& app, Options& o) {
  std::set<std::string> names;
  for (const Law& l : all_laws) names.insert(l.name);
  app.add_option("--filter", o.filters, "Only programs whose names contain one of these texts");
  app.add_option("--law", o.laws, "Only these laws: map, chunk, together, flat, sizes")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--seconds", o.seconds, "The most time for all programs")
      ->check(CLI::PositiveNumber);
  app.add_option("--programs", o.programs,
                 "A folder with a folder for each StableHLO program, as weft conformance "
                 "--programs takes it")
      ->type_name("DIR");
  app.add_option("--random", o.random, "The number of random programs")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--from", o.from, "The number of the first random program");
  app.add_option("--json", o.json, "Write all comparisons to this file")->type_name("FILE");
  app.add_flag("--strict", o.strict, "Exit with 1 if a law is broken");
  app.add_flag("--list", o.list, "Print the names of the programs and measure nothing");
}

Sources chosen(const Options& o) {
  Sources all = functions(), r;
  if (!o.programs.empty())
    for (Source& s : modules(o.programs)) all.push_back(std::move(s));
  for (Source& s : random_programs(o.from, o.random)) all.push_back(std::move(s));
  for (Source& s : all) {
    bool wanted = o.filters.empty();
    for (const std::string& f : o.filters) wanted |= s.name.find(f) != std::string::npos;
    if (wanted) r.push_back(std::move(s));
  }
  return r;
}

Run run(const Options& o, const Sources& sources) {
  Run r;
  r.programs = sources.size();
  r.most_seconds = o.seconds;
  for (const Law& l : all_laws)
    if (o.laws.empty() || std::find(o.laws.begin(), o.laws.end(), l.name) != o.laws.end())
      r.laws.push_back(l.name);
  Settings settings{{r.laws.begin(), r.laws.end()}};
  for (const Source& s : functions()) settings.partners.push_back({s.name, s.make()});
  const Deadline end(o.seconds);
  const bool progress = isatty(STDERR_FILENO);
  for (size_t i = 0; i < sources.size(); ++i) {
    const double left = end.left();
    if (left <= 0) {
      r.skipped = sources.size() - i;
      break;
    }
    if (progress)
      std::fprintf(stderr, "\r[%zu/%zu] %-40s", i + 1, sources.size(), sources[i].name.c_str());
    // Some programs need less than their share, so that others may take twice theirs.
    const double share = 2 * left / static_cast<double>(sources.size() - i + 1);
    Measured m = measure_apart(sources[i], settings, share);
    std::move(m.findings.begin(), m.findings.end(), std::back_inserter(r.measured.findings));
    std::move(m.refused.begin(), m.refused.end(), std::back_inserter(r.measured.refused));
  }
  if (progress) std::fprintf(stderr, "\r%60s\r", "");
  r.seconds = o.seconds - end.left();
  return r;
}

int main_with(const Options& o) {
  const Sources sources = chosen(o);
  if (o.list) {
    for (const Source& s : sources) std::printf("%s\n", s.name.c_str());
    return 0;
  }
  const Run r = run(o, sources);
  std::fputs(report_text(r).c_str(), stdout);
  if (!o.json.empty() && !(std::ofstream(o.json) << report_json(r)))
    throw FormatError(o.json + ": writing failed");
  return o.strict && count_broken(r) > 0 ? 1 : 0;
}

}  // namespace
}  // namespace weft::speed

int main(int argc, char** argv) {
  weft::speed::Options options;
  CLI::App app("Measures programs and lists those that break a law of speed", "speed_laws");
  weft::speed::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    return weft::speed::main_with(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "speed_laws: %s\n", e.what());
    return 2;
  }
}
