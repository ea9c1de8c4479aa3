// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/printed.h: captures the text that a function writes to std::cout.
#pragma once
#include <iostream>
#include <sstream>

#include "support/check.h"

namespace weft::test {

// Captures the output during its lifetime.
class Caught {
 public:
  Caught() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Caught() { std::cout.rdbuf(before_); }
  Caught(const Caught&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

// Returns the output in one line: "a|b|".
template <class F>
std::string printed(F&& f) {
  const Caught caught;
  f();
  std::string text = caught.text();
  for (char& c : text) c = c == '\n' ? '|' : c;
  return text;
}

}  // namespace weft::test
