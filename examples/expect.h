// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/expect.h: selects the device of an example, prints its results, and compares them with
// the expected ones.
#pragma once
#include <weft/weft.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

// Reads the arguments of an example: none, or --device NAME, which becomes the default device.
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
// Milliseconds of one call, until its results are available. A call before it traces and compiles.
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
