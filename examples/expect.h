// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/expect.h: the device that an example runs on, printing results and comparing them with
// what they should be.
#pragma once
#include <weft/weft.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

// What an example is called with: nothing, or --device NAME, where all of it then runs.
inline void begin(int argc, char** argv) {
  if (argc == 1) return;
  if (argc != 3 || std::string(argv[1]) != "--device") {
    std::cerr << "usage: " << argv[0] << " [--device cpu | --device cuda:0]\n";
    std::exit(2);
  }
  try {
    weft::default_device(argv[2]);
  } catch (const weft::DeviceError& e) {
    std::cerr << e.what() << "\n";
    std::exit(1);
  }
}
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
// Milliseconds of one call, until its results are there, after a first one that traces and
// compiles.
template <class F>
double milliseconds(F f) {
  const auto call = [&] {
    for (const weft::Array& a : weft::tree::leaves(f())) a.block_until_ready();
  };
  call();
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}
// The exit status of the program.
inline int finish() { return failures ? 1 : 0; }
