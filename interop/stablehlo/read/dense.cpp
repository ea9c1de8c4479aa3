// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/dense.cpp: the numbers of constants, given as nested lists, single numbers
// or bytes.
#include "interop/stablehlo/read/dense.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/text/float_text.h"
#include "interop/stablehlo/read/small_type.h"
#include "weft/error.h"

namespace weft::hlo {
namespace {

constexpr int64_t max_elements = int64_t{1} << 40;

constexpr std::array<uint8_t, 256> hex_values = [] {
  std::array<uint8_t, 256> v{};
  for (auto& x : v) x = 255;
  for (int i = 0; i < 10; ++i) v[static_cast<size_t>('0' + i)] = static_cast<uint8_t>(i);
  for (int i = 0; i < 6; ++i) {
    v[static_cast<size_t>('a' + i)] = static_cast<uint8_t>(10 + i);
    v[static_cast<size_t>('A' + i)] = static_cast<uint8_t>(10 + i);
  }
  return v;
}();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class Decoder {
 public:
  Decoder(const SourceText& s, std::string_view body, size_t at, const Type& type, Dense& out)
      : s_(s), body_(body), at_(at), type_(type), small_(small_type(out.type)), out_(out) {}

  void run() {
    space();
    if (pos_ == body_.size())
      end_of_list(0);
    else if (body_[pos_] == '"')
      hex();
    else if (body_[pos_] == '[')
      list();
    else
      element();
    space();
    if (pos_ != body_.size()) fail("expected '>'");
    if (type_.elements() == 0) out_.bytes.clear();
    merge_equal(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { s_.fail(why, at_ + pos_); }
  void space() {
    while (pos_ < body_.size()) {
      if (is_space(body_[pos_]))
        ++pos_;
      else if (body_[pos_] == '/' && body_.substr(pos_, 2) == "//")
        pos_ = std::min(body_.find('\n', pos_), body_.size());
      else
        return;
    }
  }
  char look() const { return pos_ < body_.size() ? body_[pos_] : '\0'; }

  void hex() {
    const size_t end = body_.find('"', pos_ + 1);
    if (end == std::string_view::npos || body_.substr(pos_ + 1, 2) != "0x")
      fail("expected the bytes of a constant, \"0x…\"");
    const std::string_view digits = body_.substr(pos_ + 3, end - pos_ - 3);
    pos_ += 3;
    if (digits.size() % 2 != 0) fail("an odd number of hexadecimal digits");
    out_.bytes.resize(digits.size() / 2);
    unsigned bad = 0;
    for (size_t i = 0; i < out_.bytes.size(); ++i) {
      const unsigned a = hex_values[static_cast<uint8_t>(digits[2 * i])],
                     b = hex_values[static_cast<uint8_t>(digits[2 * i + 1])];
      bad |= a | b;
      out_.bytes[i] = static_cast<std::byte>(a * 16 + b);
    }
    if (bad & 0x80u) {
      for (char c : digits)
        if (hex_values[static_cast<uint8_t>(c)] == 255)
          break;
        else
          ++pos_;
      fail("expected a hexadecimal digit");
    }
    check_bytes(digits.size() / 2);
    pos_ += digits.size() + 1;
  }
  void check_bytes(size_t given) {
    const auto size = static_cast<size_t>(itemsize(type_.dtype()));
    const auto n = static_cast<size_t>(type_.elements());
    // Older files pack eight bools in a byte.
    if (type_.dtype() == Bool && given != n && given != 1 && given == (n + 7) / 8) {
      std::vector<std::byte> bits(n);
      for (size_t i = 0; i < n; ++i) bits[i] = (out_.bytes[i / 8] >> (i % 8)) & std::byte{1};
      out_.bytes = std::move(bits);
      return;
    }
    const size_t stored = small_ ? 1 : size;
    if (given != n * stored && given != stored)
      fail(fmt::format("{} bytes for a constant of {}", given, n * stored));
    if (small_) [[unlikely]] {
      std::vector<std::byte> held(given * size);
      for (size_t i = 0; i < given; ++i)
        hold(*small_, std::to_integer<uint64_t>(out_.bytes[i]), held.data() + i * size);
      out_.bytes = std::move(held);
    }
    if (type_.dtype() == Bool)
      for (std::byte& b : out_.bytes) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  }

  void end_of_list(int64_t found) {
    if (found != type_.elements())
      fail(fmt::format("{} elements for a constant of {}", found, type_.elements()));
  }
  // Reads nested lists, with one level for each axis.
  void list() {
    const Shape& shape = type_.shape();
    std::vector<int64_t> index;  // number of elements so far in each open list
    const auto size = static_cast<size_t>(itemsize(type_.dtype()));
    // An element takes at least two characters, so the length of the text bounds the memory.
    if (static_cast<uint64_t>(type_.elements()) > body_.size())
      fail(fmt::format("too few elements for a constant of {}", type_.elements()));
    out_.bytes.reserve(static_cast<size_t>(type_.elements()) * size);
    do {
      space();
      const auto depth = static_cast<int64_t>(index.size());
      if (look() == ']') {
        if (depth == 0) fail("a ']' without its partner");
        if (index.back() != shape[depth - 1])
          fail(fmt::format("{} elements along axis {} of {}", index.back(), depth - 1,
                           to_string(type_)));
        ++pos_;
        index.pop_back();
        if (index.empty()) break;
        ++index.back();
      } else if (look() == '[') {
        if (depth == shape.ndim())
          fail(fmt::format("lists nested deeper than the axes of {}", to_string(type_)));
        ++pos_;
        index.push_back(0);
        continue;
      } else {
        if (depth != shape.ndim())
          fail(fmt::format("expected '[': {} has {} axes", to_string(type_), shape.ndim()));
        element();
        ++index.back();
      }
      space();
      if (look() == ',') {
        ++pos_;
        space();
        if (look() == ']') fail("expected an element");
      } else if (look() != ']') {
        fail("expected ',' or ']'");
      }
    } while (pos_ < body_.size());
    if (!index.empty()) fail("a list that is never closed");
  }

  void element() {
    const size_t before = out_.bytes.size();
    out_.bytes.resize(before + static_cast<size_t>(itemsize(type_.dtype())));
    std::byte* to = out_.bytes.data() + before;
    if (is_complex(type_.dtype())) {
      const DType part = real_part(type_.dtype());
      eat('(');
      number(part, to);
      eat(',');
      number(part, to + itemsize(part));
      eat(')');
    } else {
      number(type_.dtype(), to);
    }
  }
  void eat(char c) {
    space();
    if (look() != c) fail(fmt::format("expected '{}'", c));
    ++pos_;
    space();
  }
  std::string_view word() const {
    size_t end = pos_;
    while (end < body_.size() && !is_space(body_[end]) && body_[end] != ',' && body_[end] != ']' &&
           body_[end] != ')')
      ++end;
    return body_.substr(pos_, end - pos_);
  }
  template <class T>
  bool read(std::string_view w, T* x, int base) {
    const char* end = w.data() + w.size();
    std::from_chars_result r;
    if constexpr (std::is_integral_v<T>)
      r = std::from_chars(w.data(), end, *x, base);
    else
      r = std::from_chars(w.data(), end, *x);
    return r.ec == std::errc() && r.ptr == end;
  }
  // Reads bits such as "0x7FC00000" of this width, or an integer that fits the width as a signed or
  // unsigned number.
  bool bits(std::string_view w, int width, bool is_float, std::byte* to) {
    uint64_t u = 0;
    if (w.starts_with("0x")) {
      if (!read(w.substr(2), &u, 16)) return false;
    } else if (is_float) {
      return false;
    } else if (w.starts_with("-")) {
      int64_t n = 0;
      if (!read(w, &n, 10) || (width < 64 && n < -(int64_t{1} << (width - 1)))) return false;
      std::memcpy(to, &n, static_cast<size_t>(width) / 8);
      return true;
    } else if (!read(w, &u, 10)) {
      return false;
    }
    if (width < 64 && u >> width) return false;
    std::memcpy(to, &u, static_cast<size_t>(width) / 8);
    return true;
  }
  // Reads an element with fewer bits than the dtype that holds it: its bits, such as "0x7F", or a
  // number.
  [[gnu::noinline]] bool small_number(std::string_view w, std::byte* to) {
    const int64_t range = int64_t{1} << small_->bits;
    int64_t n = 0;
    double x = 0;
    if (w.starts_with("0x")) {
      if (!read(w.substr(2), &n, 16) || n < 0 || n >= range) return false;
    } else if (is_floating(small_->held)) {
      if (!read(w, &x, 10)) return false;
      const auto value = static_cast<float>(nearest(*small_, x));
      std::memcpy(to, &value, sizeof value);
      return true;
    } else if (!read(w, &n, 10) || n < (is_signed(small_->held) ? -range / 2 : 0) || n >= range) {
      return false;
    }
    hold(*small_, static_cast<uint64_t>(n), to);
    return true;
  }
  void number(DType d, std::byte* to) {
    const std::string_view w = word();
    bool ok = false;
    if (small_) [[unlikely]] {
      ok = small_number(w, to);
    } else if (d == Bool) {
      ok = w == "true" || w == "false" || w == "1" || w == "0";
      *to = w == "true" || w == "1" ? std::byte{1} : std::byte{0};
    } else if (!is_floating(d)) {
      ok = bits(w, 8 * itemsize(d), false, to);
    } else if (w.starts_with("0x")) {
      ok = bits(w, 8 * itemsize(d), true, to);
    } else if (d == F32) {
      float x = 0;
      ok = read(w, &x, 10);
      std::memcpy(to, &x, sizeof x);
    } else if (d == F64) {
      double x = 0;
      ok = read(w, &x, 10);
      std::memcpy(to, &x, sizeof x);
    } else {
      ok = parse_scalar(w, d, to);
    }
    if (!ok)
      fail(fmt::format("expected an element of {}, found '{}'",
                       small_ ? small_->name : short_name(d), w.substr(0, 40)));
    pos_ += w.size();
  }

  const SourceText& s_;
  std::string_view body_;
  size_t at_;
  size_t pos_ = 0;
  const Type& type_;
  const SmallType* small_;
  Dense& out_;
};

}  // namespace

namespace {
// If a dtype has several names, the first one is written.
constexpr std::pair<std::string_view, DType> element_names[] = {
    {"i1", Bool},  {"i8", I8},     {"i16", I16},          {"i32", I32},
    {"i64", I64},  {"ui8", U8},    {"ui16", U16},         {"ui32", U32},
    {"ui64", U64}, {"bf16", BF16}, {"f16", F16},          {"f32", F32},
    {"f64", F64},  {"index", I64}, {"complex<f32>", C64}, {"complex<f64>", C128},
    {"si8", I8},   {"si16", I16},  {"si32", I32},         {"si64", I64}};
}  // namespace

std::optional<DType> dtype_of_element(std::string_view e) {
  for (const auto& [name, d] : element_names)
    if (name == e) return d;
  if (const SmallType* s = small_type(e)) return s->held;
  return {};
}
std::string element_name(DType wanted) {
  for (const auto& [name, d] : element_names)
    if (d == wanted) return std::string(name);
  throw InternalError(fmt::format("{} is not an element type", short_name(wanted)));
}

bool is_token(Typ t) { return t->kind == TypeData::Kind::other && t->text == "!stablehlo.token"; }

std::optional<Type> array_type(Typ t) {
  if (is_token(t)) return Type(Bool, {0});
  if (t->kind != TypeData::Kind::tensor) return {};
  const auto d = dtype_of_element(t->element->text);
  if (!d) return {};
  int64_t n = 1;
  for (int64_t s : t->dims) {
    if (s < 0 || (s > 0 && n > max_elements / s)) return {};
    n *= s > 0 ? s : 1;
  }
  return Type(*d, Shape(t->dims));
}

void merge_equal(Dense& d) {
  const auto size = static_cast<size_t>(itemsize(d.dtype));
  const size_t n = d.bytes.size();
  // All elements are equal if the bytes equal themselves shifted by one element.
  if (n > size && std::memcmp(d.bytes.data(), d.bytes.data() + size, n - size) == 0) {
    d.bytes.resize(size);
    d.bytes.shrink_to_fit();
  }
  d.splat = d.bytes.size() == size && array_type(d.type)->elements() != 1;
}

Dense decode_dense(const SourceText& source, std::string_view body, size_t at, Typ type) {
  Dense d;
  d.type = type;
  const auto known = array_type(type);
  if (!known || small_type(type)) d.text = squeezed(body);
  if (!known) return d;
  d.known = true;
  d.dtype = known->dtype();
  Decoder(source, body, at, *known, d).run();
  return d;
}

double float_at(const std::byte* p, DType d) {
  return with_dtype(d, [&](auto* type) {
    std::remove_pointer_t<decltype(type)> v{};
    std::memcpy(&v, p, sizeof v);
    if constexpr (std::is_convertible_v<decltype(v), double>)
      return static_cast<double>(v);
    else
      return 0.0;
  });
}

// ---- as text

namespace {

// Constants with more elements are written as bytes. Bools never are, because older MLIR packed
// their bits.
constexpr int64_t max_listed = 64;

std::string element_text(const std::byte* p, DType d) {
  if (is_complex(d)) {
    const DType part = real_part(d);
    return fmt::format("({},{})", element_text(p, part), element_text(p + itemsize(part), part));
  }
  if (is_bool(d)) return *p == std::byte{0} ? "false" : "true";
  if (!is_floating(d)) return scalar_text(p, d);
  uint64_t bits = 0;
  std::memcpy(&bits, p, static_cast<size_t>(itemsize(d)));
  const double x = float_at(p, d);
  if (!std::isfinite(x)) return fmt::format("0x{:0{}X}", bits, 2 * itemsize(d));
  // MLIR requires a decimal point.
  std::string s = float_text(x, d, FloatStyle::Python);
  if (const size_t e = s.find('e'); e != std::string::npos && s.find('.') == std::string::npos)
    s.insert(e, ".0");
  return s;
}
// Writes nested lists, starting with axis `axis`.
void list_text(const Dense& d, const Shape& shape, int64_t axis, const std::byte** p,
               std::string* out) {
  if (axis == shape.ndim()) {
    *out += element_text(*p, d.dtype);
    *p += itemsize(d.dtype);
    return;
  }
  *out += '[';
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i) *out += ", ";
    list_text(d, shape, axis + 1, p, out);
  }
  *out += ']';
}
std::string bytes_text(const Dense& d) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string s = "\"0x";
  s.reserve(s.size() + 2 * d.bytes.size() + 1);
  for (std::byte b : d.bytes) {
    s += digits[static_cast<int>(b) >> 4];
    s += digits[static_cast<int>(b) & 15];
  }
  return s + '"';
}

}  // namespace

std::string dense_text(const Dense& d) {
  std::string body = d.text;
  const auto n = static_cast<int64_t>(d.bytes.size()) / (d.known ? itemsize(d.dtype) : 1);
  if (!body.empty()) return fmt::format("dense<{}> : {}", body, d.type->text);
  if (d.known && n == 1) {
    body = element_text(d.bytes.data(), d.dtype);
  } else if (d.known && n > 0 && n > max_listed && !is_bool(d.dtype)) {
    body = bytes_text(d);
  } else if (d.known && n > 0) {
    const std::byte* p = d.bytes.data();
    list_text(d, array_type(d.type)->shape(), 0, &p, &body);
  }
  return fmt::format("dense<{}> : {}", body, d.type->text);
}

}  // namespace weft::hlo
