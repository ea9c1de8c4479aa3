// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/parse_text.h: the text input of the program parser: its position, the next characters,
// and its errors.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  // A position in the text, where its line begins, and where that line's first token begins.
  struct Place {
    size_t at = 0, line = 0, first = 0;
    size_t column() const { return at - line; }
    bool first_on_line() const { return at == first; }
  };
  const Place& place() const { return p_; }
  void go(Place p) { p_ = p; }

  // The next character, or 0 at the end.
  char peek(size_t ahead = 0) const {
    return p_.at + ahead < text_.size() ? text_[p_.at + ahead] : '\0';
  }
  bool at_end() const { return p_.at >= text_.size(); }
  // Skips white space, and comments from # to the end of the line.
  void space();
  bool accept(char c);  // after white space
  void expect(char c);
  // [A-Za-z_][A-Za-z0-9_]*, or empty; the characters of `also` may follow the first one.
  std::string_view word(std::string_view also = {});
  std::string_view peek_word(std::string_view also = {}) const;
  void expect_word(std::string_view w);  // after white space
  // The text up to a character of `end`, white space, or the end of the text.
  std::string_view until(std::string_view end);
  int64_t integer();
  std::string quoted();  // 'text' or "text"
  // "f32[3]", "~f32[]"
  Type type();
  // The value before ":" and its type: "2.0:f32[]", "(1+2j):c64[]", "bits(0x1, 0x0):f32[]".
  Literal literal();
  // Returns true if a complex number like "(1+2j)" is next.
  bool at_complex() const;
  // Skips "{ … }".
  void skip_braces();

  // Raises ParseError: line and column of `where`, "expected …, found …", the line with a caret.
  [[noreturn]] void expected(const std::string& what) { expected(what, p_); }
  [[noreturn]] void expected(const std::string& what, Place where) const;
  [[noreturn]] void fail(const std::string& why, Place where) const;

 private:
  std::string found(Place where) const;
  std::string_view literal_text();
  std::string_view text_;
  Place p_;
};

}  // namespace weft
