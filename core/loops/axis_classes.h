// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/axis_classes.h: how the axes of a program's values are related.
//
// Two axes are in one class if some equation reads one at exactly the index at which it writes the
// other, along the whole length. So the axes of a class have one extent. The relation is derived
// from the lowering rules: their pull forms are run once with symbolic indices. An equation that
// reads an axis at any other index (it reduces, slices or sorts the axis, …) mixes the class of
// that axis. A loop can run inside each lane over the classes that nothing in its bodies mixes. The
// residuals that a body leaves for its transpose are masked along the lane axes that it keeps
// apart.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "core/op.h"

namespace weft {

// How an equation reads its operands. reads[k][b] is the output axis that indexes axis b of operand
// k; for a reduction, it is the axis of the term space. It is -1 if axis b is read at any other
// index, and -2 if the operand is not read.
struct Access {
  std::vector<std::vector<int>> reads;
  std::vector<int> times = {};  // for pull, reduce and prefix forms: the number of elements of
                                // operand k read per element
  int cost = 0;                 // instructions per element
  bool moves = false;           // elements of its only result are elements of its only operand
  // By axis of the results or of the term space: an element depends on its index along the axis
  // otherwise than by what it reads there. Empty: none does.
  std::vector<char> by_index = {};
};

// One use of a jaxpr: the program itself, or a body of one of its equations.
struct Scope {
  Jaxpr j;
  std::vector<int> first_axis;     // number of axis 0 of each variable
  std::vector<Lowering> lowering;  // by equation
  std::vector<Access> access;      // for pull, reduce and prefix forms
  std::vector<std::vector<std::unique_ptr<Scope>>>
      bodies;  // by equation: {cond, body}; {branch…}; {body}
  int axis(int32_t var, int a) const { return first_axis[var] + a; }
};

// How equations read their operands. Those with the same op, parameters and types read alike, so
// their rule runs once.
class Accesses {
 public:
  Accesses();
  ~Accesses();
  const Access& of(const JaxprData& j, const Eqn& e, const Lowering& l);

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

class AxisClasses {
 public:
  explicit AxisClasses(const Jaxpr& j);
  // For a body whose first input is the mask of its lanes: input 1 + k has the lane axes
  // lane_axes[k] in front.
  AxisClasses(const Jaxpr& body, int lanes, const Ints& lane_axes);
  const Scope& top() const { return *top_; }
  int find(int axis) const;
  int64_t extent(int axis) const { return extent_[axis]; }
  // Returns true if each index of this class runs apart from the others. Nothing in the whole
  // program mixes the class or computes with its index, and no value has it twice.
  bool runs_apart(int axis_class) const;
  // The classes that equation `eqn` mixes in its bodies.
  std::set<int> mixed(const Scope& s, size_t eqn) const;
  // Describes an equation in the bodies of `eqn` that cannot run inside a lane, or is empty.
  std::string called_inside(const Scope& s, size_t eqn) const;
  // For a body, for each lane axis: true if floating-point values of different lanes never combine.
  // A lane axis satisfies this if no equation mixes it, no value contains it twice, and its class
  // differs from those of the lane axes before it.
  std::vector<bool> independent_lanes(int lanes) const;
  // The classes that equations with floating-point results mix.
  std::set<int> mixed_numbers() const;
  // The axis of value `a` that each lane axis is, or -1 if the value does not have the lane axis.
  std::vector<int> places(Atom a, int lanes) const;

 private:
  std::unique_ptr<Scope> build(const Jaxpr& j);
  void link_equation(Scope& s, size_t i);
  void link_loop(Scope& s, size_t i);
  void link_lanes(Scope& s, size_t i);
  void link_inputs(const Scope& body, ValueRange inputs, const Scope& s, const Eqn& e,
                   ValueRange operands, int missing = 0);
  void join(int a, int b);
  void join_axes(const Scope& s, Atom a, int from_a, const Scope& t, Atom b, int from_b);
  // numbers_only: equations without floating-point results count as mixing nothing.
  void mixed_in(const Scope& s, std::set<int>* out, bool* opaque, bool numbers_only) const;
  bool by_index(const Scope& s, int c) const;  // true if an equation computes with its index
  bool twice(const Scope& s, int c) const;     // true if some value has the class on two axes
  mutable std::vector<int> parent_;
  std::vector<int64_t> extent_;        // by axis
  const JaxprData* linked_ = nullptr;  // the program whose axes are being joined, for errors
  size_t linked_eqn_ = 0;
  Accesses* accesses_ = nullptr;  // while the program is being analysed
  std::unique_ptr<Scope> top_;
};

// The lowering of an equation, and how it reads its operands.
Lowering lower_equation(const JaxprData& j, const Eqn& e);
Access access_of(const Lowering& l, const Types& in, const Types& out);
// The axes of its first operand along which an equation with a destination writes at computed
// indices. Along the others an update goes to its own index.
std::vector<int> written_axes(const Lowering& l, const Types& in);
// The number of last axes of a scatter's updates along which an update and its destination are both
// contiguous in memory.
size_t contiguous_update_axes(const Lowering& l, const Types& in);
// For each axis that Access::reads names, the axis of the results that it becomes, or -1 if it is
// folded.
std::vector<int> result_axes(const Lowering& l, const Types& out);

}  // namespace weft
