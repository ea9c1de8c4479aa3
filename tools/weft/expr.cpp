// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/expr.cpp: the recursive-descent parser of --apply.
#include "tools/weft/expr.h"

#include <fmt/format.h>

#include <charconv>

namespace weft::tools {
namespace {

constexpr int deepest = 64;
constexpr size_t longest = 65536;  // characters
constexpr size_t max_entries = 4096;

constexpr std::string_view names[] = {"f",   "jit", "vmap",   "grad",   "value_and_grad",
                                      "jvp", "vjp", "jacfwd", "jacrev", "hessian"};

// The line of the text that contains `at`, with a caret below; unprintable characters become '?'.
std::string with_caret(std::string_view text, size_t at) {
  constexpr size_t around = 60;
  at = std::min(at, text.size());
  size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
  begin = begin == text.npos || at == 0 ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', at), text.size());
  std::string before, after;
  if (at - begin > around) {
    begin = at - around;
    before = "…";
  }
  if (end - at > around) {
    end = at + around;
    after = "…";
  }
  std::string line;
  for (char c : text.substr(begin, end - begin)) line += c >= ' ' && c <= '~' ? c : '?';
  return fmt::format("\n  {}{}{}\n  {}{}^", before, line, after, before.empty() ? "" : " ",
                     std::string(at - begin, ' '));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : s_(text) {}

  Expr parse() {
    if (s_.size() > longest)
      throw ExprError(fmt::format("--apply: an expression has at most {} characters", longest));
    Expr e = expression(1);
    space();
    if (at_ < s_.size()) fail("expected the end of the expression", at_);
    return e;
  }

 private:
  [[noreturn]] void fail(const std::string& why, size_t at) const { throw ExprError(why, s_, at); }

  void space() {
    while (at_ < s_.size() &&
           (s_[at_] == ' ' || s_[at_] == '\t' || s_[at_] == '\n' || s_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    space();
    return at_ < s_.size() ? s_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= s_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* why) {
    if (!accept(c)) fail(fmt::format("expected '{}' {}", c, why), at_);
  }
  std::string_view word() {
    space();
    const size_t from = at_;
    if (at_ < s_.size() && is_letter(s_[at_]))
      while (at_ < s_.size() && (is_letter(s_[at_]) || is_digit(s_[at_]))) ++at_;
    return s_.substr(from, at_ - from);
  }
  // Returns true if "name =" follows.
  bool at_keyword() {
    const size_t from = at_;
    const bool yes = !word().empty() && peek() == '=';
    at_ = from;
    return yes;
  }

  Expr expression(int depth) {
    space();
    Expr e;
    e.at = at_;
    if (depth > deepest) fail(fmt::format("transforms nest at most {} deep", deepest), at_);
    const std::string_view w = word();
    if (w.empty()) fail("expected f or a transform of it, such as vmap(f)", e.at);
    size_t k = 0;
    while (k < std::size(names) && names[k] != w) ++k;
    if (k == std::size(names))
      fail(fmt::format("unknown transform '{}'; there are {} and f, the program", w,
                       fmt::join(std::begin(names) + 1, std::end(names), ", ")),
           e.at);
    e.kind = static_cast<Expr::Kind>(k);
    if (e.kind == Expr::Kind::f) {
      if (peek() == '(') fail("f is the program itself and takes no arguments here", at_);
      return e;
    }
    expect('(', "and the function to transform");
    e.inner = std::make_unique<Expr>(expression(depth + 1));
    options(e);
    expect(')', "or ',' and an option");
    return e;
  }

  void options(Expr& e) {
    static constexpr std::string_view of_vmap[] = {"in_axes", "out_axes", "axis_size", "axis_name"},
                                      of_grad[] = {"argnums"};
    const bool takes_argnums = e.kind == Expr::Kind::grad || e.kind == Expr::Kind::value_and_grad ||
                               e.kind == Expr::Kind::jacfwd || e.kind == Expr::Kind::jacrev ||
                               e.kind == Expr::Kind::hessian;
    std::vector<std::string_view> known;
    if (e.kind == Expr::Kind::vmap) known.assign(std::begin(of_vmap), std::end(of_vmap));
    if (takes_argnums) known.assign(std::begin(of_grad), std::end(of_grad));
    const size_t in_place = e.kind == Expr::Kind::vmap ? 2 : known.size();
    std::vector<bool> given(known.size());
    bool named = false;
    for (size_t i = 0; accept(','); ++i) {
      if (peek() == ')') return;
      const size_t at = at_;
      size_t k = i;
      if (at_keyword()) {
        named = true;
        const std::string_view w = word();
        expect('=', "");
        for (k = 0; k < known.size() && known[k] != w;) ++k;
        if (k == known.size()) fail(no_option(e, w, known), at);
      } else if (named || i >= in_place) {
        fail(known.empty() ? no_option(e, {}, known) : "expected an option by its name", at);
      }
      if (given[k]) fail(fmt::format("'{}' is there twice", known[k]), at);
      given[k] = true;
      option(e, known[k]);
    }
  }
  static std::string no_option(const Expr& e, std::string_view w,
                               const std::vector<std::string_view>& known) {
    if (known.empty()) return fmt::format("{} takes no options", name(e.kind));
    return fmt::format("{} has no option '{}'; it has {}", name(e.kind), w, fmt::join(known, ", "));
  }

  void option(Expr& e, std::string_view which) {
    if (which == "in_axes") e.in_axes = axes(true);
    if (which == "out_axes") e.out_axes = axes(true);
    if (which == "argnums") {
      const AxesExpr a = axes(false);
      e.argnums_at = a.at;
      e.argnums.clear();
      for (const auto& n : a.entries) e.argnums.push_back(*n);
      if (e.argnums.empty()) fail("argnums names no argument", a.at);
    }
    if (which == "axis_size") {
      space();
      const size_t at = at_;
      e.axis_size = integer("axis_size");
      if (*e.axis_size < 0) fail("axis_size must not be negative", at);
    }
    if (which == "axis_name") e.axis_name = string();
  }

  int64_t integer(const char* what) {
    space();
    const size_t from = at_;
    if (at_ < s_.size() && (s_[at_] == '-' || s_[at_] == '+')) ++at_;
    while (at_ < s_.size() && is_digit(s_[at_])) ++at_;
    const size_t sign = from < s_.size() && s_[from] == '+' ? 1 : 0;
    int64_t n = 0;
    const auto [end, error] = std::from_chars(s_.data() + from + sign, s_.data() + at_, n);
    if (error == std::errc::result_out_of_range) fail("the number is too large", from);
    if (error != std::errc{}) fail(fmt::format("expected an integer for {}", what), from);
    if (at_ < s_.size() && (is_letter(s_[at_]) || s_[at_] == '.'))
      fail(fmt::format("expected an integer for {}", what), from);
    return n;
  }

  std::optional<int64_t> entry(bool none) {
    space();
    const size_t from = at_;
    if (is_letter(peek())) {
      if (none && word() == "None") return std::nullopt;
      fail(none ? "expected an integer or None" : "expected an integer", from);
    }
    if (peek() == '(' || peek() == '[')
      fail(none ? "axes address the flat arguments, so tuples do not nest"
                : "argnums address the flat arguments, so tuples do not nest",
           from);
    return integer(none ? "an axis" : "an argument number");
  }

  AxesExpr axes(bool none) {
    AxesExpr a;
    space();
    a.at = at_;
    a.entries.clear();
    const char close = peek() == '[' ? ']' : ')';
    if (!accept('(') && !accept('[')) {
      a.entries.push_back(entry(none));
      return a;
    }
    a.each = true;
    bool comma = close == ']';
    while (!accept(close)) {
      if (a.entries.size() == max_entries) fail("too many entries", at_);
      a.entries.push_back(entry(none));
      if (!accept(',')) {
        expect(close, "or ','");
        break;
      }
      comma = true;
    }
    if (a.entries.size() == 1 && !comma) a.each = false;  // "(0)" is 0
    return a;
  }

  std::string string() {
    const char quote = peek();
    const size_t from = at_;
    if (quote != '\'' && quote != '"') fail("expected a name in quotes", from);
    const size_t end = s_.find(quote, ++at_);
    if (end == s_.npos) fail("this name has no end", from);
    const std::string_view text = s_.substr(at_, end - at_);
    if (text.empty()) fail("the name is empty", from);
    for (char c : text)
      if (c < ' ' || c > '~' || c == '\\') fail("a name is plain text", from);
    at_ = end + 1;
    return std::string(text);
  }

  std::string_view s_;
  size_t at_ = 0;
};

}  // namespace

ExprError::ExprError(const std::string& why, std::string_view text, size_t at)
    : Error("--apply: " + why + with_caret(text, at)) {}

std::string_view name(Expr::Kind k) { return names[static_cast<size_t>(k)]; }

ParsedExpr parse_expr(std::string text) {
  Expr root = Parser(text).parse();
  return {std::move(text), std::move(root)};
}

std::string outline(const Expr& e) {
  std::string s, close;
  for (const Expr* p = &e; p; p = p->inner.get()) {
    s += name(p->kind);
    if (p->inner) {
      s += '(';
      close += ')';
    }
  }
  return s + close;
}

}  // namespace weft::tools
