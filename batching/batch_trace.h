// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/batch_trace.h: the batching interpreter: values with one mapped axis, wherever it
// stands.
#pragma once
#include <string>

#include "weft/tracer/record_trace.h"
#include "weft/tracer/trace.h"

namespace weft {

// Which lanes are active in a body that is being rewritten. Axis k of `active` belongs to lane
// ids[k]. Lanes are numbered from the outside: the map being applied is lane 0, and the lanes an op
// had before are one more than they were, so programs do not depend on how often maps were made.
struct LaneMask {
  Array active;  // empty handle: all lanes
  Ints ids;
};

// One map: its size, its name, and the active lanes of the body being rewritten.
class BatchLevel final : public Interpreter {
 public:
  BatchLevel(Ref<Interpreter> parent, int64_t size, std::string axis_name)
      : Interpreter(std::move(parent)), size(size), axis_name(std::move(axis_name)) {}
  const char* name() const override { return "vmap"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array wrap(const Array& value, MaybeAxis axis);
  // The value under this level and where it is mapped.
  std::pair<Array, MaybeAxis> unwrap(const Array& x) const;
  bool asks_for_lane(const Op& op, const AnyParams& params) const;

  const int64_t size;
  const std::string axis_name;
  bool strict = false;              // an op without a batching rule is an error
  bool warn = true;                 // such an op is logged once
  std::string randomness = "same";  // what an unmapped random key does inside
  LaneMask mask;
  // Chunked maps: this level is some of the lanes, from this one on (i32[]; empty handle: not
  // chunked). Collectives over the axis raise BatchingError; random functions count lanes from it.
  Array first_lane;
  int64_t whole_size = 0;  // lanes of the whole map, of which `size` run at a time
  bool in_body = false;    // rewriting a program: control flow is always rewritten
  // The lanes are columns of a derivative: what is the same in all of them is one value, and what
  // happens with it happens once.
  bool columns = false;
};

class BatchTracer final : public Tracer {
 public:
  BatchTracer(Type t, Ref<Interpreter> level, Array value, int axis)
      : Tracer(t, std::move(level)), value(std::move(value)), axis(axis) {}
  const Array value;
  const int axis;
};

struct MapOptions {
  std::string axis_name = {};
  bool strict = false;
  std::string randomness = "same";
  Array first_lane = {};
  bool warn = true;
  int64_t whole_size = 0;  // of a chunked map; 0: as many as are mapped here
  bool columns = false;    // see BatchLevel
};
// f mapped over axis `in[i]` of x[i]. The mapped axes of the results are wherever they are
// cheapest.
Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in,
                  int64_t size, const MapOptions& o = {});

// x with its mapped axis at `to`; broadcast there if it has none.
Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size);

// What becomes of an op without a batching rule: transforms/ installs a loop over lanes here.
using FallbackFn = Batched (*)(const Op& op, const Arrays& x, const MaybeAxes& axis,
                               const BatchLevel& level, const AnyParams& params);
void install_batch_fallback(FallbackFn f);

// The results of program j on x under the current interpreter, mapped as a map like `like` with the
// given mask; for rules that rewrite the bodies of their ops. A program is batched once.
Batched batch_eval(const Jaxpr& j, const Arrays& x, const MaybeAxes& in, const BatchLevel& like,
                   const LaneMask& mask);
// The mapped axes of the results of j when its inputs are mapped so (nothing is kept).
MaybeAxes probe_axes(const Jaxpr& j, const MaybeAxes& in, const BatchLevel& like);

}  // namespace weft
