// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/parse_text.cpp: words, numbers, types and literals of programs; errors with a caret.
#include "core/text/parse_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/derivative_zero.h"
#include "core/text/float_text.h"
#include "core/weak_literal.h"

namespace weft {
namespace {

constexpr size_t max_axes = 255;
constexpr size_t longest_literal = 200;
constexpr size_t shown_columns = 100;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

std::string printable(std::string_view s) {
  std::string out;
  for (char c : s)
    out += c == '\t' ? ' ' : static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

}  // namespace

void TextCursor::space() {
  const size_t line = p_.line, start = p_.at;
  for (; p_.at < text_.size(); ++p_.at) {
    if (text_[p_.at] == '#') p_.at = std::min(text_.find('\n', p_.at), text_.size());
    if (p_.at == text_.size() || !is_space(text_[p_.at])) break;
    if (text_[p_.at] == '\n') p_.line = p_.at + 1;
  }
  if (p_.line != line || start == 0) p_.first = p_.at;
}

bool TextCursor::accept(char c) {
  space();
  if (at_end() || peek() != c) return false;
  ++p_.at;
  return true;
}

void TextCursor::expect(char c) {
  if (!accept(c)) expected(fmt::format("'{}'", c));
}

std::string_view TextCursor::peek_word(std::string_view also) const {
  size_t end = p_.at;
  if (end < text_.size() && is_word(text_[end]) &&
      !std::isdigit(static_cast<unsigned char>(text_[end])))
    while (end < text_.size() && (is_word(text_[end]) || is_in(text_[end], also))) ++end;
  return text_.substr(p_.at, end - p_.at);
}

std::string_view TextCursor::word(std::string_view also) {
  const std::string_view w = peek_word(also);
  p_.at += w.size();
  return w;
}

void TextCursor::expect_word(std::string_view w) {
  space();
  if (peek_word() != w) expected(fmt::format("'{}'", w));
  p_.at += w.size();
}

std::string_view TextCursor::until(std::string_view end) {
  const size_t start = p_.at;
  while (!at_end() && !is_space(peek()) && !is_in(peek(), end)) ++p_.at;
  return text_.substr(start, p_.at - start);
}

int64_t TextCursor::integer() {
  space();
  int64_t n = 0;
  const char* first = text_.data() + p_.at;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), n);
  if (error == std::errc::result_out_of_range) fail("an integer that needs more than 64 bits", p_);
  if (error != std::errc()) expected("an integer");
  p_.at += static_cast<size_t>(end - first);
  return n;
}

std::string TextCursor::quoted() {
  space();
  const Place start = p_;
  const char quote = peek();
  if (at_end() || (quote != '\'' && quote != '"')) expected("a quoted text");
  std::string s;
  for (++p_.at; !at_end() && peek() != quote; ++p_.at) {
    if (peek() == '\n') break;
    if (peek() != '\\') {
      s += peek();
      continue;
    }
    ++p_.at;
    if (peek() == 'n')
      s += '\n';
    else if (peek() == 't')
      s += '\t';
    else if (peek() == '\\' || peek() == '\'' || peek() == '"')
      s += peek();
    else if (peek() == 'x') {
      unsigned char c = 0;
      const char* digits = text_.data() + p_.at + 1;
      if (p_.at + 3 > text_.size() || std::from_chars(digits, digits + 2, c, 16).ptr != digits + 2)
        expected("two hexadecimal digits");
      s += static_cast<char>(c);
      p_.at += 2;
    } else
      expected("one of \\n, \\t, \\x, \\\\, \\', \\\"");
  }
  if (at_end() || peek() != quote) fail("a text without its closing quote", start);
  ++p_.at;
  return s;
}

Type TextCursor::type() {
  space();
  const Place start = p_;
  const bool weak = peek() == '~';
  if (weak) ++p_.at;
  DType d;
  if (!parse_dtype(std::string(until("[ ,);]}")), &d)) expected("a type such as f32[3]", start);
  if (peek() != '[') expected("'['");
  ++p_.at;
  std::vector<int64_t> sizes;
  for (space(); peek() != ']'; space()) {
    if (!sizes.empty()) expect(',');
    const Place here = p_;
    sizes.push_back(integer());
    if (sizes.back() < 0) fail("a negative size", here);
    if (sizes.size() > max_axes)
      fail(fmt::format("a type with more than {} axes", max_axes), start);
  }
  ++p_.at;
  try {
    return Type(d, Shape(std::move(sizes)), weak);
  } catch (const Error& e) {
    fail(e.what(), start);
  }
}

bool TextCursor::at_complex() const {
  if (peek() != '(') return false;
  const std::string_view rest = text_.substr(p_.at + 1, longest_literal);
  const size_t end = rest.find_first_not_of("0123456789+-.einfajk");
  return end != std::string_view::npos && end > 0 && rest[end] == ')' && rest[end - 1] == 'j';
}

// The text up to the ":" that is outside parentheses.
std::string_view TextCursor::literal_text() {
  const std::string_view rest = text_.substr(p_.at, longest_literal);
  int open = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == ':') return rest.substr(0, i);
    open += (c == '(') - (c == ')');
    if (open < 0 || (open == 0 && is_space(c)) || c == '\n') break;
  }
  expected("an operand: a variable, or a number with its type such as 2.0:f32[]");
}

Literal TextCursor::literal() {
  const Place start = p_;
  const std::string_view value = literal_text();
  p_.at += value.size() + 1;
  const Type t = type();
  if (t.ndim() != 0) fail("a literal must have no axes", start);
  Literal l{t.dtype(), t.weak(), {0, 0}};
  if (value == derivative_zero_text) {
    if (!may_be_derivative_zero(t)) fail("only strong floats have zeros of derivatives", start);
    l = derivative_zero(t.dtype());
  } else if (value.starts_with("bits(")) {
    // bits(0x7fc00001, 0x0)
    const char* at = value.data() + 5;
    const char* const end = value.data() + value.size();
    for (uint64_t& word : l.bits) {
      while (at < end && (*at == ' ' || *at == ',')) ++at;
      if (end - at < 3 || at[0] != '0' || at[1] != 'x')
        fail("bits need two hexadecimal numbers", start);
      at = std::from_chars(at + 2, end, word, 16).ptr;
    }
    const int bytes = itemsize(l.dtype);
    if (at + 1 != end || *at != ')' || (bytes <= 8 && l.bits[1] != 0) ||
        (bytes < 8 && l.bits[0] >> (8 * bytes) != 0) || (l.dtype == Bool && l.bits[0] > 1))
      fail(fmt::format("{} is not a value of {}", printable(value), short_name(l.dtype)), start);
  } else if (double x = 0; l.dtype == F32 && l.weak && parse_scalar(value, F64, &x)) {
    l = weak_literal(x);
  } else if (!parse_scalar(value, l.dtype, l.bits)) {
    fail(fmt::format("{} is not a value of {}", printable(value), short_name(l.dtype)), start);
  }
  return l;
}

void TextCursor::skip_braces() {
  const Place start = p_;
  size_t open = 0;
  for (space(); !at_end(); space()) {
    if (peek() == '\'' || peek() == '"') {
      quoted();
      continue;
    }
    open += peek() == '{';
    if (peek() == '}' && --open == 0) {
      ++p_.at;
      return;
    }
    if (open == 0) break;
    ++p_.at;
  }
  if (open == 0) expected("'{'");
  fail("a program without its closing '}'", start);
}

std::string TextCursor::found(Place where) const {
  if (where.at >= text_.size()) return "the end of the text";
  size_t end = where.at + 1;
  if (is_word(text_[where.at]))
    while (end < text_.size() && is_word(text_[end])) ++end;
  return text_[where.at] == '\n'
             ? "the end of the line"
             : "'" + printable(text_.substr(where.at, std::min<size_t>(end - where.at, 30))) + "'";
}

void TextCursor::expected(const std::string& what, Place where) const {
  fail(fmt::format("expected {}, found {}", what, found(where)), where);
}

void TextCursor::fail(const std::string& why, Place where) const {
  const auto number =
      1 + std::count(text_.begin(),
                     text_.begin() + static_cast<ptrdiff_t>(std::min(where.line, text_.size())),
                     '\n');
  const size_t end = std::min(text_.find('\n', where.line), text_.size());
  const size_t column = where.column();
  // Only the part of a long line around the position is shown.
  const size_t cut = column > shown_columns / 2 && end - where.line > shown_columns
                         ? column - shown_columns / 2
                         : 0;
  const std::string shown =
      printable(text_.substr(0, end).substr(std::min(where.line + cut, end), shown_columns));
  throw ParseError(fmt::format("jaxpr text, line {}, column {}: {}\n{}\n{:>{}}", number, column + 1,
                               why, shown, "^", column - cut + 1));
}

}  // namespace weft
