// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_array.cpp: NumPy's array printer (numpy/_core/arrayprint.py, 2.4): its choice of
// format, its widths and its line breaks.
#include "core/text/print_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "core/ir.h"
#include "core/text/float_text.h"

namespace weft {
namespace {

constexpr int64_t threshold = 1000, edge_items = 3;
constexpr size_t line_width = 75;
constexpr int precision = 8;

template <class T>
T load(const std::byte* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

double load_float(const std::byte* p, DType d) {
  switch (d) {
    case F16: return static_cast<double>(static_cast<float>(load<float16_t>(p)));
    case F32: return static_cast<double>(load<float>(p));
    default: return load<double>(p);
  }
}

// Formats one element.
using Format = std::function<std::string(const std::byte*)>;

// The format of the floats of an array, chosen for all elements together.
class FloatFormat {
 public:
  // plus: positive numbers have a sign, as imaginary parts do.
  FloatFormat(const std::vector<double>& values, DType d, bool plus) : d_(d), plus_(plus) {
    bool finite = false, special = false, negative_infinity = plus;
    for (double x : values) {
      finite |= std::isfinite(x);
      special |= !std::isfinite(x);
      negative_infinity |= std::isinf(x) && x < 0;
    }
    scientific_ = wants_exponent(values);
    if (finite) measure(values);
    if (special) {
      // "nan" and "inf" extend across the point.
      int offset = right_ + 1;
      left_ = std::max({left_, 3 - offset, 3 + negative_infinity - offset});
    }
  }

  std::string operator()(double x) const {
    if (!std::isfinite(x)) {
      std::string s = std::isnan(x) ? (plus_ ? "+nan" : "nan")
                      : x < 0       ? "-inf"
                      : plus_       ? "+inf"
                                    : "inf";
      return fmt::format("{:>{}}", s, left_ + right_ + 1);
    }
    Parts p = scientific_ ? exponent_parts(x, fraction_) : plain_parts(x);
    if (!scientific_) return fmt::format("{:>{}}.{:<{}}", p.whole, left_, p.fraction, right_);
    char sign = p.exponent < 0 ? '-' : '+';
    return fmt::format("{:>{}}.{:0<{}}e{}{:0{}}", p.whole, left_, p.fraction, fraction_, sign,
                       std::abs(p.exponent), exponent_);
  }

 private:
  struct Parts {
    std::string whole, fraction;  // before and after the point, with the sign
    int exponent = 0;
  };

  // Returns true if values are large, small or of very different magnitude. NumPy decides in the
  // arithmetic of the type itself, so the quotient and the limit are rounded to it.
  bool wants_exponent(const std::vector<double>& values) const {
    double most = 0, least = INFINITY;
    for (double x : values) {
      if (!std::isfinite(x) || x == 0) continue;
      most = std::max(most, std::fabs(x));
      least = std::min(least, std::fabs(x));
    }
    if (most == 0) return false;
    double limit = d_ == F16 ? 1e3 : d_ == F32 ? 1e6 : 1e8;
    double ratio = most / least, tiny = 0.0001;
    if (d_ == F32) {
      ratio = static_cast<double>(static_cast<float>(most) / static_cast<float>(least));
      tiny = static_cast<double>(0.0001f);
    } else if (d_ == F16) {
      ratio = static_cast<double>(
          static_cast<float>(float16_t(static_cast<float>(most) / static_cast<float>(least))));
      tiny = static_cast<double>(static_cast<float>(float16_t(0.0001f)));
    }
    return most >= limit || least < tiny || ratio > 1000.;
  }

  // The widths that fit every finite value.
  void measure(const std::vector<double>& values) {
    exponent_ = 2;
    for (double x : values) {
      if (!std::isfinite(x)) continue;
      Parts p = scientific_ ? exponent_parts(x, precision) : plain_parts(x);
      left_ = std::max(left_, static_cast<int>(p.whole.size()));
      right_ = std::max(right_, static_cast<int>(p.fraction.size()));
      if (p.exponent <= -100 || p.exponent >= 100) exponent_ = 3;
    }
    if (scientific_) {
      fraction_ = right_;
      right_ += exponent_ + 2;
    }
  }

  std::string sign_of(const Decimal& r) const { return r.negative ? "-" : plus_ ? "+" : ""; }

  // d.ddde+xx with at most n digits after the point, or the shortest digits if they are fewer.
  Parts exponent_parts(double x, int n) const {
    Decimal r = shortest_decimal(x, d_);
    if (static_cast<int>(r.digits.size()) - 1 != n) {
      // If more digits are requested than needed, NumPy shows the value's own further digits.
      bool fewer = static_cast<int>(r.digits.size()) - 1 > n;
      if (fewer || n == fraction_) r = rounded_decimal(x, n);
    }
    return {sign_of(r) + r.digits[0], r.digits.substr(1), r.exponent};
  }

  // Without an exponent, at most 8 digits after the point.
  Parts plain_parts(double x) const {
    Decimal r = shortest_decimal(x, d_);
    int after = static_cast<int>(r.digits.size()) - 1 - r.exponent;
    if (after > precision) r = rounded_decimal(x, precision + r.exponent);
    std::string digits = r.digits;
    if (r.exponent < 0) digits.insert(0, static_cast<size_t>(-r.exponent), '0');
    size_t whole = static_cast<size_t>(std::max(r.exponent, 0)) + 1;
    if (digits.size() < whole) digits.resize(whole, '0');
    std::string fraction = digits.substr(whole);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return {sign_of(r) + digits.substr(0, whole), fraction, 0};
  }

  DType d_;
  bool plus_;
  bool scientific_ = false;
  int left_ = 0, right_ = 0;  // the width before and after the point
  int fraction_ = -1;         // digits after the point in the exponent format
  int exponent_ = 0;          // digits of the exponents
};

// Pointers to the elements that are shown.
void collect(const std::byte* data, size_t size, const Shape& shape,
             const std::vector<int64_t>& strides, bool summary, int axis,
             std::vector<const std::byte*>* out) {
  if (axis == shape.ndim()) {
    out->push_back(data);
    return;
  }
  int64_t n = shape[axis];
  bool cut = summary && n > 2 * edge_items;
  for (int64_t i = 0; i < n; ++i) {
    if (cut && i == edge_items) i = n - edge_items;
    collect(data + static_cast<size_t>(i * strides[axis]) * size, size, shape, strides, summary,
            axis + 1, out);
  }
}

Format float_format(const std::vector<const std::byte*>& shown, DType d) {
  std::vector<double> values;
  for (auto p : shown) values.push_back(load_float(p, d));
  return [f = FloatFormat(values, d, false), d](const std::byte* p) { return f(load_float(p, d)); };
}

Format complex_format(const std::vector<const std::byte*>& shown, DType d) {
  DType part = real_part(d);
  int half = itemsize(part);
  std::vector<double> re, im;
  for (auto p : shown) {
    re.push_back(load_float(p, part));
    im.push_back(load_float(p + half, part));
  }
  return [f = FloatFormat(re, part, false), g = FloatFormat(im, part, true), part,
          half](const std::byte* p) {
    std::string i = g(load_float(p + half, part));
    i.insert(i.find_last_not_of(' ') + 1, "j");  // before the padding
    return f(load_float(p, part)) + i;
  };
}

// bfloat16 is not a type of NumPy but of the package ml_dtypes, and is printed as a C++ stream
// does.
std::string bfloat16_text(const std::byte* p) {
  auto x = static_cast<float>(load<bfloat16_t>(p));
  return std::isnan(x) ? "nan" : fmt::format("{:g}", x);
}

// The format for all the elements that are shown.
Format choose_format(const std::vector<const std::byte*>& shown, DType d, bool scalar) {
  if (d == BF16) return bfloat16_text;
  if (is_floating(d)) return float_format(shown, d);
  if (is_complex(d)) return complex_format(shown, d);
  if (d == Bool)
    return [scalar](const std::byte* p) {
      return *p != std::byte{0} ? (scalar ? "True" : " True") : "False";
    };
  size_t width = 0;
  for (auto p : shown) width = std::max(width, scalar_text(p, d).size());
  return [width, d](const std::byte* p) { return fmt::format("{:>{}}", scalar_text(p, d), width); };
}

// Nested brackets around the elements, wrapped at the line width.
class Writer {
 public:
  Writer(const std::byte* data, DType d, const Shape& shape, std::string_view separator)
      : data_(data),
        size_(static_cast<size_t>(itemsize(d))),
        shape_(shape),
        strides_(row_major(shape)),
        separator_(separator),
        summary_(shape.elements() > threshold) {
    std::vector<const std::byte*> shown;
    collect(data, size_, shape_, strides_, summary_, 0, &shown);
    format_ = choose_format(shown, d, shape.empty());
  }

  std::string write(const std::string& indent, size_t width) {
    return axis(0, data_, indent, width);
  }

 private:
  std::string_view bare_separator() const {
    return separator_.substr(0, separator_.find_last_not_of(' ') + 1);
  }

  std::string axis(int a, const std::byte* data, const std::string& indent, size_t width) {
    if (a == shape_.ndim()) return format_(data);
    return a == shape_.ndim() - 1 ? row(a, data, indent, width) : rows(a, data, indent, width);
  }

  // Calls f with each index that is shown, and with -1 in place of omitted ones.
  template <class F>
  void each(int64_t n, F&& f) {
    bool cut = summary_ && n > 2 * edge_items;
    for (int64_t i = 0; i < n; ++i) {
      if (cut && i == edge_items) {
        f(int64_t{-1});
        i = n - edge_items;
      }
      f(i);
    }
  }

  const std::byte* at(int a, const std::byte* data, int64_t i) const {
    return data + static_cast<size_t>(i * strides_[a]) * size_;
  }

  // The last axis: as many elements per line as fit.
  std::string row(int a, const std::byte* data, const std::string& indent, size_t width) {
    size_t room = width - std::max(bare_separator().size(), size_t{1});
    std::string text, line = indent;
    int64_t n = shape_[a];
    each(n, [&](int64_t i) {
      std::string word = i < 0 ? "..." : format_(at(a, data, i));
      // There is no break if it would not help.
      if (line.size() + word.size() > room && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        line = indent;
      }
      line += word;
      if (i != n - 1) line += separator_;
    });
    return "[" + (text + line).substr(indent.size()) + "]";
  }

  // An outer axis: a line for each entry, and blank lines between blocks.
  std::string rows(int a, const std::byte* data, const std::string& indent, size_t width) {
    std::string end(bare_separator());
    end.append(static_cast<size_t>(shape_.ndim() - a - 1), '\n');
    std::string text;
    int64_t n = shape_[a];
    each(n, [&](int64_t i) {
      text += indent + (i < 0 ? "..." : axis(a + 1, at(a, data, i), indent + " ", width - 1));
      if (i != n - 1) text += end;
    });
    return "[" + text.substr(indent.size()) + "]";
  }

  const std::byte* data_;
  size_t size_;
  const Shape& shape_;
  std::vector<int64_t> strides_;
  std::string_view separator_;
  bool summary_;
  Format format_;
};

std::string body(const void* data, DType d, const Shape& shape, std::string_view separator,
                 std::string_view prefix, size_t width) {
  if (shape.elements() == 0) return "[]";
  return Writer(static_cast<const std::byte*>(data), d, shape, separator)
      .write(std::string(prefix.size() + 1, ' '), width);
}

}  // namespace

std::string array_str(const void* data, DType dtype, const Shape& shape) {
  if (is_key(dtype)) return array_str(data, U32, shape.inserted(-1, 2));
  // An array without axes is printed like a NumPy scalar, in full.
  if (shape.empty() && dtype != BF16) return numpy_scalar_text(data, dtype);
  return body(data, dtype, shape, " ", "", line_width);
}

std::string array_repr(const void* data, DType dtype, const Shape& shape) {
  constexpr std::string_view prefix = "array(";
  bool key = is_key(dtype);
  Shape words = key ? shape.inserted(-1, 2) : shape;
  std::string text =
      std::string(prefix) + body(data, key ? U32 : dtype, words, ", ", prefix, line_width - 1);
  // Information that the elements do not show. NumPy omits the dtypes of Python's own numbers.
  bool implied = dtype == Bool || dtype == I64 || dtype == F64 || dtype == C128;
  int64_t n = shape.elements();
  std::vector<std::string> extras;
  if ((n == 0 && shape != Shape{0}) || n > threshold) extras.push_back("shape=" + to_string(shape));
  if (!implied || n == 0) extras.push_back(std::string("dtype=") + numpy_name(dtype));
  if (extras.empty()) return text + ")";
  std::string extra = fmt::format("{})", fmt::join(extras, ", "));
  text += ",";
  size_t last_line = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
  bool fits = last_line + extra.size() + 1 <= line_width;
  return text + (fits ? " " : "\n" + std::string(prefix.size(), ' ')) + extra;
}

}  // namespace weft
