// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/batch_trace.h: the batching interpreter: values with one mapped axis, wherever it stands.
#pragma once
#include <string>

#include "weft/tracer/record_trace.h"
#include "weft/tracer/trace.h"

namespace weft {

// One map: its size, its name, and the mask of lanes that are active in the body being rewritten.
class BatchLevel final : public Interpreter {
 public:
  BatchLevel(Ref<Interpreter> parent, int64_t size, std::string axis_name, int64_t id)
      : Interpreter(std::move(parent)), size(size), axis_name(std::move(axis_name)), id(id) {}
  const char* name() const override { return "vmap"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams& params) override;
  Array wrap(const Array& value, MaybeAxis axis);
  // The value under this level and where it is mapped.
  std::pair<Array, MaybeAxis> unwrap(const Array& x) const;

  const int64_t size;
  const std::string axis_name;
  const int64_t id;                       // identifies this map's axis in masks
  bool strict = false;                    // an op without a batching rule is an error
};

class BatchTracer final : public Tracer {
 public:
  BatchTracer(Type t, Ref<Interpreter> level, Array value, int axis)
      : Tracer(t, std::move(level)), value(std::move(value)), axis(axis) {}
  const Array value;
  const int axis;
};

// f mapped over axis `in[i]` of x[i]. The mapped axes of the results are wherever they are cheapest.
Batched vmap_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const MaybeAxes& in, int64_t size,
                  const std::string& axis_name = "", bool strict = false);

// x with its mapped axis at `to`; broadcast there if it has none.
Array move_mapped(const Array& x, MaybeAxis from, int to, int64_t size);

// The program j with inputs mapped as `in` says. Outputs asked for (`out[i]` given) are mapped there;
// others keep whatever they are, told in `out_axes`.
struct BatchedJaxpr {
  Jaxpr jaxpr;
  MaybeAxes out;
};
BatchedJaxpr batch_jaxpr(const Jaxpr& j, int64_t size, const MaybeAxes& in, const MaybeAxes& ask, const BatchLevel& like);

}  // namespace weft
