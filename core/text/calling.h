// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/calling.h: the function of the library that is being called, for texts of errors.
#pragma once
#include <string>

#include "weft/core/error.h"
#include "weft/core/ir.h"

namespace weft::ir {

// A Source that knows its function: while it lives, texts of errors begin with the name, so that
// what an op inside refuses is said in the name of what the user wrote:
//
//   inv(m) "inv: lu: takes f32, f64, c64 and c128 operands; got bf16[2,2] (at file.cpp:12)"
//
// The outermost name at a line of the user's counts. What the user's own functions call stands on
// other lines, and has its own names.
class Calling {
 public:
  Calling(const char* name, Location at);
  ~Calling();
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  Source source_;
  const char* before_;
  Location where_before_;
};

// The name for the text of an error at this line, or null.
const char* calling(Location at);
// The text, which begins with the name (null: as it is).
std::string with_name(const std::string& text, const char* name);
// What e says without the name that is put in front: for an error that says more around it.
std::string inner_text(const Error& e);

}  // namespace weft::ir
