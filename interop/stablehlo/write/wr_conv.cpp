// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_conv.cpp: writes convolutions, and the precision of products.
// StableHLO has no lanes. Lanes of only lhs are merged into its batch, lanes of only rhs into its
// output features, and lanes of both become groups.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "interop/stablehlo/write/write.h"
#include "tracer/concrete.h"

namespace weft::hlo {

std::vector<NamedAttr> with_precision(const Equation& e, std::vector<NamedAttr> attrs) {
  constexpr const char* words[] = {"DEFAULT", "HIGH", "HIGHEST"};
  const auto asked =
      static_cast<size_t>(param_field<int64_t>(e.eqn.params, "precision").value_or(0));
  if (asked == 0 || asked >= std::size(words)) return attrs;
  Attr a;
  a.kind = Attr::Kind::list;
  a.items.assign(2, text_attr(fmt::format("#stablehlo<precision {}>", words[asked])));
  const auto behind = [](const NamedAttr& n) { return n.name > "precision_config"; };
  attrs.insert(std::find_if(attrs.begin(), attrs.end(), behind), {"precision_config", a});
  return attrs;
}

namespace {

// The content of an axis: the number of a lane axis, or one of these.
constexpr int batch = 1000, group = 1001, out_feature = 1002, feature = 1003, spatial = 2000;
// The axes of an array, each with its content and its size.
struct Axis {
  int holds;
  int64_t size;
};
using Axes = std::vector<Axis>;

using Order = std::vector<int>;

const Axis& holding(const Axes& axes, int what) {
  return *std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.holds == what; });
}
Shape sizes_of(const Axes& axes) {
  Ints s;
  for (const Axis& a : axes) s.push_back(a.size);
  return s;
}
Order joined(std::initializer_list<Order> parts) {
  Order all;
  for (const Order& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}
// Reshapes x into these axes and transposes them to this order.
Val arranged(Writer& w, const Val& x, const Axes& parts, const Order& order) {
  Ints permutation;
  Axes out;
  for (int what : order) {
    out.push_back(holding(parts, what));
    permutation.push_back(&holding(parts, what) - parts.data());
  }
  const Val divided = w.reshape(x, sizes_of(parts));
  if (std::is_sorted(permutation.begin(), permutation.end())) return divided;
  return w.one("stablehlo.transpose", {divided}, x.type.with_shape(sizes_of(out)),
               {{"permutation", ints_attr(permutation)}});
}
// The shape after the axes of each list are merged.
Shape merged(const Axes& parts, const std::vector<Order>& lists) {
  Ints sizes;
  for (const Order& list : lists) {
    sizes.push_back(1);
    for (int what : list) sizes.back() *= holding(parts, what).size;
  }
  return sizes;
}
Val merged(Writer& w, const Val& x, const Axes& parts, const std::vector<Order>& lists) {
  Order order;
  for (const Order& list : lists) order.insert(order.end(), list.begin(), list.end());
  return w.reshape(arranged(w, x, parts, order), merged(parts, lists));
}

std::string dims_text(const Ints& axes, const char* letters) {
  std::vector<std::string> words(axes.size());
  for (size_t i = 0; i < axes.size(); ++i)
    words[static_cast<size_t>(axes[i])] =
        i < 2 ? std::string(1, letters[i]) : std::to_string(i - 2);
  return fmt::format("[{}]", fmt::join(words, ", "));
}

struct Dims {
  Ints lhs, rhs, out;
};
Val written_conv(Writer& w, const Equation& e, const Val& x, const Val& y, const Dims& d,
                 int64_t feature_groups, int64_t batch_groups, const Shape& out) {
  const Ints low = e.ints("low"), high = e.ints("high");
  Ints padding;
  for (size_t i = 0; i < low.size(); ++i) padding.insert(padding.end(), {low[i], high[i]});
  const Array pads =
      array_of_bytes(Type(I64, Shape{static_cast<int64_t>(low.size()), 2}), padding.data());
  const std::string dims = fmt::format("#stablehlo.conv<{}x{}->{}>", dims_text(d.lhs, "bf"),
                                       dims_text(d.rhs, "oi"), dims_text(d.out, "bf"));
  return w.one("stablehlo.convolution", {x, y}, e.result().with_shape(out),
               with_precision(e, {{"batch_group_count", integer_attr(batch_groups)},
                                  {"dimension_numbers", text_attr(dims)},
                                  {"feature_group_count", integer_attr(feature_groups)},
                                  {"lhs_dilation", ints_attr(e.ints("lhs_dilation"))},
                                  {"padding", w.dense_attr(pads)},
                                  {"rhs_dilation", ints_attr(e.ints("rhs_dilation"))},
                                  {"window_strides", ints_attr(e.ints("window_strides"))}}));
}

// The axes of an operand: its lane axes, and the axes whose contents the spec gives.
Axes axes_of(const Val& x, const Ints& lanes, const Ints& spec, int first, int second) {
  Axes axes(x.shape().size());
  const auto put = [&](int64_t at, int holds) {
    if (at >= 0) axes[static_cast<size_t>(at)] = {holds, x.shape()[at]};
  };
  for (size_t k = 0; k < lanes.size(); ++k) put(lanes[k], static_cast<int>(k));
  for (size_t i = 0; i < spec.size(); ++i)
    put(spec[i], i == 0 ? first : i == 1 ? second : spatial + static_cast<int>(i));
  return axes;
}
// Splits the axis with content `holds` into groups and the rest. The group axis is first.
Axes divided(Axes axes, int holds, int64_t groups) {
  const auto at =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.holds == holds; });
  at->size /= groups;
  axes.insert(at, {group, groups});
  return axes;
}

// The lane axes, classified by the operands that have them.
struct Lanes {
  Order both, lhs, rhs;
  int64_t shared = 1;  // number of lanes that both operands have
};

Vals with_lanes(Writer& w, const Equation& e, const Vals& x, const Lanes& lanes) {
  const Ints lhs_spec = e.ints("lhs_spec"), out_spec = e.ints("out_spec");
  const auto batches = e.field<int64_t>("batch_group_count");
  const bool of_batch = batches > 1;
  const int64_t groups = of_batch ? batches : e.field<int64_t>("feature_group_count");
  const auto with_window = [&](const Order& first, const Order& second) {
    std::vector<Order> lists{first, second};
    for (size_t i = 2; i < lhs_spec.size(); ++i) lists.push_back({spatial + static_cast<int>(i)});
    return lists;
  };
  // Lanes of both operands are merged before the groups, which are groups of the batch or of the
  // features.
  const Order images = joined({lanes.lhs, {batch}}),
              kernels = joined({lanes.both, {group}, lanes.rhs, {out_feature}});
  Axes of_x = axes_of(x[0], e.ints("lhs_lanes"), lhs_spec, batch, feature);
  if (of_batch) of_x = divided(of_x, batch, groups);
  const Val lhs = merged(w, x[0], of_x,
                         of_batch ? with_window(joined({lanes.both, {group}, images}), {feature})
                                  : with_window(images, joined({lanes.both, {feature}})));
  const Axes of_y =
      divided(axes_of(x[1], e.ints("rhs_lanes"), e.ints("rhs_spec"), out_feature, feature),
              out_feature, groups);
  const Val rhs = merged(w, x[1], of_y, with_window(kernels, {feature}));
  // `parts` are the axes of the result as they are written, and `wanted` is their order in the
  // equation.
  Ints first(lanes.both.size() + lanes.lhs.size() + lanes.rhs.size());
  std::iota(first.begin(), first.end(), 0);
  const Axes of_out =
      divided(axes_of({-1, e.result()}, first, out_spec, batch, out_feature), out_feature, groups);
  const std::vector<Order> lists = with_window(images, kernels);
  Axes parts;
  Order wanted;
  for (const Order& list : lists)
    for (int what : list) parts.push_back(holding(of_out, what));
  for (const Axis& a : of_out) wanted.push_back(a.holds);
  Ints plain(out_spec.size());
  std::iota(plain.begin(), plain.end(), 0);
  const int64_t all = lanes.shared * groups;
  const Val out = written_conv(w, e, lhs, rhs, {plain, plain, plain}, of_batch ? 1 : all,
                               of_batch ? all : 1, merged(of_out, lists));
  return {w.reshape(arranged(w, out, parts, wanted), e.result().shape())};
}

Vals convolution(Writer& w, const Equation& e, const Vals& x) {
  const Ints lhs = e.ints("lhs_lanes"), rhs = e.ints("rhs_lanes");
  Lanes lanes;
  for (size_t k = 0; k < lhs.size(); ++k) {
    const bool both = lhs[k] >= 0 && rhs[k] >= 0;
    (both ? lanes.both : lhs[k] >= 0 ? lanes.lhs : lanes.rhs).push_back(static_cast<int>(k));
    if (both) lanes.shared *= x[0].shape()[lhs[k]];
  }
  if (e.result().elements() == 0) return {w.number(e.result(), 0)};
  if (!lhs.empty()) return with_lanes(w, e, x, lanes);
  return {written_conv(w, e, x[0], x[1],
                       {e.ints("lhs_spec"), e.ints("rhs_spec"), e.ints("out_spec")},
                       e.field<int64_t>("feature_group_count"),
                       e.field<int64_t>("batch_group_count"), e.result().shape())};
}

}  // namespace

void write_convolutions(WriteRules& r) { r["conv_general_dilated"] = convolution; }

}  // namespace weft::hlo
