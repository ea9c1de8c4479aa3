// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/lane_law.cpp: the law that a map never dissolves the axis of its lanes, and the law
// that its program can be changed to fewer lanes. Each equation of its program reads and writes a
// lane's elements at that lane's index.
#include <algorithm>
#include <optional>

#include "batching/batch_trace.h"
#include "core/loops/resize.h"
#include "core/scalar/number.h"
#include "mappings.h"
#include "measure.h"
#include "tracer/base_ops.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"

namespace weft::laws {
namespace {

using Form = Lowering::Form;

// No axis of a sample has this size, so that an axis of this size is the axis of the lanes.
constexpr int64_t lanes = 53;
MaybeAxis lane_axis(const Type& t) {
  for (int a = 0; a < t.ndim(); ++a)
    if (t.shape()[a] == lanes) return a;
  return std::nullopt;
}

// Runs a rule with symbolic indices and records where it reads the axis of the lanes.
class LaneReader final : public Reader {
 public:
  explicit LaneReader(const Types& in) : in_(in) {
    for (const Type& t : in) buffers_.push_back(builder_.buffer(storage_of(t.dtype()), false));
  }
  nest::Builder& builder() { return builder_; }
  Coords indices(int rank) {
    Coords at;
    for (int i = 0; i < rank; ++i) at.push_back(builder_.index(i));
    return at;
  }
  Elem read(int operand, const Coords& at) override {
    const auto k = static_cast<size_t>(operand);
    if (const MaybeAxis a = lane_axis(in_[k])) read_.push_back(at[static_cast<size_t>(*a)]);
    const bool two = components(in_[k].dtype()) == 2;
    const auto part = [&](int64_t i) { return builder_.load(buffers_[k], builder_.integer(i)); };
    return {part(0), two ? part(1) : nest::no_id};
  }
  // Returns the indices at which operands with lanes were read.
  const std::vector<nest::Id>& read() const { return read_; }

 private:
  nest::Builder builder_{"symbolic"};
  const Types& in_;
  std::vector<int> buffers_;
  std::vector<nest::Id> read_;
};

// Describes how an equation mixes the lanes of its operands, or returns "".
std::string element_mixes(const Lowering& l, const Types& in, const Types& out) {
  LaneReader reader(in);
  const num::Writing writing(reader.builder());
  const bool pull = l.form == Form::pull;
  const bool folds = l.form == Form::reduce || l.form == Form::contract;
  const Coords at = reader.indices(pull ? out[0].ndim() : l.space.ndim());
  for (size_t o = 0; o < (pull ? out.size() : 1); ++o) l.element(reader, static_cast<int>(o), at);
  for (nest::Id id : reader.read()) {
    const auto place = std::find(at.begin(), at.end(), id) - at.begin();
    if (place == static_cast<std::ptrdiff_t>(at.size())) return "reads other lanes";
    const auto is = [&](int64_t a) { return a == place; };
    if (!pull && std::any_of(l.axes.begin(), l.axes.end(), is)) return "folds the lanes";
    int to = static_cast<int>(place);
    for (int64_t a : l.axes)
      if (folds && a < place) --to;
    for (const Type& t : out)
      if (lane_axis(t) != to) return "puts a lane where another belongs";
  }
  return {};
}
std::string scatter_mixes(const Lowering& l, const Types& in, const Types& out) {
  const MaybeAxis to = lane_axis(out[0]), from = lane_axis(in[1]);
  if (!to || lane_axis(in[0]) != to) return "writes lanes into what has none";
  LaneReader reader(in);
  const num::Writing writing(reader.builder());
  const Coords at = reader.indices(in[1].ndim());
  const nest::Id lane = l.destination(reader, at).index[static_cast<size_t>(*to)];
  if (!from || lane != at[static_cast<size_t>(*from)]) return "writes into other lanes";
  for (nest::Id id : reader.read())
    if (id != lane) return "looks where to write in other lanes";
  return {};
}
// L4 finds out whether native code mixes lanes. The code has to declare that it does not.
std::string call_follows(const Lowering& l, const Types& in, const Types& out) {
  if (l.native.axis_map.size() != in.size()) return "does not say which axes it follows";
  for (size_t k = 0; k < in.size(); ++k)
    for (const Type& t : out)
      if (const MaybeAxis from = lane_axis(in[k]);
          from && MaybeAxis(l.native.axis_map[k][static_cast<size_t>(*from)]) != lane_axis(t))
        return "says that lanes go elsewhere";
  return {};
}
std::string mixes(const JaxprData& j, const Eqn& e);
// L4 checks the masks, selects and stop conditions of a loop, a branch or a call. Here its programs
// have to keep lanes apart.
std::string programs_mix(const std::vector<Jaxpr>& programs) {
  for (const Jaxpr& j : programs)
    for (const Eqn& e : j->eqns)
      if (std::string what = mixes(*j, e); !what.empty())
        return fmt::format("holds '{}', which {}", e.op->name(), what);
  return {};
}
std::string mixes(const JaxprData& j, const Eqn& e) {
  Types in, out;
  for (Atom a : e.in) in.push_back(j.type(a));
  for (int32_t k = 0; k < e.n_out; ++k) out.push_back(j.types[static_cast<size_t>(e.out + k)]);
  bool mapped = false;
  for (const Type& t : in) mapped = mapped || lane_axis(t);
  if (!mapped) return {};
  const Lowering l = lower_equation(j, e);
  // An equation that only its expansion can run keeps lanes apart if the expansion does.
  if (l.form == Form::opaque && !l.lockstep && !l.native.run && e.op->has(Op::Slot::expand)) {
    const Jaxpr program =
        record(in, [&](const Arrays& x) { return e.op->expand(x, e.params); }).jaxpr;
    for (size_t k = 0; k < out.size(); ++k)
      if (lane_axis(program->type(program->out[k])) != lane_axis(out[k])) return "moves lanes";
    return programs_mix({program});
  }
  switch (l.form) {
    case Form::pull:
    case Form::reduce:
    case Form::contract:
    case Form::prefix: return element_mixes(l, in, out);
    case Form::scatter: return scatter_mixes(l, in, out);
    case Form::opaque: return l.lockstep ? programs_mix(l.lockstep()) : call_follows(l, in, out);
    case Form::loop:
    case Form::branch:
    case Form::inlined: return programs_mix(l.loop.bodies);
  }
  return "has no form";
}

}  // namespace

void lanes_stay_apart(const Case& c, Failures& f) {
  if (!c.maps()) return;
  for (const Types& types : {c.in(), c.out()})
    for (const Type& t : types) f.check(!lane_axis(t), "the sample has an axis of that size");
  for_each_mapping(c, [&](const MaybeAxes& axes) {
    f.checked();
    MaybeAxes out;
    const Jaxpr j = record(c.in(axes, lanes), [&](const Arrays& x) {
                      Batched b =
                          vmap_flat([&](const Arrays& a) { return c.run(a); }, x, axes, lanes);
                      out = b.axis;
                      return b.out;
                    }).jaxpr;
    for (const Eqn& e : j->eqns)
      if (const std::string what = mixes(*j, e); !what.empty())
        return f.check(false, fmt::format("{}: '{}' {} in\n{}", axes_text(axes), e.op->name(), what,
                                          to_string(j)));
    for (size_t k = 0; k < out.size(); ++k)
      f.check(out[k] == lane_axis(j->type(j->out[k])),
              fmt::format("{}: the lanes of result {} are not where the rule says\n{}",
                          axes_text(axes), k, to_string(j)));
  });
}

void fewer_lanes_agree(const Case& c, Failures& f) {
  if (!c.maps() || c.in().empty()) return;
  const MaybeAxes axes(c.in().size(), 0);
  constexpr int64_t fewer = 3;
  const Jaxpr j = record(c.in(axes, lanes), [&](const Arrays& x) {
                    return vmap_flat([&](const Arrays& a) { return c.run(a); }, x, axes, lanes).out;
                  }).jaxpr;
  const AxisClasses an(j);
  const int lane = an.find(an.top().axis(0, 0));
  const auto leads = [&](Atom a) {
    return !a.is_literal() && j->type(a).ndim() > 0 && an.find(an.top().axis(a.index, 0)) == lane;
  };
  for (int32_t v = 0; v < j->n_in; ++v)
    if (!leads({v})) return;
  if (!an.runs_apart(lane) || !std::ranges::all_of(j->out, leads)) return;
  f.checked();
  const std::optional<Jaxpr> few = resized(an, lane, fewer);
  if (!few) return f.check(false, "cannot be resized:\n" + to_string(j));
  const auto rows = [](const Arrays& x) {
    Arrays r;
    for (const Array& a : x) r.push_back(base::slice_axis(a, 0, 0, fewer));
    return r;
  };
  const ReferenceMode reference;
  Random r = c.random(18);
  const Arrays x = c.draw(axes, lanes, r);
  f.expect(all_differences(rows(eval_jaxpr(j, x)), eval_jaxpr(*few, rows(x))));
}

}  // namespace weft::laws
