// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/weft_harness.h: how Weft's programs time their cases.
#pragma once
#include <weft/weft.h>

#include <exception>
#include <iostream>

#include "cases.h"

// Times f, jitted. The first call traces and compiles.
template <class F, class... A>
inline void bench(const char* name, weft::DType d, F f, const A&... args) {
  const auto compiled = weft::jit(f);
  if (std::getenv("REPORT")) {
    const auto lowered = compiled.lower(args...);
    std::cout << "==== " << name << "\n" << lowered.report() << "\n" << lowered.kernels() << "\n";
    return;
  }
  const char* peer = d == weft::F64 ? "weft" : "weft_f32";
  const double t = cases::now();
  auto out = compiled(args...);
  const double first = (cases::now() - t) * 1e3;
  cases::print(name, peer, cases::best_ms([&] { out = compiled(args...); }), first);
  std::vector<cases::Vec> values;
  for (const weft::Array& a : weft::tree::leaves(out))
    values.push_back(a.astype(weft::F64).to_vector<double>());
  std::vector<const cases::Vec*> results;
  for (const cases::Vec& v : values) results.push_back(&v);
  cases::dump(name, peer, static_cast<int>(weft::tree::leaves(out)[0].shape()[0]), results);
}

// Calls run(dtype, argc, argv) for F64 and F32, or for DTYPE only. Returns the exit status.
template <class F>
int harness(int argc, char** argv, F run) {
  const char *threads = std::getenv("THREADS"), *dtype = std::getenv("DTYPE");
  weft::set_num_threads(threads ? std::atoi(threads) : 1);
  try {
    for (const weft::DType d : {weft::F64, weft::F32})
      if (!dtype || std::atoi(dtype) == (d == weft::F64 ? 64 : 32)) run(d, argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
