// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/parser.h: the recursive-descent parser of MLIR text. Its methods are in
// three files: types and attributes, operations in generic form, and the short forms of single ops.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>

#include "core/ir.h"
#include "interop/stablehlo/read/syntax.h"
#include "weft/detail/ref.h"

namespace weft::hlo {

class Parser {
 public:
  explicit Parser(std::shared_ptr<const SourceText> source);
  std::vector<Program> parse();

 private:
  // ---- parse_attr.cpp: types and attributes
  Typ type();
  std::vector<Typ> type_list();  // "(T, U)"
  Typ function_type();           // "(T) -> U"
  Typ tensor();
  Typ bounded(Typ t);  // fails if the text of all types is too long
  Attr attribute();
  Attr number();
  Attr untyped_number();
  Attr dense();
  Attr numbers();  // array<…>
  Attr hash();     // "#…"
  std::vector<NamedAttr> dictionary();
  std::string attribute_name();
  int64_t integer();
  bool skip_location();  // "loc(…)"
  void alias();          // "#name = …", "!name = …"
  // Build the attributes that short forms represent.
  Attr int_attr(int64_t value, const char* type_name);
  Attr ints_attr(const std::vector<int64_t>& values, const char* element = "i64");
  Attr text_attr(std::string text);
  Attr matrix_attr(const std::vector<std::vector<int64_t>>& rows);  // dense<[[1, 2]]>
  std::vector<int64_t> int_list();                                  // "[1, 2]"

  // ---- parse.cpp: operations, regions, values
  struct Name {
    int32_t first;
    int32_t count;
  };
  void operations(std::vector<Op>& ops, std::string_view end);
  Op operation();
  void generic(Op& op);
  Region region();
  void block_header(Block& b);
  void trailing_types(Op& op);  // " : (T) -> U" of the generic form
  int32_t define(std::string_view name, Typ t, size_t at);
  void define_results(Op& op, const std::vector<std::pair<std::string_view, int>>& names);
  int32_t operand();      // "%x", "%x#1"
  void operands(Op& op);  // operands up to the first token that is not a value; may be none
  void add_attr(Op& op, std::string name, Attr value);
  void check_operands(const Op& op);
  // Names defined inside are removed at the end.
  void scoped(FunctionRef<void()> f);
  void isolated(FunctionRef<void()> f);  // the same, and names from outside are not visible
  void deeper(size_t at);

  // ---- parse_short.cpp: the short forms
  struct Clause;
  void short_form(Op& op);
  void plain(Op& op, std::span<const Clause> clauses);
  void clause(Op& op, const Clause& c);
  void result_types(Op& op);
  std::vector<Typ> spelled_types(Op& op, std::vector<Typ> listed);
  void attr_dict(Op& op);
  void attr_dict_with_keyword(Op& op);
  Region applied(const std::string& name, const std::vector<Typ>& elements, size_t at);
  Region region_with_args(const std::vector<std::string_view>& names,
                          const std::vector<Typ>& types);
  void module(Op& op);
  void function(Op& op);
  void argument_list(std::vector<std::string_view>& names, std::vector<Typ>& types,
                     std::vector<Attr>& attrs, bool* any);
  void constant(Op& op);
  void compare(Op& op);
  void slice(Op& op);
  void dot_general(Op& op);
  void convolution(Op& op);
  void convolution_window(Op& op);
  void reduce(Op& op);
  void reducer(Op& op, size_t inputs);
  void while_loop(Op& op);
  void scan(Op& op);
  void call(Op& op);
  void custom_call(Op& op);
  void composite(Op& op);
  void part_of_tuple(Op& op);
  void expect_const(Op& op);
  void sharding(Op& op);
  void mesh(Op& op);
  friend const std::unordered_map<std::string_view, void (Parser::*)(Op&)>& short_forms();

  std::shared_ptr<const SourceText> source_;
  std::shared_ptr<TypeTable> types_;
  Lexer lex_;
  std::unordered_map<std::string_view, Name> names_;
  // The previous meanings of names, which are restored at the end of a scope.
  std::vector<std::pair<std::string_view, Name>> undo_;
  std::vector<Typ> value_types_;
  std::unordered_map<std::string, Attr> attr_aliases_;
  std::unordered_map<std::string, Typ> type_aliases_;
  size_t expanded_ = 0;  // number of attributes that aliases were expanded to
  int depth_ = 0;
};

}  // namespace weft::hlo
