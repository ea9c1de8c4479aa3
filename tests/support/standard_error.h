// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/standard_error.h: captures the standard error stream, to which the library logs.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tests/support/catch.h"

namespace weft::test {

// Returns what is written to it while f runs.
template <class F>
std::string logged(F f) {
  std::fflush(nullptr);
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  const int before = dup(2);
  dup2(fileno(file), 2);
  f();
  std::fflush(nullptr);
  dup2(before, 2);
  close(before);
  REQUIRE(std::fseek(file, 0, SEEK_SET) == 0);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace weft::test
