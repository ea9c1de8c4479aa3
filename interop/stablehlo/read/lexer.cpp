// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/lexer.cpp: splits MLIR text into tokens.
#include "interop/stablehlo/read/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/error.h"

namespace weft::hlo {
namespace {

constexpr size_t shown_columns = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }
bool is_name(char c) { return is_word(c) || c == '-'; }

std::string printable(std::string_view s) {
  std::string out;
  for (char c : s)
    out += c == '\t' ? ' ' : static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}
char partner(char c) { return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>'; }
// Returns true if a line that separates parts of a file begins here.
bool is_split(std::string_view text, size_t at) {
  return text.substr(at, 8) == "// -----" && (at == 0 || text[at - 1] == '\n');
}
size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at, text.size());
}

}  // namespace

void SourceText::fail(const std::string& why, size_t at) const {
  at = std::min(at, text.size());
  const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const size_t line = before == std::string::npos ? 0 : before + 1;
  const size_t end = std::min(text.find('\n', line), text.size());
  const auto number =
      1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(line), '\n');
  const size_t column = at - line;
  // Only the part of a long line around the position is shown.
  const size_t cut =
      column > shown_columns / 2 && end - line > shown_columns ? column - shown_columns / 2 : 0;
  const size_t from = std::min(line + cut, end);
  const std::string shown =
      printable(std::string_view(text).substr(from, std::min(shown_columns, end - from)));
  throw ParseError(fmt::format("{}, line {}, column {}: {}\n{}\n{:>{}}", name, number, column + 1,
                               why, shown, "^", column - cut + 1));
}

Lexer::Lexer(const SourceText& source) : s_(source) {
  if (s_.text.size() >= max_bytes) throw ParseError(s_.name + ": longer than 2 GB");
  advance();
}

Token Lexer::take() {
  const Token t = token_;
  advance();
  return t;
}
bool Lexer::accept(std::string_view t) {
  if (!token_.is(t)) return false;
  advance();
  return true;
}
void Lexer::expect(std::string_view t) {
  if (!accept(t)) expected(fmt::format("'{}'", t));
}
void Lexer::go(size_t at) {
  pos_ = at;
  advance();
}
bool Lexer::next_part() {
  if (!part_over_) return false;
  part_over_ = false;
  pos_ = std::min(s_.text.find('\n', pos_), s_.text.size());
  advance();
  return true;
}

void Lexer::expected(const std::string& what) const {
  const std::string found =
      token_.kind == Token::Kind::end
          ? part_over_ ? "the line that splits the file" : "the end of the text"
          : "'" + printable(token_.text.substr(0, 40)) + "'";
  fail(fmt::format("expected {}, found {}", what, found), token_.at);
}

void Lexer::skip_space() {
  const std::string& t = s_.text;
  for (;;) {
    while (pos_ < t.size() && is_space(t[pos_])) ++pos_;
    if (look() != '/' || look(1) != '/') return;
    if (is_split(t, pos_)) {
      part_over_ = true;
      return;
    }
    pos_ = std::min(t.find('\n', pos_), t.size());
  }
}

void Lexer::scan_while(bool (*wanted)(char)) {
  while (pos_ < s_.text.size() && wanted(s_.text[pos_])) ++pos_;
}

void Lexer::scan_number() {
  if (look() == '-') ++pos_;
  if (look() == '0' && look(1) == 'x' && is_hex(look(2))) {
    pos_ += 2;
    scan_while(is_hex);
    return;
  }
  scan_while(is_digit);
  if (look() != '.' ||
      !(is_digit(look(1)) || look(1) == 'e' || look(1) == 'E' || !is_word(look(1))))
    return;
  ++pos_;
  scan_while(is_digit);
  if (look() != 'e' && look() != 'E') return;
  const size_t sign = look(1) == '+' || look(1) == '-' ? 1 : 0;
  if (!is_digit(look(1 + sign))) return;
  pos_ += 1 + sign;
  scan_while(is_digit);
}

void Lexer::scan_string() {
  const size_t start = pos_;
  pos_ = end_of_string(s_.text, pos_);
  if (look() != '"') fail("a text without its closing quote", start);
  ++pos_;
}

void Lexer::advance() {
  using K = Token::Kind;
  skip_space();
  token_.at = pos_;
  if (part_over_ || pos_ >= s_.text.size()) {
    token_.kind = K::end;
    token_.text = {};
    return;
  }
  if (++count_ > max_tokens) fail("more words than a program may have", pos_);
  const char c = look();
  const auto prefixed = [&](K kind) {
    token_.kind = kind;
    ++pos_;
    if (kind == K::symbol && look() == '"')
      scan_string();
    else
      scan_while(is_name);
    // "->" is never part of a name.
    if (s_.text[pos_ - 1] == '-' && look() == '>') --pos_;
    if (pos_ == token_.at + 1) fail("expected a name", pos_);
  };
  if (is_letter(c)) {
    token_.kind = K::word;
    scan_while(is_word);
  } else if (is_digit(c) || (c == '-' && is_digit(look(1)))) {
    token_.kind = K::number;
    scan_number();
  } else if (c == '"') {
    token_.kind = K::string;
    scan_string();
  } else if (c == '%' || c == '@' || c == '#' || c == '!' || c == '^') {
    prefixed(c == '%'   ? K::value
             : c == '@' ? K::symbol
             : c == '#' ? K::hash
             : c == '!' ? K::bang
                        : K::block);
  } else {
    token_.kind = K::mark;
    pos_ += (c == '-' && look(1) == '>') || (c == ':' && look(1) == ':') ? 2 : 1;
  }
  token_.text = std::string_view(s_.text).substr(token_.at, pos_ - token_.at);
}

std::string_view Lexer::balanced() {
  const std::string_view t = s_.text;
  const size_t start = token_.at;
  std::string open;
  size_t i = start;
  for (; i < t.size(); ++i) {
    const char c = t[i];
    if (c == '"') {
      i = end_of_string(t, i);
      continue;
    }
    if (c == '/' && t.substr(i, 2) == "//") {
      i = std::min(t.find('\n', i), t.size() - 1);
      continue;
    }
    if (c == '-' && i + 1 < t.size() && t[i + 1] == '>') {
      ++i;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      open += partner(c);
      if (open.size() > deepest) fail(fmt::format("brackets nested more than {} deep", deepest), i);
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (open.empty() || open.back() != c) fail(fmt::format("a '{}' without its partner", c), i);
      open.pop_back();
      if (open.empty()) break;
    }
  }
  if (i >= t.size()) fail("a bracket that is never closed", start);
  go(i + 1);
  return t.substr(start, i + 1 - start);
}

std::string squeezed(std::string_view text) {
  std::string out;
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_space(text[i])) {
      blank = true;
      continue;
    }
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      blank = true;
      continue;
    }
    if (blank && !out.empty()) out += ' ';
    blank = false;
    if (text[i] != '"') {
      out += text[i];
      continue;
    }
    const size_t end = std::min(end_of_string(text, i) + 1, text.size());
    out += text.substr(i, end - i);
    i = end - 1;
  }
  return out;
}

std::string unquoted(std::string_view q) {
  std::string out;
  const auto nibble = [](char c) { return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10; };
  for (size_t i = 1; i + 1 < q.size(); ++i) {
    if (q[i] != '\\') {
      out += q[i];
    } else if (i + 3 < q.size() && is_hex(q[i + 1]) && is_hex(q[i + 2])) {
      out += static_cast<char>(nibble(q[i + 1]) * 16 + nibble(q[i + 2]));
      i += 2;
    } else {
      ++i;
      out += q[i] == 'n' ? '\n' : q[i] == 't' ? '\t' : q[i];
    }
  }
  return out;
}

std::string symbol_name(std::string_view symbol) {
  if (symbol.starts_with('@')) symbol.remove_prefix(1);
  return symbol.starts_with('"') ? unquoted(symbol) : std::string(symbol);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace weft::hlo
