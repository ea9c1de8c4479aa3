// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/parse_attr.cpp: types and attributes of MLIR text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/parser.h"
#include "weft/error.h"

namespace weft::hlo {
namespace {

using K = Token::Kind;

constexpr size_t longest_type = size_t{1} << 20;
constexpr size_t max_type_text = size_t{1} << 26;  // of all types together
constexpr size_t max_expanded = size_t{1} << 20;

struct Depth {
  int& depth;
  explicit Depth(int& d) : depth(++d) {}
  ~Depth() { --depth; }
};
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int depth_of(const Attr& a) {
  int d = 0;
  for (const Attr& x : a.items) d = std::max(d, depth_of(x));
  for (const NamedAttr& x : a.entries) d = std::max(d, depth_of(x.value));
  return d + 1;
}
size_t count_of(const Attr& a) {
  size_t n = 1 + a.numbers.size();
  for (const Attr& x : a.items) n += count_of(x);
  for (const NamedAttr& x : a.entries) n += count_of(x.value);
  return n;
}

}  // namespace

void Parser::deeper(size_t at) {
  if (depth_ > deepest) lex_.fail(fmt::format("nested more than {} deep", deepest), at);
}

// ---- types

Typ Parser::bounded(Typ t) {
  if (t->text.size() > longest_type) lex_.fail("a type that is too long", lex_.at());
  // Aliases of aliases could make a short text represent more types than fit in memory.
  if (types_->text_bytes() > max_type_text) lex_.fail("types that are too long", lex_.at());
  return t;
}

Typ Parser::type() {
  const Depth depth(depth_);
  deeper(lex_.at());
  const Token t = lex_.peek();
  if (t.is("(")) return function_type();
  if (t.kind == K::bang) {
    lex_.take();
    const std::string name(t.text);
    if (const auto it = type_aliases_.find(name); it != type_aliases_.end()) return it->second;
    // "!stablehlo.token", "!quant.uniform<i8:f32, 0.5>"
    if (!lex_.peek().is("<")) return types_->other(name);
    return bounded(types_->other(name + squeezed(lex_.balanced())));
  }
  if (t.kind != K::word) lex_.expected("a type");
  if (t.text == "tensor") return tensor();
  lex_.take();
  if (t.text == "tuple") {
    lex_.expect("<");
    std::vector<Typ> parts;
    while (!lex_.peek().is(">")) {
      if (!parts.empty()) lex_.expect(",");
      parts.push_back(type());
    }
    lex_.expect(">");
    return bounded(types_->tuple(std::move(parts)));
  }
  if (t.text == "complex") {
    lex_.expect("<");
    const Typ part = type();
    lex_.expect(">");
    return bounded(types_->other("complex<" + part->text + ">"));
  }
  if (lex_.peek().is("<") && (t.text == "vector" || t.text == "memref"))
    return bounded(types_->other(std::string(t.text) + squeezed(lex_.balanced())));
  return types_->other(std::string(t.text));
}

Typ Parser::tensor() {
  const size_t start = lex_.at();
  lex_.take();
  if (!lex_.peek().is("<")) lex_.expected("'<'");
  // The text is read by characters, because the lexer would read "2x3xf32" as one word.
  const std::string& text = lex_.text();
  size_t at = lex_.at() + 1;
  const auto space = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) ++at;
  };
  std::vector<int64_t> dims;
  for (;;) {
    space();
    const size_t from = at;
    int64_t n = -1;
    if (at < text.size() && text[at] == '?') {
      ++at;
    } else if (at < text.size() && is_digit(text[at])) {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), n);
      if (error != std::errc()) lex_.fail("a size that needs more than 64 bits", at);
      at = static_cast<size_t>(end - text.data());
    } else {
      break;
    }
    if (at >= text.size() || text[at] != 'x')
      lex_.fail("expected sizes and an element type, such as 2x3xf32", from);
    ++at;
    dims.push_back(n);
    if (dims.size() > max_axes)
      lex_.fail(fmt::format("a type with more than {} axes", max_axes), start);
  }
  lex_.go(at);
  const Typ element = type();
  std::string encoding;
  if (lex_.accept(",")) {
    const size_t from = lex_.at();
    attribute();
    encoding = squeezed(std::string_view(text).substr(from, lex_.at() - from));
  }
  lex_.expect(">");
  return bounded(types_->tensor(std::move(dims), element, std::move(encoding)));
}

std::vector<Typ> Parser::type_list() {
  lex_.expect("(");
  std::vector<Typ> list;
  while (!lex_.peek().is(")")) {
    if (!list.empty()) lex_.expect(",");
    list.push_back(type());
  }
  lex_.expect(")");
  return list;
}

Typ Parser::function_type() {
  std::vector<Typ> in = type_list(), out;
  lex_.expect("->");
  if (lex_.peek().is("("))
    out = type_list();
  else
    out.push_back(type());
  return bounded(types_->function(std::move(in), std::move(out)));
}

// ---- attributes

int64_t Parser::integer() {
  const Token t = lex_.peek();
  int64_t n = 0;
  const char* end = t.text.data() + t.text.size();
  if (t.kind != K::number) lex_.expected("an integer");
  const auto r = std::from_chars(t.text.data(), end, n);
  if (r.ec == std::errc::result_out_of_range)
    lex_.fail("an integer that needs more than 64 bits", t.at);
  if (r.ec != std::errc() || r.ptr != end) lex_.expected("an integer");
  lex_.take();
  return n;
}

std::vector<int64_t> Parser::int_list() {
  std::vector<int64_t> list;
  lex_.expect("[");
  while (!lex_.peek().is("]")) {
    if (!list.empty()) lex_.expect(",");
    if (lex_.peek().is("true") || lex_.peek().is("false"))
      list.push_back(lex_.take().is("true"));
    else
      list.push_back(integer());
  }
  lex_.expect("]");
  return list;
}

Attr Parser::number() {
  Attr a = untyped_number();
  if (lex_.accept(":")) a.type = type();
  return a;
}

Attr Parser::untyped_number() {
  Attr a;
  const Token t = lex_.take();
  a.text = t.text;
  const bool hexadecimal = t.text.starts_with("0x");
  if (!hexadecimal && t.text.find('.') != std::string_view::npos) {
    a.kind = Attr::Kind::floating;
  } else {
    a.kind = Attr::Kind::integer;
    // Unsigned numbers whose highest bit is set keep their bits.
    const std::string_view digits = hexadecimal ? t.text.substr(2) : t.text;
    const char* end = digits.data() + digits.size();
    uint64_t u = 0;
    if (digits.starts_with("-")) {
      const auto r = std::from_chars(digits.data(), end, a.integer);
      if (r.ptr != end) lex_.fail("not an integer", t.at);
      if (r.ec != std::errc()) lex_.fail("an integer that needs more than 64 bits", t.at);
    } else if (std::from_chars(digits.data(), end, u, hexadecimal ? 16 : 10).ec != std::errc()) {
      lex_.fail("an integer that needs more than 64 bits", t.at);
    } else {
      a.integer = static_cast<int64_t>(u);
    }
  }
  return a;
}

Attr Parser::dense() {
  Attr a;
  a.kind = Attr::Kind::dense;
  lex_.take();
  if (!lex_.peek().is("<")) lex_.expected("'<'");
  const std::string& text = lex_.text();
  const size_t from = lex_.at() + 1;
  // Searches for the '>' that is not in a string or a comment.
  size_t end = from;
  for (; end < text.size() && text[end] != '>' && text[end] != ':'; ++end) {
    if (text[end] == '"') end = text.find('"', end + 1);
    if (end != std::string::npos && text.compare(end, 2, "//") == 0) end = text.find('\n', end);
    if (end == std::string::npos) break;
  }
  if (end >= text.size()) lex_.fail("a constant without its closing '>'", from);
  if (text[end] != '>') lex_.fail("expected '>'", end);
  lex_.go(end + 1);
  lex_.expect(":");
  const size_t at_type = lex_.at();
  const Typ t = type();
  if (t->kind != TypeData::Kind::tensor) lex_.fail("expected the type of a tensor", at_type);
  a.dense = std::make_shared<Dense>(
      decode_dense(*source_, std::string_view(text).substr(from, end - from), from, t));
  return a;
}

Attr Parser::numbers() {
  Attr a;
  a.kind = Attr::Kind::numbers;
  lex_.take();
  lex_.expect("<");
  a.type = type();
  const std::string& element = a.type->text;
  if (lex_.accept(":"))
    while (!lex_.peek().is(">")) {
      if (!a.numbers.empty() || !a.items.empty()) lex_.expect(",");
      if (element == "i1") {
        if (!lex_.peek().is("true") && !lex_.peek().is("false")) lex_.expected("true or false");
        a.numbers.push_back(lex_.take().is("true"));
      } else if (element.starts_with("i") || element.starts_with("ui")) {
        a.numbers.push_back(integer());
      } else {
        if (lex_.peek().kind != K::number) lex_.expected("a number");
        a.items.push_back(untyped_number());
      }
    }
  lex_.expect(">");
  return a;
}

Attr Parser::hash() {
  const Token t = lex_.take();
  if (lex_.peek().is("<") && lex_.at() == t.at + t.text.size())
    return text_attr(std::string(t.text) + squeezed(lex_.balanced()));
  const auto it = attr_aliases_.find(std::string(t.text));
  if (it == attr_aliases_.end()) return text_attr(std::string(t.text));
  // Aliases of aliases could represent more than memory or the stack can hold.
  expanded_ += count_of(it->second);
  if (depth_ + depth_of(it->second) > deepest)
    lex_.fail(fmt::format("nested more than {} deep", deepest), t.at);
  if (expanded_ > max_expanded) lex_.fail("aliases that stand for too much", t.at);
  return it->second;
}

Attr Parser::attribute() {
  const Depth depth(depth_);
  const Token t = lex_.peek();
  deeper(t.at);
  Attr a;
  a.at = t.at;
  if (t.kind == K::number) {
    a = number();
  } else if (t.kind == K::string) {
    a.kind = Attr::Kind::string;
    a.text = unquoted(lex_.take().text);
    if (lex_.accept(":")) a.type = type();
  } else if (t.kind == K::symbol) {
    a.kind = Attr::Kind::symbol;
    a.text = lex_.take().text;
    while (lex_.accept("::")) {
      if (lex_.peek().kind != K::symbol) lex_.expected("a symbol");
      a.text += "::" + std::string(lex_.take().text);
    }
  } else if (t.kind == K::hash) {
    a = hash();
  } else if (t.is("[")) {
    a.kind = Attr::Kind::list;
    lex_.take();
    while (!lex_.peek().is("]")) {
      if (!a.items.empty()) lex_.expect(",");
      a.items.push_back(attribute());
    }
    lex_.take();
  } else if (t.is("{")) {
    a.kind = Attr::Kind::dictionary;
    a.entries = dictionary();
  } else if (t.is("true") || t.is("false")) {
    a.kind = Attr::Kind::integer;
    a.text = lex_.take().text;
    a.integer = a.text == "true";
  } else if (t.is("unit")) {
    lex_.take();
  } else if (t.is("dense")) {
    a = dense();
  } else if (t.is("array")) {
    a = numbers();
  } else if (t.is("loc")) {
    skip_location();
    a = text_attr("loc(unknown)");
  } else if (t.kind == K::word || t.kind == K::bang || t.is("(")) {
    a.type = type();
    // Forms such as dense_resource<…> and affine_map<…> remain text.
    if (lex_.peek().is("<"))
      a = text_attr(a.type->text + squeezed(lex_.balanced()));
    else
      a.kind = Attr::Kind::type;
  } else {
    lex_.expected("an attribute");
  }
  a.at = t.at;
  return a;
}

std::string Parser::attribute_name() {
  const Token t = lex_.peek();
  if (t.kind != K::word && t.kind != K::string) lex_.expected("the name of an attribute");
  lex_.take();
  return t.kind == K::string ? unquoted(t.text) : std::string(t.text);
}

std::vector<NamedAttr> Parser::dictionary() {
  std::vector<NamedAttr> entries;
  lex_.expect("{");
  while (!lex_.peek().is("}")) {
    if (!entries.empty()) lex_.expect(",");
    NamedAttr e;
    e.value.at = lex_.at();
    e.name = attribute_name();
    if (lex_.accept("=")) e.value = attribute();
    entries.push_back(std::move(e));
  }
  lex_.expect("}");
  return entries;
}

bool Parser::skip_location() {
  if (!lex_.accept("loc")) return false;
  if (!lex_.peek().is("(")) lex_.expected("'('");
  lex_.balanced();
  return true;
}

void Parser::alias() {
  const Token t = lex_.take();
  lex_.expect("=");
  if (t.kind == K::bang) {
    type_aliases_[std::string(t.text)] = type();
    return;
  }
  attr_aliases_[std::string(t.text)] = attribute();
}

// ---- attributes that short forms represent

Attr Parser::int_attr(int64_t value, const char* type_name) {
  Attr a;
  a.kind = Attr::Kind::integer;
  a.at = lex_.at();
  a.integer = value;
  a.text = std::to_string(value);
  if (std::string_view(type_name) == "i1")
    a.text = value ? "true" : "false";
  else
    a.type = types_->other(type_name);
  return a;
}
Attr Parser::ints_attr(const std::vector<int64_t>& values, const char* element) {
  Attr a;
  a.kind = Attr::Kind::numbers;
  a.at = lex_.at();
  a.type = types_->other(element);
  a.numbers = values;
  return a;
}
Attr Parser::text_attr(std::string text) {
  Attr a;
  a.kind = Attr::Kind::text;
  a.at = lex_.at();
  a.text = std::move(text);
  return a;
}
Attr Parser::matrix_attr(const std::vector<std::vector<int64_t>>& rows) {
  auto d = std::make_shared<Dense>();
  const int64_t columns = rows.empty() ? 2 : static_cast<int64_t>(rows[0].size());
  d->type = types_->tensor({static_cast<int64_t>(rows.size()), columns}, types_->other("i64"));
  d->known = true;
  d->dtype = I64;
  for (const auto& row : rows) {
    if (static_cast<int64_t>(row.size()) != columns)
      lex_.fail("rows of different lengths", lex_.at());
    const auto* p = reinterpret_cast<const std::byte*>(row.data());
    d->bytes.insert(d->bytes.end(), p, p + row.size() * sizeof(int64_t));
  }
  if (!d->bytes.empty()) merge_equal(*d);
  Attr a;
  a.kind = Attr::Kind::dense;
  a.at = lex_.at();
  a.dense = std::move(d);
  return a;
}

}  // namespace weft::hlo
