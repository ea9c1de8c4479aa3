// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/axis_classes.cpp: axis classes by union-find over symbolic runs of lowering rules.
#include "core/loops/axis_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/hash.h"
#include "core/scalar/number.h"
#include "core/text/print.h"
#include "weft/error.h"

namespace weft {

using Form = Lowering::Form;

namespace {
// The lowering by the chosen implementation. Before one is chosen, it is the generated code, or
// else the first native call that applies.
Lowering lowering_of(const Eqn& e, const AnyUse& use) {
  if (e.op->implementations().empty()) return e.op->lower(use.in, use.out, e.params);
  Lowering l;
  l.form = Form::opaque;
  for (const AnyImplementation& i : e.op->implementations()) {
    if (e.implementation.empty() ? i.name == expanded || !i.library.empty() || !i.applies(use)
                                 : i.name != e.implementation)
      continue;
    if (i.name == generated) return e.op->lower(use.in, use.out, e.params);
    if (i.lower) return i.lower(use);
    l.name = i.name;
    if (i.make) l.native = i.make(use);
    break;
  }
  return l;
}
}  // namespace

Lowering lower_equation(const JaxprData& j, const Eqn& e) {
  const Types in = j.in_types(e), out = j.out_types(e);
  return lowering_of(e, {in, out, e.params});
}

namespace {
// Records the indices at which a rule reads, and returns a value of the right kind. An axis read at
// the index of another axis is the same axis only if it is as long. A slice from 0 also reads at
// the result's index, but omits the rest.
class Notes final : public Reader {
 public:
  Notes(nest::Builder& b, const Types& in, const Coords& at, const Shape& space)
      : b_(b), in_(in), at_(at), space_(space), access_(in.size()), places_(in.size()) {
    for (const Type& t : in) buffers_.push_back(b.buffer(storage_of(t.dtype()), false));
  }
  Elem read(int operand, const Coords& c) override {
    const size_t k = operand;
    std::vector<int> where;
    for (int b = 0; b < in_[k].ndim(); ++b) where.push_back(axis_of(c, b, in_[k].shape()));
    if (places_[k].empty())
      access_[k] = where;
    else
      for (size_t b = 0; b < where.size(); ++b)
        if (access_[k][b] != where[b]) access_[k][b] = -1;
    places_[k].insert(c);
    return element_of(k);
  }
  // The value that a read of operand k returns.
  Elem element_of(size_t k) {
    const auto component = [&](int64_t i) { return b_.load(buffers_[k], b_.integer(i)); };
    const DType d = in_[k].dtype();
    return {component(0), components(d) == 2 ? component(1) : nest::no_id};
  }
  std::vector<std::vector<int>> take() {
    for (size_t k = 0; k < in_.size(); ++k)
      if (places_[k].empty()) access_[k].assign(in_[k].ndim(), -2);
    return std::move(access_);
  }
  std::vector<int> times() const {
    std::vector<int> n;
    for (const auto& p : places_) n.push_back(static_cast<int>(p.size()));
    return n;
  }

 private:
  // The axis of the space that indexes axis b of an operand of this shape, or -1.
  int axis_of(const Coords& c, int b, const Shape& shape) const {
    int axis = -1;
    for (int a = 0; a < static_cast<int>(at_.size()); ++a)
      if (at_[a] == c[b] && space_[a] == shape[b]) axis = a;
    return axis;
  }
  nest::Builder& b_;
  const Types& in_;
  const Coords& at_;
  const Shape& space_;
  std::vector<std::vector<int>> access_;
  std::vector<std::set<Coords>> places_;  // by operand, the indices at which it is read
  std::vector<int> buffers_;
};
}  // namespace

namespace {
// Returns, by axis, whether instructions from number `first` on compute with the index along it.
std::vector<char> computed_with(const nest::Builder& b, const Coords& at, size_t first) {
  std::vector<char> used(at.size(), 0);
  for (size_t v = first; v < b.size(); ++v)
    for (const nest::Id a : b.inst(static_cast<nest::Id>(v)).args)
      for (size_t k = 0; k < at.size(); ++k) used[k] = used[k] || a == at[k];
  return used;
}

// The indices of an update and those of its destination.
struct Destination {
  Destination(const Lowering& l, const Types& in)
      : at(indices(&b, in[1].ndim())), notes(b, in, at, in[1].shape()) {
    const num::Writing writing(b);
    index = l.destination(notes, at).index;
  }
  static Coords indices(nest::Builder* b, int axes) {
    Coords r;
    for (int i = 0; i < axes; ++i) r.push_back(b->index(i));
    return r;
  }
  nest::Builder b{"symbolic"};
  const Coords at;
  Notes notes;
  Coords index;
};

// Returns, by axis of the updates, the axis of the target at which its own index is the destination
// index, or -1. Sets the reads of the destination, and Access::by_index if it is given.
std::vector<int> destination_axes(const Lowering& l, const Types& in,
                                  std::vector<std::vector<int>>* reads,
                                  std::vector<char>* by_index = nullptr) {
  Destination to(l, in);
  const Coords &at = to.at, &index = to.index;
  const Shape &target = in[0].shape(), &updates = in[1].shape();
  std::vector<int> goes(at.size(), -1);
  for (int a = 0; a < updates.ndim(); ++a)
    for (int d = 0; d < target.ndim(); ++d)
      if (index[d] == at[a] && target[d] == updates[a]) goes[a] = d;
  *reads = to.notes.take();
  if (!by_index) return goes;
  *by_index = computed_with(to.b, at, at.size());
  for (size_t a = 0; a < at.size(); ++a)
    if (std::ranges::count(index, at[a]) > 1) (*by_index)[a] = 1;
  return goes;
}

// The result has the axes of the target. An axis of the updates is joined to an axis of the target
// if its own index is the destination index there.
Access scatter_access(const Lowering& l, const Types& in) {
  Access access;
  std::vector<char> by_index;
  const std::vector<int> goes = destination_axes(l, in, &access.reads, &by_index);
  for (auto& operand : access.reads)
    for (int& a : operand) a = a < 0 ? a : goes[a];
  access.reads[0].resize(in[0].ndim());
  std::iota(access.reads[0].begin(), access.reads[0].end(), 0);
  access.reads[1] = goes;
  // Along the other axes of the target, the place of an update is computed.
  access.by_index.assign(in[0].ndim(), 1);
  for (size_t a = 0; a < goes.size(); ++a)
    if (goes[a] >= 0) access.by_index[goes[a]] = by_index[a];
  return access;
}

// Counts the instructions from number `first` on, without those of cold paths, which are calls into
// the library.
int written_since(const nest::Builder& b, size_t first) {
  std::vector<std::pair<nest::BlockId, nest::BlockId>> called;  // from, to
  for (size_t v = first; v < b.size(); ++v)
    if (const nest::Inst& i = b.inst(static_cast<nest::Id>(v));
        i.op == nest::Opcode::If && i.imm != 0)
      called.emplace_back(i.blocks[0], i.blocks[1]);
  int n = 0;
  for (size_t v = first; v < b.size(); ++v) {
    const nest::BlockId home = b.inst(static_cast<nest::Id>(v)).home;
    n += std::none_of(called.begin(), called.end(),
                      [&](const auto& c) { return home >= c.first && home < c.second; });
  }
  return n;
}
}  // namespace

Access access_of(const Lowering& l, const Types& in, const Types& out) {
  if (l.form == Form::scatter) return scatter_access(l, in);
  Access a;
  if (l.form == Form::opaque) {
    a.reads = l.native.axis_map;
    a.reads.resize(in.size());
    for (size_t k = 0; k < in.size(); ++k)
      if (l.native.axis_map.empty()) a.reads[k].assign(in[k].ndim(), -1);
    return a;
  }
  if (!l.element) return a;
  nest::Builder b("symbolic");
  const num::Writing writing(b);
  const Shape space = l.form != Form::pull ? l.space : out.empty() ? Shape{} : out[0].shape();
  Coords at;
  for (int i = 0; i < space.ndim(); ++i) at.push_back(b.index(i));
  Notes notes(b, in, at, space);
  const size_t before = at.size();
  Elem e;
  std::vector<nest::Id> elements;
  for (size_t o = 0; o < (l.form == Form::pull ? out.size() : 1); ++o) {
    e = l.element(notes, static_cast<int>(o), at);
    elements.push_back(e.re);
  }
  if (l.form == Form::pull && in.size() == 1 && out.size() == 1 &&
      in[0].dtype() == out[0].dtype()) {
    const Elem whole = notes.element_of(0);
    a.moves = e.re == whole.re && e.im == whole.im;
  }
  a.times = notes.times();
  a.reads = notes.take();
  a.cost = written_since(b, before);
  a.by_index = computed_with(b, at, before);
  for (size_t k = 0; k < at.size(); ++k)
    if (std::ranges::find(elements, at[k]) != elements.end()) a.by_index[k] = 1;
  return a;
}

namespace {
// Returns true if reads name axes of the results, not of a term space.
bool by_result(Form f) { return f == Form::pull || f == Form::scatter || f == Form::opaque; }
}  // namespace

std::vector<int> result_axes(const Lowering& l, const Types& out) {
  std::vector<int> axes;
  int next = 0;
  const int n = by_result(l.form) ? (out.empty() ? 0 : out[0].ndim()) : l.space.ndim();
  for (int a = 0; a < n; ++a) {
    const bool folded = (l.form == Form::reduce || l.form == Form::contract) &&
                        std::find(l.axes.begin(), l.axes.end(), a) != l.axes.end();
    axes.push_back(folded ? -1 : next++);
  }
  return axes;
}

size_t contiguous_update_axes(const Lowering& l, const Types& in) {
  const Destination to(l, in);
  const Shape &target = in[0].shape(), &updates = in[1].shape();
  const size_t most = std::min(to.at.size(), to.index.size());
  for (size_t n = 0; n < most; ++n) {
    const int64_t inner = -static_cast<int64_t>(n);
    if (to.index[to.index.size() - n - 1] != to.at[to.at.size() - n - 1] ||
        (n > 0 && target[inner] != updates[inner]))
      return n;
  }
  return most;
}

std::vector<int> written_axes(const Lowering& l, const Types& in) {
  std::vector<std::vector<int>> reads;
  const std::vector<int> goes = destination_axes(l, in, &reads);
  std::vector<int> written;
  for (int d = 0; d < in[0].ndim(); ++d)
    if (std::find(goes.begin(), goes.end(), d) == goes.end()) written.push_back(d);
  return written;
}

struct Accesses::Known {
  struct Key {
    const Op* op;
    AnyParams params;
    std::string_view implementation;
    Types in, out;
    friend bool operator==(const Key& a, const Key& b) {
      return a.op == b.op && a.implementation == b.implementation && a.in == b.in &&
             a.out == b.out && equal(a.params, b.params);
    }
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return hash_fields(k.op, k.params->hash(), k.implementation, k.in, k.out);
    }
  };
  std::unordered_map<Key, Access, Hash> by_equation;
};

Accesses::Accesses() : known_(std::make_unique<Known>()) {}
Accesses::~Accesses() = default;

const Access& Accesses::of(const JaxprData& j, const Eqn& e, const Lowering& l) {
  Known::Key key{e.op, e.params, e.implementation, j.in_types(e), j.out_types(e)};
  const auto [it, fresh] = known_->by_equation.try_emplace(std::move(key));
  if (fresh) it->second = access_of(l, it->first.in, it->first.out);
  return it->second;
}

std::unique_ptr<Scope> AxisClasses::build(const Jaxpr& j) {
  auto s = std::make_unique<Scope>();
  s->j = j;
  for (const Type& t : j->types) {
    s->first_axis.push_back(static_cast<int>(parent_.size()));
    for (int a = 0; a < t.ndim(); ++a) {
      parent_.push_back(static_cast<int>(parent_.size()));
      extent_.push_back(t.shape()[a]);
    }
  }
  s->bodies.resize(j->eqns.size());
  for (size_t i = 0; i < j->eqns.size(); ++i) {
    s->lowering.push_back(lower_equation(*j, j->eqns[i]));
    s->access.emplace_back();
    link_equation(*s, i);
  }
  return s;
}

AxisClasses::AxisClasses(const Jaxpr& j) {
  Accesses accesses;
  accesses_ = &accesses;
  top_ = build(j);
  accesses_ = nullptr;
}

AxisClasses::AxisClasses(const Jaxpr& body, int lanes, const Ints& lane_axes) : AxisClasses(body) {
  for (size_t k = 0; k < lane_axes.size(); ++k)
    for (int l = 0, at = 0; l < lanes; ++l)
      if (lane_axes[k] >> l & 1)
        join(top_->axis(static_cast<int32_t>(1 + k), at++), top_->axis(0, l));
}

std::set<int> AxisClasses::mixed_numbers() const {
  std::set<int> mixed;
  bool opaque = false;
  mixed_in(*top_, &mixed, &opaque, true);
  return mixed;
}

std::vector<bool> AxisClasses::independent_lanes(int lanes) const {
  const std::set<int> mixed = mixed_numbers();
  std::vector<bool> independent;
  for (int l = 0; l < lanes; ++l) {
    const int lane = find(top_->axis(0, l));
    bool one = true;
    for (int other = 0; other < l; ++other) one = one && find(top_->axis(0, other)) != lane;
    independent.push_back(one && !mixed.contains(lane) && !twice(*top_, lane));
  }
  return independent;
}

std::vector<int> AxisClasses::places(Atom a, int lanes) const {
  std::vector<int> r(lanes, -1);
  if (a.is_literal()) return r;
  const int n = top_->j->type(a).ndim();
  for (int l = 0; l < lanes; ++l)
    for (int b = 0; b < n; ++b)
      if (find(top_->axis(a.index, b)) == find(top_->axis(0, l))) r[l] = b;
  return r;
}

bool AxisClasses::twice(const Scope& s, int c) const {
  for (size_t v = 0; v < s.first_axis.size(); ++v) {
    int n = 0;
    for (int a = 0; a < s.j->types[v].ndim(); ++a)
      n += find(s.axis(static_cast<int32_t>(v), a)) == c;
    if (n > 1) return true;
  }
  for (const auto& bodies : s.bodies)
    for (const auto& b : bodies)
      if (twice(*b, c)) return true;
  return false;
}

bool AxisClasses::by_index(const Scope& s, int c) const {
  for (size_t i = 0; i < s.j->eqns.size(); ++i) {
    const Eqn& e = s.j->eqns[i];
    const Access& access = s.access[i];
    for (const auto& b : s.bodies[i])
      if (by_index(*b, c)) return true;
    const std::vector<int> axes = result_axes(s.lowering[i], s.j->out_types(e));
    std::set<int> used;  // axes of the results
    for (size_t a = 0; a < access.by_index.size() && a < axes.size(); ++a)
      if (access.by_index[a]) used.insert(axes[a]);
    std::set<int> given;  // axes that an operand has
    for (const std::vector<int>& operand : access.reads)
      given.insert(operand.begin(), operand.end());
    // A call makes the other axes of its results.
    const bool makes = s.lowering[i].form == Form::opaque;
    for (int32_t v = e.out; v < e.out + e.n_out; ++v)
      for (int a = 0; a < s.j->types[v].ndim(); ++a)
        if ((used.contains(a) || (makes && !given.contains(a))) && find(s.axis(v, a)) == c)
          return true;
  }
  return false;
}

bool AxisClasses::runs_apart(int c) const {
  std::set<int> mixed;
  bool opaque = false;
  mixed_in(*top_, &mixed, &opaque, false);
  c = find(c);
  return !mixed.contains(c) && !twice(*top_, c) && !by_index(*top_, c);
}

int AxisClasses::find(int a) const {
  while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
  return a;
}

void AxisClasses::join(int a, int b) {
  a = find(a);
  b = find(b);
  if (extent(a) != extent(b))
    throw InternalError(fmt::format("axes of {} and {} elements are taken for one in: {}",
                                    extent(a), extent(b),
                                    linked_ ? equation_text(*linked_, linked_eqn_) : ""));
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

// Joins the axes of a, beginning at from_a, with those of b, beginning at from_b.
void AxisClasses::join_axes(const Scope& s, Atom a, int from_a, const Scope& t, Atom b,
                            int from_b) {
  if (a.is_literal() || b.is_literal()) return;
  const int n = s.j->types[a.index].ndim() - from_a;
  for (int k = 0; k < n; ++k) join(s.axis(a.index, from_a + k), t.axis(b.index, from_b + k));
}

void AxisClasses::link_equation(Scope& s, size_t i) {
  linked_ = s.j.get();
  linked_eqn_ = i;
  const Eqn& e = s.j->eqns[i];
  const Lowering& l = s.lowering[i];
  const auto axis_of = [&](size_t operand, int64_t a) {
    return s.axis(e.in[operand].index, static_cast<int>(a));
  };
  switch (l.form) {
    case Form::pull:
    case Form::reduce:
    case Form::contract:
    case Form::prefix:
    case Form::scatter:
    case Form::opaque: {
      s.access[i] = accesses_->of(*s.j, e, l);
      const std::vector<int> out_axis = result_axes(l, s.j->out_types(e));
      for (size_t k = 0; k < e.in.size(); ++k) {
        if (e.in[k].is_literal()) continue;
        for (size_t b = 0; b < s.access[i].reads[k].size(); ++b) {
          const int a = s.access[i].reads[k][b];
          if (a < 0 || out_axis[a] < 0) continue;
          for (int32_t o = 0; o < e.n_out; ++o)
            join(axis_of(k, static_cast<int64_t>(b)), s.axis(e.out + o, out_axis[a]));
        }
      }
      return;
    }
    case Form::loop:
    case Form::branch:
    case Form::inlined: link_loop(s, i); return;
  }
}

void AxisClasses::link_loop(Scope& s, size_t i) {
  const LoopForm& v = s.lowering[i].loop;
  for (const Jaxpr& body : v.bodies) s.bodies[i].push_back(build(body));
  linked_ = s.j.get();
  linked_eqn_ = i;
  const Eqn& e = s.j->eqns[i];
  const LoopRanges op = v.operands();
  const bool has_cond = v.kind == LoopForm::Kind::loop_while;
  if (has_cond) {
    const Scope& cond = *s.bodies[i][0];
    const LoopRanges in = v.cond_inputs();
    link_inputs(cond, in.cond_consts, s, e, op.cond_consts);
    link_inputs(cond, in.carry, s, e, op.carry);
    if (v.entry_mask()) join_axes(cond, cond.j->out[0], 0, s, e.in[0], 0);
  }
  for (size_t b = has_cond ? 1 : 0; b < s.bodies[i].size(); ++b) {
    const Scope& body = *s.bodies[i][b];
    const LoopRanges in = v.body_inputs();
    // Each control operand has the axes of the mask.
    if (v.active() && op.control.size > 0) join_axes(body, Atom{0}, 0, s, e.in[0], 0);
    link_inputs(body, in.body_consts, s, e, op.body_consts);
    link_inputs(body, in.carry, s, e, op.carry);
    link_inputs(body, in.xs, s, e, op.xs, 1);
    for (int t = 0; t < op.carry.size; ++t) {
      const Atom out = body.j->out[static_cast<size_t>(t)];
      join_axes(body, out, 0, s, e.in[static_cast<size_t>(op.carry.first + t)], 0);
      join_axes(body, out, 0, s, Atom{e.out + t}, 0);
    }
    const ValueRange results = v.results();
    for (int k = results.first; k < results.end(); ++k)
      join_axes(body, body.j->out[static_cast<size_t>(k)], 0, s, Atom{e.out + k}, v.stacks());
  }
  if (v.active()) link_lanes(s, i);
}

// Joins the axes of inputs of a program with those of the operands that they are. The inputs do not
// have the first `missing` axes of the operands.
void AxisClasses::link_inputs(const Scope& body, ValueRange inputs, const Scope& s, const Eqn& e,
                              ValueRange operands, int missing) {
  for (int k = 0; k < inputs.size; ++k)
    join_axes(body, Atom{inputs.first + k}, 0, s, e.in[static_cast<size_t>(operands.first + k)],
              missing);
}
// Joins the lane axes of all values of the op with those of its mask.
void AxisClasses::link_lanes(Scope& s, size_t i) {
  const LoopForm& v = s.lowering[i].loop;
  const Scope& first = *s.bodies[i].back();
  const auto lanes_of = [&](const Scope& body, int input, int64_t lane_axes) {
    int at = 0;
    for (int l = 0; l < static_cast<int>(v.lanes.size()); ++l)
      if (lane_axes >> l & 1) join(body.axis(input, at++), first.axis(0, l));
  };
  const bool has_cond = v.kind == LoopForm::Kind::loop_while;
  if (has_cond) {
    join_axes(*s.bodies[i][0], v.bodies[0]->out[0], 0, first, Atom{0}, 0);
    for (size_t k = 0; k < v.lane_axes.cond_consts.size(); ++k)
      lanes_of(*s.bodies[i][0], static_cast<int>(k), v.lane_axes.cond_consts[k]);
  }
  const Ints inputs = v.to_body(v.lane_axes, (int64_t{1} << v.lanes.size()) - 1);
  for (size_t b = has_cond ? 1 : 0; b < s.bodies[i].size(); ++b) {
    const Scope& body = *s.bodies[i][b];
    for (size_t k = 0; k < inputs.size(); ++k) lanes_of(body, static_cast<int>(k), inputs[k]);
    for (size_t k = 0; k < v.result_lane_axes.size(); ++k) {
      const Atom out = body.j->out[v.lane_axes.carry.size() + k];
      if (!out.is_literal()) lanes_of(body, out.index, v.result_lane_axes[k]);
    }
  }
}

void AxisClasses::mixed_in(const Scope& s, std::set<int>* out, bool* opaque,
                           bool numbers_only) const {
  for (size_t i = 0; i < s.j->eqns.size(); ++i) {
    const Eqn& e = s.j->eqns[i];
    const Lowering& l = s.lowering[i];
    for (const auto& b : s.bodies[i]) mixed_in(*b, out, opaque, numbers_only);
    if (l.form == Form::loop || l.form == Form::branch || l.form == Form::inlined) {
      // A scan steps along the leading axis of xs and results, so this axis counts as mixed.
      const auto mix = [&](Atom a) {
        if (!a.is_literal()) out->insert(find(s.axis(a.index, 0)));
      };
      const ValueRange xs = l.loop.operands().xs, results = l.loop.results();
      for (int k = xs.first; k < xs.end(); ++k) mix(e.in[static_cast<size_t>(k)]);
      for (int k = results.first; k < results.end() && l.loop.stacks(); ++k) mix(Atom{e.out + k});
      continue;
    }
    const bool calls = l.form == Form::scatter || l.form == Form::opaque;
    *opaque = *opaque || calls;
    bool numbers = false;
    for (int32_t o = 0; o < e.n_out; ++o)
      numbers = numbers || is_inexact(s.j->types[e.out + o].dtype());
    if (numbers_only && !numbers) continue;
    for (size_t k = 0; k < e.in.size(); ++k) {
      if (e.in[k].is_literal()) continue;
      for (size_t b = 0; b < s.access[i].reads[k].size(); ++b) {
        const int a = s.access[i].reads[k][b];
        const bool folded = a >= 0 && !by_result(l.form) &&
                            std::find(l.axes.begin(), l.axes.end(), a) != l.axes.end();
        if (a == -1 || folded) out->insert(find(s.axis(e.in[k].index, static_cast<int>(b))));
      }
    }
  }
}

std::set<int> AxisClasses::mixed(const Scope& s, size_t eqn) const {
  std::set<int> out;
  bool opaque = false;
  for (const auto& b : s.bodies[eqn]) mixed_in(*b, &out, &opaque, false);
  return out;
}

std::string AxisClasses::called_inside(const Scope& s, size_t eqn) const {
  for (const auto& b : s.bodies[eqn]) {
    for (size_t i = 0; i < b->j->eqns.size(); ++i) {
      if (std::string inner = called_inside(*b, i); !inner.empty()) return inner;
      const Lowering& l = b->lowering[i];
      const Op& op = *b->j->eqns[i].op;
      if (l.form == Form::scatter) return op.name() + " in a body writes to computed places";
      if (l.form != Form::opaque) continue;
      if (l.lockstep) return "a " + op.name() + " in a body runs step by step";
      return op.name() + " in a body is done by " + (l.name.empty() ? "native code" : l.name);
    }
  }
  return {};
}

}  // namespace weft
