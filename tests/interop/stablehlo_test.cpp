// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_test.cpp: programs that JAX wrote become jaxprs and compute JAX's
// results.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "interop/npy.h"
#include "interop/shared_data.h"
#include "interop/stablehlo_tests.h"
#include "support/check.h"
#include "tests/support/golden.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;
using weft::testing::conformance_path;
using weft::testing::files_in;
using weft::testing::read_file;

namespace {

// Returns the op that an error is about, or the error.
std::string missing_op(const std::string& error) {
  const size_t at = error.find("missing ");
  return at == std::string::npos ? error : error.substr(at, error.find(':', at) - at);
}

struct Counts {
  int translated = 0, files = 0;
  std::map<std::string, int> missing;
  std::map<std::string, std::string> other;
};
Counts translate_all(const std::string& folder, bool tests) {
  Counts c;
  for (const std::string& path : files_in(folder, ".mlir")) {
    ++c.files;
    try {
      if (tests)
        (void)parse_stablehlo_tests(read_file(path), path);
      else
        (void)io::load_stablehlo(path);
      ++c.translated;
    } catch (const FormatError& e) {
      const std::string why = missing_op(e.what());
      if (why.find("tensor<?") != std::string::npos || why.find("x?x") != std::string::npos)
        ++c.missing["a type without known sizes"];
      else if (why.starts_with("missing "))
        ++c.missing[why];
      else
        c.other[path] = why;
    } catch (const std::exception& e) {
      c.other[path] = std::string("another error: ") + e.what();
    }
  }
  return c;
}

// ---- cases.json: one flat object per case

struct Case {
  std::string name, program, apply;
  int inputs = 0, outputs = 0;
  double rtol = 0, atol = 0;
};
std::string value_of(const std::string& object, const std::string& key) {
  const size_t at = object.find("\"" + key + "\":");
  if (at == std::string::npos) return {};
  size_t from = object.find_first_not_of(' ', at + key.size() + 3);
  if (object[from] == '"') return object.substr(from + 1, object.find('"', from + 1) - from - 1);
  return object.substr(from, object.find_first_of(",}", from) - from);
}
std::vector<Case> cases_in(const std::string& path) {
  std::vector<Case> cases;
  const std::string text = read_file(path);
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const std::string o = text.substr(at, text.find('}', at) - at + 1);
    cases.push_back({value_of(o, "case"), value_of(o, "program"), value_of(o, "apply"),
                     std::stoi(value_of(o, "inputs")), std::stoi(value_of(o, "outputs")),
                     std::stod(value_of(o, "rtol")), std::stod(value_of(o, "atol"))});
  }
  return cases;
}

Array array_of(const NpyData& a) { return array_of_bytes(Type(a.dtype, a.shape), a.bytes.data()); }

// Returns the largest |a - e| over atol + rtol |e|. Integers and bools must be equal.
double distance(const Array& a, const Array& e, const Case& c) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (a.shape() != e.shape() || (a.dtype() != e.dtype() && e.dtype() != F32)) return infinite;
  const bool complex = is_complex(e.dtype());
  const bool exact = !is_inexact(e.dtype());
  const auto parts = [&](const Array& x) {
    return complex ? x.astype(C128) : exact ? x : x.astype(F64);
  };
  if (exact) return array_equal(a, e).item<bool>() ? 0 : infinite;
  const auto flat = [&](const Array& x) {
    const Array p = parts(x);
    std::vector<double> v(static_cast<size_t>(p.size()) * (complex ? 2 : 1));
    std::memcpy(v.data(), concrete(p).data(), v.size() * sizeof(double));
    return v;
  };
  const std::vector<double> x = flat(a), y = flat(e);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if ((std::isnan(x[i]) && std::isnan(y[i])) || x[i] == y[i]) continue;
    const double d = std::abs(x[i] - y[i]) / (c.atol + c.rtol * std::abs(y[i]));
    worst = std::max(worst, std::isnan(d) ? infinite : d);
  }
  return worst;
}

}  // namespace

TEST_CASE("the number of conformance programs whose ops all exist", "[interop][stablehlo]") {
  for (const char* set : {"jax", "stablehlo"}) {
    const std::string folder = conformance_path(set);
    if (folder.empty()) return;
    const Counts c = translate_all(folder, std::string(set) == "stablehlo");
    std::string list;
    for (const auto& [op, n] : c.missing) list += fmt::format("\n  {:4} {}", n, op);
    for (const auto& [file, why] : c.other) list += "\n  " + file + ": " + why;
    WARN(set << ": " << c.translated << " of " << c.files << list);
    // The other files need the ops listed above. These numbers only grow.
    CHECK(c.translated >= (std::string(set) == "jax" ? 118 : 1642));
  }
}

TEST_CASE("programs of JAX compute what JAX computed", "[interop][stablehlo]") {
  const std::string folder = conformance_path("jax");
  if (folder.empty()) return;
  const auto data = read_npz(folder + "/data.npz");
  std::map<std::string, ClosedJaxpr> programs;
  std::set<std::string> missing;
  int ran = 0, wrong = 0;
  for (const Case& c : cases_in(folder + "/cases.json")) {
    if (c.apply != "f" && c.apply != "jit(f)") continue;
    if (missing.contains(c.program)) continue;
    try {
      if (!programs.contains(c.program))
        programs.emplace(c.program, io::load_stablehlo(folder + "/" + c.program));
    } catch (const FormatError&) {
      missing.insert(c.program);
      continue;
    }
    const ClosedJaxpr& p = programs.at(c.program);
    Arrays x = p.consts;
    for (int i = 0; i < c.inputs; ++i)
      x.push_back(array_of(data.at(fmt::format("{}/in{}", c.name, i))));
    ++ran;
    try {
      const Arrays out = run_compiled(p.jaxpr, x);
      REQUIRE(static_cast<int>(out.size()) == c.outputs);
      double worst = 0;
      for (int i = 0; i < c.outputs; ++i)
        worst = std::max(worst, distance(out[static_cast<size_t>(i)],
                                         array_of(data.at(fmt::format("{}/out{}", c.name, i))), c));
      if (worst <= 1) continue;
      WARN(c.name << ": " << worst << " times the tolerance");
    } catch (const std::exception& e) {
      WARN(c.name << ": " << e.what());
    }
    ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(ran > 100);
}
