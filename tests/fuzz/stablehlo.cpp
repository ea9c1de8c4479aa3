// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/fuzz/stablehlo.cpp: any text is a StableHLO program, a ParseError, or a FormatError if Weft
// does not support it. A parsed program prints as text that parses to the same program. Text with
// checks is read as in weft conformance, which computes the inputs in the text. The programs also
// print and parse as jaxprs and as StableHLO.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/token_mutator.h"
#include "interop/stablehlo/read/syntax.h"
#include "interop/stablehlo_tests.h"
#include "weft/buffer.h"
#include "weft/detail/jaxpr.h"
#include "weft/error.h"
#include "weft/stop.h"

using namespace weft;

namespace {

constexpr int64_t max_memory = int64_t{1} << 28;  // a splat constant may have any size
constexpr double max_seconds = 1;                 // an input may be an endless loop

void check(bool holds) {
  if (!holds) __builtin_trap();
}

std::vector<hlo::Program> parsed(const std::string& text) {
  return hlo::parse(std::make_shared<hlo::SourceText>(hlo::SourceText{"fuzz.mlir", text}));
}
std::string printed(const std::vector<hlo::Program>& parts) {
  std::string text;
  for (const hlo::Program& p : parts) text += (text.empty() ? "" : "// -----\n") + to_string(p);
  return text;
}
// Text that Weft prints can be parsed, unless the generic form nests deeper than the limit.
void check_printing(const std::vector<hlo::Program>& parts) {
  const std::string text = printed(parts);
  std::vector<hlo::Program> again;
  try {
    again = parsed(text);
  } catch (const ParseError& e) {
    if (std::string(e.what()).find(" deep") != std::string::npos) return;
    throw;
  }
  check(again.size() == parts.size());
  for (size_t i = 0; i < parts.size(); ++i) check(same(parts[i], again[i]));
  check(printed(again) == text);
}

// The written program nests a little deeper than the parsed one, and may exceed the limit.
void check_written(const ClosedJaxpr& program) {
  const std::string text = to_stablehlo(program);
  try {
    const ClosedJaxpr again = parse_stablehlo(text, "written.mlir");
    check(again.in_types() == program.in_types());
    check(again.out_types().size() == program.out_types().size());
  } catch (const FormatError& e) {
    check(std::string(e.what()).find(" deep") != std::string::npos);
  } catch (const ParseError& e) {
    check(std::string(e.what()).find(" deep") != std::string::npos);
  }
}
// The program prints as jaxpr text that parses to the same program.
void check_program(const ClosedJaxpr& c) {
  const std::string text = to_string(c.jaxpr);
  check(to_string(read_jaxpr(text)) == text);
  check_written(c);
}
void read(const std::string& text) {
  if (text.find("check.expect") == std::string::npos)
    return check_program(parse_stablehlo(text, "fuzz.mlir"));
  const TimeLimit limit(max_seconds);
  for (const StablehloTest& t : parse_stablehlo_tests(text, "fuzz.mlir")) check_program(t.program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_memory_limit(max_memory);
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<hlo::Program> parts;
  try {
    parts = parsed(text);
  } catch (const ParseError&) {
    return 0;
  }
  check_printing(parts);
  try {
    read(text);
  } catch (const FormatError&) {
  } catch (const OutOfMemoryError&) {
  } catch (const InterruptedError&) {
  }
  return 0;
}
