// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/laws.cpp: the cases of an op, and the laws of values: types, text, code, maps.
#include "laws.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>

#include "batching/batch_trace.h"
#include "core/effects.h"
#include "core/param.h"
#include "jit/schedule/target.h"
#include "mappings.h"
#include "measure.h"
#include "tracer/base_ops.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/device.h"

namespace weft::laws {

std::string Case::text() const {
  return fmt::format("{} sample {} of {}{}", op->name(), number, to_string(sample.in),
                     shared ? " that are not mapped" : "");
}
Random Case::random(uint64_t salt) const {
  return Random(std::hash<std::string>{}(op->name()) + number * 1000 + salt);
}

namespace {
bool takes(const Op& op, const AnySample& s) {
  try {
    op.type(s.in, s.params);
    return true;
  } catch (const Error&) {
    return false;
  }
}
// Runs the op under its named maps from number k on.
Arrays run_maps(const Case& c, size_t k, const Arrays& x) {
  if (k == c.sample.maps.size()) return bind_op(*c.op, x, c.sample.params);
  const auto& [name, size] = c.sample.maps[k];
  const MaybeAxes in(x.size(), c.shared ? MaybeAxis() : 0);
  return to_front(vmap_flat([&](const Arrays& row) { return run_maps(c, k + 1, row); }, x, in, size,
                            {.axis_name = name}),
                  size);
}
Types under_maps(const Case& c, Types types) {
  std::vector<int64_t> sizes;
  for (const auto& map : c.sample.maps) sizes.push_back(map.second);
  for (Type& t : types) {
    std::vector<int64_t> shape = sizes;
    shape.insert(shape.end(), t.shape().begin(), t.shape().end());
    t = t.with_shape(Shape(shape));
  }
  return types;
}
// Stacks rows along a new axis, whose size is their number.
Array stacked(const std::vector<Arrays>& rows, size_t operand, int axis, const Type& t) {
  if (rows.empty()) return base::zeros(t.with_shape(t.shape().inserted(axis, 0)));
  Arrays x;
  for (const Arrays& row : rows) x.push_back(base::insert_axis(row[operand], axis, 1));
  return x.size() == 1 ? x[0] : base::concatenate(x, axis);
}
// Draws operands that the sample makes, under its named maps from number k on.
Arrays drawn_under_maps(const Case& c, size_t k, Random& r) {
  if (c.shared || k == c.sample.maps.size()) return c.sample.values(r.word());
  std::vector<Arrays> rows;
  for (int64_t l = 0; l < c.sample.maps[k].second; ++l)
    rows.push_back(drawn_under_maps(c, k + 1, r));
  Arrays x;
  for (size_t i = 0; i < c.sample.in.size(); ++i) x.push_back(stacked(rows, i, 0, {}));
  return x;
}
// Returns the sample with dtype `to` in place of dtype `from` in every operand.
AnySample in_dtype(AnySample s, DType from, DType to) {
  for (Type& t : s.in)
    if (t.dtype() == from) t = Type(to, t.shape(), t.weak());
  return s;
}
}  // namespace

Arrays Case::run(const Arrays& x) const { return run_maps(*this, 0, x); }
Types Case::in() const { return shared ? sample.in : under_maps(*this, sample.in); }
Types Case::out() const { return under_maps(*this, op->type(sample.in, sample.params)); }
Types Case::in(const MaybeAxes& axes, int64_t size) const {
  Types t = in();
  for (size_t i = 0; i < t.size(); ++i)
    if (axes[i]) t[i] = t[i].with_shape(t[i].shape().inserted(*axes[i], size));
  return t;
}
Arrays Case::draw(Random& r, bool special) const {
  if (sample.values) return drawn_under_maps(*this, 0, r);
  return random_arrays(in(), sample.lo, sample.hi, r, special);
}
Arrays Case::draw(const MaybeAxes& axes, int64_t size, Random& r, bool special) const {
  if (!sample.values) return random_arrays(in(axes, size), sample.lo, sample.hi, r, special);
  const ReferenceMode reference;
  Arrays x = draw(r);
  std::vector<Arrays> rows;
  for (int64_t l = 0; l < size; ++l) rows.push_back(draw(r));
  for (size_t i = 0; i < x.size(); ++i)
    if (axes[i]) x[i] = stacked(rows, i, *axes[i], x[i].type());
  return x;
}

namespace {
// A program that is compiled for one device cannot send an array to another.
bool names_another_device(const AnySample& s) {
  if (!s.params) return false;
  const auto device = param_field<std::string>(s.params, "device");
  return device && *device != default_device();
}
}  // namespace

std::vector<Case> cases_of(const Op& op) {
  std::vector<AnySample> samples = op.samples();
  std::set<DType> seen;
  for (const AnySample& s : samples)
    for (const Type& t : s.in) seen.insert(t.dtype());
  if (!samples.empty() && !samples[0].in.empty() && !samples[0].values) {
    const AnySample first = samples[0];
    for (int i = 0; i <= static_cast<int>(C128); ++i) {
      const auto t = static_cast<DType>(i);
      if (seen.count(t)) continue;
      AnySample s = in_dtype(first, first.in[0].dtype(), t);
      if (takes(op, s)) samples.push_back(std::move(s));
    }
  }
  std::vector<Case> cases;
  bool fine = false;
  for (AnySample& s : samples) {
    if (names_another_device(s)) continue;
    cases.push_back({&op, std::move(s), cases.size()});
    Measure m;
    fine = fine || (measurable(cases.back(), &m) && m.fine());
    if (cases.back().sample.maps.empty() || cases.back().sample.in.empty()) continue;
    cases.push_back(cases.back());
    cases.back().shared = true;
  }
  for (Case& c : cases) c.measure_coarsely = !fine;
  return cases;
}

void Failures::check(bool right, const std::string& what) {
  if (right) return;
  if (++count_ <= 4) first_.push_back(what);
}
void Failures::expect(const std::string& difference, const std::string& what) {
  check(difference.empty(), what.empty() ? difference : what + ": " + difference);
}
std::string Failures::text() const {
  std::string s;
  for (const std::string& t : first_) s += "\n  " + t;
  if (count_ > first_.size()) s += fmt::format("\n  and {} more", count_ - first_.size());
  return s;
}

namespace {
// Discards the output of the ops.
struct Unheard {
  std::streambuf* before = std::cout.rdbuf(nullptr);
  ~Unheard() {
    std::cout.rdbuf(before);
    std::cout.clear();
  }
};
}  // namespace

std::string violation(Law law, const Case& c) {
  std::optional<Unheard> unheard;
  if (effect_of(*c.op, c.sample.params) == Effect::ordered) unheard.emplace();
  Failures f;
  try {
    law(c, f);
  } catch (const std::exception& e) {
    f.check(false, e.what());
  }
  return f.text();
}
std::string violations(Law law, const Op& op, Share share) {
  std::string all;
  int bad = 0;
  for (const Case& c : cases_of(op)) {
    if (exempt(law, c) || !share.next()) continue;
    if (const std::string wrong = violation(law, c); !wrong.empty() && ++bad <= 3)
      all += "\n" + c.text() + wrong;
  }
  return all;
}

void types_are_told(const Case& c, Failures& f) {
  f.checked();
  const ReferenceMode reference;
  Random r = c.random(1);
  const Arrays out = c.run(c.draw(r));
  const Types types = c.out();
  f.check(out.size() == types.size(), "another number of results");
  for (size_t i = 0; i < std::min(out.size(), types.size()); ++i)
    f.check(out[i].type() == types[i],
            fmt::format("{} instead of {}", to_string(out[i].type()), to_string(types[i])));
}

void text_is_read_back(const Case& c, Failures& f) {
  f.checked();
  // The named maps are left out, because a program does not contain collectives under them.
  const Jaxpr j = record(c.sample.in, [&](const Arrays& x) {
                    return bind_op(*c.op, x, c.sample.params);
                  }).jaxpr;
  const std::string text = to_string(j);
  f.check(read_jaxpr(text) == j, "read back it is another program:\n" + text);
}

// ---- L2

namespace {

// Compares the compiled program on x with the reference.
void compare_compiled(const Jaxpr& j, const Arrays& x, Failures& f) {
  f.checked();
  Arrays expected;
  {
    const ReferenceMode reference;
    expected = eval_jaxpr(j, x);
  }
  f.expect(all_differences(run_compiled(j, x), expected));
}
// Returns the program of a map over the leading axis of all operands.
Jaxpr mapped_program(const Case& c, const MaybeAxes& axes, int64_t size) {
  return record(
             c.in(axes, size),
             [&](const Arrays& x) {
               return vmap_flat([&](const Arrays& row) { return c.run(row); }, x, axes, size).out;
             })
      .jaxpr;
}

}  // namespace

void compiled_is_reference(const Case& c, Failures& f) {
  Random r = c.random(2);
  const Jaxpr alone = record(c.in(), [&](const Arrays& x) { return c.run(x); }).jaxpr;
  for (const bool special : {false, true}) compare_compiled(alone, c.draw(r, special), f);
}

void compiled_map_is_reference(const Case& c, Failures& f) {
  if (!c.maps()) return;
  Random r = c.random(3);
  const int64_t w = compiler::host_target().vector_width;
  for (const int64_t size : {int64_t{1}, w - 1, w, w + 1, 2 * w + 3}) {
    const MaybeAxes axes(c.sample.in.size(), 0);
    const Jaxpr mapped = mapped_program(c, axes, size);
    for (const bool special : {false, true}) {
      Failures here;
      compare_compiled(mapped, c.draw(axes, size, r, special), here);
      f.expect(here.text(), fmt::format("{} lanes", size));
    }
  }
}

// ---- L4

namespace {

// Compares the map over `axes` with a loop over the lanes.
void compare_map(const Case& c, const MaybeAxes& axes, int64_t size, Random& r, Failures& f) {
  f.checked();
  const Arrays x = c.draw(axes, size, r);
  const Batched b = vmap_flat([&](const Arrays& a) { return c.run(a); }, x, axes, size);
  const Types out = c.out();
  if (b.out.size() != out.size()) return f.check(false, "another number of results");
  for (size_t k = 0; k < out.size(); ++k) {
    Shape want = out[k].shape();
    if (b.axis[k]) want = want.inserted(*b.axis[k], size);
    if (b.out[k].shape() != want || b.out[k].dtype() != out[k].dtype())
      return f.check(false, fmt::format("result {} is {}", k, to_string(b.out[k].type())));
  }
  for (int64_t l = 0; l < size; ++l) {
    Arrays row;
    for (size_t i = 0; i < x.size(); ++i) row.push_back(axes[i] ? lane(x[i], *axes[i], l) : x[i]);
    const Arrays expected = c.run(row);
    for (size_t k = 0; k < out.size(); ++k)
      f.expect(difference(b.axis[k] ? lane(b.out[k], *b.axis[k], l) : b.out[k], expected[k]),
               fmt::format("lane {} of {}, result {}", l, size, k));
  }
}

}  // namespace

void map_is_a_loop(const Case& c, Failures& f) {
  if (!c.maps()) return;
  const ReferenceMode reference;
  Random r = c.random(4);
  for_each_mapping(c, [&](const MaybeAxes& axes) {
    for (const int64_t size : {0, 1, 3}) {
      Failures here;
      compare_map(c, axes, size, r, here);
      f.expect(here.text(), axes_text(axes));
    }
  });
}

}  // namespace weft::laws
