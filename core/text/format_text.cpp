// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/format_text.cpp: parses the fields of a text, and fills them in.
#include "core/text/format_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <variant>

#include "core/ir.h"
#include "core/text/print_array.h"
#include "weft/error.h"

namespace weft {
namespace {

// A scalar as the argument of a format. These types represent all of Python's numbers.
using Number = std::variant<bool, int64_t, uint64_t, double>;

Number number_at(DType d, const void* at) {
  return with_dtype(d, [&](auto* p) -> Number {
    using T = std::remove_pointer_t<decltype(p)>;
    T x;
    std::memcpy(&x, at, sizeof x);
    if constexpr (std::is_same_v<T, bool>)
      return x;
    else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>)
      return static_cast<double>(static_cast<float>(x));
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<double>(x);
    else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
      return static_cast<int64_t>(x);
    else if constexpr (std::is_integral_v<T>)
      return static_cast<uint64_t>(x);
    else
      return 0.;  // complex numbers and keys have no format: they are rejected earlier
  });
}

std::string formatted(const std::string& spec, DType d, const void* at) {
  const std::string field = "{:" + spec + "}";
  return std::visit([&](auto x) { return fmt::format(fmt::runtime(field), x); }, number_at(d, at));
}

// The scalar in the format of Python's str: floats have all digits of a double.
std::string scalar_text(DType d, const void* at) {
  if (d == C64) {
    complex64_t x;
    std::memcpy(&x, at, sizeof x);
    const complex128_t wide{x.re, x.im};
    return array_str(&wide, C128, {});
  }
  if (!is_floating(d)) return array_str(at, d, {});
  const double x = std::get<double>(number_at(d, at));
  return array_str(&x, F64, {});
}

}  // namespace

namespace {
[[noreturn]] void fail(std::string_view who, std::string_view text, const std::string& why) {
  throw FormatError(fmt::format("{}: {}, in the text \"{}\"", who, why, text));
}

// Removes the number before a form. Returns false if it is missing.
bool take_number(std::string_view* field, size_t* number) {
  const size_t digits = std::min(field->find_first_not_of("0123456789"), field->size());
  if (digits == 0) return false;
  *number = 0;
  // A number with more than 9 digits exceeds any number of values anyway.
  for (char n : field->substr(0, std::min<size_t>(digits, 9)))
    *number = 10 * *number + static_cast<size_t>(n - '0');
  field->remove_prefix(digits);
  return true;
}
}  // namespace

std::vector<TextField> fields_of(std::string_view who, std::string_view text, size_t values) {
  std::vector<TextField> fields;
  std::vector<bool> used(values, false);
  bool numbered = false, counted = false;
  size_t next = 0;
  TextField field;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      field.before += text[i++];
      continue;
    }
    if (c == '}') fail(who, text, "a '}' without a '{'; write a literal brace twice");
    if (c != '{') {
      field.before += c;
      continue;
    }
    const size_t end = text.find('}', i);
    if (end == std::string_view::npos)
      fail(who, text, "a '{' without a '}'; write a literal brace twice");
    std::string_view form = text.substr(i + 1, end - i - 1);
    i = end;
    size_t v = next;
    (take_number(&form, &v) ? numbered : counted) = true;
    if (numbered && counted) fail(who, text, "some fields have numbers and some have none");
    if (v < values) used[v] = true;
    next = std::max(next, v + 1);
    field.value = static_cast<int>(v);
    field.form = form;
    fields.push_back(std::move(field));
    field = {};
  }
  if (next != values || std::find(used.begin(), used.end(), false) != used.end())
    fail(who, text,
         fmt::format("{} field{} and {} value{}", next, next == 1 ? "" : "s", values,
                     values == 1 ? "" : "s"));
  fields.push_back(std::move(field));
  return fields;
}

std::string text_of(const std::vector<TextField>& fields) {
  std::string text;
  for (const TextField& f : fields) {
    for (char c : f.before) text += c == '{' ? "{{" : c == '}' ? "}}" : std::string(1, c);
    if (f.value >= 0) text += fmt::format("{{{}{}}}", f.value, f.form);
  }
  return text;
}

FormatText::FormatText(std::string_view who, std::string_view text, const Types& values)
    : types_(values) {
  for (TextField& field : fields_of(who, text, values.size())) {
    Piece piece{std::move(field.before), field.value, {}, false};
    std::string_view form = field.form;
    if (form.starts_with("!r") || form.starts_with("!s")) {
      piece.repr = form[1] == 'r';
      form.remove_prefix(2);
    }
    if (!form.empty() && form[0] != ':')
      fail(who, text,
           fmt::format("'{{{}}}' is not a field: there are {{}}, {{0}}, {{:.3f}} and {{!r}}",
                       field.form));
    piece.spec = form.empty() ? "" : form.substr(1);
    if (!piece.spec.empty()) {
      const size_t v = field.value;
      const Type& t = values[v];
      if (t.ndim() != 0 || is_complex(t.dtype()) || is_key(t.dtype()) || piece.repr)
        fail(who, text,
             fmt::format("'{{:{}}}' formats a real number, and value {} is {}; {{}} prints any "
                         "array",
                         piece.spec, v, to_string(t)));
      const uint64_t zero[2] = {0, 0};
      try {
        formatted(piece.spec, t.dtype(), zero);
      } catch (const fmt::format_error& e) {
        fail(who, text,
             fmt::format("'{{:{}}}' is not a format for value {}, {}: {}", piece.spec, v,
                         to_string(t), e.what()));
      }
    }
    pieces_.push_back(std::move(piece));
  }
}

std::string FormatText::operator()(std::span<const void* const> data) const {
  std::string out;
  for (const Piece& p : pieces_) {
    out += p.before;
    if (p.value < 0) continue;
    const size_t v = p.value;
    const Type& t = types_[v];
    if (!p.spec.empty())
      out += formatted(p.spec, t.dtype(), data[v]);
    else if (t.ndim() == 0 && !p.repr)
      out += scalar_text(t.dtype(), data[v]);
    else
      out += (p.repr ? array_repr : array_str)(data[v], t.dtype(), t.shape());
  }
  return out;
}

}  // namespace weft
