// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/expect.h: printing results and comparing them with what they should be.
#pragma once
#include <weft/weft.h>

#include <chrono>
#include <iostream>
#include <string>

inline int failures = 0;
inline void expect(bool ok, const std::string& what) {
  if (ok) return;
  ++failures;
  std::cout << "MISMATCH: " << what << "\n";
}
// Prints "name = value" and compares it, shape and elements, with `want`.
inline void show(const std::string& name, const weft::Array& got, const weft::Array& want,
                 double tolerance = 1e-5) {
  std::cout << name << " = " << got << "\n";
  const bool same =
      got.shape() == want.shape() && bool(weft::allclose(got, want, tolerance, tolerance));
  if (same) return;
  expect(false, name);
  std::cout << "expected " << want << "\n";
}
// Prints "name: (2, 3)" and compares the shape.
inline void show_shape(const std::string& name, const weft::Array& got, const weft::Shape& want) {
  std::cout << name << ": " << to_string(got.shape()) << "\n";
  expect(got.shape() == want, name + " should have shape " + to_string(want));
}
// Milliseconds of one call, after a first one that traces and compiles.
template <class F>
double milliseconds(F f) {
  f();
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}
// The exit status of the program.
inline int finish() { return failures ? 1 : 0; }
