// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/chunk.cpp: maps that run a chunk of lanes at a time.
#include "transforms/chunk.h"

#include <algorithm>
#include <unordered_map>

#include "core/loops/axis_classes.h"
#include "core/op.h"
#include "core/var_map.h"
#include "ops/control/control_flow.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"

namespace weft::detail {

bool recording() {
  for (const Interpreter* i = current().get(); i; i = i->parent().get())
    if (dynamic_cast<const JaxprTrace*>(i)) return true;
  return false;
}

Array lane_number(int64_t n) {
  if (recording()) return scalar_of_int(I32, n);
  const int32_t v = static_cast<int32_t>(n);
  return array_of_bytes(Type(I32, Shape{}), &v);
}

Array chunk_rows(const Array& x, int axis, int64_t full, int64_t chunk) {
  Array r = base::move_axis(base::slice_axis(x, axis, 0, full * chunk), axis, 0);
  std::vector<int64_t> s = {full, chunk};
  s.insert(s.end(), r.shape().begin() + 1, r.shape().end());
  return base::reshape(r, s);
}

Array unchunk_rows(const Array& ys, int axis) {
  // [full, …, chunk, …] -> […, full, chunk, …] -> […, full * chunk, …]
  const Array moved = base::move_axis(ys, 0, axis);
  std::vector<int64_t> s = moved.shape().sizes();
  s[axis] *= s[axis + 1];
  s.erase(s.begin() + axis + 1);
  return base::reshape(moved, s);
}

Array row_at(const Array& ys, int axis, int64_t at) {
  return base::reshape(base::slice_axis(ys, axis, at, at + 1), ys.shape().erased(axis));
}

Arrays scan_rows(FunctionRef<Arrays(const Arrays&)> body, const Array& carry, const Arrays& xs,
                 int64_t length) {
  Types in = {carry.type()};
  for (const Array& x : xs) in.push_back(x.type().with_shape(x.shape().erased(0)));
  Arrays out = scan_flat(record(in, body), {carry}, xs, length);
  out.erase(out.begin());
  return out;
}

namespace {
using Known = std::unordered_map<const JaxprData*, int64_t>;
int64_t peak_bytes(const JaxprData& j, Known& known);

// Returns the bytes that an equation needs in addition to its operands and results. It is the
// workspace of its native code, or the peak of the largest program that it runs; programs for
// derivatives do not run. The inputs of these programs are not counted: they are operands, or as
// large as the results that replace them.
int64_t inner_bytes(const JaxprData& j, const Eqn& e, Known& known) {
  if (e.op->implementations().empty()) return 0;
  const Lowering l = lower_equation(j, e);
  int64_t most = l.native.workspace ? l.native.workspace() : 0;
  for (const Jaxpr& body : l.loop.bodies) most = std::max(most, peak_bytes(*body, known));
  return most;
}

// Returns the peak size of the live intermediates when the equations run in order.
int64_t peak_bytes(const JaxprData& j, Known& known) {
  if (const auto it = known.find(&j); it != known.end()) return it->second;
  VarMap<size_t> last(j, 0);
  for (size_t i = 0; i < j.eqns.size(); ++i)
    for (Atom a : j.eqns[i].in)
      if (!a.is_literal()) last[a] = i;
  for (Atom a : j.out)
    if (!a.is_literal()) last[a] = j.eqns.size();
  int64_t live = 0, peak = 0;
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    const Eqn& e = j.eqns[i];
    for (int32_t k = 0; k < e.n_out; ++k) live += j.types[e.out + k].bytes();
    peak = std::max(peak, live + inner_bytes(j, e, known));
    for (int32_t k = 0; k < e.n_out; ++k)
      if (last[e.out + k] == 0) live -= j.types[e.out + k].bytes();
    for (size_t k = 0; k < e.in.size(); ++k) {
      const Atom a = e.in[k];
      const bool again = std::find(e.in.begin(), e.in.begin() + static_cast<std::ptrdiff_t>(k),
                                   a) != e.in.begin() + static_cast<std::ptrdiff_t>(k);
      if (!a.is_literal() && !again && a.index >= j.n_in && last[a] == i)
        live -= j.types[a.index].bytes();
    }
  }
  return known[&j] = peak;
}
}  // namespace

int64_t lanes_within(int64_t bytes, FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                     const MaybeAxes& axis, const std::string& axis_name, int64_t size) {
  Types lane;
  for (size_t i = 0; i < x.size(); ++i)
    lane.push_back(axis[i] ? x[i].type().with_shape(x[i].shape().erased(*axis[i])) : x[i].type());
  const AxisScope scope(axis_name, size);
  const ClosedJaxpr program = record(lane, f);
  Known known;
  const int64_t per_lane = std::max<int64_t>(1, peak_bytes(*program.jaxpr, known));
  return std::clamp<int64_t>(bytes / per_lane, 1, size);
}

}  // namespace weft::detail
