// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/parse_short.cpp: the short forms of operations. Most have the form "name
// operands, key = value, … {attributes} : types", and a table gives the meaning of the keys. Each
// of the others has its own method, here (dense, types, calls) or in parse_body.cpp (functions,
// loops, reductions).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interop/stablehlo/read/parser.h"

namespace weft::hlo {
namespace {
using K = Token::Kind;
using Kind = TypeData::Kind;
}  // namespace

// The attribute that a clause "key = value" of an operation represents.
struct Parser::Clause {
  enum class As { integer, bits, ints, enumeration, boolean, format, attribute };
  std::string_view op, key;
  const char* attr;
  As as = As::integer;
  const char* of = "";  // the dialect's name of an enumeration
};

namespace {

// Returns true if the entire text is a number in the range of T.
template <class T>
bool is_number(const char* from, const char* to, T& n) {
  const auto r = std::from_chars(from, to, n);
  return r.ec == std::errc() && r.ptr == to;
}

// Sorted by the name of the op, so that the clauses of an op are adjacent.
template <class Clause>
std::span<const Clause> clauses_of(std::string_view op) {
  using As = typename Clause::As;
  static constexpr Clause table[] = {
      {"check.expect_almost_eq", "tolerance", "tolerance", As::attribute},
      {"check.expect_almost_eq_const", "tolerance", "tolerance", As::attribute},
      {"check.expect_close", "max_ulp_difference", "max_ulp_difference", As::bits},
      {"check.expect_close", "min_ulp_difference", "min_ulp_difference", As::bits},
      {"chlo.top_k", "k", "k"},
      {"stablehlo.all_gather", "dim", "all_gather_dim"},
      {"stablehlo.broadcast", "sizes", "broadcast_sizes", As::ints},
      {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions", As::ints},
      {"stablehlo.cholesky", "lower", "lower", As::boolean},
      {"stablehlo.concatenate", "dim", "dimension"},
      {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions", As::ints},
      {"stablehlo.dynamic_iota", "dim", "iota_dimension"},
      {"stablehlo.dynamic_slice", "sizes", "slice_sizes", As::ints},
      {"stablehlo.fft", "length", "fft_length", As::ints},
      {"stablehlo.fft", "type", "fft_type", As::enumeration, "fft_type"},
      {"stablehlo.get_dimension_size", "dim", "dimension"},
      {"stablehlo.iota", "dim", "iota_dimension"},
      {"stablehlo.pad", "high", "edge_padding_high", As::ints},
      {"stablehlo.pad", "interior", "interior_padding", As::ints},
      {"stablehlo.pad", "low", "edge_padding_low", As::ints},
      {"stablehlo.reduce_precision", "format", "", As::format},
      {"stablehlo.reverse", "dims", "dimensions", As::ints},
      {"stablehlo.rng", "distribution", "rng_distribution", As::enumeration, "rng_distribution"},
      {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm", As::enumeration,
       "rng_algorithm"},
      {"stablehlo.set_dimension_size", "dim", "dimension"},
      {"stablehlo.transpose", "dims", "permutation", As::ints},
  };
  const Clause *first = std::end(table), *last = first;
  for (const Clause& c : table)
    if (c.op == op) {
      if (first == std::end(table)) first = &c;
      last = &c + 1;
    }
  return {first, last};
}

}  // namespace

const std::unordered_map<std::string_view, void (Parser::*)(Op&)>& short_forms() {
  static const std::unordered_map<std::string_view, void (Parser::*)(Op&)> table = {
      {"module", &Parser::module},
      {"builtin.module", &Parser::module},
      {"func.func", &Parser::function},
      {"call", &Parser::call},
      {"func.call", &Parser::call},
      {"check.expect_eq_const", &Parser::expect_const},
      {"check.expect_almost_eq_const", &Parser::expect_const},
      {"chlo.scan", &Parser::scan},
      {"sdy.mesh", &Parser::mesh},
      {"sdy.sharding_constraint", &Parser::sharding},
      {"stablehlo.compare", &Parser::compare},
      {"stablehlo.composite", &Parser::composite},
      {"stablehlo.constant", &Parser::constant},
      {"stablehlo.convolution", &Parser::convolution},
      {"stablehlo.custom_call", &Parser::custom_call},
      {"stablehlo.dot", &Parser::dot_general},
      {"stablehlo.dot_general", &Parser::dot_general},
      {"stablehlo.get_tuple_element", &Parser::part_of_tuple},
      {"stablehlo.reduce", &Parser::reduce},
      {"stablehlo.slice", &Parser::slice},
      {"stablehlo.while", &Parser::while_loop},
  };
  return table;
}

void Parser::short_form(Op& op) {
  const auto it = short_forms().find(op.name);
  if (it != short_forms().end()) {
    (this->*it->second)(op);
    return;
  }
  if (op.name == "return") op.name = "func.return";
  if (op.name.find('.') == std::string::npos)
    lex_.fail(fmt::format("'{}' is not an operation", op.name), op.at);
  plain(op, clauses_of<Clause>(op.name));
}

// name %a, %b, key = value {…} : types. Operands and clauses may be in parentheses.
void Parser::plain(Op& op, std::span<const Clause> clauses) {
  const bool parentheses = lex_.accept("(");
  operands(op);
  const auto clauses_here = [&] {
    while (lex_.peek().kind == K::word || lex_.peek().is(",")) {
      bool comma = lex_.accept(",");
      // A slice of a scalar has no starts: "%x, , sizes = []".
      if (comma && op.operands.size() == 1 && op.name == "stablehlo.dynamic_slice")
        comma = lex_.accept(",") || comma;
      const Token key = lex_.peek();
      const auto it = std::find_if(clauses.begin(), clauses.end(),
                                   [&](const Clause& c) { return key.is(c.key); });
      if (it == clauses.end()) lex_.expected(comma ? "a value or a field of " + op.name : "':'");
      lex_.take();
      lex_.expect("=");
      clause(op, *it);
    }
  };
  clauses_here();
  if (parentheses) lex_.expect(")");
  clauses_here();
  if (lex_.accept("<")) {
    for (NamedAttr& a : dictionary()) add_attr(op, std::move(a.name), std::move(a.value));
    lex_.expect(">");
  }
  attr_dict(op);
  result_types(op);
}

void Parser::clause(Op& op, const Clause& c) {
  using As = Clause::As;
  switch (c.as) {
    case As::integer: add_attr(op, c.attr, int_attr(integer(), "i64")); break;
    case As::bits: {  // an unsigned 64-bit number
      const Token t = lex_.peek();
      uint64_t n = 0;
      const char* end = t.text.data() + t.text.size();
      if (t.kind != K::number || !is_number(t.text.data(), end, n))
        lex_.expected("an unsigned integer");
      lex_.take();
      add_attr(op, c.attr, int_attr(static_cast<int64_t>(n), "i64"));
      break;
    }
    case As::ints: add_attr(op, c.attr, ints_attr(int_list())); break;
    case As::attribute: add_attr(op, c.attr, attribute()); break;
    case As::enumeration: {
      if (lex_.peek().kind != K::word) lex_.expected(fmt::format("a word for {}", c.key));
      add_attr(op, c.attr, text_attr(fmt::format("#stablehlo<{} {}>", c.of, lex_.take().text)));
      break;
    }
    case As::boolean: {
      if (!lex_.peek().is("true") && !lex_.peek().is("false")) lex_.expected("true or false");
      add_attr(op, c.attr, int_attr(lex_.take().is("true"), "i1"));
      break;
    }
    case As::format: {
      // A format such as e5m10.
      const Token t = lex_.peek();
      const size_t m = t.text.find('m');
      int exponent = 0, mantissa = 0;
      const char* end = t.text.data() + t.text.size();
      if (t.kind != K::word || t.text[0] != 'e' || m == std::string_view::npos ||
          !is_number(t.text.data() + 1, t.text.data() + m, exponent) ||
          !is_number(t.text.data() + m + 1, end, mantissa))
        lex_.expected("a format such as e5m10");
      lex_.take();
      add_attr(op, "exponent_bits", int_attr(exponent, "i32"));
      add_attr(op, "mantissa_bits", int_attr(mantissa, "i32"));
      break;
    }
  }
}

// ---- types

// Parses the types after ':' of a short form: (T, U) -> V, T, U -> V, or only the types that the op
// needs.
void Parser::result_types(Op& op) {
  for (int32_t v : op.operands) op.in.push_back(value_types_[static_cast<size_t>(v)]);
  if (!lex_.accept(":")) {
    if (!op.operands.empty() && op.name != "func.return" && !op.name.ends_with(".return"))
      lex_.expected("':'");
    return;
  }
  std::vector<Typ> listed;
  const auto one = [&] {
    const Typ t = type();
    if (t->kind == Kind::function && listed.empty()) {
      op.in = t->in;
      op.out = t->out;
      return false;
    }
    listed.push_back(t);
    return true;
  };
  bool more = one();
  const bool whole = !more;
  while (more && lex_.accept(",")) more = one();
  if (!whole) {
    if (lex_.accept("->")) {
      op.in = std::move(listed);
      op.out = lex_.peek().is("(") ? type_list() : std::vector<Typ>{type()};
    } else {
      op.out = spelled_types(op, std::move(listed));
    }
  }
  check_operands(op);
}

// Returns the types of the results of an op that lists only some of its types.
std::vector<Typ> Parser::spelled_types(Op& op, std::vector<Typ> listed) {
  const std::string& n = op.name;
  if (n.ends_with(".return") || n.starts_with("check.")) {
    op.in = std::move(listed);
    return {};
  }
  if (n == "stablehlo.optimization_barrier") {
    op.in = listed;
    return listed;
  }
  if (n == "stablehlo.select" && listed.size() == 2) {
    op.in = {listed[0], listed[1], listed[1]};
    return {listed[1]};
  }
  if (listed.size() != 1) lex_.fail(fmt::format("'{}' needs one type, or (…) -> …", n), op.at);
  const bool own = n == "stablehlo.complex" || n == "stablehlo.tuple" || n == "stablehlo.cholesky";
  if (!own && !n.starts_with("stablehlo.after_all")) op.in.assign(op.operands.size(), listed[0]);
  return listed;
}

// ---- single ops

// dense<…> : T, with optional attributes before it, or the generic form without quotes.
void Parser::constant(Op& op) {
  if (lex_.accept("(")) {
    lex_.expect(")");
    if (lex_.accept("<")) {
      for (NamedAttr& a : dictionary()) add_attr(op, std::move(a.name), std::move(a.value));
      lex_.expect(">");
    }
    attr_dict(op);
    trailing_types(op);
    return;
  }
  attr_dict(op);
  const size_t at = lex_.at();
  Attr value = attribute();
  if (value.kind != Attr::Kind::dense) {
    // A resource or another form without numbers is followed by its type.
    if (value.kind != Attr::Kind::text) lex_.fail("expected a constant dense<…>", at);
    lex_.expect(":");
    op.out.push_back(type());
  } else {
    op.out.push_back(value.dense->type);
  }
  add_attr(op, "value", std::move(value));
}

// compare LT, %a, %b, FLOAT : (T, T) -> U
void Parser::compare(Op& op) {
  const auto word = [&](const char* attr, const char* of) {
    if (lex_.peek().kind != K::word) lex_.expected(of);
    add_attr(op, attr, text_attr(fmt::format("#stablehlo<{} {}>", of, lex_.take().text)));
  };
  word("comparison_direction", "comparison_direction");
  lex_.expect(",");
  operands(op);
  if (lex_.accept(",")) word("compare_type", "comparison_type");
  attr_dict(op);
  result_types(op);
}

// slice %x [0:4:2, 1:3] : (T) -> U
void Parser::slice(Op& op) {
  op.operands.push_back(operand());
  std::vector<int64_t> start, limit, stride;
  lex_.expect("[");
  while (!lex_.peek().is("]")) {
    if (!start.empty()) lex_.expect(",");
    start.push_back(integer());
    lex_.expect(":");
    limit.push_back(integer());
    stride.push_back(lex_.accept(":") ? integer() : 1);
  }
  lex_.take();
  add_attr(op, "start_indices", ints_attr(start));
  add_attr(op, "limit_indices", ints_attr(limit));
  add_attr(op, "strides", ints_attr(stride));
  attr_dict(op);
  result_types(op);
}

// dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..]
void Parser::dot_general(Op& op) {
  operands(op);
  std::string dims;
  const auto pair = [&](const char* kind) {
    const std::vector<int64_t> l = int_list();
    lex_.expect("x");
    const std::vector<int64_t> r = int_list();
    for (const auto& [side, list] : {std::pair{"lhs", &l}, std::pair{"rhs", &r}})
      if (!list->empty())
        dims += fmt::format("{}{}_{}_dimensions = [{}]", dims.empty() ? "" : ", ", side, kind,
                            fmt::join(*list, ", "));
  };
  Attr precision, algorithm;
  while (lex_.accept(",")) {
    const Token key = lex_.take();
    lex_.expect("=");
    if (key.is("batching_dims")) {
      pair("batching");
    } else if (key.is("contracting_dims")) {
      pair("contracting");
    } else if (key.is("precision")) {
      precision.kind = Attr::Kind::list;
      lex_.expect("[");
      while (!lex_.peek().is("]")) {
        if (!precision.items.empty()) lex_.expect(",");
        precision.items.push_back(
            text_attr(fmt::format("#stablehlo<precision {}>", lex_.take().text)));
      }
      lex_.take();
    } else if (key.is("algorithm")) {
      if (lex_.peek().is("<"))
        algorithm = text_attr("#stablehlo.dot_algorithm" + squeezed(lex_.balanced()));
      else
        algorithm = attribute();
    } else {
      lex_.fail("expected batching_dims, contracting_dims, precision or algorithm", key.at);
    }
  }
  if (op.name == "stablehlo.dot_general")
    add_attr(op, "dot_dimension_numbers", text_attr("#stablehlo.dot<" + dims + ">"));
  if (precision.kind == Attr::Kind::list) add_attr(op, "precision_config", std::move(precision));
  if (algorithm.kind != Attr::Kind::unit) add_attr(op, "algorithm", std::move(algorithm));
  attr_dict(op);
  result_types(op);
}

// convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {…} {…} : (T, U) -> V
void Parser::convolution(Op& op) {
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  lex_.expect("dim_numbers");
  lex_.expect("=");
  std::string dims;
  const auto list = [&] {
    if (!lex_.peek().is("[")) lex_.expected("'['");
    dims += squeezed(lex_.balanced());
  };
  list();
  lex_.expect("x");
  dims += 'x';
  list();
  lex_.expect("->");
  dims += "->";
  list();
  add_attr(op, "dimension_numbers", text_attr("#stablehlo.conv<" + dims + ">"));
  lex_.expect(",");
  lex_.expect("window");
  lex_.expect("=");
  convolution_window(op);
  attr_dict(op);
  result_types(op);
}

void Parser::convolution_window(Op& op) {
  lex_.expect("{");
  for (bool first = true; !lex_.peek().is("}"); first = false) {
    if (!first) lex_.expect(",");
    const Token key = lex_.take();
    lex_.expect("=");
    if (key.is("pad")) {
      std::vector<std::vector<int64_t>> rows;
      lex_.expect("[");
      while (!lex_.peek().is("]")) {
        if (!rows.empty()) lex_.expect(",");
        rows.push_back(int_list());
      }
      lex_.take();
      add_attr(op, "padding", matrix_attr(rows));
    } else if (key.is("stride")) {
      add_attr(op, "window_strides", ints_attr(int_list()));
    } else if (key.is("lhs_dilate")) {
      add_attr(op, "lhs_dilation", ints_attr(int_list()));
    } else if (key.is("rhs_dilate")) {
      add_attr(op, "rhs_dilation", ints_attr(int_list()));
    } else if (key.is("reverse")) {
      const size_t at = lex_.at();
      std::vector<int64_t> flags = int_list();
      if (std::any_of(flags.begin(), flags.end(), [](int64_t n) { return n != 0 && n != 1; }))
        lex_.fail("expected true and false", at);
      add_attr(op, "window_reversal", ints_attr(flags, "i1"));
    } else {
      lex_.fail("expected stride, pad, lhs_dilate, rhs_dilate or reverse", key.at);
    }
  }
  lex_.expect("}");
}

// custom_call @target(%a) {…} : (T) -> U
void Parser::custom_call(Op& op) {
  const Token t = lex_.peek();
  if (t.kind != K::symbol) lex_.expected("a symbol such as @target");
  lex_.take();
  Attr target;
  target.kind = Attr::Kind::string;
  target.at = t.at;
  target.text = symbol_name(t.text);
  add_attr(op, "call_target_name", std::move(target));
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  attr_dict(op);
  result_types(op);
}

// call @f(%a) : (T) -> U
void Parser::call(Op& op) {
  op.name = "func.call";
  if (lex_.peek().kind != K::symbol) lex_.expected("a symbol such as @f");
  add_attr(op, "callee", attribute());
  lex_.expect("(");
  operands(op);
  lex_.expect(")");
  attr_dict(op);
  result_types(op);
}

// composite "name" %a, %b {…} : (T) -> U
void Parser::composite(Op& op) {
  if (lex_.peek().kind != K::string) lex_.expected("the name of a composite");
  add_attr(op, "name", attribute());
  operands(op);
  attr_dict(op);
  result_types(op);
}

// get_tuple_element %x[0] : (T) -> U
void Parser::part_of_tuple(Op& op) {
  op.operands.push_back(operand());
  lex_.expect("[");
  add_attr(op, "index", int_attr(integer(), "i32"));
  lex_.expect("]");
  attr_dict(op);
  result_types(op);
}

// check.expect_eq_const %x, dense<…> : T
void Parser::expect_const(Op& op) {
  op.operands.push_back(operand());
  lex_.expect(",");
  add_attr(op, "value", attribute());
  while (lex_.accept(",")) {
    std::string name = attribute_name();
    lex_.expect("=");
    add_attr(op, std::move(name), attribute());
  }
  attr_dict(op);
  op.in.push_back(value_types_[static_cast<size_t>(op.operands[0])]);
}

// sdy.sharding_constraint %x <@mesh, […]> : T
void Parser::sharding(Op& op) {
  op.operands.push_back(operand());
  if (!lex_.peek().is("<")) lex_.expected("'<'");
  add_attr(op, "sharding", text_attr("#sdy.sharding" + squeezed(lex_.balanced())));
  attr_dict(op);
  result_types(op);
}
// sdy.mesh @mesh = <["x"=4]>
void Parser::mesh(Op& op) {
  if (lex_.peek().kind != K::symbol) lex_.expected("a symbol such as @mesh");
  add_attr(op, "sym_name", attribute());
  lex_.expect("=");
  if (!lex_.peek().is("<")) lex_.expected("'<'");
  add_attr(op, "mesh", text_attr("#sdy.mesh" + squeezed(lex_.balanced())));
  attr_dict(op);
}

}  // namespace weft::hlo
