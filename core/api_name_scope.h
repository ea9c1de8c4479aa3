// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/api_name_scope.h: the library function that is being called, for error texts.
#pragma once
#include <string>

#include "core/ir.h"
#include "weft/error.h"

namespace weft::ir {

// A Source that also knows the name of its function. During its lifetime error texts begin with
// that name, so that an error of an inner op names the function that the user wrote.
//
//   `inv(m) "inv: lu: takes f32, f64, c64 and c128 operands; got bf16[2,2] (at file.cpp:12)"`
//
// The outermost name at a line of user code wins. Calls in the user's own functions are on other
// lines and have their own names.
class ApiNameScope {
 public:
  ApiNameScope(const char* name, Location at);
  ~ApiNameScope();
  ApiNameScope(const ApiNameScope&) = delete;
  ApiNameScope& operator=(const ApiNameScope&) = delete;

 private:
  SourceScope source_;
  const char* before_;
  Location where_before_;
};

// The function name for an error at this line, or null.
const char* calling(Location at);
// The text with the name in front; unchanged if the name is null.
std::string with_name(const std::string& text, const char* name);
// The text of e without that name, for an error that embeds it in a longer text.
std::string inner_text(const Error& e);

}  // namespace weft::ir
