// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/format_text.h: texts with fields for values, "x = {}, {:.3f}", as Python's str.format
// reads them and NumPy fills them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/type.h"

namespace weft {

// A field of such a text: {1!r} is of value 1 and has the form "!r"; the last is the end of the
// text, of value -1.
struct TextField {
  std::string before;  // the text in front of it
  int value = -1;
  std::string form = {};
};
// FormatError, in the name of `who`, for a text that cannot be read, or that has other fields than
// so many values.
std::vector<TextField> fields_of(std::string_view who, std::string_view text, size_t values);
// The text of those fields.
std::string text_of(const std::vector<TextField>& fields);

// {} is an array as NumPy's str prints it ([1. 2. 3.]) and a scalar as Python's does, with all
// digits of a double (a third in F32: 0.3333333432674408), as in JAX; {!r} as its repr does
// (array([1., 2., 3.], dtype=float32)); {:.3f} formats a scalar, as C++20's std::format would; {0},
// {1} name values by number; {{ and }} are braces.
class FormatText {
 public:
  // `who` says whose text it is. FormatError for what cannot be read, another number of values than
  // it has fields for, or a format that is none for a value.
  FormatText(std::string_view who, std::string_view text, const Types& values);
  // data[i]: the elements of value i, row-major.
  std::string operator()(std::span<const void* const> data) const;

 private:
  struct Piece {
    std::string before;  // the text in front of the field
    int value = -1;      // -1: the text ends
    std::string spec;
    bool repr = false;
  };
  Types types_;
  std::vector<Piece> pieces_;
};

}  // namespace weft
