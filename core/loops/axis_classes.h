// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/axis_classes.h: how the axes of a program's values hang together.
//
// Two axes are in one class if some equation reads the one at exactly the index at which it writes
// the other, along their whole length: the axes of a class have one extent. Lowering rules tell:
// their pull forms are run once with symbolic indices. An equation that reads an axis at any other
// index (reduces, slices, sorts it, …) mixes that class. A loop may run in the lane over classes
// that nothing in its bodies mixes (DESIGN, "Lowering: local"), and what a body leaves behind for
// its transpose is masked along the lanes it keeps apart.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "weft/core/op.h"

namespace weft {

// How an equation reads its operands: reads[k][b] is the output axis (for a reduction: the axis of
// its term space) that indexes axis b of operand k, -1 if it is read anywhere else, or -2 if the
// operand is not read at all.
struct Access {
  std::vector<std::vector<int>> reads;
  std::vector<int> times =
      {};              // of pull, reduce and prefix forms: elements of operand k an element
  int cost = 0;        // instructions an element
  bool moves = false;  // elements of its only operand are those of its only result
};

// One use of a jaxpr: the program itself, or a body of one of its equations.
struct Scope {
  Jaxpr j;
  std::vector<int> first_axis;     // number of axis 0 of each variable
  std::vector<Lowering> lowering;  // by equation
  std::vector<Access> access;      // of pull, reduce and prefix forms
  std::vector<std::vector<std::unique_ptr<Scope>>>
      bodies;  // by equation: {cond, body}, {branch…}, {body}
  int axis(int32_t var, int a) const { return first_axis[static_cast<size_t>(var)] + a; }
};

class AxisClasses {
 public:
  explicit AxisClasses(const Jaxpr& j);
  // A body whose first input is the mask of its lanes: input 1 + k has the lanes has[k] in front.
  AxisClasses(const Jaxpr& body, int lanes, const Ints& has);
  const Scope& top() const { return *top_; }
  int find(int axis) const;
  int64_t extent(int axis) const { return extent_[static_cast<size_t>(axis)]; }
  // Classes that equation `eqn` mixes in its bodies, and whether a body holds something that cannot
  // run in a lane at all.
  std::set<int> mixed(const Scope& s, size_t eqn) const;
  // What that is, in words; empty where there is nothing.
  std::string called_inside(const Scope& s, size_t eqn) const;
  // Of a body: which lanes its numbers keep apart (nothing is computed along them, no value has one
  // twice), and which axis of a value each lane is (-1: it has not that lane).
  std::vector<bool> lanes_apart(int lanes) const;
  // The classes along which its numbers are not kept apart.
  std::set<int> mixed_numbers() const;
  std::vector<int> places(Atom a, int lanes) const;

 private:
  std::unique_ptr<Scope> build(const Jaxpr& j);
  void link_equation(Scope& s, size_t i);
  void link_loop(Scope& s, size_t i);
  void link_lanes(Scope& s, size_t i);
  void join(int a, int b);
  void join_axes(const Scope& s, Atom a, int from_a, const Scope& t, Atom b, int from_b);
  // numbers_only: equations that give no floating-point numbers count as mixing nothing.
  void mixed_in(const Scope& s, std::set<int>* out, bool* opaque, bool numbers_only) const;
  bool twice(const Scope& s, int c) const;  // whether some value has the class on two axes
  mutable std::vector<int> parent_;
  std::vector<int64_t> extent_;        // by axis
  const JaxprData* linked_ = nullptr;  // the equation whose axes are joined now, for errors
  size_t linked_eqn_ = 0;
  std::unique_ptr<Scope> top_;
};

// The lowering of an equation and how it reads.
Lowering lower_equation(const JaxprData& j, const Eqn& e);
Access access_of(const Lowering& l, const Types& in, const Types& out);
// By axis that Access::reads names, which axis of the results it is (-1: none, it is folded).
std::vector<int> result_axes(const Lowering& l, const Types& out);

}  // namespace weft
