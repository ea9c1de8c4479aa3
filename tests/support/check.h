// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/check.h: helpers that many tests of the public interface share.
#pragma once
#include <weft/weft.h>

#include <string>
#include <vector>

#include "support/catch.h"

namespace weft::test {

using Floats = std::vector<float>;

inline Floats floats(const Array& x) { return x.to_vector<float>(); }

// Returns the text of the E that f raises, "no error", or the text of another error marked as such.
template <class E, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
  return "no error";
}

// Checks that f raises an E whose text contains `piece`.
template <class E, class F>
void check_error(F&& f, const std::string& piece) {
  const std::string text = error_of<E>(std::forward<F>(f));
  INFO("expected: " << piece << "\ngot: " << text);
  const bool raised = text.rfind("another error: ", 0) != 0 && text != "no error";
  CHECK(raised);
  CHECK(text.find(piece) != std::string::npos);
}

// Counts how often `text` contains `word`.
inline int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}
inline bool holds(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

}  // namespace weft::test
