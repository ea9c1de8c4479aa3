// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/batch_trace.h: the batching interpreter: values with one mapped axis at any position.
#pragma once
#include <string>

#include "tracer/record_trace.h"
#include "tracer/trace.h"

namespace weft {

// The lanes that are active in a body that is being rewritten. Axis k of `active` belongs to lane
// axis ids[k]. Lane axes are numbered from the outside. The map being applied is number 0, and the
// numbers of an op's existing lane axes increase by one. Numbers are relative to the map being
// applied, so equal maps give equal programs.
struct LaneMask {
  Array active;  // empty handle: all lanes
  Ints ids;
};

// The options of a map for its lanes. Rules copy them as a whole.
struct MapOptions {
  std::string axis_name = {};
  bool strict = false;              // an op without a batching rule is an error
  std::string randomness = "same";  // the behaviour of an unmapped random key inside the map
  bool warn = true;                 // an op without a batching rule is logged once
  int64_t whole_size = 0;  // lanes of the whole map, which may run in chunks; 0: the same as size
  // The lanes are columns of a derivative. A value that is equal in all of them is not mapped, and
  // its effects happen once.
  bool columns = false;
  bool one_by_one = false;  // the lanes run sequentially, one per chunk
  friend bool operator==(const MapOptions&, const MapOptions&) = default;
};

// One map: its size, its options, and the active lanes of the body being rewritten.
class BatchTrace final : public Interpreter, public MapOptions {
 public:
  BatchTrace(Ref<Interpreter> parent, int64_t size, MapOptions options)
      : Interpreter(std::move(parent)), MapOptions(std::move(options)), size(size) {
    if (whole_size == 0) whole_size = size;
  }
  const char* name() const override { return "vmap"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array wrap(const Array& value, MaybeAxis axis);
  // The value under this level, and its mapped axis.
  std::pair<Array, MaybeAxis> unwrap(const Array& x) const;
  bool asks_for_lane(const Op& op, const AnyParams& params) const;

  const int64_t size;
  LaneMask mask;
  // For chunked maps: this level is a range of the lanes, beginning with this one (i32[]; empty
  // handle: not chunked). Collectives over the axis raise BatchingError; random functions count
  // lanes from it.
  Array first_lane;
  bool in_body = false;  // rewriting a program: control flow is always rewritten
};

class BatchTracer final : public Tracer {
 public:
  BatchTracer(Type t, Ref<Interpreter> trace, Array value, int axis)
      : Tracer(t, std::move(trace)), value(std::move(value)), axis(axis) {}
  const Array value;
  const int axis;
};

// Maps f over axis `in[i]` of x[i], with `size` lanes. For a chunked map they begin with
// `first_lane` of the map. The mapped axes of the results are at the cheapest positions.
Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in,
                  int64_t size, const MapOptions& o = {}, const Array& first_lane = {});
// The same under a level that the caller has made and that is current.
Batched run_lanes(BatchTrace& trace, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                  const MaybeAxes& in);

// x with its mapped axis moved to `to`, or broadcast along a new axis there if it is not mapped.
Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size);

// Handles an op without a batching rule; transforms/ installs a loop over lanes.
using FallbackFn = Batched (*)(const Op& op, const Arrays& x, const MaybeAxes& axis,
                               const BatchTrace& trace, const AnyParams& params);
void install_batch_fallback(FallbackFn f);
// Raises BatchingError in a strict map, for ops whose lanes run one after another.
void require_lane_loops(const BatchTrace& trace, const std::string& name);

// The results of program j on x under the current interpreter, batched with the options of `like`
// and the given mask. It is for rules that rewrite the bodies of their ops. Each program is batched
// only once.
Batched batch_eval(const Jaxpr& j, const Arrays& x, const MaybeAxes& in, const BatchTrace& like,
                   const LaneMask& mask);
// The mapped axes of the results of j for these mapped axes of its inputs. The batched program is
// not used.
MaybeAxes probe_axes(const Jaxpr& j, const MaybeAxes& in, const BatchTrace& like);

}  // namespace weft
