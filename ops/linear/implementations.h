// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/implementations.h: the implementations of a factorization: small matrices by a program
// inside the lane, any matrices by a library of the host or of a GPU.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/loops/implementation.h"
#include "ops/linear/matrix.h"

namespace weft {

// A GPU library: the name of the implementation, the library that it needs, and its call.
template <class P>
struct OnDevice {
  std::string name, library;
  std::function<NativeCall(const Use<P>&)> call;
};

template <class P>
struct LaneOrLibrary {
  // what is compared with largest_in_lane: longer_side or mean_side
  std::function<int64_t(const Use<P>&)> rows;
  // the largest integer passed to the library; default: rows
  std::function<int64_t(const Use<P>&)> size = {};
  // Nanoseconds for one matrix and thread, if there are many matrices.
  std::function<double(const Use<P>&)> in_lane, library;
  std::function<NativeCall(const Use<P>&)> call;
  OnDevice<P> device = {};       // without a call there is no such implementation
  int64_t largest_in_lane = 32;  // the memory that a lane needs grows with the square
};

// longer_side: the longer side of the matrices of the first operand. work: the number of steps of
// an elimination.
template <class P>
int64_t longer_side(const Use<P>& u) {
  const matrix::Sizes s(u.in[0]);
  return s.rows > s.columns ? s.rows : s.columns;
}
template <class P>
double work(const Use<P>& u) {
  const matrix::Sizes s(u.in[0]);
  return static_cast<double>(s.rows) * static_cast<double>(s.columns) *
         static_cast<double>(s.smaller());
}

// The side of a square with as many elements. On a GPU, the longer side: a library runs long ones.
template <class P>
int64_t mean_side(const Use<P>& u) {
  if (u.target.gpu) return longer_side(u);
  const matrix::Sizes s(u.in[0]);
  return std::llround(std::ceil(std::sqrt(static_cast<double>(s.rows * s.columns))));
}

// True if no operand and no result is empty.
template <class P>
bool has_all(const Use<P>& u) {
  for (const Types* all : {&u.in, &u.out})
    for (const Type& t : *all)
      if (t.elements() == 0) return false;
  return true;
}

template <class P>
std::vector<Implementation<P>> lane_or_library(const LaneOrLibrary<P>& w) {
  Implementation<P> program, library;
  program.name = std::string(expanded);
  program.applies = [w](const Use<P>& u) { return w.rows(u) <= w.largest_in_lane; };
  program.cost = w.in_lane;
  library.name = "library";
  // The library uses int for its arguments and for the size of its workspace.
  library.applies = [largest = w.size ? w.size : w.rows](const Use<P>& u) {
    return largest(u) <= std::numeric_limits<int>::max() / 64;
  };
  library.cost = w.library;
  library.make = w.call;
  if (!w.device.call) return {program, library};
  Implementation<P> device = library;
  device.name = w.device.name;
  device.library = w.device.library;
  device.applies = [w, fits = library.applies](const Use<P>& u) { return fits(u) && has_all(u); };
  // On a GPU, a batch mostly needs one call for each matrix, so matrices that fit into a lane
  // remain there. For larger ones the alternative is the host, which has a cost before it computes
  // anything (jit/rewrite/implementations.cpp).
  device.cost = [w](const Use<P>& u) {
    return w.rows(u) <= w.largest_in_lane ? 1e12 : 0.1 * w.library(u);
  };
  device.make = [w](const Use<P>& u) {
    NativeCall c = w.device.call(u);
    c.axis_map = w.call(u).axis_map;
    return c;
  };
  return {program, library, device};
}

}  // namespace weft
