// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/program_suite.cpp: a suite with one folder per program. It has whole.mlir with
// inputs and the results that its author recorded, and one.mlir, which gives the same results when
// it is mapped as meta.json says.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "interop/npy.h"
#include "tools/suites/suite.h"
#include "tools/weft/apply.h"
#include "tools/weft/arrays_file.h"
#include "tools/weft/compare.h"
#include "tools/weft/program_file.h"

namespace weft::tools {
namespace {

struct Case {
  std::string name, folder, program, apply;
};

std::vector<Case> cases_in(const std::string& dir) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& e : fs::directory_iterator(dir, none))
    if (fs::exists(e.path() / "whole.mlir")) folders.push_back(e.path().filename().string());
  if (none) throw FormatError(dir + ": " + none.message());
  std::sort(folders.begin(), folders.end());
  std::vector<Case> cases;
  for (const std::string& name : folders) {
    const std::string folder = dir + "/" + name;
    cases.push_back({name + "/whole", folder, "whole.mlir", "f"});
    if (!fs::exists(folder + "/one.mlir")) continue;
    try {
      const auto meta = nlohmann::json::parse(read_text(folder + "/meta.json"));
      cases.push_back({name + "/one", folder, "one.mlir", meta.at("apply")});
    } catch (const nlohmann::json::exception& e) {
      throw FormatError(fmt::format("{}/meta.json: {}", folder, e.what()));
    }
  }
  return cases;
}

// Programs of many steps, compiled by two compilers, may differ by a hundredth of an element, or by
// 1e-5 times the largest element.
const Rule close_enough{.kind = Rule::Kind::tolerance, .rtol = 1e-2, .scaled = 1e-5};

class ProgramSuite final : public Suite {
 public:
  explicit ProgramSuite(const ConformanceOptions& o) : options_(o), cases_(cases_in(o.dir)) {}

  size_t size() const override { return cases_.size(); }
  const std::string& name(size_t i) const override { return cases_[i].name; }

  Verdict run(size_t i) override {
    const Case& c = cases_[i];
    Verdict v;
    Stopwatch watch;
    const ProgramFile file = load_program(c.folder + "/" + c.program);
    v.read = watch.lap();
    const ParsedExpr e = parse_expr(c.apply);
    const Applied a = apply(e, file.program);
    Arrays x = read_inputs(c.folder + "/in.npz", a.n_in, {});
    fit_inputs(c.name, x, a.in_types(2), a.in_types(3));
    Types in;
    for (const Array& t : x) in.push_back(t.type());
    const ClosedJaxpr closed = traced(a, in);
    v.trace = watch.lap();
    const Arrays out = results_of(closed, x, options_, v, watch);
    check(c, out, v);
    v.check = watch.lap();
    return v;
  }

  std::string summary(const std::vector<size_t>& which,
                      const std::vector<Verdict>& verdicts) const override {
    Tally whole, mapped;
    for (size_t k = 0; k < which.size(); ++k)
      (cases_[which[k]].program == "one.mlir" ? mapped : whole).add(verdicts[k]);
    return fmt::format("as written: {} of {}; mapped by Weft: {} of {}\n", whole.passed,
                       whole.ran(), mapped.passed, mapped.ran());
  }

 private:
  static void check(const Case& c, const Arrays& out, Verdict& v) {
    const std::map<std::string, NpyData> want = read_npz(c.folder + "/out.npz");
    std::string why;
    if (want.size() != out.size())
      why = fmt::format("{} results, expected {}", out.size(), want.size());
    for (size_t i = 0; i < out.size() && why.empty(); ++i) {
      const auto it = want.find(fmt::format("out{}", i));
      if (it == want.end()) throw FormatError(fmt::format("{}/out.npz lacks out{}", c.folder, i));
      const Array expected = to_array(it->second);
      const std::string d = difference(as_in_file(out[i]), expected, close_enough);
      if (!d.empty()) why = fmt::format("out{}: {}", i, d);
    }
    if (why.empty()) return;
    v.how = Verdict::How::failed;
    v.cause = wrong_result;
    v.text = why;
  }

  const ConformanceOptions options_;
  const std::vector<Case> cases_;
};

}  // namespace

std::unique_ptr<Suite> program_suite(const ConformanceOptions& o) {
  return std::make_unique<ProgramSuite>(o);
}

}  // namespace weft::tools
