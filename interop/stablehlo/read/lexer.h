// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/lexer.h: splits MLIR text into tokens, one at a time, and reports errors
// with their position.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::hlo {

// A text and its name in errors. Positions are offsets into the text.
struct SourceText {
  std::string name;
  std::string text;
  // Raises ParseError with name, line, column, reason, and the line with a caret.
  [[noreturn]] void fail(const std::string& why, size_t at) const;
};

// Limits of the reader. A text that exceeds them raises ParseError.
inline constexpr size_t max_bytes = size_t{1} << 31;
inline constexpr size_t max_tokens = size_t{1} << 27;
inline constexpr int deepest = 200;

struct Token {
  enum class Kind { end, word, number, string, value, symbol, hash, bang, block, mark };
  Kind kind = Kind::end;
  std::string_view text;  // as written, with prefix and quotes
  size_t at = 0;
  bool is(std::string_view t) const { return kind != Kind::string && text == t; }
};

class Lexer {
 public:
  explicit Lexer(const SourceText& source);
  const Token& peek() const { return token_; }
  Token take();
  bool accept(std::string_view t);
  void expect(std::string_view t);
  // Skips the text from the next token, an opening bracket, to its closing bracket, and returns it
  // with both brackets. Brackets in strings and the '>' of "->" do not count.
  std::string_view balanced();
  // at() returns the position of the next token, and go() continues from a position.
  size_t at() const { return token_.at; }
  void go(size_t at);
  const std::string& text() const { return s_.text; }
  // A line "// -----" ends a part of the text. Continues with the next part, if there is one.
  bool next_part();

  [[noreturn]] void fail(const std::string& why, size_t at) const { s_.fail(why, at); }
  // Raises "expected …, found …".
  [[noreturn]] void expected(const std::string& what) const;

 private:
  void advance();
  void skip_space();
  void scan_number();
  void scan_string();
  void scan_while(bool (*wanted)(char));
  char look(size_t ahead = 0) const {
    return pos_ + ahead < s_.text.size() ? s_.text[pos_ + ahead] : '\0';
  }
  const SourceText& s_;
  Token token_;
  size_t pos_ = 0;
  size_t count_ = 0;
  bool part_over_ = false;
};

// Replaces each run of white space and comments by one blank and trims the ends. Strings are
// unchanged.
std::string squeezed(std::string_view text);
// unquoted returns the text between quotes with its escapes resolved ("\n", "\\", "\"", "\0A").
// quoted is the inverse.
std::string unquoted(std::string_view quoted);
std::string quoted(std::string_view text);
// Returns the name in a symbol, which is f for @f and @"f".
std::string symbol_name(std::string_view symbol);

}  // namespace weft::hlo
