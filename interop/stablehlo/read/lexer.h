// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/lexer.h: the words of MLIR text, one at a time, and errors that show a
// place.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::hlo {

// A text and what it is called in errors. Places are offsets into it.
struct SourceText {
  std::string name;
  std::string text;
  // ParseError: name, line, column, why, the line with a caret.
  [[noreturn]] void fail(const std::string& why, size_t at) const;
};

// What a reader puts up with; more is a ParseError.
inline constexpr size_t most_bytes = size_t{1} << 31;
inline constexpr size_t most_tokens = size_t{1} << 27;
inline constexpr int deepest = 200;

struct Token {
  enum class Kind { end, word, number, string, value, symbol, hash, bang, block, mark };
  Kind kind = Kind::end;
  std::string_view text;  // as it is written, prefix and quotes included
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
  // Skips the text from the token that is next, an opening bracket, to its partner, and returns it,
  // brackets included. Strings and "->" inside are seen as such.
  std::string_view balanced();
  // The place where the token that is next begins, and going on from some place.
  size_t at() const { return token_.at; }
  void go(size_t at);
  const std::string& text() const { return s_.text; }
  // A line "// -----" ends a part of the text; goes to the next part if there is one.
  bool next_part();

  [[noreturn]] void fail(const std::string& why, size_t at) const { s_.fail(why, at); }
  // "expected …, found …"
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

// Runs of white space and comments as one blank, none at the ends; strings stay as they are.
std::string squeezed(std::string_view text);
// The text between quotes with its escapes resolved ("\n", "\\", "\"", "\0A"), and back.
std::string unquoted(std::string_view quoted);
std::string quoted(std::string_view text);
// The name in a symbol: f of @f and @"f".
std::string symbol_name(std::string_view symbol);

}  // namespace weft::hlo
