// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/parse.cpp: operations, regions and the names of values.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interop/stablehlo/read/parser.h"
#include "weft/error.h"

namespace weft::hlo {
namespace {
using K = Token::Kind;
constexpr int64_t max_results = 1 << 20;
constexpr size_t max_values = 1 << 22;  // in one part
}  // namespace

Parser::Parser(std::shared_ptr<const SourceText> source)
    : source_(std::move(source)), types_(std::make_shared<TypeTable>()), lex_(*source_) {}

std::vector<Program> Parser::parse() {
  std::vector<Program> parts;
  do {
    Program p{source_, types_, {}};
    names_.clear();
    value_types_.clear();
    operations(p.ops, {});
    if (lex_.peek().kind != K::end) lex_.expected("an operation");
    if (!p.ops.empty()) parts.push_back(std::move(p));
  } while (lex_.next_part());
  return parts;
}

// Parses operations up to the token `end`, or up to the end of the part.
void Parser::operations(std::vector<Op>& ops, std::string_view end) {
  for (;;) {
    const Token& t = lex_.peek();
    if (t.kind == K::end || t.kind == K::block || (!end.empty() && t.is(end))) return;
    if (end.empty() && (t.kind == K::hash || t.kind == K::bang)) {
      alias();
      continue;
    }
    // Skips the block {-# … #-} that MLIR appends to some dumps.
    if (end.empty() && t.is("{")) {
      lex_.balanced();
      continue;
    }
    ops.push_back(operation());
  }
}

Op Parser::operation() {
  Op op;
  op.at = lex_.at();
  std::vector<std::pair<std::string_view, int>> names;
  while (lex_.peek().kind == K::value) {
    const std::string_view name = lex_.take().text;
    int64_t count = 1;
    if (lex_.accept(":")) {
      const size_t at = lex_.at();
      count = integer();
      if (count < 1 || count > max_results) lex_.fail("not a number of results", at);
    }
    names.emplace_back(name, static_cast<int>(count));
    if (!lex_.accept(",")) break;
  }
  if (!names.empty()) lex_.expect("=");
  const Token t = lex_.peek();
  op.at = t.at;
  if (t.kind == K::string) {
    op.name = unquoted(lex_.take().text);
    generic(op);
  } else if (t.kind == K::word) {
    op.name = lex_.take().text;
    short_form(op);
  } else {
    lex_.expected("an operation");
  }
  skip_location();
  // Attributes are sorted, so that the short and the generic form of an op are equal.
  std::stable_sort(op.attrs.begin(), op.attrs.end(),
                   [](const NamedAttr& a, const NamedAttr& b) { return a.name < b.name; });
  define_results(op, names);
  return op;
}

void Parser::define_results(Op& op, const std::vector<std::pair<std::string_view, int>>& names) {
  size_t named = 0;
  for (const auto& [name, count] : names) named += static_cast<size_t>(count);
  if (!names.empty() && named != op.out.size())
    lex_.fail(fmt::format("'{}' has {} result{} here, {} are named", op.name, op.out.size(),
                          op.out.size() == 1 ? "" : "s", named),
              op.at);
  if (value_types_.size() + op.out.size() > max_values)
    lex_.fail("more values than a program may have", op.at);
  op.first_result = static_cast<int32_t>(value_types_.size());
  value_types_.insert(value_types_.end(), op.out.begin(), op.out.end());
  int32_t first = op.first_result;
  for (const auto& [name, count] : names) {
    const auto [it, fresh] = names_.try_emplace(name, Name{first, count});
    if (!fresh) lex_.fail(fmt::format("{} is defined twice", name), op.at);
    undo_.emplace_back(name, Name{0, 0});
    first += count;
  }
}

int32_t Parser::define(std::string_view name, Typ t, size_t at) {
  const auto id = static_cast<int32_t>(value_types_.size());
  if (!names_.try_emplace(name, Name{id, 1}).second)
    lex_.fail(fmt::format("{} is defined twice", name), at);
  undo_.emplace_back(name, Name{0, 0});
  value_types_.push_back(t);
  return id;
}

void Parser::scoped(FunctionRef<void()> f) {
  const size_t before = undo_.size();
  f();
  while (undo_.size() > before) {
    names_.erase(undo_.back().first);
    undo_.pop_back();
  }
}
void Parser::isolated(FunctionRef<void()> f) {
  std::unordered_map<std::string_view, Name> outside;
  names_.swap(outside);
  scoped(f);
  names_.swap(outside);
}

int32_t Parser::operand() {
  const Token t = lex_.peek();
  if (t.kind != K::value) lex_.expected("a value such as %0");
  lex_.take();
  const auto it = names_.find(t.text);
  if (it == names_.end()) lex_.fail(fmt::format("{} is not defined", t.text), t.at);
  int64_t part = 0;
  // The lexer splits "%0#1" into two tokens.
  const Token next = lex_.peek();
  if (next.kind == K::hash && next.at == t.at + t.text.size()) {
    const std::string_view digits = next.text.substr(1);
    const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), part);
    if (r.ec != std::errc() || r.ptr != digits.data() + digits.size() || part < 0 ||
        part >= it->second.count)
      lex_.fail(fmt::format("{} has {} result{}", t.text, it->second.count,
                            it->second.count == 1 ? "" : "s"),
                next.at);
    lex_.take();
  }
  return it->second.first + static_cast<int32_t>(part);
}

void Parser::operands(Op& op) {
  while (lex_.peek().kind == K::value) {
    op.operands.push_back(operand());
    // A comma may also precede the first clause. It is then left to the clause.
    const size_t comma = lex_.at();
    if (!lex_.accept(",")) return;
    if (lex_.peek().kind != K::value) {
      lex_.go(comma);
      return;
    }
  }
}

void Parser::add_attr(Op& op, std::string name, Attr value) {
  if (op.attr(name)) lex_.fail(fmt::format("'{}' is given twice", name), value.at);
  op.attrs.push_back({std::move(name), std::move(value)});
}

void Parser::check_operands(const Op& op) {
  if (op.in.size() != op.operands.size())
    lex_.fail(fmt::format("'{}' has {} operand{}, but {} types", op.name, op.operands.size(),
                          op.operands.size() == 1 ? "" : "s", op.in.size()),
              op.at);
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Typ is = value_types_[static_cast<size_t>(op.operands[i])];
    if (is != op.in[i])
      lex_.fail(
          fmt::format("operand {} of '{}' is a {}, not a {}", i, op.name, is->text, op.in[i]->text),
          op.at);
  }
}

// "name"(%a, %b)[^bb1] <{…}> ({…}, {…}) {…} : (T, U) -> V
void Parser::generic(Op& op) {
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  if (lex_.accept("[")) {
    while (!lex_.peek().is("]")) {
      if (!op.successors.empty()) lex_.expect(",");
      if (lex_.peek().kind != K::block) lex_.expected("a block such as ^bb1");
      op.successors.emplace_back(lex_.take().text.substr(1));
    }
    lex_.take();
  }
  if (lex_.accept("<")) {
    for (NamedAttr& a : dictionary()) add_attr(op, std::move(a.name), std::move(a.value));
    lex_.expect(">");
  }
  if (lex_.accept("(")) {
    do {
      if (op.name == "func.func")
        isolated([&] { op.regions.push_back(region()); });
      else
        op.regions.push_back(region());
    } while (lex_.accept(","));
    lex_.expect(")");
  }
  attr_dict(op);
  trailing_types(op);
}

void Parser::attr_dict(Op& op) {
  if (lex_.peek().is("{"))
    for (NamedAttr& a : dictionary()) add_attr(op, std::move(a.name), std::move(a.value));
}

void Parser::trailing_types(Op& op) {
  lex_.expect(":");
  const size_t at = lex_.at();
  const Typ t = type();
  if (t->kind != TypeData::Kind::function) lex_.fail("expected the types (…) -> …", at);
  op.in = t->in;
  op.out = t->out;
  check_operands(op);
}

Region Parser::region() {
  Region r;
  const size_t at = lex_.at();
  lex_.expect("{");
  ++depth_;
  deeper(at);
  scoped([&] {
    while (!lex_.peek().is("}")) {
      Block b;
      b.first_arg = static_cast<int32_t>(value_types_.size());
      if (lex_.peek().kind == K::block)
        block_header(b);
      else if (!r.blocks.empty())
        lex_.expected("a block, or '}'");
      operations(b.ops, "}");
      if (lex_.peek().kind == K::end) lex_.expected("'}'");
      r.blocks.push_back(std::move(b));
    }
  });
  --depth_;
  lex_.expect("}");
  return r;
}

// ^bb0(%a: T, %b: U):
void Parser::block_header(Block& b) {
  b.label = lex_.take().text.substr(1);
  b.first_arg = static_cast<int32_t>(value_types_.size());
  if (lex_.accept("(")) {
    while (!lex_.peek().is(")")) {
      if (!b.args.empty()) lex_.expect(",");
      const Token name = lex_.peek();
      if (name.kind != K::value) lex_.expected("a value such as %arg0");
      lex_.take();
      lex_.expect(":");
      b.args.push_back(type());
      define(name.text, b.args.back(), name.at);
      skip_location();
    }
    lex_.take();
  }
  lex_.expect(":");
}

std::vector<Program> parse(std::shared_ptr<const SourceText> source) {
  return Parser(std::move(source)).parse();
}

}  // namespace weft::hlo
