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

// What a map says of its lanes, wherever its rules run: it is copied whole.
struct MapOptions {
  std::string axis_name = {};
  bool strict = false;              // an op without a batching rule is an error
  std::string randomness = "same";  // what an unmapped random key does inside
  bool warn = true;                 // an op without a batching rule is logged once
  int64_t whole_size = 0;  // lanes of the whole map, of which some may run at a time; 0: as many
  // The lanes are columns of a derivative: what is the same in all of them is one value, and what
  // happens with it happens once.
  bool columns = false;
  bool one_by_one = false;  // the lanes run one after another: as many chunks
};

// One map: its size, what it says of its lanes, and the active ones of the body being rewritten.
class BatchLevel final : public Interpreter, public MapOptions {
 public:
  BatchLevel(Ref<Interpreter> parent, int64_t size, MapOptions options)
      : Interpreter(std::move(parent)), MapOptions(std::move(options)), size(size) {
    if (whole_size == 0) whole_size = size;
  }
  const char* name() const override { return "vmap"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array wrap(const Array& value, MaybeAxis axis);
  // The value under this level and where it is mapped.
  std::pair<Array, MaybeAxis> unwrap(const Array& x) const;
  bool asks_for_lane(const Op& op, const AnyParams& params) const;

  const int64_t size;
  LaneMask mask;
  // Chunked maps: this level is some of the lanes, from this one on (i32[]; empty handle: not
  // chunked). Collectives over the axis raise BatchingError; random functions count lanes from it.
  Array first_lane;
  bool in_body = false;  // rewriting a program: control flow is always rewritten
};

class BatchTracer final : public Tracer {
 public:
  BatchTracer(Type t, Ref<Interpreter> level, Array value, int axis)
      : Tracer(t, std::move(level)), value(std::move(value)), axis(axis) {}
  const Array value;
  const int axis;
};

// f mapped over axis `in[i]` of x[i], `size` lanes, from `first_lane` of the map on if it is
// chunked. The mapped axes of the results are wherever they are cheapest.
Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in,
                  int64_t size, const MapOptions& o = {}, const Array& first_lane = {});
// The same under a level that the caller has made and that runs.
Batched run_lanes(BatchLevel& level, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                  const MaybeAxes& in);

// x with its mapped axis at `to`; broadcast there if it has none.
Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size);

// What becomes of an op without a batching rule: transforms/ installs a loop over lanes here.
using FallbackFn = Batched (*)(const Op& op, const Arrays& x, const MaybeAxes& axis,
                               const BatchLevel& level, const AnyParams& params);
void install_batch_fallback(FallbackFn f);
// BatchingError in a strict map, for what runs its lanes one after another.
void require_lane_loops(const BatchLevel& level, const std::string& name);

// The results of program j on x under the current interpreter, mapped as a map like `like` with the
// given mask; for rules that rewrite the bodies of their ops. A program is batched once.
Batched batch_eval(const Jaxpr& j, const Arrays& x, const MaybeAxes& in, const BatchLevel& like,
                   const LaneMask& mask);
// The mapped axes of the results of j when its inputs are mapped so (nothing is kept).
MaybeAxes probe_axes(const Jaxpr& j, const MaybeAxes& in, const BatchLevel& like);

}  // namespace weft
