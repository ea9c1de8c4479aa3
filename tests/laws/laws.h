// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/laws.h: the laws that every op obeys, as functions of one op and one sample that
// return what they find wrong.
#pragma once
#include <string>
#include <vector>

#include "share.h"
#include "values.h"
#include "weft/core/op.h"
#include "weft/tracer/trace.h"

namespace weft::laws {

// An op with operands and parameters that it takes, and the named maps around it.
struct Case {
  const Op* op;
  AnySample sample;
  size_t number = 0;
  // Single precision measures slopes badly, so it is done only where an op has no other sample.
  bool measure_coarsely = false;
  // The named maps do not map the operands.
  bool shared = false;
  std::string text() const;
  Random random(uint64_t salt) const;
  bool maps() const { return op->has(Op::Slot::batch); }

  // What runs: the op under its named maps, whose axes stand in front of all that is mapped.
  Arrays run(const Arrays& x) const;
  Types in() const;
  Types out() const;
  // Operands of it, and with `size` lanes along `axes` those of a map of it.
  Arrays draw(Random& r, bool special = false) const;
  Arrays draw(const MaybeAxes& axes, int64_t size, Random& r, bool special = false) const;
  Types in(const MaybeAxes& axes, int64_t size) const;
};
// The op's samples; and for each dtype that its type rule takes for all inexact (integer, …)
// operands and no sample has, the first sample with that dtype. With named maps twice: their
// operands mapped, and not.
std::vector<Case> cases_of(const Op& op);

// What a law finds wrong; the first few are kept.
class Failures {
 public:
  void check(bool right, const std::string& what);
  // `difference` is empty where all is right.
  void expect(const std::string& difference, const std::string& what = {});
  bool none() const { return count_ == 0; }
  std::string text() const;
  // Counts a case: operands drawn for one sample, law, choice of maps and way to run them.
  static void judged() { ++cases_judged; }
  static inline size_t cases_judged = 0;

 private:
  std::vector<std::string> first_;
  size_t count_ = 0;
};

using Law = void (*)(const Case&, Failures&);
// L1: the type rule says what is computed.
void types_are_told(const Case& c, Failures& f);
// L2: compiled code computes what the reference says, to the bit.
void compiled_is_reference(const Case& c, Failures& f);
// L2 for maps over 1, W - 1, W, W + 1, 2 W + 3 lanes, W those of a vector register.
void compiled_map_is_reference(const Case& c, Failures& f);
// L3: programs are read back as they are printed.
void text_is_read_back(const Case& c, Failures& f);
// L4: a map is a loop over lanes.
void map_is_a_loop(const Case& c, Failures& f);
// L5: tangents are slopes.
void tangents_are_slopes(const Case& c, Failures& f);
// L6: transposition pairs cotangents with tangents.
void transposes_pair(const Case& c, Failures& f);
// L7: tangents of a map are the map of tangents.
void tangents_map(const Case& c, Failures& f);
// L8: the program of a map is local to the axis of the lanes (DESIGN, Decided 1).
void lanes_stay_apart(const Case& c, Failures& f);
// L9: StableHLO text is read back as a program that computes the same.
void stablehlo_is_read_back(const Case& c, Failures& f);

// L10: each implementation of the op gives what the reference says, as exactly as the op promises;
// mapped, too.
void implementations_agree(const Case& c, Failures& f);
// L11: a map of a map is a loop in a loop.
void maps_nest(const Case& c, Failures& f);
// L12: cotangents of a map, and mapped cotangents, are those of the lanes.
void cotangents_map(const Case& c, Failures& f);
// L13: tangents of tangents and of cotangents are their slopes.
void derivatives_nest(const Case& c, Failures& f);
// L14: L2 for maps over more lanes than a block of work holds.
void many_lanes_are_reference(const Case& c, Failures& f);
// L15: what is found to depend on what (transforms/jacobian/sparsity.h) holds every derivative that
// is not zero.
void patterns_cover(const Case& c, Failures& f);
// L16: narrow floats give what F32 gives, rounded once.
void narrow_floats_are_rounded_once(const Case& c, Failures& f);
// Whether the implementation applies to the sample.
bool applies(const Case& c, const AnyImplementation& i, const Target& target = {});

// A law that cannot hold for an op, or not for some of its cases.
struct Exempt {
  const char* op;
  Law law;
  const char* why;
  bool (*of)(const Case&) = nullptr;  // none: all cases
  bool covers(Law l, const Case& c) const {
    return l == law && c.op->name() == op && (!of || of(c));
  }
};
const std::vector<Exempt>& exemptions();
bool exempt(Law law, const Case& c);

// What the law finds wrong with the case; "" if nothing.
std::string breach(Law law, const Case& c);
// What it finds wrong with the op in its share of the cases, but for what is exempt: the first
// cases, with their text; "" if nothing. An exception in one case does not keep the others from
// being checked.
std::string breaches(Law law, const Op& op, Share share = Share::all());

}  // namespace weft::laws
