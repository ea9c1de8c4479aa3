// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/format_text.h: texts with fields for values, "x = {}, {:.3f}", in the syntax of
// Python's str.format and with NumPy's formatting.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir.h"
#include "weft/type.h"

namespace weft {

// A field of such a text: {1!r} refers to value 1 and has the form "!r". The last entry is the text
// after the last field, with value -1.
struct TextField {
  std::string before;  // the text before the field
  int value = -1;
  std::string form = {};
};
// Raises FormatError, in the name of `who`, if the text is malformed or its fields do not match the
// number of values.
std::vector<TextField> fields_of(std::string_view who, std::string_view text, size_t values);
// The text with those fields.
std::string text_of(const std::vector<TextField>& fields);

// {} formats an array like NumPy's str ([1. 2. 3.]), and a scalar like Python's with all digits of
// a double, as in JAX (a third in F32: 0.3333333432674408). {!r} formats like NumPy's repr
// (array([1., 2., 3.], dtype=float32)). {:.3f} formats a scalar like C++20's std::format. {0}, {1}
// refer to values by number; {{ and }} are braces.
class FormatText {
 public:
  // `who` is the author of the text in errors. Raises FormatError for a malformed text, another
  // number of values than fields, or a format that a value does not support.
  FormatText(std::string_view who, std::string_view text, const Types& values);
  // data[i]: the elements of value i, row-major.
  std::string operator()(std::span<const void* const> data) const;

 private:
  struct Piece {
    std::string before;  // the text before the field
    int value = -1;      // -1: the end of the text
    std::string spec;
    bool repr = false;
  };
  Types types_;
  std::vector<Piece> pieces_;
};

}  // namespace weft
