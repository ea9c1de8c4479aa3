// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/print.cpp: debug_print, and the op that marks the end of a map, which orders the
// output.
#include "core/text/format_text.h"
#include "ops/effects/effects.h"
#include "ops/effects/lane_calls.h"
#include "runtime/ordered_output.h"

namespace weft {
namespace {

struct Print {
  std::string fmt;
  Ints lanes = {}, lane_ids = {}, lane_axes = {};
  bool masked = false;
  WEFT_FIELDS(fmt, lanes, lane_ids, lane_axes, masked)
};

Types print_type(const Types& in, const Print& p) {
  // Throws if the text does not match the values.
  [[maybe_unused]] const FormatText text("debug_print", p.fmt, lane_types("debug_print", in, p));
  return {};
}

void print_lanes(const Print& p, const Types& lane, LaneWalk& walk) {
  const FormatText text("debug_print", p.fmt, lane);
  walk.for_each([&](LanePath path, const std::vector<const void*>& in, const std::vector<void*>&) {
    OrderedOutput::print(path, text(in) + "\n");
  });
}

Print lanes_of(std::string text, Ints lanes, Ints lane_axes, bool masked) {
  Ints ids = axis_range(std::ssize(lanes));
  return {std::move(text), std::move(lanes), std::move(ids), std::move(lane_axes), masked};
}

const Primitive<Print>& print_op = define<Print>([] {
  auto d = lane_call_op<Print>(
      "debug_print", "Prints the text `fmt` with the operands in its fields, once for each lane.",
      print_lanes);
  d.type = print_type;
  d.jvp = [](const JvpArgs<Print>&) { return Arrays{}; };
  d.effects = [](const Print&) { return Effect::ordered; };
  d.samples = [] {
    const Type x(F32, {}), v(F64, {3});
    return std::vector<Sample<Print>>{
        {{x, v}, {.fmt = "x = {:.2f}, v = {}"}},
        {{}, {.fmt = "here"}},
        {{Type(I32, {2, 3}), Type(Bool, {3, 2})}, lanes_of("{1} {0}", {2, 3}, {3, 2}, false)},
        {{Type(C64, {2, 2}), Type(Bool, {2})}, lanes_of("{!r}", {2}, {1}, true)}};
  };
  d.rejects = [] {
    const Type x(F32, {}), v(F32, {2});
    return std::vector<Reject<Print>>{
        {{x}, {.fmt = "x"}, "debug_print: 0 fields and 1 value, in the text \"x\""},
        {{x}, {.fmt = "{} {}"}, "debug_print: 2 fields and 1 value"},
        {{x, x}, {.fmt = "{1}"}, "debug_print: 2 fields and 2 values"},
        {{x}, {.fmt = "{"}, "a '{' without a '}'"},
        {{x}, {.fmt = "}"}, "a '}' without a '{'"},
        {{x}, {.fmt = "{x}"}, "'{x}' is not a field"},
        {{x, x}, {.fmt = "{} {0}"}, "some fields have numbers and some have none"},
        {{x}, {.fmt = "{:d}"}, "'{:d}' is not a format for value 0, f32[]"},
        {{v}, {.fmt = "{:.2f}"}, "formats a real number, and value 0 is f32[2]"},
        {{v}, lanes_of("{}", {3}, {1}, false), "does not have the lanes of lane_axes"},
        {{v}, lanes_of("{}", {3}, {}, true), "the mask of the active lanes must be a bool"}};
  };
  return d;
}());

// ---- the end of a map

struct MapEnd {
  Ints lanes = {};  // sizes of the maps around that map
  WEFT_FIELDS(lanes)
};

void end_map(const MapEnd& p) { OrderedOutput::end_of_map(p.lanes.size()); }

const Primitive<MapEnd>& end_op = define<MapEnd>({
    .name = "end_of_map",
    .doc = "Marks the end of a map. Text that was printed before it, in any lane, precedes the "
           "text that is printed after it.",
    .type =
        [](const Types& in, const MapEnd&) {
          require_operands("end_of_map", in, 0);
          return Types{};
        },
    .reference =
        [](const Arrays&, const MapEnd& p) {
          end_map(p);
          return Arrays{};
        },
    .batch =
        [](const BatchArgs<MapEnd>& b) {
          const Ints& lanes = b.params.lanes;
          return Batched{b.op.bind({}, {b.trace.columns ? lanes : concat_lists({b.size}, lanes)}),
                         {}};
        },
    .implementations =
        [] {
          return std::vector<Implementation<MapEnd>>{
              {.name = "native", .make = [](const Use<MapEnd>& u) {
                 return NativeCall{[p = u.params](const NativeArgs&) { end_map(p); }};
               }}};
        },
    .effects = [](const MapEnd&) { return Effect::ordered; },
    .samples = [] { return std::vector<Sample<MapEnd>>{{{}, {}}, {{}, {{2, 3}}}}; },
    .rejects = [] { return std::vector<Reject<MapEnd>>{{{Type(F32, {})}, {}, "end_of_map"}}; },
});

}  // namespace

void debug_print_flat(const std::string& text, const Arrays& values) {
  print_op.bind(values, {.fmt = text});
}

}  // namespace weft
