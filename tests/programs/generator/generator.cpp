// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/generator.cpp: chooses values and converts them to types.
#include "programs/generator/generator.h"

#include "core/param.h"
#include "weft/error.h"

namespace weft::programs {

int64_t Dice::new_extent() {
  static const Ints common = {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20};
  switch (below(24)) {
    case 0: return 0;
    case 1:
    case 2:
    case 3: return 1;
    case 4: return pick(Ints{31, 33, 50, 64});
    default: return pick(common);
  }
}
Shape Dice::shape(int max_axes) {
  Ints s;
  for (int n = below(max_axes + 1); n > 0; --n) s.push_back(extent());
  while (Shape(s).elements() > 4000) s.pop_back();
  return s;
}

Fn FunctionGenerator::finish(std::vector<int> out) {
  f_.out = std::move(out);
  return std::move(f_);
}
Fn FunctionGenerator::finish() {
  std::vector<int> out;
  for (int n = 1 + (dice_.one_in(2) ? dice_.below(3) : 0); n > 0; --n) {
    const int v = n == 1 ? size() - 1 : any();
    if (!is_key(type(v).dtype())) out.push_back(v);
  }
  if (out.empty()) out.push_back(constant(Type(F32, {})));
  return finish(std::move(out));
}

int FunctionGenerator::add(Step s) {
  Types in, captured;
  for (int v : s.in) in.push_back(type(v));
  for (int v : s.captured) captured.push_back(type(v));
  try {
    complete(s, in, captured);
  } catch (const Error&) {
    return -1;
  }
  for (const Type& t : s.out)
    if (t.elements() > 40000) throw TooLarge();
  const int first = size();
  types_.insert(types_.end(), s.out.begin(), s.out.end());
  f_.steps.push_back(std::move(s));
  --dice_.budget;
  return first;
}
int FunctionGenerator::op(const char* name, std::vector<int> in, const FieldValues& fields) {
  Step s;
  s.op = find_op(name);
  s.params = s.op->parse_params(fields);
  s.in = std::move(in);
  const int v = add(std::move(s));
  if (v < 0) throw InternalError(std::string("the generator cannot make ") + name);
  return v;
}
int FunctionGenerator::constant_of(size_t step) const {
  int v = static_cast<int>(f_.in.size());
  for (size_t k = 0; k < step; ++k) v += static_cast<int>(f_.steps[k].out.size());
  return v;
}
int FunctionGenerator::constant(const Type& t, double lo, double hi) {
  Step s;
  s.kind = Kind::constant;
  s.out = {t};
  s.seed = dice_.r.word();
  s.lo = lo;
  s.hi = hi;
  return add(std::move(s));
}

DType FunctionGenerator::some_float() {
  if (around_.smooth) return F64;
  const int n = dice_.below(20);
  return n < 14 ? F32 : n < 18 ? F64 : n < 19 ? F16 : BF16;
}
int FunctionGenerator::any() {
  const int n = size();
  for (int tries = 0; n > 0 && tries < 8; ++tries) {
    const int v = dice_.one_in(2) ? n - 1 - dice_.below(std::min(n, 5)) : dice_.below(n);
    if (!is_key(type(v).dtype())) return v;
  }
  return constant(Type(some_float(), dice_.shape(2)));
}
int FunctionGenerator::any_float() {
  for (int tries = 0; tries < 6; ++tries)
    if (const int v = any(); is_floating(type(v).dtype())) return v;
  return floating(any());
}
int FunctionGenerator::floating(int v) {
  return is_floating(type(v).dtype()) ? v : fit(v, Type(some_float(), type(v).shape()));
}

// ---- types

namespace {
Ints ones(int n) { return Ints(static_cast<size_t>(n), 1); }
Ints zeros(int n) { return Ints(static_cast<size_t>(n), 0); }
}  // namespace

int FunctionGenerator::adjusted_axis(int v, int axis, int64_t size) {
  const Type t = type(v);
  const int64_t n = t.shape()[axis];
  const auto a = static_cast<size_t>(axis);
  Ints low = zeros(t.ndim()), high = low, start = low, limit = t.shape().sizes(),
       stride = ones(t.ndim());
  if (n == size) return v;
  if (n == 1 && size > 0 && dice_.below(3)) {
    Ints dims;
    for (int i = 0; i < t.ndim(); ++i) dims.push_back(i);
    return op("broadcast_in_dim", {v},
              {{"shape", t.shape().with(axis, size).sizes()}, {"broadcast_dimensions", dims}});
  }
  if (n > size && dice_.below(4)) {  // starts at 0 in half of the cases
    stride[a] = size > 1 && dice_.one_in(3) ? (n - 1) / (size - 1) : 1;
    const int64_t length = size == 0 ? 0 : (size - 1) * stride[a] + 1;
    start[a] = dice_.one_in(2) ? 0 : dice_.below(n - length + 1);
    limit[a] = start[a] + length;
    return op("slice", {v},
              {{"start_indices", start}, {"limit_indices", limit}, {"strides", stride}});
  }
  // Negative amounts crop.
  const int64_t more = size - n;
  low[a] = dice_.one_in(2) ? 0 : dice_.one_in(2) ? more : dice_.below(std::abs(more) + 3) - 1;
  high[a] = more - low[a];
  if (low[a] < -n || high[a] < -n) low[a] = 0, high[a] = more;
  return op("pad", {v, constant(Type(t.dtype(), {}))},
            {{"low", low}, {"high", high}, {"interior", zeros(t.ndim())}});
}
int FunctionGenerator::fewer_axes(int v, int rank) {
  while (type(v).ndim() > rank) {
    const Type t = type(v);
    const int axis = dice_.below(t.ndim());
    const int64_t n = t.shape()[axis];
    if (n != 1) {
      if (n == 0 || (is_number(t.dtype()) && dice_.one_in(2))) {
        if (!is_number(t.dtype())) return constant(Type(t.dtype(), Shape(ones(rank))));
        v = op("reduce_sum", {v}, {{"axes", Ints{axis}}});
        continue;
      }
      Ints start = zeros(t.ndim()), limit = t.shape().sizes();
      const auto a = static_cast<size_t>(axis);
      start[a] = dice_.one_in(2) ? 0 : dice_.below(n);
      limit[a] = start[a] + 1;
      v = op("slice", {v},
             {{"start_indices", start}, {"limit_indices", limit}, {"strides", ones(t.ndim())}});
    }
    if (dice_.one_in(2))
      v = op("squeeze", {v}, {{"dimensions", Ints{axis}}});
    else
      v = op("reshape", {v}, {{"new_sizes", type(v).shape().erased(axis).sizes()}});
  }
  return v;
}
int FunctionGenerator::more_axes(int v, const Shape& s) {
  const Type t = type(v);
  // The old axes get increasing positions among the new ones.
  Ints dims;
  int left = t.ndim();
  for (int a = 0; a < s.ndim() && left > 0; ++a)
    if (s.ndim() - a == left || dice_.one_in(2)) dims.push_back(a), --left;
  for (int i = 0; i < t.ndim(); ++i) v = adjusted_axis(v, i, s[dims[static_cast<size_t>(i)]]);
  return op("broadcast_in_dim", {v}, {{"shape", s.sizes()}, {"broadcast_dimensions", dims}});
}

int FunctionGenerator::fit(int v, Type want) {
  if (type(v) == want) return v;
  if (is_key(want.dtype()) || is_key(type(v).dtype())) return constant(want);
  if (type(v).dtype() != want.dtype()) {
    if (is_complex(type(v).dtype()) && !is_complex(want.dtype()))
      v = op(dice_.one_in(2) ? "real" : "imag", {v});
    if (type(v).dtype() != want.dtype())
      v = op("convert_element_type", {v}, {{"new_dtype", want.dtype()}, {"weak_type", false}});
  }
  const Shape& s = want.shape();
  if (type(v).shape() == s) return v;
  if (type(v).elements() == s.elements() && dice_.below(3))
    return op("reshape", {v}, {{"new_sizes", s.sizes()}});
  if (type(v).ndim() < s.ndim()) return more_axes(v, s);
  v = fewer_axes(v, s.ndim());
  for (int a = 0; a < s.ndim(); ++a) v = adjusted_axis(v, a, s[a]);
  return v;
}

int FunctionGenerator::squashed(int v, double lo, double hi) {
  const Type t = type(v);
  const auto full = [&](double x) {
    const int c = constant(Type(t.dtype(), {}), x, x);
    return op("broadcast_in_dim", {c},
              {{"shape", t.shape().sizes()}, {"broadcast_dimensions", Ints{}}});
  };
  const int wave = op("sin", {v});
  return op("add", {op("mul", {wave, full((hi - lo) / 2.1)}), full((hi + lo) / 2)});
}
int FunctionGenerator::greater(int v, double bound) {
  return op("gt", {v, constant(type(v), bound, bound)});
}

void FunctionGenerator::end_with_floats() {
  std::vector<int> out;
  for (int v : f_.out)
    if (is_floating(type(v).dtype())) out.push_back(v);
  if (out.empty()) out.push_back(floating(f_.out[0]));
  f_.out = std::move(out);
}
void FunctionGenerator::end_with_loss() {
  end_with_floats();
  int sum = -1;
  const DType d = type(f_.out[0]).dtype();
  for (int v : f_.out) {
    v = op("sin", {fit(v, Type(d, type(v).shape()))});
    Ints all;
    for (int a = 0; a < type(v).ndim(); ++a) all.push_back(a);
    if (!all.empty()) v = op("reduce_sum", {v}, {{"axes", all}});
    sum = sum < 0 ? v : op("add", {sum, v});
  }
  f_.out = {sum};
}

}  // namespace weft::programs
