// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_parse_test.cpp: StableHLO text is parsed, printed in the generic form,
// and parsed to the same program. Broken text is refused with its place.
#include <catch2/catch.hpp>
#include <chrono>
#include <random>

#include "interop/shared_data.h"
#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/syntax.h"
#include "tests/support/golden.h"
#include "weft/error.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::testing;

namespace {

std::vector<hlo::Program> parsed(const std::string& text, const std::string& name = "test.mlir") {
  return hlo::parse(std::make_shared<hlo::SourceText>(hlo::SourceText{name, text}));
}
std::string generic(const std::vector<hlo::Program>& parts) {
  std::string text;
  for (const hlo::Program& p : parts) text += (text.empty() ? "" : "// -----\n") + to_string(p);
  return text;
}
// Returns the error of parsing the text, or "".
std::string fault(const std::string& text, const std::string& name) {
  try {
    const auto first = parsed(text, name);
    const std::string printed = generic(first);
    const auto again = parsed(printed, name + " (generic)");
    if (again.size() != first.size()) return name + ": another number of parts";
    for (size_t i = 0; i < first.size(); ++i)
      if (!same(first[i], again[i])) return name + ": reads back as something else";
    if (generic(again) != printed) return name + ": prints differently";
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}
std::string error_in(const std::string& text) {
  try {
    parsed(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the conformance files are read and printed", "[interop][stablehlo]") {
  for (const char* set : {"jax", "stablehlo"}) {
    const std::string folder = conformance_path(set);
    if (folder.empty()) return;
    int read = 0, failed = 0;
    for (const std::string& path : files_in(folder, ".mlir")) {
      const std::string why = fault(read_file(path), path);
      ++read;
      if (why.empty()) continue;
      if (++failed <= 20) UNSCOPED_INFO(why);
    }
    INFO(set);
    CHECK(failed == 0);
    CHECK(read > 100);
  }
}

TEST_CASE("errors show their place", "[interop][stablehlo]") {
  CHECK(
      error_in("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %a, %b "
               ": tensor<2xf32>\n}") ==
      "test.mlir, line 2, column 26: %b is not defined\n"
      "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n"
      "                         ^");
  const auto body = [](const std::string& line) {
    return "func.func @main(%a: tensor<2xf32>) {\n  " + line + "\n  return\n}";
  };
  const auto text = [&](const std::string& line) {
    std::string e = error_in(body(line));
    return e.substr(0, e.find('\n'));
  };
  CHECK(text("%0 = stablehlo.add %a, %a : tensor<2xf32>") == "accepted");
  CHECK(text("%0 = stablehlo.add %a, %a : tensor<3xf32>") ==
        "test.mlir, line 2, column 8: operand 0 of 'stablehlo.add' is a tensor<2xf32>, not a "
        "tensor<3xf32>");
  CHECK(text("%0 = stablehlo.add %a, %a tensor<2xf32>") ==
        "test.mlir, line 2, column 29: expected ':', found 'tensor'");
  CHECK(text("%0:2 = stablehlo.add %a, %a : tensor<2xf32>") ==
        "test.mlir, line 2, column 10: 'stablehlo.add' has 1 result here, 2 are named");
  CHECK(text("%0 = stablehlo.add %a#1, %a : tensor<2xf32>") ==
        "test.mlir, line 2, column 24: %a has 1 result");
  CHECK(text("%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>") ==
        "test.mlir, line 2, column 38: 2 elements along axis 0 of i32[3]");
  CHECK(text("%0 = stablehlo.constant dense<[1, true]> : tensor<2xi32>") ==
        "test.mlir, line 2, column 37: expected an element of i32, found 'true'");
  CHECK(text("%0 = stablehlo.constant dense<300> : tensor<2xi8>") ==
        "test.mlir, line 2, column 33: expected an element of i8, found '300'");
  CHECK(text("%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xi16>") ==
        "test.mlir, line 2, column 36: 1 bytes for a constant of 4");
  CHECK(text("%0 = stablehlo.constant dense<\"0x0g\"> : tensor<i8>") ==
        "test.mlir, line 2, column 37: expected a hexadecimal digit");
  CHECK(text("%0 = stablehlo.constant dense<1 : tensor<i8>") ==
        "test.mlir, line 2, column 35: expected '>'");
  CHECK(text("%0 = stablehlo.transpose %a, dim = [0] : tensor<2xf32>") ==
        "test.mlir, line 2, column 32: expected a value or a field of stablehlo.transpose, found "
        "'dim'");
  CHECK(text("%0 = stablehlo.reduce_precision %a, format = e5 : tensor<2xf32>") ==
        "test.mlir, line 2, column 48: expected a format such as e5m10, found 'e5'");
  CHECK(text("%a = stablehlo.add %a, %a : tensor<2xf32>") ==
        "test.mlir, line 2, column 8: %a is defined twice");
  CHECK(text("add %a, %a : tensor<2xf32>") ==
        "test.mlir, line 2, column 3: 'add' is not an operation");
  CHECK(text("\"x") == "test.mlir, line 2, column 3: a text without its closing quote");
  CHECK(error_in("module {").find("column 9: expected '}', found the end of the text") !=
        std::string::npos);
  CHECK(error_in("module @a {}\n}").find("line 2, column 1: expected an operation, found '}'") !=
        std::string::npos);
}

TEST_CASE("errors name the format of programs in other formats", "[interop][stablehlo]") {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      parse_stablehlo(text, "test.mlir");
    } catch (const FormatError& e) {
      return e.what();
    }
    return "accepted";
  };
  CHECK(refused("HloModule jit_f, entry_computation_layout={()->f32[]}\n")
            .starts_with("test.mlir: compiled HLO; Weft reads StableHLO, which "
                         "jax.jit(f).lower(...).as_text() gives before .compile()"));
  CHECK(
      refused("ML\xefR\x0dStableHLO_v1.0.0")
          .starts_with("test.mlir: MLIR bytecode; Weft reads text, as lowered.as_text() gives it"));
  CHECK(refused("\n{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }")
            .starts_with("test.mlir: a jaxpr, not StableHLO; weft::parse_jaxpr reads it, and the "
                         "command weft in a file that ends in .jaxpr"));
}

TEST_CASE("nesting and aliases have limits", "[interop][stablehlo]") {
  const auto many = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  const auto deep = [&](const std::string& open, const std::string& shut,
                        const std::string& inside = "") {
    return error_in(many(open, 100000) + inside + many(shut, 100000));
  };
  const std::string limit = "nested more than 200 deep";
  CHECK(deep("module {", "}").find(limit) != std::string::npos);
  CHECK(deep("\"a.b\"() ({", "}) : () -> ()").find(limit) != std::string::npos);
  CHECK(error_in("module attributes {a = " + many("[", 100000)).find(limit) != std::string::npos);
  CHECK(error_in("module attributes {a = " + many("{b=", 100000)).find(limit) != std::string::npos);
  CHECK(error_in("module attributes {a = #x<" + many("(", 100000)).find(limit) !=
        std::string::npos);
  CHECK(error_in("!t = " + many("tuple<", 100000)).find(limit) != std::string::npos);
  CHECK(error_in("!t = " + many("tensor<", 100000)).find(limit) != std::string::npos);
  CHECK(error_in("!t = " + many("(", 100000)).find(limit) != std::string::npos);
  std::string attrs = "#a0 = [1]\n", types = "!t0 = tuple<i1>\n", nested = "#a0 = [1]\n";
  for (int i = 1; i < 300; ++i) {
    const std::string n = std::to_string(i), m = std::to_string(i - 1);
    attrs += "#a" + n + " = [#a" + m + ", #a" + m + "]\n";
    nested += "#a" + n + " = [#a" + m + "]\n";
    types += "!t" + n + " = tuple<!t" + m + ", !t" + m + ">\n";
  }
  CHECK(error_in(attrs).find("aliases that stand for too much") != std::string::npos);
  CHECK(error_in(nested).find(limit) != std::string::npos);
  CHECK(error_in(types).find("a type that is too long") != std::string::npos);
}

TEST_CASE("constants of every dtype are read in each of their forms", "[interop][stablehlo]") {
  const auto bytes = [](const std::string& value) {
    const auto parts = parsed("%0 = stablehlo.constant " + value);
    const hlo::Dense& d = *parts[0].ops[0].attr("value")->dense;
    std::string s = d.splat ? "splat" : "";
    for (std::byte b : d.bytes) {
      s += "0123456789abcdef"[static_cast<int>(b) >> 4];
      s += "0123456789abcdef"[static_cast<int>(b) & 15];
    }
    return d.known ? s : "text " + d.text;
  };
  CHECK(bytes("dense<true> : tensor<i1>") == "01");
  CHECK(bytes("dense<[true, false]> : tensor<2xi1>") == "0100");
  CHECK(bytes("dense<\"0x0500\"> : tensor<2xi1>") == "0100");
  CHECK(bytes("dense<\"0x0501\"> : tensor<9xi1>") == "010001000000000001");
  CHECK(bytes("dense<-1> : tensor<4xi8>") == "splatff");
  CHECK(bytes("dense<[255, -128]> : tensor<2xui8>") == "ff80");
  CHECK(bytes("dense<18446744073709551615> : tensor<ui64>") == "ffffffffffffffff");
  CHECK(bytes("dense<-9223372036854775808> : tensor<i64>") == "0000000000000080");
  CHECK(bytes("dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>") == "0100020003000400");
  CHECK(bytes("dense<1.000000e+00> : tensor<f32>") == "0000803f");
  CHECK(bytes("dense<0x7FC00000> : tensor<f32>") == "0000c07f");
  CHECK(bytes("dense<1.0> : tensor<f16>") == "003c");
  CHECK(bytes("dense<0x7E00> : tensor<f16>") == "007e");
  CHECK(bytes("dense<1.0> : tensor<bf16>") == "803f");
  CHECK(bytes("dense<-2.5> : tensor<f64>") == "00000000000004c0");
  CHECK(bytes("dense<(1.0,-2.0)> : tensor<complex<f32>>") == "0000803f000000c0");
  CHECK(bytes("dense<[(0.0, 0x7FC00000)]> : tensor<1xcomplex<f32>>") == "000000000000c07f");
  CHECK(bytes("dense<> : tensor<0x3xf32>") == "");
  CHECK(bytes("dense<[]> : tensor<0x3xf32>") == "");
  CHECK(bytes("dense<[[], []]> : tensor<2x0xi8>") == "");
  CHECK(bytes("dense<\"0x0000803F\"> : tensor<5xf32>") == "splat0000803f");
  CHECK(bytes("dense<[1.0,  -2.0]> : tensor<2xf5E2M2FN>") == "text [1.0, -2.0]");
  CHECK(bytes("dense<[1.0,  -2.0]> : tensor<2xf8E4M3FN>") == "0000803f000000c0");
}

TEST_CASE("broken text is parsed or refused without a crash", "[interop][stablehlo]") {
  const std::string seed = read_file(golden_path("../interop/data/forms.mlir"));
  CHECK(fault(seed, "forms.mlir").empty());
  for (size_t n = 0; n < seed.size(); ++n) (void)error_in(seed.substr(0, n));
  std::mt19937 random(5);
  const std::string signs = "()[]{}<>\"%#@!^:,=x?-/. \n0a";
  int refused = 0;
  for (int k = 0; k < 5000; ++k) {
    std::string broken = seed;
    for (int j = 0; j < 3; ++j) broken[random() % broken.size()] = signs[random() % signs.size()];
    refused += error_in(broken) != "accepted";
  }
  CHECK(refused > 2500);
}

TEST_CASE("large constants are read at 50 MB/s", "[interop][stablehlo][slow]") {
  constexpr int n = 1000000;
  std::string hex = "dense<\"0x", list = "dense<[", floats = "dense<[";
  for (int i = 0; i < n; ++i) {
    const std::string gap = i ? ", " : "";
    hex += "0123CDEF";
    list += gap + std::to_string(i * 7 - 3000000);
    floats += gap + "1." + std::to_string(100000 + i % 900000) + "e+0" + std::to_string(i % 10);
  }
  hex += "\"> : tensor<1000000xi32>";
  list += "]> : tensor<1000000xi32>";
  floats += "]> : tensor<1000000xf32>";
  for (const std::string& value : {hex, list, floats}) {
    const std::string text = "%0 = stablehlo.constant " + value;
    double best = 1e9;
    for (int k = 0; k < 5; ++k) {
      const auto start = std::chrono::steady_clock::now();
      (void)parsed(text);
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    INFO(value.substr(0, 20));
    CHECK(static_cast<double>(text.size()) / best / 1e6 > 50);
  }
}
