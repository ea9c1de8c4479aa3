// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/op_steps.cpp: steps that are one op. Any op of the registry is called as
// in its samples. Ops that move, index, fold and multiply also get random parameters.
#include <set>

#include "core/param.h"
#include "programs/generator/generator.h"
#include "weft/device.h"

namespace weft::programs {
namespace {

bool holds_function(const AnySample& s) {
  for (const ParamField& f : s.params->fields())
    if (const auto* o = std::get_if<Opaque>(&f.value); o && o->object) return true;
  return false;
}

// Returns true unless other steps make this op.
bool leaf(const Op& op) {
  if (op.compile_eagerly() || op.collective()) return false;
  // Its sample names the host, which is an error in a program for another device.
  if (op.name() == "device_put" && detail::default_elsewhere()) return false;
  const std::vector<AnySample> all = op.samples();
  // Programs have no operands that are made for one op, and their text must be parsed again. Steps
  // need a result.
  return std::none_of(all.begin(), all.end(), [&](const AnySample& s) {
    return s.values || holds_function(s) || op.type(s.in, s.params).empty();
  });
}
const std::vector<const Op*>& leaves() {
  static const std::vector<const Op*> all = [] {
    std::vector<const Op*> r;
    for (const Op* op : all_ops())
      if (leaf(*op)) r.push_back(op);
    return r;
  }();
  return all;
}
const std::set<std::string> smooth_ops = {
    "add",         "sub",        "mul",    "neg",        "sin",         "cos",         "tanh",
    "exp",         "logistic",   "atan",   "atan2",      "square",      "erf",         "fma",
    "integer_pow", "expm1",      "log1p",  "sqrt",       "asinh",       "erfc",        "sinh",
    "log",         "rsqrt",      "cumsum", "reduce_sum", "rev",         "transpose",   "pow",
    "div",         "bessel_i0e", "lgamma", "cumprod",    "reduce_prod", "cumlogsumexp"};

Ints iota(int n) {
  Ints r;
  for (int i = 0; i < n; ++i) r.push_back(i);
  return r;
}

}  // namespace

bool FunctionGenerator::allowed(const Op& op, const Types& in) const {
  bool inexact = false;
  for (const Type& t : in) {
    inexact = inexact || is_inexact(t.dtype());
    if (around_.smooth && is_inexact(t.dtype()) && t.dtype() != F64) return false;
  }
  if (around_.smooth && !smooth_ops.count(op.name())) return false;
  // The derivative of polygamma with respect to its order is NaN, and all results would become NaN.
  // The other two have no derivative with respect to some operands, and a user's function has none
  // at all.
  return around_.derivatives == 0 || !inexact ||
         (op.has(Op::Slot::jvp) && op.name() != "custom_call" && op.name() != "polygamma" &&
          op.name() != "zeta" && op.name() != "regularized_incomplete_beta");
}

bool FunctionGenerator::add_plain() { return add_sample(*dice_.pick(leaves())); }

bool FunctionGenerator::add_sample(const Op& op) {
  const std::vector<AnySample> all = op.samples();
  const AnySample* sample = nullptr;
  for (int tries = 0; tries < 6; ++tries) {
    sample = &dice_.pick(all);
    bool known = sample->in.empty() || tries == 5;
    for (const Type& t : types_) known = known || t.dtype() == sample->in[0].dtype();
    if (known && allowed(op, sample->in)) break;
    if (tries == 5) return false;
  }
  Types in = sample->in;
  bool alike = !in.empty();
  for (const Type& t : in) alike = alike && t.shape() == in[0].shape();
  if (alike && dice_.below(6)) {
    const Shape s = type(any()).shape();
    Types other = in;
    for (Type& t : other) t = t.with_shape(s);
    try {
      op.type(other, sample->params);
      in = other;
    } catch (const Error&) {
    }
  }
  Step s;
  s.op = &op;
  s.params = sample->params;
  int shared = -1;
  for (const Type& t : in) {
    int v = shared >= 0 && dice_.one_in(3) ? shared : any();
    v = fit(v, t.strong());
    const bool usual = sample->lo == -2 && sample->hi == 2;
    if (is_floating(t.dtype()) && !usual && (around_.smooth || dice_.below(4)))
      v = squashed(v, sample->lo, sample->hi);
    s.in.push_back(v);
    shared = v;
  }
  const int v = add(std::move(s));
  if (v < 0) return false;
  if (is_floating(type(v).dtype()) && dice_.one_in(3)) this->op("sin", {v});
  return true;
}

bool FunctionGenerator::add_structure() {
  const int v = any();
  const Type t = type(v);
  const int n = t.ndim();
  switch (dice_.below(9)) {
    case 0: fit(v, t.with_shape(dice_.shape())); return true;
    case 1: {
      Ints p = iota(n);
      for (int i = n; i > 1; --i)
        std::swap(p[static_cast<size_t>(i - 1)], p[static_cast<size_t>(dice_.below(i))]);
      op("transpose", {v}, {{"permutation", p}});
      return true;
    }
    case 2: {
      Ints axes;
      for (int a = 0; a < n; ++a)
        if (dice_.one_in(2)) axes.push_back(a);
      op("rev", {v}, {{"dimensions", axes}});
      return true;
    }
    case 3: {
      if (n == 0) return false;
      // Sometimes of several parts, and longer than a vector.
      const int axis = dice_.below(n);
      const bool long_row = dice_.one_in(4) && t.elements() <= 64;
      std::vector<int> parts{v};
      for (int k = 1 + dice_.below(long_row ? 4 : 2); k > 0; --k) {
        const int64_t extent = long_row ? 1 + dice_.below(int64_t{20}) : dice_.extent();
        parts.push_back(fit(any(), t.with_shape(t.shape().with(axis, extent))));
      }
      if (dice_.one_in(2)) std::swap(parts.front(), parts.back());
      op("concatenate", parts, {{"dimension", int64_t{axis}}});
      return true;
    }
    case 4: {
      Ints low, high, interior;
      for (int a = 0; a < n; ++a) {
        low.push_back(dice_.below(6) - 3);
        high.push_back(dice_.below(6) - 3);
        interior.push_back(dice_.one_in(4) ? dice_.below(3) : 0);
      }
      Step s;
      s.op = find_op("pad");
      s.params = s.op->parse_params({{"low", low}, {"high", high}, {"interior", interior}});
      s.in = {v, constant(Type(t.dtype(), {}))};
      return add(std::move(s)) >= 0;
    }
    case 5: {
      Ints start, limit, stride;
      for (int a = 0; a < n; ++a) {
        const int64_t m = t.shape()[a];
        start.push_back(dice_.one_in(2) ? 0 : dice_.below(m + 1));
        limit.push_back(start.back() + dice_.below(m - start.back() + 1));
        stride.push_back(dice_.one_in(3) ? 1 + dice_.below(3) : 1);
      }
      op("slice", {v}, {{"start_indices", start}, {"limit_indices", limit}, {"strides", stride}});
      return true;
    }
    case 6:
      more_axes(v, Shape(t.shape().inserted(dice_.below(n + 1), dice_.extent())));
      return true;
    case 7: {
      if (n == 0) return false;
      const Shape s = dice_.shape();
      if (s.ndim() == 0) return false;
      op("iota", {},
         {{"dtype", dice_.one_in(2) ? I32 : some_float()},
          {"shape", s.sizes()},
          {"dimension", int64_t{dice_.below(s.ndim())}}});
      return true;
    }
    default: {
      // A selection element by element.
      const int w = fit(any(), t);
      const int p = greater(floating(fit(any(), t.with_dtype(some_float()))), 0.3);
      op("select_n", {p, v, w});
      return true;
    }
  }
}

bool FunctionGenerator::add_fold() {
  const int v = any();
  const Type t = type(v);
  const int n = t.ndim();
  if (n == 0) return false;
  const auto axis = int64_t{dice_.below(n)};
  static const std::vector<const char*> folds = {"reduce_sum", "reduce_sum",  "reduce_max",
                                                 "reduce_min", "reduce_prod", "reduce_and",
                                                 "reduce_or",  "reduce_xor"};
  static const std::vector<const char*> scans = {"cumsum", "cumsum", "cumprod",
                                                 "cummax", "cummin", "cumlogsumexp"};
  Step s;
  s.in = {v};
  switch (dice_.below(6)) {
    case 0:
    case 1: {
      Ints axes;
      for (int a = 0; a < n; ++a)
        if (a == axis || dice_.one_in(3)) axes.push_back(a);
      s.op = find_op(dice_.pick(folds));
      s.params = s.op->parse_params({{"axes", axes}});
      break;
    }
    case 2:
      s.op = find_op(dice_.pick(scans));
      s.params = s.op->parse_params({{"axis", axis}, {"reverse", dice_.one_in(3)}});
      break;
    case 3:
      s.op = find_op(dice_.one_in(2) ? "argmax" : "argmin");
      s.params =
          s.op->parse_params({{"axes", Ints{axis}}, {"index_dtype", dice_.one_in(4) ? I64 : I32}});
      break;
    case 4: {
      s.op = find_op("sort");
      const int more = dice_.below(3);
      for (int k = 0; k < more; ++k) {
        const int w = any();
        s.in.push_back(fit(w, type(w).with_shape(t.shape())));
      }
      s.params = s.op->parse_params(
          {{"dimension", axis}, {"num_keys", int64_t{1 + dice_.below(more + 1)}}});
      break;
    }
    default:
      s.op = find_op("top_k");
      s.params = s.op->parse_params({{"k", dice_.below(t.shape()[axis] + 1)}, {"axis", axis}});
  }
  if (!allowed(*s.op, {t})) return false;
  return add(std::move(s)) >= 0;
}

int FunctionGenerator::indices(const Shape& s) {
  // Indices that the program alone gives.
  if (s.ndim() > 0 && dice_.one_in(5))
    return op(
        "iota", {},
        {{"dtype", I32}, {"shape", s.sizes()}, {"dimension", int64_t{dice_.below(s.ndim())}}});
  const int raw = fit(any(), Type(I32, s));
  return dice_.one_in(2) ? raw : constant(Type(I32, s), -2, 12);
}

bool FunctionGenerator::add_index() {
  const int v = any();
  switch (dice_.below(5)) {
    case 0: return add_window(v);
    case 1: return add_update(v);
    case 2:
    case 3: return add_along(v);
    default: return add_product(v);
  }
}

bool FunctionGenerator::add_window(int v) {
  const Type t = type(v);
  Step s;
  Ints sizes;
  s.in = {v};
  for (int a = 0; a < t.ndim(); ++a) {
    sizes.push_back(dice_.below(t.shape()[a] + 1));
    s.in.push_back(indices({}));
  }
  s.op = find_op("dynamic_slice");
  s.params = s.op->parse_params({{"slice_sizes", sizes}, {"batch_dims", int64_t{0}}});
  return add(std::move(s)) >= 0;
}
bool FunctionGenerator::add_update(int v) {
  const Type t = type(v);
  Step s;
  Ints sizes;
  for (int a = 0; a < t.ndim(); ++a) sizes.push_back(dice_.below(t.shape()[a] + 1));
  s.in = {v, fit(any(), t.with_shape(sizes))};
  for (int a = 0; a < t.ndim(); ++a) s.in.push_back(indices({}));
  s.op = find_op("dynamic_update_slice");
  s.params = s.op->parse_params({{"batch_dims", int64_t{0}}});
  return add(std::move(s)) >= 0;
}

// Windows along one axis, over all of the other axes or a part of them.
bool FunctionGenerator::add_along(int v) {
  const Type t = type(v);
  const int n = t.ndim();
  if (n == 0) return false;
  const bool write = dice_.one_in(2);
  const int axis = dice_.below(n);
  const Shape batch = dice_.shape(1);
  Ints sizes = t.shape().sizes(), window, out = batch.sizes();
  sizes[static_cast<size_t>(axis)] = 1;
  for (int a = 0; a < n; ++a) {
    if (a == axis) continue;
    auto& size = sizes[static_cast<size_t>(a)];
    if (dice_.one_in(4)) size = dice_.below(size + 1);
    window.push_back(batch.ndim() + static_cast<int64_t>(window.size()));
    out.push_back(size);
  }
  Ints where = batch.sizes();
  where.push_back(1);
  const int at = indices(where);
  const int64_t mode = dice_.below(3);
  const FieldValues common = {{"operand_batching_dims", Ints{}}, {"unique_indices", false}};
  FieldValues fields = common;
  Step s;
  if (write) {
    // The product update has a derivative for unique indices only. Minimum and maximum have no
    // smooth derivative.
    int64_t update = dice_.below(5);
    if (update == 2 && (around_.derivatives > 0 || around_.smooth)) update = 1;
    if (update > 2 && around_.smooth) update = 0;
    s.op = find_op("scatter");
    s.in = {v, fit(any(), t.with_shape(out)), at};
    fields.insert(fields.end(), {{"update_window_dims", window},
                                 {"inserted_window_dims", Ints{axis}},
                                 {"scatter_dims_to_operand_dims", Ints{axis}},
                                 {"scatter_indices_batching_dims", Ints{}},
                                 {"update", update},
                                 {"mode", mode == 0 ? int64_t{0} : int64_t{2}}});
  } else {
    s.op = find_op("gather");
    s.in = {v, at};
    fields.insert(fields.end(), {{"offset_dims", window},
                                 {"collapsed_slice_dims", Ints{axis}},
                                 {"start_index_map", Ints{axis}},
                                 {"start_indices_batching_dims", Ints{}},
                                 {"slice_sizes", sizes},
                                 {"mode", mode}});
  }
  s.params = s.op->parse_params(fields);
  return add(std::move(s)) >= 0;
}

// A product has the batch axes first, then the free axes, then the contracted axes.
bool FunctionGenerator::add_product(int v) {
  const Type t = type(v);
  const int n = t.ndim();
  if (!is_number(t.dtype())) return false;
  const int contract = n > 0 ? dice_.below(n + 1) : 0, batch = dice_.below(n - contract + 1);
  Ints other, lb, rb, lc, rc;
  for (int a = 0; a < batch; ++a) {
    lb.push_back(a);
    rb.push_back(a);
    other.push_back(t.shape()[a]);
  }
  for (int k = 0; k < contract; ++k) {
    lc.push_back(n - contract + k);
    rc.push_back(batch + k);
    other.push_back(t.shape()[n - contract + k]);
  }
  if (dice_.one_in(2)) other.push_back(dice_.extent());
  Step s;
  s.op = find_op("dot_general");
  s.in = {v, fit(any(), t.with_shape(other))};
  if (dice_.one_in(3) && other == t.shape().sizes()) s.in[1] = v;
  s.params = s.op->parse_params({{"lhs_contract", lc},
                                 {"rhs_contract", rc},
                                 {"lhs_batch", lb},
                                 {"rhs_batch", rb},
                                 {"preferred_element_type", t.dtype()}});
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_number() {
  static const std::vector<double> numbers = {0.1, 0.5, 2, 3, -1, 1.25, 0.7};
  static const std::vector<std::string> operators = {"+", "-", "*", "/"};
  Step s;
  s.kind = Kind::number;
  s.name = dice_.pick(operators);
  s.number = dice_.pick(numbers);
  s.in = {any_float()};
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_function() {
  Step s;
  s.kind = Kind::function;
  s.variant = dice_.below(static_cast<int>(composed().size()));
  const Composed& f = composed()[static_cast<size_t>(s.variant)];
  if (around_.smooth && f.slopes != Composed::everywhere) return false;
  if (around_.derivatives > 0 && f.slopes == Composed::nowhere) return false;
  const int v = any_float();
  s.in = {v};
  if (f.binary()) s.in.push_back(fit(any(), type(v)));
  return add(std::move(s)) >= 0;
}

bool FunctionGenerator::add_collective() {
  if (around_.names.empty()) return false;
  const Around::Name& axis = dice_.pick(around_.names);
  Step s;
  s.kind = Kind::collective;
  s.name = axis.name;
  s.size = axis.size;
  s.variant = axis.chunked || dice_.one_in(5) ? axis_index : dice_.below(collectives);
  if (around_.smooth && (s.variant == pmax || s.variant == pmin)) s.variant = psum;
  if (s.variant == axis_index) return add(std::move(s)) >= 0;
  s.in = {any_float()};
  const Type t = type(s.in[0]);
  const bool gathers = s.variant == all_gather || s.variant == grouped_gather;
  if (s.size == 0 || (gathers && t.elements() * s.size > 2000)) s.variant = psum;
  if (s.variant == psum_scatter || s.variant == pswapaxes)
    s.in = {
        fit(s.in[0], Type(t.dtype(), t.ndim() > 0 && t.elements() < 500 ? t.shape().with(0, s.size)
                                                                        : Shape{s.size}))};
  if (s.variant == pbroadcast) s.count = dice_.below(static_cast<int>(s.size));
  if (s.variant >= permuted) add_order(s);
  return add(std::move(s)) >= 0;
}
void FunctionGenerator::add_order(Step& s) {
  for (int64_t l = 0; l < s.size; ++l)
    s.order.insert(s.order.begin() + dice_.below(static_cast<int>(l) + 1), l);
  if (s.variant == permuted) {
    for (int64_t& from : s.order)
      if (dice_.one_in(4)) from = -1;
    return;
  }
  do s.count = 1 + dice_.below(static_cast<int>(s.size));
  while (s.variant == grouped_gather && s.size % s.count != 0);
}

}  // namespace weft::programs
