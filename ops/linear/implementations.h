// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/implementations.h: the two ways of a factorisation: small matrices by a program inside
// the lane, any by a library.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "weft/core/loops/implementation.h"
#include "weft/ops/linear/matrix.h"

namespace weft {

template <class P>
struct LaneOrLibrary {
  std::function<int64_t(const Use<P>&)> rows;       // of a matrix, or columns if there are more
  std::function<int64_t(const Use<P>&)> size = {};  // the largest number that the library is told
  // Nanoseconds of one matrix and thread among many.
  std::function<double(const Use<P>&)> in_lane, library;
  std::function<NativeCall(const Use<P>&)> call;
  int64_t largest_in_lane = 32;  // what is kept in a lane grows with the square
};

// The longer side of the matrices of the first operand; the steps of an elimination.
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

template <class P>
std::vector<Implementation<P>> lane_or_library(const LaneOrLibrary<P>& w) {
  Implementation<P> program, library;
  program.name = std::string(expanded);
  program.applies = [w](const Use<P>& u) { return w.rows(u) <= w.largest_in_lane; };
  program.cost = w.in_lane;
  library.name = "library";
  // Its numbers are int, those of its workspace too.
  library.applies = [largest = w.size ? w.size : w.rows](const Use<P>& u) {
    return largest(u) <= std::numeric_limits<int>::max() / 64;
  };
  library.cost = w.library;
  library.make = w.call;
  return {program, library};
}

}  // namespace weft
