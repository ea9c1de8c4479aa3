// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/stablehlo_suite.cpp: StableHLO files that contain inputs, expected results and the
// rules for comparing them. A file passes if all its parts pass.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "interop/stablehlo_tests.h"
#include "tools/suites/suite.h"
#include "tools/weft/compare.h"
#include "tools/weft/program_file.h"

namespace weft::tools {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name, category = "files", group = "files", family;
};

std::vector<std::string> split(const std::string& s, char at) {
  std::vector<std::string> r;
  size_t from = 0;
  for (size_t to; (to = s.find(at, from)) != s.npos; from = to + 1)
    r.push_back(s.substr(from, to - from));
  r.push_back(s.substr(from));
  return r;
}

// The files that the manifest lists, with their categories.
std::vector<File> read_manifest(const std::string& path) {
  const std::vector<std::string> lines = split(read_text(path), '\n');
  const std::vector<std::string> titles = split(lines[0], '\t');
  const auto column = [&](const char* title) {
    const auto it = std::find(titles.begin(), titles.end(), title);
    if (it == titles.end()) throw FormatError(fmt::format("{}: no column '{}'", path, title));
    return static_cast<size_t>(it - titles.begin());
  };
  const size_t name = column("file"), category = column("category"), group = column("group"),
               family = column("family");
  std::vector<File> files;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], '\t');
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != titles.size())
      throw FormatError(fmt::format("{}: line {} has {} columns, not {}", path, i + 1, cells.size(),
                                    titles.size()));
    files.push_back({cells[name], cells[category], cells[group], cells[family]});
  }
  return files;
}

std::vector<File> list_files(const std::string& dir) {
  if (fs::exists(dir + "/manifest.tsv")) return read_manifest(dir + "/manifest.tsv");
  std::error_code error;
  std::vector<File> files;
  for (auto it = fs::recursive_directory_iterator(dir, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error))
    if (it->path().extension() == ".mlir") {
      File f;
      f.name = fs::relative(it->path(), dir).string();
      f.family = it->path().stem().string();
      files.push_back(f);
    }
  if (error) throw FormatError(dir + ": " + error.message());
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

// The reason why a file is skipped; null if it is not.
const char* reason_to_skip(const std::string& text) {
  const auto has = [&](const char* what) { return text.find(what) != text.npos; };
  if (has("!quant.")) return "quantized";
  if (has("interpreter.run_parallel") || has("stablehlo.partition_id") ||
      has("stablehlo.replica_id"))
    return "several processes";
  if (!has("check.e")) return "checks nothing";
  return nullptr;
}

Rule rule_of(const StablehloCheck& c) {
  Rule r;
  if (c.kind == StablehloCheck::Kind::close) {
    r.kind = Rule::Kind::ulp;
    r.max_ulp = static_cast<uint64_t>(c.ulp);  // the file has unsigned values
    r.min_ulp = static_cast<uint64_t>(c.min_ulp);
  } else if (c.kind == StablehloCheck::Kind::almost) {
    r.kind = Rule::Kind::almost;
    r.atol = c.tolerance;
  }
  return r;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

// The statistics of a category or group in the tables.
struct Row {
  Tally tally;
  int numeric = 0;
  std::map<std::string, Tally> families;
  void add(const File& f, const Verdict& v) {
    tally.add(v);
    numeric += v.numeric;
    if (v.how != Verdict::How::skipped) families[f.family].add(v);
  }
  std::string line(const std::string& name) const {
    double mean = 0;
    for (const auto& [family, t] : families) mean += static_cast<double>(t.passed) / t.ran();
    return fmt::format("  {:<22} {:>5} of {:<5} {:>8} {:>13} {:>13}  {}\n", name, tally.passed,
                       tally.ran(), percent(tally.passed, tally.ran()),
                       percent(mean, static_cast<double>(families.size())),
                       percent(numeric, tally.ran()), causes_text(tally));
  }
};

class StablehloSuite final : public Suite {
 public:
  explicit StablehloSuite(const ConformanceOptions& o)
      : dir_(o.dir), options_(o), files_(list_files(o.dir)) {}

  size_t size() const override { return files_.size(); }
  const std::string& name(size_t i) const override { return files_[i].name; }

  Verdict run(size_t i) override {
    Verdict v;
    Stopwatch watch;
    const std::string text = read_text(dir_ + "/" + files_[i].name);
    if (const char* reason = reason_to_skip(text)) {
      v.how = Verdict::How::skipped;
      v.cause = reason;
      return v;
    }
    const std::vector<StablehloTest> tests = parse_stablehlo_tests(text, files_[i].name);
    v.read = watch.lap();
    v.numeric = true;
    for (size_t k = 0; k < tests.size(); ++k) {
      const Jaxpr& j = tests[k].program.jaxpr;
      const ClosedJaxpr closed{dce(j), tests[k].program.consts};
      v.trace += watch.lap();
      const Arrays out = results_of(closed, tests[k].inputs, options_, v, watch);
      check(tests[k], out, v);
      v.check += watch.lap();
    }
    return v;
  }

  std::string summary(const std::vector<size_t>& which,
                      const std::vector<Verdict>& verdicts) const override {
    std::map<std::string, std::pair<Row, std::map<std::string, Row>>> rows;
    for (size_t k = 0; k < which.size(); ++k) {
      const File& f = files_[which[k]];
      auto& [row, groups] = rows[f.category];
      row.add(f, verdicts[k]);
      groups[f.group].add(f, verdicts[k]);
    }
    std::string s = fmt::format("{:<24} {:>14} {:>8} {:>13} {:>13}\n", "category", "files",
                                "passed", "mean/family", "numeric rule");
    for (const auto& [category, r] : rows) {
      s += r.first.line(category);
      if (r.second.size() < 2) continue;
      for (const auto& [group, row] : r.second) s += row.line("  " + group);
    }
    return s;
  }

 private:
  static void check(const StablehloTest& t, const Arrays& out, Verdict& v) {
    for (size_t k = 0; k < t.checks.size(); ++k) {
      const Array &got = out[2 * k], &want = out[2 * k + 1];
      const std::string d = difference(got, want, rule_of(t.checks[k]));
      if (d.empty()) continue;
      const bool close = difference(got, want, {Rule::Kind::numeric}).empty();
      v.numeric = v.numeric && close;
      if (v.how == Verdict::How::failed) continue;
      v.how = Verdict::How::failed;
      v.cause = wrong_result;
      v.text =
          fmt::format("check {}: {}{}", k + 1, d, close ? " (but within the numeric rule)" : "");
    }
  }

  const std::string dir_;
  const ConformanceOptions options_;
  const std::vector<File> files_;
};

}  // namespace

std::unique_ptr<Suite> stablehlo_suite(const ConformanceOptions& o) {
  return std::make_unique<StablehloSuite>(o);
}

}  // namespace weft::tools
