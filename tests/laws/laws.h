// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/laws.h: the laws that every op obeys. Each law is a function of one op and one sample,
// and returns the violations.
#pragma once
#include <string>
#include <vector>

#include "core/op.h"
#include "support/share.h"
#include "tracer/trace.h"
#include "values.h"

namespace weft::laws {

// An op with valid operands and parameters, and the named maps around it.
struct Case {
  const Op* op;
  AnySample sample;
  size_t number = 0;
  // Slopes are inaccurate in single precision, so they are measured in it only if an op has no
  // other sample.
  bool measure_coarsely = false;
  // The named maps do not map the operands.
  bool shared = false;
  std::string text() const;
  Random random(uint64_t salt) const;
  bool maps() const { return op->has(Op::Slot::batch); }

  // Runs the op under its named maps, whose axes are the leading axes of all mapped arrays.
  Arrays run(const Arrays& x) const;
  Types in() const;
  Types out() const;
  // Draws random operands of the case, or operands of a map of it with `size` lanes along `axes`.
  Arrays draw(Random& r, bool special = false) const;
  Arrays draw(const MaybeAxes& axes, int64_t size, Random& r, bool special = false) const;
  Types in(const MaybeAxes& axes, int64_t size) const;
};
// Returns the op's samples and variants of them in other dtypes. A variant exists for each dtype
// that no sample has and that the type rule accepts for all inexact (integer, …) operands. It is
// the first sample with that dtype. With named maps each case occurs twice: with mapped operands
// and with unmapped ones.
std::vector<Case> cases_of(const Op& op);

// The violations of a law. The first few are kept.
class Failures {
 public:
  void check(bool right, const std::string& what);
  // `difference` is empty if there is no violation.
  void expect(const std::string& difference, const std::string& what = {});
  bool none() const { return count_ == 0; }
  std::string text() const;
  // Counts one checked case: operands drawn for one sample, law, choice of maps and way to run
  // them.
  static void checked() { ++cases_checked; }
  static inline size_t cases_checked = 0;

 private:
  std::vector<std::string> first_;
  size_t count_ = 0;
};

using Law = void (*)(const Case&, Failures&);
// L1: the type rule gives the types of the computed results.
void types_are_told(const Case& c, Failures& f);
// L2: compiled code computes the reference results to the bit.
void compiled_is_reference(const Case& c, Failures& f);
// L2 for maps over 1, W - 1, W, W + 1 and 2 W + 3 lanes, where W is the vector width.
void compiled_map_is_reference(const Case& c, Failures& f);
// L3: printed programs parse back to themselves.
void text_is_read_back(const Case& c, Failures& f);
// L4: a map is a loop over lanes.
void map_is_a_loop(const Case& c, Failures& f);
// L5: tangents are slopes.
void tangents_are_slopes(const Case& c, Failures& f);
// L6: transposition pairs cotangents with tangents.
void transposes_pair(const Case& c, Failures& f);
// L7: tangents of a map are the map of tangents.
void tangents_map(const Case& c, Failures& f);
// L8: the program of a map never removes the axis of the lanes. Each equation reads and writes a
// lane's elements at that lane's index.
void lanes_stay_apart(const Case& c, Failures& f);
// L17: the program of a map, changed to fewer lanes, computes the results of these lanes.
void fewer_lanes_agree(const Case& c, Failures& f);
// L9: StableHLO text is parsed to a program that computes the same.
void stablehlo_is_read_back(const Case& c, Failures& f);

// L10: each implementation of the op gives the reference results with the accuracy that the op
// promises, also under a map.
void implementations_agree(const Case& c, Failures& f);
// L11: a map of a map is a loop in a loop.
void maps_nest(const Case& c, Failures& f);
// L12: cotangents of a map, and mapped cotangents, are those of the lanes.
void cotangents_map(const Case& c, Failures& f);
// L13: tangents of tangents and of cotangents are their slopes.
void derivatives_nest(const Case& c, Failures& f);
// L14: L2 for maps over more lanes than one block of work has.
void many_lanes_are_reference(const Case& c, Failures& f);
// L15: the dependencies that transforms/sparsity.h finds include every nonzero derivative.
void patterns_cover(const Case& c, Failures& f);
// L16: narrow floats give the F32 results, rounded once.
void narrow_floats_are_rounded_once(const Case& c, Failures& f);
// Returns true if the implementation applies to the sample.
bool applies(const Case& c, const AnyImplementation& i, const Target& target = {});

// A law that cannot hold for an op, or for some of its cases.
struct Exempt {
  const char* op;
  Law law;
  const char* why;
  bool (*of)(const Case&) = nullptr;  // null: all cases
  bool covers(Law l, const Case& c) const {
    return l == law && c.op->name() == op && (!of || of(c));
  }
};
const std::vector<Exempt>& exemptions();
bool exempt(Law law, const Case& c);

// Returns the violation of the law by the case, or "".
std::string violation(Law law, const Case& c);
// Returns the violations by the op in its share of the cases, without exempt ones, or "". The text
// has the first cases. An exception in one case does not stop the check of the others.
std::string violations(Law law, const Op& op, Share share = Share::all());

}  // namespace weft::laws
