// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/parse_body.cpp: the short forms that contain regions: modules, functions,
// loops, reductions.
#include <fmt/format.h>

#include "interop/stablehlo/read/parser.h"

namespace weft::hlo {
namespace {
using K = Token::Kind;
}  // namespace

void Parser::attr_dict_with_keyword(Op& op) {
  if (!lex_.accept("attributes")) return;
  if (!lex_.peek().is("{")) lex_.expected("'{'");
  attr_dict(op);
}

// module @name attributes {…} { … }
void Parser::module(Op& op) {
  op.name = "builtin.module";
  if (lex_.peek().kind == K::symbol) {
    Attr name = attribute();
    name.kind = Attr::Kind::string;
    name.text = symbol_name(name.text);
    add_attr(op, "sym_name", std::move(name));
  }
  attr_dict_with_keyword(op);
  op.regions.push_back(region());
}

// (%arg0: T {…}, …), or the types alone
void Parser::argument_list(std::vector<std::string_view>& names, std::vector<Typ>& types,
                           std::vector<Attr>& attrs, bool* any) {
  lex_.expect("(");
  while (!lex_.peek().is(")")) {
    if (!types.empty()) lex_.expect(",");
    if (lex_.peek().kind == K::value) {
      names.push_back(lex_.take().text);
      lex_.expect(":");
    }
    types.push_back(type());
    Attr a;
    a.kind = Attr::Kind::dictionary;
    if (lex_.peek().is("{")) {
      a.entries = dictionary();
      *any = true;
    }
    attrs.push_back(std::move(a));
    skip_location();
  }
  lex_.take();
}

// func.func private @f(%a: T {…}) -> (U {…}) attributes {…} { … }
void Parser::function(Op& op) {
  Attr visibility;
  for (const char* word : {"public", "private", "nested"})
    if (lex_.accept(word)) {
      visibility.kind = Attr::Kind::string;
      visibility.text = word;
    }
  if (lex_.peek().kind != K::symbol) lex_.expected("the name of a function such as @main");
  Attr name = attribute();
  name.kind = Attr::Kind::string;
  name.text = symbol_name(name.text);

  std::vector<std::string_view> names, no_names;
  std::vector<Typ> in, out;
  Attr in_attrs, out_attrs;
  in_attrs.kind = out_attrs.kind = Attr::Kind::list;
  bool any_in = false, any_out = false;
  const size_t at = lex_.at();
  argument_list(names, in, in_attrs.items, &any_in);
  if (!names.empty() && names.size() != in.size()) lex_.fail("some arguments have no name", at);
  if (lex_.accept("->")) {
    if (lex_.peek().is("("))
      argument_list(no_names, out, out_attrs.items, &any_out);
    else
      out.push_back(type());
    if (!no_names.empty()) lex_.expected("results without names");
  }
  Attr type;
  type.kind = Attr::Kind::type;
  type.type = types_->function(in, out);
  add_attr(op, "sym_name", std::move(name));
  add_attr(op, "function_type", std::move(type));
  if (visibility.kind == Attr::Kind::string) add_attr(op, "sym_visibility", std::move(visibility));
  if (any_in) add_attr(op, "arg_attrs", std::move(in_attrs));
  if (any_out) add_attr(op, "res_attrs", std::move(out_attrs));
  attr_dict_with_keyword(op);
  op.regions.emplace_back();
  if (!lex_.peek().is("{")) return;  // a declaration without a body
  if (names.size() != in.size())
    lex_.fail("the arguments of a function with a body need names", at);
  isolated([&] { op.regions[0] = region_with_args(names, in); });
}

// Parses "{ … }", where the first block has these arguments.
Region Parser::region_with_args(const std::vector<std::string_view>& names,
                                const std::vector<Typ>& types) {
  Region r;
  const size_t at = lex_.at();
  lex_.expect("{");
  ++depth_;
  deeper(at);
  scoped([&] {
    Block b;
    b.first_arg = static_cast<int32_t>(value_types_.size());
    b.args = types;
    for (size_t i = 0; i < names.size(); ++i) define(names[i], types[i], at);
    operations(b.ops, "}");
    // If the first block has its own label, no operations precede it.
    if (!b.args.empty() || !b.ops.empty()) r.blocks.push_back(std::move(b));
    while (lex_.peek().kind == K::block) {
      Block next;
      next.first_arg = static_cast<int32_t>(value_types_.size());
      block_header(next);
      operations(next.ops, "}");
      r.blocks.push_back(std::move(next));
    }
  });
  --depth_;
  lex_.expect("}");
  return r;
}

// while(%a = %x, %b = %y) : T, U attributes {…} cond { … } do { … }
void Parser::while_loop(Op& op) {
  std::vector<std::string_view> names;
  lex_.expect("(");
  while (!lex_.peek().is(")")) {
    if (!names.empty()) lex_.expect(",");
    if (lex_.peek().kind != K::value) lex_.expected("a value such as %iterArg");
    names.push_back(lex_.take().text);
    lex_.expect("=");
    op.operands.push_back(operand());
  }
  lex_.take();
  if (lex_.accept(":")) {
    do op.in.push_back(type());
    while (lex_.accept(","));
  }
  op.out = op.in;
  check_operands(op);
  attr_dict_with_keyword(op);
  lex_.expect("cond");
  op.regions.push_back(region_with_args(names, op.in));
  lex_.expect("do");
  op.regions.push_back(region_with_args(names, op.in));
}

// reduce(%x init: %c), (%y init: %d) applies stablehlo.add across dimensions = [0] : (…) -> …, or
// reduce(…) across dimensions = [0] : (…) -> … reducer(%a: T, %b: T) (…) { … }
void Parser::reduce(Op& op) {
  std::vector<int32_t> inits;
  do {
    lex_.expect("(");
    op.operands.push_back(operand());
    lex_.expect("init");
    lex_.expect(":");
    inits.push_back(operand());
    lex_.expect(")");
  } while (lex_.accept(","));
  const size_t inputs = op.operands.size();
  op.operands.insert(op.operands.end(), inits.begin(), inits.end());
  std::string applied_op;
  if (lex_.accept("applies")) {
    if (lex_.peek().kind != K::word && lex_.peek().kind != K::string)
      lex_.expected("the name of an operation");
    const Token t = lex_.take();
    applied_op = t.kind == K::string ? unquoted(t.text) : std::string(t.text);
  }
  lex_.expect("across");
  lex_.expect("dimensions");
  lex_.expect("=");
  add_attr(op, "dimensions", ints_attr(int_list()));
  attr_dict(op);
  trailing_types(op);
  if (applied_op.empty()) {
    reducer(op, inputs);
    return;
  }
  std::vector<Typ> elements;
  for (size_t i = 0; i < inputs; ++i) elements.push_back(op.in[inputs + i]);
  if (inputs != 1) lex_.fail("'applies' takes one operand", op.at);
  op.regions.push_back(applied(applied_op, elements, op.at));
}

// Builds the region (a, b) -> name(a, b).
Region Parser::applied(const std::string& name, const std::vector<Typ>& elements, size_t at) {
  const Typ t = elements[0];
  Block b;
  b.first_arg = static_cast<int32_t>(value_types_.size());
  b.args = {t, t};
  value_types_.insert(value_types_.end(), 2, t);
  Op inner, done;
  inner.at = done.at = at;
  inner.name = name;
  inner.operands = {b.first_arg, b.first_arg + 1};
  inner.in = {t, t};
  inner.out = {t};
  inner.first_result = static_cast<int32_t>(value_types_.size());
  value_types_.push_back(t);
  done.name = "stablehlo.return";
  done.operands = {inner.first_result};
  done.in = {t};
  done.first_result = static_cast<int32_t>(value_types_.size());
  b.ops.push_back(std::move(inner));
  b.ops.push_back(std::move(done));
  Region r;
  r.blocks.push_back(std::move(b));
  return r;
}

void Parser::reducer(Op& op, size_t inputs) {
  lex_.expect("reducer");
  std::vector<std::string_view> left, right;
  std::vector<Typ> left_types, right_types;
  const auto argument = [&](std::vector<std::string_view>& names, std::vector<Typ>& types) {
    if (lex_.peek().kind != K::value) lex_.expected("a value such as %arg0");
    names.push_back(lex_.take().text);
    lex_.expect(":");
    types.push_back(type());
    skip_location();
  };
  for (size_t i = 0; i < inputs; ++i) {
    lex_.expect("(");
    argument(left, left_types);
    lex_.expect(",");
    argument(right, right_types);
    lex_.expect(")");
  }
  left.insert(left.end(), right.begin(), right.end());
  left_types.insert(left_types.end(), right_types.begin(), right_types.end());
  op.regions.push_back(region_with_args(left, left_types));
}

// chlo.scan(%x, %y) inits(%a) dimension=0 attributes {…} { … } : (…) -> (…)
void Parser::scan(Op& op) {
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  const auto inputs = static_cast<int64_t>(op.operands.size());
  lex_.expect("inits");
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  lex_.expect("dimension");
  lex_.expect("=");
  add_attr(op, "dimension", int_attr(integer(), "i64"));
  add_attr(op, "operandSegmentSizes",
           ints_attr({inputs, static_cast<int64_t>(op.operands.size()) - inputs}, "i32"));
  attr_dict_with_keyword(op);
  op.regions.push_back(region());
  trailing_types(op);
}

}  // namespace weft::hlo
