// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_index.cpp: writes reads and writes at computed indices.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/op.h"
#include "interop/stablehlo/write/write.h"
#include "ops/index/index.h"
#include "tracer/concrete.h"

namespace weft::hlo {
namespace {

// ---- dynamic_slice, dynamic_update_slice

// Converts the starts of a window to one dtype, which StableHLO requires. In Weft they may differ.
Vals one_type(Writer& w, Vals starts) {
  const auto differs = [&](const Val& v) { return v.dtype() != starts[0].dtype(); };
  if (std::none_of(starts.begin(), starts.end(), differs)) return starts;
  for (Val& v : starts) {
    if (v.dtype() == U64)  // a number that I64 cannot hold is beyond the end of any axis
      v = w.binary("stablehlo.minimum", v, w.integer(v.type, std::numeric_limits<int64_t>::max()));
    v = w.convert(v, I64);
  }
  return starts;
}
Vals with_starts(Writer& w, const Vals& x, size_t first) {
  const auto split = x.begin() + static_cast<std::ptrdiff_t>(first);
  Vals out(x.begin(), split);
  for (const Val& v : one_type(w, Vals(split, x.end()))) out.push_back(v);
  return out;
}
Vals dynamic_slice(Writer& w, const Equation& e, const Vals& x) {
  if (e.field<int64_t>("batch_dims") != 0) return write_lowering(w, e, x);
  if (x.size() == 1) return x;
  return {w.one("stablehlo.dynamic_slice", with_starts(w, x, 1), e.result(),
                {{"slice_sizes", ints_attr(e.ints("slice_sizes"))}})};
}
Vals dynamic_update(Writer& w, const Equation& e, const Vals& x) {
  if (e.field<int64_t>("batch_dims") != 0) return write_lowering(w, e, x);
  if (x.size() == 2) return {x[1]};
  return {w.one("stablehlo.dynamic_update_slice", with_starts(w, x, 2), e.result())};
}

// ---- gather, scatter

OutOfBounds mode_of(const Equation& e) {
  return static_cast<OutOfBounds>(e.field<int64_t>("mode"));
}

// Pairs of batching axes of the operand and of the indices, sorted by the operand's axes as
// StableHLO requires. In Weft they are in the order in which vmap created them. `sorted` does the
// same for sets of axes.
struct Batching {
  Ints operand, indices;
};
Batching in_order(const Ints& operand, const Ints& indices) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < operand.size(); ++i) pairs.emplace_back(operand[i], indices[i]);
  std::sort(pairs.begin(), pairs.end());
  Batching b;
  for (const auto& [o, i] : pairs) {
    b.operand.push_back(o);
    b.indices.push_back(i);
  }
  return b;
}
Ints sorted(Ints v) {
  std::sort(v.begin(), v.end());
  return v;
}

// The largest start of a window along the axis of each component of an index. It is limited to the
// range of the indices' dtype, because an axis may be longer than a narrow dtype can count.
Val max_starts_of(Writer& w, const Val& indices, const Val& operand, const Ints& map,
                  const Ints& sizes) {
  const DType d = indices.dtype();
  const int bits = 8 * itemsize(d) - (is_signed(d) ? 1 : 0);
  const int64_t most = std::numeric_limits<int64_t>::max() >> (63 - std::min(bits, 63));
  Ints max_starts;
  for (int64_t a : map)
    max_starts.push_back(std::min(most, operand.shape()[a] - sizes[static_cast<size_t>(a)]));
  const int last = static_cast<int>(indices.shape().ndim()) - 1;
  const Type row(I64, Shape{static_cast<int64_t>(max_starts.size())});
  const Val v = w.convert(w.constant(array_of_bytes(row, max_starts.data())), d);
  return w.broadcast(v, indices.shape(), {last});
}
Val clamped(Writer& w, const Val& indices, const Val& max_starts) {
  return w.binary("stablehlo.minimum",
                  w.binary("stablehlo.maximum", indices, w.integer(indices.type, 0)), max_starts);
}
// True for each index whose window is in range. The shape is that of the indices without the last
// axis.
Val inside(Writer& w, const Val& indices, const Val& max_starts) {
  const Val ok = w.binary("stablehlo.and", w.compare("GE", indices, w.integer(indices.type, 0)),
                          w.compare("LE", indices, max_starts));
  const int last = static_cast<int>(indices.shape().ndim()) - 1;
  return w.reduce("stablehlo.and", ok, w.integer(Type(Bool, Shape{}), 1), {last});
}

Vals gather(Writer& w, const Equation& e, const Vals& x) {
  const Val &operand = x[0], &indices = x[1];
  const Type out = e.result();
  const int64_t last = indices.shape().ndim() - 1;
  const Ints offset = e.ints("offset_dims"), map = e.ints("start_index_map"),
             sizes = e.ints("slice_sizes");
  const Batching batching =
      in_order(e.ints("operand_batching_dims"), e.ints("start_indices_batching_dims"));
  const std::string dims = fmt::format(
      "#stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, operand_batching_dims = {}, "
      "start_indices_batching_dims = {}, start_index_map = {}, index_vector_dim = {}>",
      list_text(offset), list_text(sorted(e.ints("collapsed_slice_dims"))),
      list_text(batching.operand), list_text(batching.indices), list_text(map), last);
  const Val read = w.one("stablehlo.gather", x, out,
                         {{"dimension_numbers", text_attr(dims)},
                          {"indices_are_sorted", bool_attr(e.field<bool>("indices_are_sorted"))},
                          {"slice_sizes", ints_attr(sizes)}});
  if (mode_of(e) == OutOfBounds::clip || map.empty()) return {read};
  const Val ok = inside(w, indices, max_starts_of(w, indices, operand, map, sizes));
  Ints batch;  // the axes of the result that do not belong to windows
  for (int64_t a = 0; a < out.ndim(); ++a)
    if (std::find(offset.begin(), offset.end(), a) == offset.end()) batch.push_back(a);
  const Array fill = out_of_bounds_value(e.out[0].dtype(), mode_of(e));
  const Val other = w.repeated(out, concrete(fill).data());
  return {w.select(w.broadcast(ok, out.shape(), batch), read, other)};
}

// Weft's operands are the array, the updates and the indices.
Vals scatter(Writer& w, const Equation& e, const Vals& x) {
  Val indices = x[2];
  const int64_t last = indices.shape().ndim() - 1;
  const Ints windows = e.ints("update_window_dims"), inserted = e.ints("inserted_window_dims"),
             map = e.ints("scatter_dims_to_operand_dims");
  const Batching batching =
      in_order(e.ints("operand_batching_dims"), e.ints("scatter_indices_batching_dims"));
  if (mode_of(e) == OutOfBounds::clip && !map.empty()) {
    const auto holds = [](const Ints& v, int64_t a) {
      return std::find(v.begin(), v.end(), a) != v.end();
    };
    Ints sizes;
    size_t next = 0;
    for (int64_t a = 0; a < x[0].shape().ndim(); ++a)
      sizes.push_back(
          holds(inserted, a) || holds(batching.operand, a) ? 1 : x[1].shape()[windows[next++]]);
    indices = clamped(w, indices, max_starts_of(w, indices, x[0], map, sizes));
  }
  const std::string dims = fmt::format(
      "#stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, "
      "input_batching_dims = {}, scatter_indices_batching_dims = {}, "
      "scatter_dims_to_operand_dims = {}, index_vector_dim = {}>",
      list_text(windows), list_text(sorted(inserted)), list_text(batching.operand),
      list_text(batching.indices), list_text(map), last);
  constexpr std::string_view combine[] = {"", "stablehlo.add", "stablehlo.multiply",
                                          "stablehlo.minimum", "stablehlo.maximum"};
  const auto update = static_cast<Update>(e.field<int64_t>("update"));
  const Type scalar = x[0].type.with_shape(Shape{});
  Region body = update == Update::set
                    ? w.region({scalar, scalar}, [](const Vals& v) -> Vals { return {v[1]}; })
                    : w.fold(combine[static_cast<size_t>(update)], scalar);
  return {w.one("stablehlo.scatter", {x[0], indices, x[1]}, e.result(),
                {{"indices_are_sorted", bool_attr(e.field<bool>("indices_are_sorted"))},
                 {"scatter_dimension_numbers", text_attr(dims)},
                 {"unique_indices", bool_attr(e.field<bool>("unique_indices"))}},
                only(std::move(body)))};
}

}  // namespace

void write_indexing(WriteRules& r) {
  const WriteRules mine = {{"dynamic_slice", dynamic_slice},
                           {"dynamic_update_slice", dynamic_update},
                           {"gather", gather},
                           {"scatter", scatter}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
