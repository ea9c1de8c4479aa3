// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/lax/ragged_all_to_all.cpp: exchanges a variable number of rows between lanes. Each lane
// gathers all rows and takes the ones that were sent to it.
#include <fmt/format.h>

#include "functions/kit.h"
#include "weft/collective.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

constexpr const char* name = "ragged_all_to_all";

void check_rows(const Array& operand, const Array& output) {
  const auto both = [&] { return to_string(Types{operand.type(), output.type()}); };
  if (operand.ndim() < 1 || output.ndim() < 1 ||
      operand.shape().erased(0) != output.shape().erased(0))
    fn::fail_shape(fmt::format(
        "{}: input and output shapes must be equal, except for ragged dimension, got {}", name,
        both()));
  if (operand.dtype() != output.dtype())
    fn::fail_dtype(
        fmt::format("{}: operand and output must have the same dtypes, got {}", name, both()));
}
void check_numbers(const char* what, const Array& x, int64_t lanes) {
  if (!is_integer(x.dtype()))
    fn::fail_dtype(
        fmt::format("{}: {} must be integer type, got {}", name, what, to_string(x.type())));
  if (x.shape() != Shape{lanes})
    fn::fail_shape(fmt::format("{}: {} must be rank 1 with one entry a lane, {}, got {}", name,
                               what, lanes, to_string(x.type())));
}

}  // namespace

Array ragged_all_to_all(const Arg& operand, const Arg& output, const Arg& input_offsets,
                        const Arg& send_sizes, const Arg& output_offsets, const Arg& recv_sizes,
                        const AxisNames& axes, const CollectiveOptions& o) {
  const SourceScope s(operand.at());
  check_rows(operand, output);
  const int64_t lanes =
      o.axis_index_groups.empty() ? axis_size(axes) : std::ssize(o.axis_index_groups[0]);
  check_numbers("input_offsets", input_offsets, lanes);
  check_numbers("send_sizes", send_sizes, lanes);
  check_numbers("output_offsets", output_offsets, lanes);
  check_numbers("recv_sizes", recv_sizes, lanes);
  const int64_t sent = operand->shape()[0], rows = output->shape()[0];
  if (sent == 0 || rows == 0) return output;
  // Exchanges x so that entry i is the value that lane i has for this lane.
  const auto told = [&](const Array& x) {
    return all_to_all(x.astype(I64), axes, 0, 0, {o.axis_index_groups});
  };
  const Array from = told(input_offsets), first = told(output_offsets),
              count = minimum(told(send_sizes), recv_sizes->astype(I64));
  const Array all =
      all_gather(operand.value(), axes, {.axis_index_groups = o.axis_index_groups, .tiled = true});
  // The entry at (lane, row of output) is true if that lane sends that row.
  const Array row = iota(I64, rows);
  const Array begin = expand_dims(first, 1);
  const Array came = (row >= begin) & (row < begin + expand_dims(count, 1));
  const Array lane = lanes - 1 - argmax(flip(came, 0), 0).astype(I64);
  const Array at = clip(take(from, lane) + row - take(first, lane), 0, sent - 1);
  Shape column = Shape{rows};
  for (int a = 1; a < output->ndim(); ++a) column = column.inserted(a, 1);
  return where(any(came, 0).reshape(column), take(all, lane * sent + at, 0), output);
}

}  // namespace weft
