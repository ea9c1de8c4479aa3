// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/json.cpp: a recursive descent over JSON text.
#include "weft/tools/suites/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "weft/core/error.h"

namespace weft::tools {
namespace {

constexpr int deepest = 100;

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : s_(text), name_(name) {}

  Json read() {
    Json v = value(1);
    space();
    if (at_ < s_.size()) fail("text follows the value");
    return v;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    size_t line = 1, column = 1;
    for (char c : s_.substr(0, at_)) {
      line += c == '\n';
      column = c == '\n' ? 1 : column + 1;
    }
    throw FormatError(fmt::format("{}:{}:{}: {}", name_, line, column, why));
  }
  char peek() const { return at_ < s_.size() ? s_[at_] : '\0'; }
  void space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool accept(char c) {
    space();
    if (peek() != c || at_ >= s_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }
  bool accept_word(std::string_view w) {
    if (!s_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }

  Json value(int depth) {
    if (depth > deepest) fail(fmt::format("values nest more than {} deep", deepest));
    space();
    Json v;
    if (peek() == '{') {
      v.kind = Json::Kind::object;
      members(v, depth);
    } else if (peek() == '[') {
      v.kind = Json::Kind::list;
      elements(v, depth);
    } else if (peek() == '"') {
      v.kind = Json::Kind::string;
      v.string = string();
    } else if (accept_word("true") || accept_word("false")) {
      v.kind = Json::Kind::boolean;
      v.boolean = s_[at_ - 2] == 'u';
    } else if (!accept_word("null")) {
      v.kind = Json::Kind::number;
      v.number = number();
    }
    return v;
  }
  void members(Json& v, int depth) {
    expect('{');
    if (accept('}')) return;
    do {
      space();
      std::string key = string();
      expect(':');
      if (!v.object.emplace(key, value(depth + 1)).second)
        fail(fmt::format("the key \"{}\" is there twice", key));
    } while (accept(','));
    expect('}');
  }
  void elements(Json& v, int depth) {
    expect('[');
    if (accept(']')) return;
    do v.list.push_back(value(depth + 1));
    while (accept(','));
    expect(']');
  }

  double number() {
    const size_t from = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      if (at_ == first) fail("expected a value");
    };
    if (peek() == '-') ++at_;
    if (peek() == '0')
      ++at_;
    else
      digits();
    if (peek() == '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    double x = 0;
    const auto [end, error] = std::from_chars(s_.data() + from, s_.data() + at_, x);
    if (error != std::errc{} || end != s_.data() + at_) fail("this number is out of range");
    return x;
  }

  unsigned hex4() {
    unsigned u = 0;
    const auto text = s_.substr(at_, 4);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), u, 16);
    if (text.size() < 4 || error != std::errc{} || end != text.data() + 4)
      fail("\\u takes four hexadecimal digits");
    at_ += 4;
    return u;
  }
  void append_utf8(std::string& s, unsigned u) {
    const auto byte = [&](unsigned b) { s += static_cast<char>(b); };
    if (u < 0x80) return byte(u);
    if (u < 0x800) {
      byte(0xC0 | u >> 6);
    } else if (u < 0x10000) {
      byte(0xE0 | u >> 12);
      byte(0x80 | (u >> 6 & 0x3F));
    } else {
      byte(0xF0 | u >> 18);
      byte(0x80 | (u >> 12 & 0x3F));
      byte(0x80 | (u >> 6 & 0x3F));
    }
    byte(0x80 | (u & 0x3F));
  }
  void escape(std::string& s) {
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    const char c = peek();
    ++at_;
    if (c == 'u') {
      unsigned u = hex4();
      if (u >= 0xDC00 && u < 0xE000) fail("half of a pair of \\u");
      if (u >= 0xD800 && u < 0xDC00) {
        if (!accept_word("\\u")) fail("half of a pair of \\u");
        const unsigned low = hex4();
        if (low < 0xDC00 || low >= 0xE000) fail("half of a pair of \\u");
        u = 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00);
      }
      return append_utf8(s, u);
    }
    const size_t k = from.find(c);
    if (c == '\0' || k == from.npos) fail("unknown escape");
    s += to[k];
  }
  std::string string() {
    if (peek() != '"') fail("expected a string");
    ++at_;
    std::string s;
    for (;;) {
      if (at_ >= s_.size()) fail("this string has no end");
      const char c = s_[at_];
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
      ++at_;
      if (c == '"') return s;
      if (c == '\\')
        escape(s);
      else
        s += c;
    }
  }

  std::string_view s_;
  const std::string& name_;
  size_t at_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace weft::tools
