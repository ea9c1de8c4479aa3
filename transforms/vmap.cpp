// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/vmap.cpp: runs a map as a whole, in chunks, or within a memory budget, and places the
// lanes of results on their axes.
#include "weft/vmap.h"

#include <fmt/format.h>

#include <algorithm>

#include "batching/batch_trace.h"
#include "ops/control/control_flow.h"
#include "tracer/base_ops.h"
#include "tracer/lane_check.h"
#include "tracer/types_of.h"
#include "transforms/chunk.h"

namespace weft::detail {
namespace {

// Converts the user's axis for a result of rank `rank` to an axis of the batched result.
int canonical_out_axis(int64_t axis, int64_t rank, const std::string& path) {
  const int64_t n = rank + 1;
  if (axis < -n || axis >= n)
    throw BatchingError(
        fmt::format("vmap out_axes: axis {} is out of bounds for array of dimension {}, {} with "
                    "the mapped axis",
                    axis, n, path));
  return static_cast<int>(axis < 0 ? axis + n : axis);
}

// Returns the axis of the lanes in each result; nothing for `none`.
MaybeAxes out_axes_of(const VmapSpec& s, const Batched& b, const tree::detail::Skeleton& result) {
  const RawAxes raw = match_out_axes(s.out, result);
  const auto path = [&](size_t i) { return tree::detail::paths(result, "result")[i]; };
  MaybeAxes to(b.out.size());
  for (size_t i = 0; i < b.out.size(); ++i) {
    if (!raw[i]) {
      if (b.axis[i])
        throw BatchingError(fmt::format(
            "at vmap out_axes, {}: got axis spec None but output was batched on axis {}{}. Return "
            "what does not depend on mapped arguments, or give out_axes an axis.",
            path(i), *b.axis[i],
            s.options.axis_name.empty() ? ""
                                        : fmt::format(" (axis_name={})", s.options.axis_name)));
      continue;
    }
    const int64_t rank = b.out[i].ndim() - (b.axis[i] ? 1 : 0);
    const bool usual = *raw[i] >= 0 && *raw[i] <= rank;
    to[i] = usual ? static_cast<int>(*raw[i]) : canonical_out_axis(*raw[i], rank, path(i));
  }
  return to;
}

Arrays place(const Batched& b, const MaybeAxes& to, int64_t size) {
  Arrays out;
  for (size_t i = 0; i < b.out.size(); ++i)
    out.push_back(to[i] ? move_mapped(b.out[i], b.axis[i], *to[i], size) : b.out[i]);
  return out;
}

// The parts of a map that do not depend on the chunk of lanes.
struct Map {
  const VmapSpec& spec;
  const Arrays& x;
  const MappedArguments& args;
  FunctionRef<Arrays(const Arrays&)> f;
  FunctionRef<tree::detail::Skeleton()> result;
  MaybeAxes to = {};

  MapOptions options() const {
    return {.axis_name = spec.options.axis_name,
            .strict = spec.options.strict,
            .randomness = spec.options.randomness,
            .warn = spec.warn,
            .whole_size = args.size};
  }
  Arrays whole() {
    const Batched b = vmap_flat(f, x, args.axis, args.size, options());
    to = out_axes_of(spec, b, result());
    return place(b, to, args.size);
  }
  // Maps a chunk of the lanes; the results have the lanes on the axes that out_axes request.
  Arrays lanes(const Arrays& rows, const MaybeAxes& axis, int64_t size, const Array& first) {
    const Batched b = vmap_flat(f, rows, axis, size, options(), first);
    to = out_axes_of(spec, b, result());
    return place(b, to, size);
  }
  // Maps all lanes at once, as the only chunk.
  Arrays only_chunk() { return lanes(x, args.axis, args.size, lane_number(0)); }
  // Returns true if the only chunk needs no more memory than smaller ones.
  bool keeps_in_lanes() {
    const ClosedJaxpr all = record(
        types_of(x), [&](const Arrays& in) { return Map{spec, in, args, f, result}.only_chunk(); });
    return weft::keeps_in_lanes(open_constants(all.jaxpr), args.size);
  }
  // Returns the lanes lo … hi-1 of the arguments.
  Arrays rows(int64_t lo, int64_t hi) const {
    Arrays r = x;
    for (size_t i = 0; i < r.size(); ++i)
      if (args.axis[i]) r[i] = base::slice_axis(x[i], *args.axis[i], lo, hi);
    return r;
  }
  Arrays concat_lists(const std::vector<Arrays>& parts) const {
    Arrays out = parts[0];
    for (size_t k = 0; k < out.size(); ++k) {
      if (!to[k] || parts.size() == 1) continue;
      Arrays pieces;
      for (const Arrays& p : parts) pieces.push_back(p[k]);
      out[k] = base::concatenate(pieces, *to[k]);
    }
    return out;
  }

  // Runs one chunk after another. The values are known, so no loop is recorded.
  Arrays eager_chunks(int64_t chunk) {
    std::vector<Arrays> parts;
    for (int64_t lo = 0; lo < args.size; lo += chunk) {
      const int64_t hi = std::min(args.size, lo + chunk);
      parts.push_back(lanes(rows(lo, hi), args.axis, hi - lo, lane_number(lo)));
    }
    return concat_lists(parts);
  }

  // Records a loop over full chunks, followed by a map of the remaining lanes.
  Arrays recorded_chunks(int64_t chunk) {
    const int64_t full = args.size / chunk;
    Arrays xs;
    for (size_t i = 0; i < x.size(); ++i)
      if (args.axis[i]) xs.push_back(chunk_rows(x[i], *args.axis[i], full, chunk));
    MaybeAxes front(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      if (args.axis[i]) front[i] = 0;
    const auto body = [&](const Arrays& in) {
      Arrays r = x;
      for (size_t i = 0, next = 1; i < r.size(); ++i)
        if (args.axis[i]) r[i] = in[next++];
      Arrays out = lanes(r, front, chunk, in[0]);
      out.insert(out.begin(), base::add(in[0], lane_number(chunk)));
      return out;
    };
    Arrays ys = scan_rows(body, lane_number(0), xs, full);
    std::vector<Arrays> parts(1);
    for (size_t k = 0; k < ys.size(); ++k)
      parts[0].push_back(to[k] ? unchunk_rows(ys[k], *to[k]) : row_at(ys[k], 0, 0));
    if (const int64_t lo = full * chunk; lo < args.size)
      parts.push_back(lanes(rows(lo, args.size), args.axis, args.size - lo, lane_number(lo)));
    return concat_lists(parts);
  }
};

int64_t chunk_of(const Map& m) {
  int64_t chunk = m.spec.options.chunk_size;
  if (m.spec.options.memory_budget > 0 && m.args.size > 1) {
    const int64_t fits = lanes_within(m.spec.options.memory_budget, m.f, m.x, m.args.axis,
                                      m.spec.options.axis_name, m.args.size);
    chunk = chunk > 0 ? std::min(chunk, fits) : fits;
  }
  return chunk > 0 ? chunk : m.args.size;
}

}  // namespace

void check_vmap_options(const VmapSpec& s) {
  const VmapOptions& o = s.options;
  if (o.randomness != "same" && o.randomness != "different" && o.randomness != "error")
    throw BatchingError(fmt::format(
        "vmap: randomness must be \"same\", \"different\" or \"error\", got \"{}\"", o.randomness));
  if (o.chunk_size < 0)
    throw BatchingError(fmt::format("vmap: chunk_size must not be negative, got {}", o.chunk_size));
  if (o.memory_budget < 0)
    throw BatchingError(
        fmt::format("vmap: memory_budget must not be negative, got {}", o.memory_budget));
}

void identify_vmap(const VmapSpec& s, KeyWriter& key) {
  key.add_static(to_string(s.in));
  key.add_static(to_string(s.out));
  key.add_static(s.options.axis_name);
  key.add_static(s.options.axis_size.value_or(-1));
  key.add_static(s.options.spmd_axis_name);
  key.add_static(s.options.randomness);
  key.add_static(s.options.chunk_size);
  key.add_static(s.options.memory_budget);
  key.add_static(s.options.strict);
  key.add_static(s.warn);
}

Arrays run_vmap(const VmapSpec& s, const Arrays& x, FunctionRef<tree::detail::Skeleton()> args,
                FunctionRef<Arrays(const Arrays&)> f,
                FunctionRef<tree::detail::Skeleton()> result) {
  if (!s.options.spmd_axis_name.empty())
    throw AxisNameError(
        fmt::format("vmap: spmd_axis_name is '{}', but the lanes of a map are on one device, not "
                    "spread over the axis of a mesh. Leave it out",
                    s.options.spmd_axis_name));
  const MappedArguments mapped = map_arguments(s.in, x, s.options.axis_size, args);
  Map m{s, x, mapped, f, result};
  const int64_t chunk = chunk_of(m);
  if (chunk >= mapped.size) return m.whole();
  if (!recording()) return m.eager_chunks(chunk);
  return m.keeps_in_lanes() ? m.only_chunk() : m.recorded_chunks(chunk);
}

}  // namespace weft::detail
