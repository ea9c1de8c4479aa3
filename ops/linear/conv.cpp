// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/conv.cpp: conv_general_dilated.
#include "ops/linear/conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/kit/axes.h"
#include "ops/kit/coords.h"
#include "ops/kit/fold.h"
#include "ops/linear/conv_params.h"
#include "ops/linear/product.h"
#include "ops/structure/structure.h"

namespace weft {
namespace {

constexpr const char* name = "conv_general_dilated";

// ---- the type rule. Parameters may come from text, so all of them are checked.

// Larger strides, dilations and padding are rejected, so that sums of them do not overflow.
constexpr int64_t most = int64_t{1} << 31;

void require_lists(const Conv& p, const Types& in) {
  const size_t n = p.spatial();
  for (const Ints* v : {&p.low, &p.high, &p.lhs_dilation, &p.rhs_dilation})
    if (v->size() != n)
      reject_shape(
          name, fmt::format("strides, padding and dilations need one entry a spatial axis, {}", n),
          in);
  for (const Ints* v : {&p.window_strides, &p.lhs_dilation, &p.rhs_dilation})
    for (int64_t i : *v)
      if (i < 1 || i > most)
        reject_shape(name, fmt::format("strides and dilations must be positive, got {}", i), in);
  for (const Ints* v : {&p.low, &p.high})
    for (int64_t i : *v)
      if (i < -most || i > most)
        reject_shape(name, fmt::format("a padding of {} is too big", i), in);
  if (p.lhs_lanes.size() != p.rhs_lanes.size())
    reject_shape(name, "lanes need one entry an operand", in);
}

// Requires that the spec and the lanes together name each axis once.
void require_axes(const char* what, size_t n, const Ints& spec, const Ints& lanes, int64_t rank,
                  const Types& in) {
  Ints axes = spec;
  for (int64_t a : lanes)
    if (a != -1) axes.push_back(a);
  std::sort(axes.begin(), axes.end());
  bool right = spec.size() == n + 2 && static_cast<int64_t>(axes.size()) == rank;
  for (size_t i = 0; i < axes.size(); ++i) right = right && axes[i] == static_cast<int64_t>(i);
  if (!right)
    reject_shape(name,
                 fmt::format("the dimension numbers of {} must name each of its axes once, and {} "
                             "spatial ones",
                             what, n),
                 in);
}

void require_groups(const Conv& p, const Types& in) {
  const int64_t g = p.feature_group_count, b = p.batch_group_count;
  if (g < 1 || b < 1) reject_shape(name, "group counts must be positive", in);
  if (g > 1 && b > 1)
    reject_shape(name, "at most one of feature_group_count and batch_group_count may be > 1", in);
  const int64_t batch = size_of(in[0], p.lhs_spec, 0), features = size_of(in[0], p.lhs_spec, 1),
                out = size_of(in[1], p.rhs_spec, 0), taken = size_of(in[1], p.rhs_spec, 1);
  if (features % g || features / g != taken)
    reject_shape(name,
                 fmt::format("the {} features of lhs in {} groups must be the {} that rhs takes",
                             features, g, taken),
                 in);
  if (out % g || out % b)
    reject_shape(name, fmt::format("the {} out features of rhs must divide into the groups", out),
                 in);
  if (batch % b)
    reject_shape(name, fmt::format("the batch of {} must divide into {} groups", batch, b), in);
}

Ints lane_sizes(const Conv& p, const Types& in) {
  Ints sizes;
  for (size_t k = 0; k < p.lanes(); ++k) {
    const int64_t a = p.lhs_lanes[k], b = p.rhs_lanes[k];
    if (a == -1 && b == -1) reject_shape(name, "a lane must be an axis of an operand", in);
    sizes.push_back(a != -1 ? in[0].shape()[a] : in[1].shape()[b]);
    if (a != -1 && b != -1 && in[1].shape()[b] != sizes.back())
      reject_shape(name, "lanes must have equal sizes", in);
  }
  return sizes;
}

// The lane axes of a result.
Ints lane_axes(const Conv& p) { return axis_range(std::ssize(p.lhs_lanes)); }

Types conv_type(const Types& in, const Conv& p) {
  require_product(name, in, p.preferred_element_type);
  require_lists(p, in);
  const size_t n = p.spatial(), lanes = p.lanes();
  require_axes("lhs", n, p.lhs_spec, p.lhs_lanes, in[0].ndim(), in);
  require_axes("rhs", n, p.rhs_spec, p.rhs_lanes, in[1].ndim(), in);
  require_axes("the result", n, p.out_spec, lane_axes(p), static_cast<int64_t>(n + 2 + lanes), in);
  require_groups(p, in);
  Ints shape = lane_sizes(p, in);
  shape.resize(lanes + n + 2);
  const auto put = [&](size_t i, int64_t size) { shape[p.out_spec[i]] = size; };
  put(0, size_of(in[0], p.lhs_spec, 0) / p.batch_group_count);
  put(1, size_of(in[1], p.rhs_spec, 0));
  for (size_t d = 0; d < n; ++d) {
    const int64_t padded =
        dilated(size_of(in[0], p.lhs_spec, d + 2), p.lhs_dilation[d]) + p.low[d] + p.high[d];
    const int64_t window = dilated(size_of(in[1], p.rhs_spec, d + 2), p.rhs_dilation[d]);
    if (padded < 0)
      reject_shape(name, fmt::format("spatial axis {}: its padded size {} is negative", d, padded),
                   in);
    put(d + 2, padded < window ? 0 : (padded - window) / p.window_strides[d] + 1);
  }
  return {Type(p.preferred_element_type, Shape(shape), in[0].weak() && in[1].weak())};
}

// ---- the computation.
// Each element of the result is a sum of terms over the spatial axes of the kernel and the input
// features of its group.

Ints term_extents(const Type& rhs, const Conv& p) {
  Ints r;
  for (size_t d = 0; d < p.spatial(); ++d) r.push_back(size_of(rhs, p.rhs_spec, d + 2));
  r.push_back(size_of(rhs, p.rhs_spec, 1));
  return r;
}

Ints place_of(int64_t i, const Ints& extents) {
  Ints at(extents.size());
  for (size_t a = extents.size(); a-- > 0; i /= extents[a]) at[a] = i % extents[a];
  return at;
}
int64_t offset_of(const Ints& at, const Ints& step) {
  return std::inner_product(at.begin(), at.end(), step.begin(), int64_t{0});
}

// Computes the positions in lhs and rhs of the term `k` of the result at `at`. Returns false if the
// position in lhs is in the padding or between its elements.
bool reads(const Types& in, const Conv& p, const Ints& at, const Ints& k, Ints* lhs, Ints* rhs) {
  const auto out = [&](size_t i) { return at[p.out_spec[i]]; };
  const auto set = [](Ints* to, int64_t axis, int64_t value) {
    if (axis != -1) (*to)[axis] = value;
  };
  for (size_t l = 0; l < p.lanes(); ++l) {
    set(lhs, p.lhs_lanes[l], at[l]);
    set(rhs, p.rhs_lanes[l], at[l]);
  }
  const int64_t g = p.feature_group_count, b = p.batch_group_count;
  const int64_t features = size_of(in[1], p.rhs_spec, 0), batch = size_of(in[0], p.lhs_spec, 0);
  set(rhs, p.rhs_spec[0], out(1));
  set(rhs, p.rhs_spec[1], k.back());
  set(lhs, p.lhs_spec[0], out(1) / (features / b) * (batch / b) + out(0));
  set(lhs, p.lhs_spec[1], out(1) / (features / g) * size_of(in[1], p.rhs_spec, 1) + k.back());
  bool there = true;
  for (size_t d = 0; d < p.spatial(); ++d) {
    const int64_t place = out(d + 2) * p.window_strides[d] + k[d] * p.rhs_dilation[d] - p.low[d];
    const int64_t n = size_of(in[0], p.lhs_spec, d + 2);
    there = there && place >= 0 && place % p.lhs_dilation[d] == 0 && place / p.lhs_dilation[d] < n;
    set(lhs, p.lhs_spec[d + 2], place / p.lhs_dilation[d]);
    set(rhs, p.rhs_spec[d + 2], k[d]);
  }
  return there;
}

template <class Out>
void conv_dense(const Array& x, const Array& y, const Conv& p, const Type& t, Out* out) {
  using F = factor_t<Out>;
  using P = typename Element<Out>::plain;
  const Types in{x.type(), y.type()};
  const Ints terms = term_extents(in[1], p), step_x = row_major(x.shape()),
             step_y = row_major(y.shape());
  for (int64_t i = 0; i < t.elements(); ++i) {
    const Ints at = place_of(i, t.shape().sizes());
    Ints of_x(step_x.size()), of_y(step_y.size());
    out[i] = Element<Out>::store(fold_order::fold(
        terms, arith::constant<P>(0),
        [&](int64_t k) {
          const bool there = reads(in, p, at, place_of(k, terms), &of_x, &of_y);
          const P a = there ? Element<F>::load(data_of<F>(x)[offset_of(of_x, step_x)])
                            : arith::constant<P>(0);
          return arith::mul(a, Element<F>::load(data_of<F>(y)[offset_of(of_y, step_y)]));
        },
        [](P s, P term) { return arith::add(s, term); }));
  }
}

Arrays conv_reference(const Arrays& x, const Conv& p) {
  const Type t = conv_type(types_of(x), p)[0];
  const Fresh r = fresh_array(t);
  const Arrays f = factors_of(x, t.dtype());
  with_class<DTypes::numbers>(t.dtype(), [&](auto* o) {
    using Out = std::remove_pointer_t<decltype(o)>;
    conv_dense<Out>(f[0], f[1], p, t, static_cast<Out*>(r.data));
  });
  return {r.array};
}

// ---- lowering: the same with loop-nest indices

// Returns the index along spatial axis d of lhs, clamped to its range. `there` is restricted to
// positions that exist in lhs.
Index64 spatial_index(const Conv& p, size_t d, int64_t n, const Shape& space, nest::Id at,
                      nest::Id k, num::Ir<bool>* there) {
  const int64_t stride = p.window_strides[d], by = p.rhs_dilation[d], between = p.lhs_dilation[d],
                rank = static_cast<int64_t>(p.lanes() + p.spatial() + 2);
  Index64 place = index_at(at) * Index64(stride) + index_at(k) * Index64(by);
  if (p.low[d] != 0) place = place - Index64(p.low[d]);
  const int64_t last = (space[p.out_spec[d + 2]] - 1) * stride +
                       (space[rank + static_cast<int64_t>(d)] - 1) * by - p.low[d];
  if (p.low[d] <= 0 && between == 1 && last < n) return place;
  if (p.low[d] > 0) *there = *there & (Index64(0) <= place);
  Index64 i = place;
  if (between > 1) {
    i = num::div(place, Index64(between));
    *there = *there & (num::rem(place, Index64(between)) == Index64(0));
  }
  if (last > (n - 1) * between) *there = *there & (i <= Index64(n - 1));
  return in_range(i, n);
}

// The term at an index of (result, spatial axes of the kernel, input features of a group).
template <class Out>
Elem conv_term(Reader& x, const Coords& at, const Types& in, const Shape& space, const Conv& p) {
  const size_t n = p.spatial(), rank = p.lanes() + n + 2;
  Coords of_x(in[0].ndim()), of_y(static_cast<size_t>(in[1].ndim()));
  const auto set = [](Coords& to, int64_t axis, nest::Id value) {
    if (axis != -1) to[axis] = value;
  };
  const auto out = [&](size_t i) { return at[p.out_spec[i]]; };
  for (size_t l = 0; l < p.lanes(); ++l) {
    set(of_x, p.lhs_lanes[l], at[l]);
    set(of_y, p.rhs_lanes[l], at[l]);
  }
  // Returns the absolute index of element i of the part that belongs to the group of the out
  // feature.
  const auto in_group = [&](int64_t groups, int64_t part, nest::Id i) {
    if (groups == 1) return i;
    const int64_t each = std::max<int64_t>(size_of(in[1], p.rhs_spec, 0) / groups, 1);
    return (num::div(index_at(out(1)), Index64(each)) * Index64(part) + index_at(i)).id;
  };
  const int64_t g = p.feature_group_count, b = p.batch_group_count;
  set(of_y, p.rhs_spec[0], out(1));
  set(of_y, p.rhs_spec[1], at[rank + n]);
  set(of_x, p.lhs_spec[0], in_group(b, size_of(in[0], p.lhs_spec, 0) / b, out(0)));
  set(of_x, p.lhs_spec[1], in_group(g, size_of(in[1], p.rhs_spec, 1), at[rank + n]));
  num::Ir<bool> there(true);
  for (size_t d = 0; d < n; ++d) {
    const Index64 i = spatial_index(p, d, size_of(in[0], p.lhs_spec, d + 2), space, out(d + 2),
                                    at[rank + d], &there);
    set(of_x, p.lhs_spec[d + 2], i.id);
    set(of_y, p.rhs_spec[d + 2], at[rank + d]);
  }
  using F = factor_t<Out>;
  const auto operand = [&](int k, const Coords& c) {
    return factor_elem(x.read(k, c), in[0].dtype(), p.preferred_element_type);
  };
  const Elem zero = term_elem(arith::constant<typename Element<F>::ir>(0));
  const Elem a = in[0].elements() == 0 ? zero : select_elem(there.id, operand(0, of_x), zero);
  return term_elem(arith::mul(Element<F>::in(a), Element<F>::in(operand(1, of_y))));
}

Lowering conv_lower(const LowerArgs<Conv>& l) {
  Lowering r;
  r.form = Lowering::Form::reduce;
  Ints space = l.out[0].shape().sizes();
  for (int64_t n : term_extents(l.in[1], l.params)) {
    r.axes.push_back(static_cast<int64_t>(space.size()));
    space.push_back(n);
  }
  r.space = Shape(space);
  with_class<DTypes::numbers>(l.out[0].dtype(), [&](auto* o) {
    using Out = std::remove_pointer_t<decltype(o)>;
    r.element = [in = l.in, s = r.space, p = l.params](Reader& x, int, const Coords& at) {
      return conv_term<Out>(x, at, in, s, p);
    };
    describe_sum<Out>(&r);
  });
  return r;
}

// ---- transpose: for each operand a convolution with the cotangent

// Splits axis `from` into (groups, rest), and merges the groups into axis `to`, as its leading
// part.
Array regrouped(const Array& x, int64_t from, int64_t to, int64_t groups) {
  if (groups == 1) return x;
  Ints sizes = x.shape().sizes(), order, merged = sizes;
  const size_t f = from, t = to;
  merged[f] /= groups;
  merged[t] *= groups;
  sizes[f] /= groups;
  sizes.insert(sizes.begin() + from, groups);
  // Axis `from` of the split array is the axis of groups.
  for (int64_t a = 0; a < x.ndim(); ++a) {
    if (a == to) order.push_back(from);
    order.push_back(a >= from ? a + 1 : a);
  }
  return reshape_to(transpose_axes(reshape_to(x, sizes), order), merged);
}

Ints swapped(Ints spec) {
  std::swap(spec[0], spec[1]);
  return spec;
}
// The axes of a result whose axes after the lanes have the order of a spec.
Ints behind_lanes(const Ints& spec, size_t lanes) {
  Ints r;
  for (int64_t a : spec)
    r.push_back(static_cast<int64_t>(lanes) +
                std::count_if(spec.begin(), spec.end(), [a](int64_t b) { return b < a; }));
  return r;
}
// Converts such a result to the cotangent of an operand. Lanes that the operand does not have are
// summed over, and the others are moved to its lane axes.
Array without_lanes(const Array& x, const Ints& lanes, const Type& operand) {
  Ints over, places, kept;
  for (size_t k = 0; k < lanes.size(); ++k)
    if (lanes[k] == -1)
      over.push_back(static_cast<int64_t>(k));
    else
      kept.push_back(lanes[k]);
  for (int64_t a = 0, next = static_cast<int64_t>(kept.size()); a < operand.ndim(); ++a) {
    const auto lane = std::find(kept.begin(), kept.end(), a);
    places.push_back(lane == kept.end() ? next++ : lane - kept.begin());
  }
  const Array sum = over.empty() ? x : base::reduce_sum(x, over);
  return base::convert(
      std::is_sorted(places.begin(), places.end()) ? sum : transpose_axes(sum, places),
      operand.dtype());
}

// The sizes of the spatial axes, including the positions between their elements.
struct Dilated {
  int64_t lhs, rhs, out;
};
Dilated dilated_sizes(const TransposeArgs<Conv>& t, size_t d) {
  const Conv& p = t.params;
  return {dilated(size_of(t.in[0], p.lhs_spec, d + 2), p.lhs_dilation[d]),
          dilated(size_of(t.in[1], p.rhs_spec, d + 2), p.rhs_dilation[d]),
          dilated(size_of(t.out[0], p.out_spec, d + 2), p.window_strides[d])};
}

// The cotangent convolved with the reversed kernel.
Array lhs_cotangent(const TransposeArgs<Conv>& t) {
  const Conv& p = t.params;
  const int64_t groups = std::max(p.feature_group_count, p.batch_group_count);
  Conv q = p;
  q.window_strides = p.lhs_dilation;
  q.lhs_dilation = p.window_strides;
  for (size_t d = 0; d < p.spatial(); ++d) {
    const Dilated n = dilated_sizes(t, d);
    q.low[d] = n.rhs - p.low[d] - 1;
    q.high[d] = n.lhs + n.rhs - 1 - n.out - q.low[d];
  }
  q.lhs_spec = p.out_spec;
  q.lhs_lanes = lane_axes(p);
  q.rhs_spec = swapped(p.rhs_spec);
  q.out_spec = behind_lanes(p.lhs_spec, p.lanes());
  q.feature_group_count = groups;
  q.batch_group_count = 1;
  q.preferred_element_type = t.ct[0].dtype();
  const Array kernel = regrouped(reverse(base::convert(t.x[1], t.ct[0].dtype()),
                                         Ints(p.rhs_spec.begin() + 2, p.rhs_spec.end())),
                                 p.rhs_spec[0], p.rhs_spec[1], groups);
  const Array r = t.op({t.ct[0], kernel}, q);
  return without_lanes(regrouped(r, q.out_spec[1], q.out_spec[0], p.batch_group_count), p.lhs_lanes,
                       t.in[0]);
}

// The cotangent convolved with lhs as the kernel, and reversed. The other way round, lhs would be
// an image with gaps.
Array rhs_cotangent_by_lhs(const TransposeArgs<Conv>& t) {
  const Conv& p = t.params;
  const int64_t groups = p.feature_group_count;
  Conv q = p;
  q.window_strides = p.rhs_dilation;
  q.rhs_dilation = p.lhs_dilation;
  q.lhs_dilation = p.window_strides;
  for (size_t d = 0; d < p.spatial(); ++d) {
    const Dilated n = dilated_sizes(t, d);
    q.low[d] = n.rhs - p.low[d] - 1;
    q.high[d] = n.lhs + n.rhs - 1 - n.out - q.low[d];
  }
  q.lhs_spec = swapped(p.out_spec);
  q.lhs_lanes = lane_axes(p);
  q.rhs_spec = swapped(p.lhs_spec);
  q.rhs_lanes = p.lhs_lanes;
  q.out_spec = behind_lanes(p.rhs_spec, p.lanes());
  q.feature_group_count = 1;
  q.batch_group_count = groups;
  q.preferred_element_type = t.ct[0].dtype();
  const Array r = regrouped(t.op({t.ct[0], base::convert(t.x[0], t.ct[0].dtype())}, q),
                            q.out_spec[1], q.out_spec[0], groups);
  return without_lanes(reverse(r, Ints(q.out_spec.begin() + 2, q.out_spec.end())), p.rhs_lanes,
                       t.in[1]);
}

// lhs convolved with the cotangent as the kernel, with batch and feature axes exchanged.
Array rhs_cotangent(const TransposeArgs<Conv>& t) {
  const Conv& p = t.params;
  const auto all_ones = [](const Ints& v) {
    return std::all_of(v.begin(), v.end(), [](int64_t i) { return i == 1; });
  };
  if (!all_ones(p.lhs_dilation) && all_ones(p.window_strides) && p.batch_group_count == 1)
    return rhs_cotangent_by_lhs(t);
  Conv q = p;
  q.window_strides = p.rhs_dilation;
  q.rhs_dilation = p.window_strides;
  for (size_t d = 0; d < p.spatial(); ++d) {
    const Dilated n = dilated_sizes(t, d);
    q.high[d] = n.out - n.lhs + n.rhs - p.low[d] - 1;
  }
  q.lhs_spec = swapped(p.lhs_spec);
  q.rhs_spec = swapped(p.out_spec);
  q.rhs_lanes = lane_axes(p);
  q.out_spec = behind_lanes(swapped(p.rhs_spec), p.lanes());
  q.feature_group_count = p.batch_group_count;
  q.batch_group_count = p.feature_group_count;
  q.preferred_element_type = t.ct[0].dtype();
  return without_lanes(t.op({base::convert(t.x[0], t.ct[0].dtype()), t.ct[0]}, q), p.rhs_lanes,
                       t.in[1]);
}

Arrays conv_transpose(const TransposeArgs<Conv>& t) {
  Arrays r(2);
  for (size_t i = 0; i < 2; ++i) {
    if (!t.linear[i]) continue;
    // If an array is empty, there is no window to transpose.
    if (t.out[0].elements() == 0 || t.in[0].elements() == 0 || t.in[1].elements() == 0)
      r[i] = base::zeros(t.in[i].strong());
    else
      r[i] = i == 0 ? lhs_cotangent(t) : rhs_cotangent(t);
  }
  return r;
}

// ---- batching: adds one lane, at any axis of an operand

Batched conv_batch(const BatchArgs<Conv>& b) {
  Conv p = b.params;
  const auto add = [](MaybeAxis at, Ints* spec, Ints* lanes) {
    if (at) {
      *spec = shifted_axes(*spec, *at);
      *lanes = shifted_axes(*lanes, *at);
    }
    lanes->insert(lanes->begin(), at ? *at : -1);
  };
  add(b.axis[0], &p.lhs_spec, &p.lhs_lanes);
  add(b.axis[1], &p.rhs_spec, &p.rhs_lanes);
  p.out_spec = shifted_axes(p.out_spec, 0);
  return {b.op.bind(b.x, p), {0}};
}

// ---- samples

Conv plain_conv(size_t n, DType d) {
  const Ints axes = axis_range(static_cast<int64_t>(n) + 2), ones(n, 1), zeros(n, 0);
  return {ones, zeros, zeros, ones, ones, axes, axes, axes, {}, {}, 1, 1, d};
}

std::vector<Sample<Conv>> conv_samples() {
  std::vector<Sample<Conv>> s;
  const auto add = [&](DType d, const Shape& x, const Shape& y, const Conv& p) {
    s.push_back({{Type(d, x), Type(d, y)}, p});
  };
  for (int i = 1; i <= static_cast<int>(C128); ++i)
    if (const auto d = static_cast<DType>(i); is_number(d)) {
      Conv p = plain_conv(1, d);
      p.low = {1};
      add(d, {2, 2, 4}, {3, 2, 2}, p);
    }
  // NHWC and HWIO, with strides, and with uneven and negative padding and dilations.
  Conv p = plain_conv(2, F64);
  p.window_strides = {2, 1};
  p.low = {1, -1};
  p.high = {0, 2};
  p.lhs_dilation = {1, 2};
  p.rhs_dilation = {2, 1};
  p.lhs_spec = p.out_spec = {0, 3, 1, 2};
  p.rhs_spec = {3, 2, 0, 1};
  add(F64, {2, 5, 4, 2}, {2, 3, 2, 3}, p);
  add(F64, {1, 7, 5, 2}, {3, 2, 2, 1}, p);
  // Convolutions that libraries support, too.
  for (const DType d : {F64, F32}) {
    Conv image = p;
    image.low = {1, 2};
    image.lhs_dilation = {1, 1};
    image.preferred_element_type = d;
    add(d, {2, 5, 4, 2}, {2, 3, 2, 3}, image);
    Conv grouped = plain_conv(1, d), batches = grouped;
    grouped.low = {1};
    grouped.feature_group_count = 2;
    add(d, {2, 4, 3}, {6, 2, 2}, grouped);
    batches.high = {1};
    batches.batch_group_count = 2;
    add(d, {4, 2, 3}, {4, 2, 2}, batches);
    // Lanes of both operands, of lhs only and of rhs only.
    Conv lanes = grouped;
    lanes.lhs_spec = {1, 2, 4};
    lanes.lhs_lanes = {0, 3, -1};
    lanes.rhs_spec = {0, 1, 3};
    lanes.rhs_lanes = {2, -1, 4};
    lanes.out_spec = {4, 3, 5};
    add(d, {2, 2, 4, 3, 3}, {2, 2, 2, 2, 2}, lanes);
  }
  // Forms of the library: stored zeros, transposed convolutions (the windows at the beginning of
  // the second one are in the padding) and windows that are larger than the result.
  Conv gaps = p;
  gaps.preferred_element_type = F32;
  add(F32, {2, 5, 4, 2}, {2, 3, 2, 3}, gaps);
  gaps.window_strides = {1, 1};
  gaps.lhs_dilation = {2, 3};
  add(F32, {2, 4, 3, 2}, {3, 2, 2, 3}, gaps);
  Conv late = plain_conv(1, F32), wide = late;
  late.low = {3};
  late.lhs_dilation = {3};
  late.feature_group_count = 2;
  add(F32, {1, 4, 3}, {6, 2, 2}, late);
  wide.low = {1};
  add(F32, {4, 2, 4}, {3, 2, 4}, wide);
  wide.batch_group_count = 2;
  add(F32, {4, 2, 4}, {4, 2, 4}, wide);
  add(F64, {2, 3}, {4, 3}, plain_conv(0, F64));
  add(F64, {2, 1, 0}, {1, 1, 2}, [] {
    Conv empty = plain_conv(1, F64);
    empty.low = {2};
    return empty;
  }());
  add(F64, {2, 0, 3}, {1, 0, 2}, plain_conv(1, F64));
  add(F64, {2, 1, 3}, {1, 1, 5}, plain_conv(1, F64));
  add(BF16, {1, 2, 4}, {2, 2, 2}, plain_conv(1, F32));
  s.push_back({{Type(I8, {1, 2, 4}), Type(I8, {2, 2, 2})}, plain_conv(1, I32), -100, 100});
  return s;
}

std::vector<Reject<Conv>> conv_rejects() {
  const Types two{Type(F32, {2, 4, 5}), Type(F32, {6, 4, 3})};
  std::vector<Reject<Conv>> r{{{two[0], Type(F64, {6, 4, 3})}, plain_conv(1, F32), "same dtypes"},
                              {two, plain_conv(2, F32), "must name each of its axes once"},
                              {two, plain_conv(1, I32), "does not hold"}};
  const auto add = [&](const char* text, void (*change)(Conv&)) {
    r.push_back({two, plain_conv(1, F32), text});
    change(r.back().params);
  };
  add("one entry a spatial axis", [](Conv& p) { p.low = {}; });
  add("must be positive, got 0", [](Conv& p) { p.window_strides = {0}; });
  add("is too big", [](Conv& p) { p.high = {int64_t{1} << 40}; });
  add("its padded size -5 is negative", [](Conv& p) { p.high = {-10}; });
  add("group counts must be positive", [](Conv& p) { p.batch_group_count = 0; });
  add("in 2 groups must be the 4", [](Conv& p) { p.feature_group_count = 2; });
  add("out features of rhs must divide", [](Conv& p) { p.batch_group_count = 4; });
  add("at most one of", [](Conv& p) { p.feature_group_count = p.batch_group_count = 2; });
  add("one entry an operand", [](Conv& p) { p.lhs_lanes = {-1}; });
  return r;
}

const Primitive<Conv>& conv_op = define<Conv>({
    .name = name,
    .doc = "Convolves an array with a kernel: each element of the result is a sum of products of "
           "the kernel with a window of the array.",
    .type = conv_type,
    .reference = conv_reference,
    .jvp = product_jvp<Conv>,
    .transpose = conv_transpose,
    .batch = conv_batch,
    .lower = conv_lower,
    .expand = conv_with_stored_zeros,
    .implementations = conv_implementations,
    .tolerance = 16,
    .samples = conv_samples,
    .rejects = conv_rejects,
});

}  // namespace

Array convolution(const Array& lhs, const Array& rhs, const ConvWindow& w, const ConvAxes& axes,
                  const ConvGroups& groups, DType out, lax::Precision precision) {
  return conv_op({lhs, rhs}, {w.strides,
                              w.low,
                              w.high,
                              w.lhs_dilation,
                              w.rhs_dilation,
                              axes.lhs,
                              axes.rhs,
                              axes.out,
                              {},
                              {},
                              groups.feature,
                              groups.batch,
                              out,
                              precision});
}

}  // namespace weft
