// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/10_programs.cpp: Looking inside: programs, compiled code, errors
#include <sstream>

#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  auto f = [](Array x) { return where(x > 0., x * x, sin(x)); };
  const Array x = array({-1., 0., 2.});
  show("f(x)", f(x), array({-0.84147096, 0., 4.}));

  // Tracing gives a small typed program. Its text can be parsed back to the same program.
  const ClosedJaxpr program = make_jaxpr(f)(x);
  std::ostringstream text, again;
  text << program;
  std::cout << text.str() << "\n";
  again << parse_jaxpr(text.str());
  expect(again.str() == text.str(), "the text should read back as itself");

  // The mapped gradient after simplification: one pass over the lanes.
  auto slope = jit(vmap(grad(f)));
  show("slopes", slope(x), array({0.54030234, 1., 4.}));
  std::cout << "the mapped gradient, simplified:\n" << slope.lower(x).optimized() << "\n";

  // A C++ branch needs a known value; for a traced one, the error tells what to write instead.
  auto branches = [](Array v) { return bool(v > 0.) ? v : -v; };
  show("on a value it works", branches(-3.), 3.);
  try {
    jit(branches)(-3.);
    expect(false, "bool of a traced value should be an error");
  } catch (const ConcretizationError& e) {
    std::cout << "ConcretizationError: " << e.what() << "\n\n";
  }
  try {
    vmap([](Array a, Array b) { return a + b; })(zeros({3}), zeros({4}));
    expect(false, "different sizes should be an error");
  } catch (const Error& e) {
    expect(std::string(e.what()).find("inconsistent sizes for array axes") != std::string::npos,
           "the key phrase");
    std::cout << e.what() << "\n";
  }
  return finish();
}
