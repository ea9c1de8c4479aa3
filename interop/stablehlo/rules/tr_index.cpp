// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_index.cpp: rules of reads and writes at computed indices.
#include <algorithm>

#include "interop/stablehlo/read/translate.h"
#include "ops/control/scatter_by.h"
#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"

namespace weft::hlo {
namespace {

Arrays dynamic_slice(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty() || x.size() - 1 != x[0].shape().size()) t.fail(op, "one start an axis is needed");
  const Arrays starts(x.begin() + 1, x.end());
  return {starts.empty() ? x[0] : dynamic_slice_at(x[0], starts, t.ints(op, "slice_sizes"))};
}
Arrays dynamic_update(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() < 2 || x.size() - 2 != x[0].shape().size())
    t.fail(op, "one start an axis is needed");
  const Arrays starts(x.begin() + 2, x.end());
  return {starts.empty() ? x[1] : dynamic_update_at(x[0], x[1], starts)};
}

// Moves the axis of index components to the end, where Weft's ops expect it.
Array indices_last(Translator& t, const Op& op, const Array& indices, int64_t axis) {
  const int rank = static_cast<int>(indices.ndim());
  if (axis < 0 || axis > rank) t.fail(op, "index_vector_dim is not an axis of the indices");
  if (axis < rank)
    return axis == rank - 1 ? indices : base::move_axis(indices, static_cast<int>(axis), rank - 1);
  return base::reshape(indices, indices.shape().inserted(rank, 1));
}
int64_t vector_axis(Translator& t, const Op& op, const Attr& a) {
  return t.field_number(op, a, "index_vector_dim").value_or(0);
}

Arrays gathered(Translator& t, const Op& op, const Arrays& x,
                const std::vector<int64_t>& slice_sizes) {
  const Attr& a = t.attr(op, "dimension_numbers");
  const WindowDims dims{t.field(op, a, "offset_dims"), t.field(op, a, "collapsed_slice_dims"),
                        t.field(op, a, "start_index_map"), t.field(op, a, "operand_batching_dims"),
                        t.field(op, a, "start_indices_batching_dims")};
  return {gather_windows(x[0], indices_last(t, op, x[1], vector_axis(t, op, a)), dims, slice_sizes,
                         OutOfBounds::clip, {.sorted = t.flag(op, "indices_are_sorted")})};
}
Arrays gather(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2) t.fail(op, "'gather' needs an operand and indices");
  return gathered(t, op, x, t.ints(op, "slice_sizes"));
}
Arrays dynamic_gather(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 3) t.fail(op, "'dynamic_gather' needs an operand, indices and sizes");
  return gathered(t, op, x, t.known_integers(op, 2));
}

std::optional<Update> update_of(const Region& body, DType d) {
  const std::string op = only_op(body);
  const bool b = is_bool(d);
  if (op == "stablehlo.add") return b ? Update::max : Update::add;
  if (op == "stablehlo.multiply") return b ? Update::min : Update::mul;
  if (op == "stablehlo.minimum" || (b && op == "stablehlo.and")) return Update::min;
  if (op == "stablehlo.maximum" || (b && op == "stablehlo.or")) return Update::max;
  if (body.blocks.size() != 1) return {};
  const Block& block = body.blocks[0];
  const bool second = block.ops.size() == 1 && block.args.size() == 2 &&
                      block.ops[0].name.ends_with(".return") &&
                      block.ops[0].operands == std::vector<int32_t>{block.first_arg + 1};
  return second ? std::optional(Update::set) : std::nullopt;
}
Arrays scatter(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() < 3 || x.size() % 2 == 0)
    t.fail(op, "'scatter' needs operands, indices and as many updates");
  const auto n = static_cast<std::ptrdiff_t>(x.size() / 2);
  const Attr& a = t.attr(op, "scatter_dimension_numbers");
  const WindowDims dims{
      t.field(op, a, "update_window_dims"), t.field(op, a, "inserted_window_dims"),
      t.field(op, a, "scatter_dims_to_operand_dims"), t.field(op, a, "input_batching_dims"),
      t.field(op, a, "scatter_indices_batching_dims")};
  const Array indices = indices_last(t, op, x[static_cast<size_t>(n)], vector_axis(t, op, a));
  const Arrays operands(x.begin(), x.begin() + n), updates(x.begin() + n + 1, x.end());
  const Region& body = t.only_region(op);
  const IndexPromises promises{t.flag(op, "unique_indices"), t.flag(op, "indices_are_sorted")};
  if (n == 1)
    if (const auto update = update_of(body, x[0].dtype()))
      return {scatter_windows(x[0], indices, x[2], dims, *update, OutOfBounds::zero, promises)};
  for (const Arrays* list : {&operands, &updates})
    for (const Array& v : *list)
      if (v.shape() != list->front().shape())
        t.fail(op, "operands of 'scatter' must have one shape, and so must updates");
  return scatter_by(operands, indices, updates, dims, OutOfBounds::zero, promises,
                    [&](const Arrays& before, const Arrays& u) {
                      Arrays both = before;
                      both.insert(both.end(), u.begin(), u.end());
                      return t.run_on_arrays(op, body, both, before.size());
                    });
}

}  // namespace

void add_indexing(Rules& r) {
  const Rules mine = {{"stablehlo.dynamic_slice", dynamic_slice},
                      {"stablehlo.dynamic_update_slice", dynamic_update},
                      {"stablehlo.gather", gather},
                      {"stablehlo.dynamic_gather", dynamic_gather},
                      {"stablehlo.scatter", scatter}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
