// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/random.cpp: the random programs of tests/programs as functions of one lane.
#include <memory>

#include "benchmarks/laws/program.h"
#include "programs/program.h"

namespace weft::speed {
namespace {

Program program_of(const std::shared_ptr<const programs::Program>& p) {
  Program r;
  r.lane = [p](const Arrays& x) { return programs::run(p->f, x); };
  r.in = p->f.in;
  r.mapped.assign(r.in.size(), true);
  r.arguments = [p](int64_t lanes) {
    Types all;
    for (const Type& t : p->f.in) all.push_back(t.with_shape(t.shape().inserted(0, lanes)));
    return programs::made(all, p->seed);
  };
  return r;
}

}  // namespace

Sources random_programs(uint64_t from, int64_t count) {
  Sources all;
  for (uint64_t seed = from; std::ssize(all) < count; ++seed) {
    const auto p = std::make_shared<const programs::Program>(programs::generate(seed));
    // Effects would print, and their costs are not those of the program.
    if (p->f.in.empty() || p->f.out.empty() || holds(p->f, programs::Kind::effect)) continue;
    all.push_back({"random/" + std::to_string(seed), [p] { return program_of(p); }});
  }
  return all;
}

}  // namespace weft::speed
