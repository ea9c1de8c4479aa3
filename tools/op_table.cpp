// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/op_table.cpp: writes docs/ops.md, the table of all ops and their rules, from the registry.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/op.h"
#include "core/text/print.h"
#include "tools/page.h"

namespace {

using weft::Op;

struct Column {
  const char* title;
  Op::Slot slot;
};
constexpr Column columns[] = {
    {"reference", Op::Slot::reference}, {"jvp", Op::Slot::jvp},
    {"transpose", Op::Slot::transpose}, {"batch", Op::Slot::batch},
    {"partial", Op::Slot::partial},     {"lower", Op::Slot::lower},
    {"expand", Op::Slot::expand},       {"simplify", Op::Slot::simplify},
    {"split", Op::Slot::split},         {"fuse", Op::Slot::fuse},
};

// Escapes Markdown characters for use in a table. Text between backticks is code, in which only
// the separator of columns has a meaning.
std::string escaped(const std::string& s) {
  std::string out;
  bool code = false;
  for (char c : s) {
    if (c == '`') code = !code;
    if (c == '|' || (!code && (c == '*' || c == '_' || c == '<' || c == '['))) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// The names of its implementations, unless the only one is generated code.
std::string choices(const Op& op) {
  const std::string names = weft::implementation_names(op);
  return names == weft::generated ? "" : names;
}

std::string row(const Op& op) {
  std::string fields;
  for (const auto& [name, value] : weft::default_fields(op))
    fields += (fields.empty() ? "" : ", ") + std::string(name);
  std::string s = fmt::format("| `{}` | {} | {} |", op.name(), escaped(op.doc()), escaped(fields));
  for (const Column& c : columns) s += op.has(c.slot) ? " ✓ |" : " |";
  return s + fmt::format(" {} | {} |\n", choices(op), op.samples().size());
}

std::string page() {
  std::vector<const Op*> ops = weft::all_ops();
  std::sort(ops.begin(), ops.end(), [](const Op* a, const Op* b) { return a->name() < b->name(); });
  std::string s = R"(# Ops

Written by `./dev docs` from the registry; do not edit.

`core/op.h` describes the rules. An op without a `partial` rule is recorded as a whole. An op
without `transpose` is not linear, or its derivative consists of ops that are. Samples are the cases
for which the tests check every law. Implementations are the names of the ways to run the op.

| op | what it computes | fields |)";
  for (const Column& c : columns) s += fmt::format(" {} |", c.title);
  s += " implementations | samples |\n|---|---|---|";
  for (size_t i = 0; i < std::size(columns); ++i) s += ":-:|";
  s += "---|--:|\n";
  for (const Op* op : ops) s += row(*op);
  return s + fmt::format("\n{} ops.\n", ops.size());
}

}  // namespace

int main(int argc, char** argv) {
  return weft::pages::run(argc, argv, "ops.md", [](const std::string&) { return page(); });
}
