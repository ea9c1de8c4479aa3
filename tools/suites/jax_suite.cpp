// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/jax_suite.cpp: the suite of cases.json and data.npz: transforms of programs, with
// the results of JAX.
#include <fmt/format.h>

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
  std::string name, program, apply;
  size_t inputs = 0, outputs = 0;
  double rtol = 0, atol = 0;
};

std::vector<Case> read_cases(const std::string& path) {
  std::vector<Case> cases;
  try {
    const auto all = nlohmann::json::parse(read_text(path));
    if (!all.is_array()) throw FormatError(path + " is not a list of cases");
    for (const auto& j : all)
      cases.push_back({j.at("case"), j.at("program"), j.at("apply"), j.at("inputs"),
                       j.at("outputs"), j.at("rtol"), j.at("atol")});
  } catch (const nlohmann::json::exception& e) {
    throw FormatError(fmt::format("{}: case number {}: {}", path, cases.size(), e.what()));
  }
  return cases;
}

class JaxSuite final : public Suite {
 public:
  explicit JaxSuite(const ConformanceOptions& o)
      : dir_(o.dir),
        options_(o),
        cases_(read_cases(o.dir + "/cases.json")),
        data_(read_npz(o.dir + "/data.npz")) {}

  size_t size() const override { return cases_.size(); }
  const std::string& name(size_t i) const override { return cases_[i].name; }

  Verdict run(size_t i) override {
    const Case& c = cases_[i];
    Verdict v;
    Stopwatch watch;
    const ProgramFile& file = program(c.program);
    v.read = watch.lap();
    const ParsedExpr e = parse_expr(c.apply);
    const Applied a = apply(e, file.program);
    if (a.n_in != c.inputs || a.n_out != c.outputs)
      throw FormatError(
          fmt::format("{}: the case has {} inputs and {} outputs, {} takes {} and "
                      "gives {}",
                      c.program, c.inputs, c.outputs, c.apply, a.n_in, a.n_out));
    Arrays x = arrays(c, "in", c.inputs);
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
    std::map<std::string, Tally> programs, transforms;
    for (size_t k = 0; k < which.size(); ++k) {
      const Case& c = cases_[which[k]];
      programs[std::filesystem::path(c.program).stem().string()].add(verdicts[k]);
      transforms[transform(c.apply)].add(verdicts[k]);
    }
    int whole = 0;
    for (const auto& [name, t] : programs) whole += t.failed == 0;
    std::string s =
        fmt::format("programs: {} of {} pass all their cases\n", whole, programs.size());
    for (const auto& [name, t] : programs)
      if (t.failed) s += line(name, t);
    s += "transforms\n";
    for (const auto& [name, t] : transforms) s += line(name, t);
    return s;
  }

 private:
  static std::string line(const std::string& name, const Tally& t) {
    return fmt::format("  {:<28} {:>4} of {:<4} {}\n", name, t.passed, t.ran(), causes_text(t));
  }
  static std::string transform(const std::string& apply) {
    try {
      return outline(parse_expr(apply).root);
    } catch (const ExprError&) {
      return apply;
    }
  }

  // The cases of a program are adjacent, so a worker sees most programs only once.
  const ProgramFile& program(const std::string& path) {
    const auto it = programs_.find(path);
    if (it != programs_.end()) return it->second;
    return programs_.emplace(path, load_program(dir_ + "/" + path)).first->second;
  }

  Arrays arrays(const Case& c, const char* what, size_t n) const {
    Arrays x;
    for (size_t i = 0; i < n; ++i) {
      const std::string name = fmt::format("{}/{}{}", c.name, what, i);
      const auto it = data_.find(name);
      if (it == data_.end())
        throw FormatError(fmt::format("{}/data.npz holds no '{}'", dir_, name));
      x.push_back(to_array(it->second));
    }
    return x;
  }

  void check(const Case& c, const Arrays& out, Verdict& v) const {
    const Arrays want = arrays(c, "out", c.outputs);
    const Rule rule{Rule::Kind::tolerance, c.rtol, c.atol};
    for (size_t i = 0; i < out.size(); ++i) {
      const std::string d = difference(as_in_file(out[i]), want[i], rule);
      if (d.empty()) continue;
      v.how = Verdict::How::failed;
      v.cause = wrong_result;
      v.text = fmt::format("out{}: {}", i, d);
      return;
    }
  }

  const std::string dir_;
  const ConformanceOptions options_;
  const std::vector<Case> cases_;
  const std::map<std::string, NpyData> data_;
  std::map<std::string, ProgramFile> programs_;
};

}  // namespace

std::unique_ptr<Suite> jax_suite(const ConformanceOptions& o) {
  return std::make_unique<JaxSuite>(o);
}

}  // namespace weft::tools
