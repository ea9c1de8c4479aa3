// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/op_laws_test.cpp: checks every registered op against every law, on all its samples.
#include <algorithm>

#include "laws.h"
#include "measure.h"
#include "runtime/backend.h"
#include "support/catch.h"
#include "tracer/types_of.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::laws;

namespace {
int laws_checked = 0;
// Checks the law on every op, on a share of its cases.
void obeyed(Law law, const Share& share = Share(1)) {
  ++laws_checked;
  for (const Op* op : all_ops()) {
    INFO(op->name());
    CHECK(violations(law, *op, share) == "");
  }
}
}  // namespace

TEST_CASE("every op has samples, documentation and the rules that it declares") {
  REQUIRE(!all_ops().empty());
  REQUIRE(backend());
  for (const Op* op : all_ops()) {
    INFO(op->name());
    CHECK(!op->doc().empty());
    CHECK(op->has(Op::Slot::batch));
    CHECK(!op->samples().empty());
    // Maps remove collectives before anything runs.
    CHECK((!op->implementations().empty() || op->collective()));
  }
}

TEST_CASE("samples of ops that maps remove stand under the maps that they name") {
  for (const Op* op : all_ops())
    for (const AnySample& s : op->samples()) {
      INFO(op->name() << " of " << to_string(s.in));
      CHECK((!op->implementations().empty() || !s.maps.empty()));
    }
}

TEST_CASE("samples that make their operands make them of their types, the same each time") {
  int made = 0;
  for (const Op* op : all_ops())
    for (const AnySample& s : op->samples()) {
      if (!s.values) continue;
      INFO(op->name() << " of " << to_string(s.in));
      const Arrays x = s.values(7);
      CHECK(types_of(x) == s.in);
      CHECK(all_differences(x, s.values(7)) == "");
      ++made;
    }
  CHECK(made > 0);
}

TEST_CASE("a law that is exempt for an op would fail for it") {
  for (const Exempt& e : exemptions()) {
    INFO(e.op << ": " << e.why);
    REQUIRE(find_op(e.op));
    const std::vector<Case> cases = cases_of(*find_op(e.op));
    CHECK(std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
      return e.covers(e.law, c) && !violation(e.law, c).empty();
    }));
  }
}

TEST_CASE("rejected operands raise their text") {
  for (const Op* op : all_ops())
    for (const AnyReject& r : op->rejects()) {
      INFO(op->name() << " of " << to_string(r.in) << ": " << r.text);
      std::string what;
      try {
        op->type(r.in, r.params);
      } catch (const InternalError& e) {
        FAIL_CHECK(e.what());
      } catch (const Error& e) {
        what = e.what();
      }
      CHECK(what.find(r.text) != std::string::npos);
      CHECK((what.empty() || what.find(op->name()) != std::string::npos));
    }
}

TEST_CASE("L1: the type rule gives the types of the results") { obeyed(types_are_told); }
TEST_CASE("L2: compiled code computes the reference results to the bit", "[share]") {
  obeyed(compiled_is_reference, Share(3, 2));
}
TEST_CASE("L2: maps compute the reference results, for lane counts around the vector width",
          "[share]") {
  obeyed(compiled_map_is_reference, Share(3, 1));
}
TEST_CASE("L3: printed programs parse back to themselves") { obeyed(text_is_read_back); }
TEST_CASE("L4: a map is a loop over lanes") { obeyed(map_is_a_loop); }
TEST_CASE("L5: tangents are slopes") { obeyed(tangents_are_slopes); }
TEST_CASE("L6: transposition pairs cotangents with tangents") { obeyed(transposes_pair); }
TEST_CASE("L7: tangents of a map are the map of tangents") { obeyed(tangents_map); }
TEST_CASE("L8: the program of a map is local to its lanes") { obeyed(lanes_stay_apart); }
TEST_CASE("L17: the program of a map, changed to fewer lanes, computes these lanes") {
  obeyed(fewer_lanes_agree);
}
TEST_CASE("L9: StableHLO text parses to a program that computes the same") {
  obeyed(stablehlo_is_read_back);
}
TEST_CASE("L10: each implementation gives the reference results", "[share]") {
  obeyed(implementations_agree, Share(3, 10));
}
TEST_CASE("L11: a map of a map is a loop in a loop", "[share]") { obeyed(maps_nest, Share(3, 11)); }
TEST_CASE("L12: cotangents of maps, and mapped cotangents, are those of the lanes", "[share]") {
  obeyed(cotangents_map, Share(3, 12));
}
TEST_CASE("L13: tangents of tangents and of cotangents are slopes", "[share]") {
  obeyed(derivatives_nest, Share(3, 13));
}
TEST_CASE("L15: patterns of Jacobians cover their elements", "[share]") {
  obeyed(patterns_cover, Share(3, 15));
}
TEST_CASE("L16: narrow floats give the F32 results, rounded once") {
  obeyed(narrow_floats_are_rounded_once);
}
TEST_CASE("L14: the code of a map is the reference for 16,385 lanes", "[slow]") {
  obeyed(many_lanes_are_reference);
}
namespace {
struct EveryLibrary final : Libraries {
  std::string missing(std::string_view) const override { return {}; }
};
}  // namespace
TEST_CASE("each implementation applies to a sample of its op") {
  const EveryLibrary every;
  for (const Op* op : all_ops()) {
    const std::vector<Case> cases = cases_of(*op);
    if (cases.empty()) continue;
    for (const AnyImplementation& i : op->implementations()) {
      INFO(op->name() << ": " << i.name);
      CHECK(std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
        return applies(c, i, {.gpu = !i.library.empty(), .libraries = &every});
      }));
    }
  }
}
// This test comes after the laws above. If a filter excluded some of them, it does not count.
TEST_CASE("the laws check at least 20,000 cases") {
  constexpr int quick = 17;
  if (laws_checked < quick) return;
  WARN(Failures::cases_checked << " cases");
  CHECK(Failures::cases_checked >= 20'000);
}
