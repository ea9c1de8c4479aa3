// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/fuzz/expr.cpp: any text is an expression of --apply or raises an ExprError with a caret
// that points into the text.
#include "tools/weft/expr.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace weft::tools;

namespace {

void check(bool holds) {
  if (!holds) __builtin_trap();
}

// Returns true if the last line ends in the caret. It is below the line before it, or just behind
// its end.
bool has_caret(const std::string& message) {
  const size_t line = message.rfind('\n');
  if (line == std::string::npos) return message.starts_with("--apply: ");  // the text was too long
  const size_t before = message.rfind('\n', line - 1);
  return message.ends_with('^') && before != std::string::npos &&
         message.size() - line - 2 <= line - before;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string outlined;
  try {
    const ParsedExpr e = parse_expr(std::string(reinterpret_cast<const char*>(data), size));
    outlined = outline(e.root);
  } catch (const ExprError& e) {
    check(has_caret(e.what()));
    return 0;
  }
  // An outline is an expression, and its outline is the same.
  check(outline(parse_expr(outlined).root) == outlined);
  return 0;
}
