// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/fuzz/token_mutator.h: changes a text by its words and lines, so that a parser accepts more
// of the results than after changes of bytes. If one file of a fuzzer includes it, libFuzzer uses
// it for half of its inputs.
#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace weft::fuzz {

class TokenMutator {
 public:
  TokenMutator(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {}

  std::string mutated() {
    const size_t edits = 1 + below(3);
    for (size_t k = 0; k < edits; ++k) {
      find_tokens();
      if (tokens_.empty()) return text_;
      edit();
    }
    return text_;
  }

 private:
  struct Token {
    size_t at, size;
    int kind;  // the first character; all digits and letters count as the same
  };

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  std::string_view text_of(const Token& t) const {
    return std::string_view(text_).substr(t.at, t.size);
  }
  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }
  static int kind_of(char c) {
    const auto u = static_cast<unsigned char>(c);
    return std::isdigit(u) ? '0' : std::isalpha(u) ? 'a' : u;
  }

  // Finds the end of a token: a word with its prefix (%a, @f, #x, !t, -1), a type up to its '>', or
  // a single sign.
  size_t end_of_token(size_t at) const {
    size_t end = at + 1;
    const std::string_view rest = std::string_view(text_).substr(at);
    if (rest.starts_with("tensor<")) {
      end = text_.find_first_of(">\n", at);
      return end == text_.npos ? text_.size() : end + 1;
    }
    if (!in_word(text_[at]) && std::strchr("%@#!^-", text_[at]) == nullptr) return end;
    while (end < text_.size() && in_word(text_[end])) ++end;
    return end;
  }
  void find_tokens() {
    tokens_.clear();
    for (size_t at = 0; at < text_.size();) {
      if (std::isspace(static_cast<unsigned char>(text_[at])) != 0) {
        ++at;
        continue;
      }
      const size_t end = end_of_token(at);
      const bool type = text_.compare(at, 7, "tensor<") == 0;
      tokens_.push_back({at, end - at, type ? 't' : kind_of(text_[at])});
      at = end;
    }
  }

  std::string number() {
    constexpr std::array<int64_t, 16> telling = {
        0,  1,   2,     3,       4,          5,           8,         -1,
        -2, 127, 65535, 1 << 20, 2147483647, -2147483648, INT64_MAX, INT64_MIN};
    return std::to_string(telling[below(telling.size())]);
  }
  void put(const Token& t, const std::string& s) { text_.replace(t.at, t.size, s); }

  // Replaces a number in the token, which may be part of a type.
  void renumber(const Token& t) {
    std::vector<size_t> digits;
    for (size_t k = t.at; k < t.at + t.size; ++k)
      if (std::isdigit(static_cast<unsigned char>(text_[k])) != 0) digits.push_back(k);
    if (digits.empty()) return replace(t);
    const size_t from = digits[below(digits.size())];
    size_t end = from;
    while (end < t.at + t.size && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    text_.replace(from, end - from, number());
  }
  // Replaces the token by another one of its kind.
  void replace(const Token& t) {
    std::vector<size_t> alike;
    for (size_t k = 0; k < tokens_.size(); ++k)
      if (tokens_[k].kind == t.kind) alike.push_back(k);
    put(t, std::string(text_of(tokens_[alike[below(alike.size())]])));
  }
  void swap(const Token& a, const Token& b) {
    if (b.at < a.at) return swap(b, a);
    if (a.at == b.at) return;
    const std::string first(text_of(a)), second(text_of(b));
    put(b, first);
    put(a, second);
  }

  // Returns [from, end) of the line that contains a position, or of some lines from there on.
  std::array<size_t, 2> lines_from(size_t at, size_t n) const {
    size_t from = text_.rfind('\n', at);
    from = from == text_.npos ? 0 : from + 1;
    size_t end = at;
    for (size_t k = 0; k < n && end < text_.size(); ++k)
      end = std::min(text_.find('\n', end), text_.size() - 1) + 1;
    return {from, end};
  }
  void edit_lines() {
    const auto [from, end] = lines_from(tokens_[below(tokens_.size())].at, 1 + below(4));
    const std::string lines = text_.substr(from, end - from);
    const size_t how = below(3);
    if (how != 0) text_.erase(from, end - from);
    if (how == 1 || text_.empty()) return;
    text_.insert(lines_from(below(text_.size()), 1)[0], lines);
  }
  // Removes or repeats an entry of a list, with its comma.
  void edit_entry() {
    const size_t comma = text_.find(',', tokens_[below(tokens_.size())].at);
    if (comma == text_.npos) return;
    size_t end = comma + 1;
    int depth = 0;
    for (; end < text_.size() && text_[end] != '\n'; ++end) {
      if (std::strchr("([{<", text_[end]) != nullptr) ++depth;
      if (std::strchr(")]}>", text_[end]) != nullptr && depth-- == 0) break;
      if (text_[end] == ',' && depth == 0) break;
    }
    const std::string entry = text_.substr(comma, end - comma);
    below(2) ? text_.insert(comma, entry) : text_.erase(comma, end - comma);
  }

  void edit() {
    const Token& t = tokens_[below(tokens_.size())];
    switch (below(8)) {
      case 0:
      case 1: return renumber(t);
      case 2:
      case 3: return replace(t);
      case 4: return swap(t, tokens_[below(tokens_.size())]);
      case 5: return edit_entry();
      case 6: return put(t, below(2) ? std::string() : std::string(text_of(t)) + " " + number());
      default: return edit_lines();
    }
  }

  std::string text_;
  std::minstd_rand random_;
  std::vector<Token> tokens_;
};

}  // namespace weft::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string made = weft::fuzz::TokenMutator(text, seed / 2).mutated();
  const size_t n = std::min(made.size(), max_size);
  std::memcpy(data, made.data(), n);
  return n;
}
