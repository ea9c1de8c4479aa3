// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/conv_library.cpp: convolutions of floats by a library, and the cost model that selects
// it.
#include <algorithm>
#include <memory>

#include "ops/linear/conv_params.h"
#include "ops/linear/device/convolution.h"
#include "runtime/native/conv.h"
#include "weft/device/threads.h"

namespace weft {
namespace {

using native::Convolution;

// The library supports one to three spatial axes, no lhs dilation, and no window that is entirely
// in the padding.
bool library_applies(const Use<Conv>& u) {
  const Conv& p = u.params;
  if (u.target.gpu || u.in[0].dtype() != F32 || u.out[0].dtype() != F32) return false;
  if (p.spatial() < 1 || p.spatial() > 3 || u.out[0].elements() == 0) return false;
  if (u.in[0].elements() == 0 || u.in[1].elements() == 0) return false;
  for (size_t d = 0; d < p.spatial(); ++d) {
    const int64_t window = dilated(size_of(u.in[1], p.rhs_spec, d + 2), p.rhs_dilation[d]);
    if (p.lhs_dilation[d] != 1 || std::min(p.low[d], p.high[d]) < 0 ||
        std::max(p.low[d], p.high[d]) >= window)
      return false;
  }
  return true;
}

// The number of multiplications for one image of one lane.
double multiplications(const Use<Conv>& u) {
  const Conv& p = u.params;
  double n = static_cast<double>(size_of(u.in[1], p.rhs_spec, 0)) *
             static_cast<double>(size_of(u.in[1], p.rhs_spec, 1)) /
             static_cast<double>(p.batch_group_count);
  for (size_t d = 0; d < p.spatial(); ++d)
    n *= static_cast<double>(size_of(u.in[1], p.rhs_spec, d + 2)) *
         static_cast<double>(size_of(u.out[0], p.out_spec, d + 2));
  return n;
}

// Nanoseconds per multiplication and per call. The library is used for images with about 9500
// multiplications or more (docs/decisions/0019).
constexpr double generated_ns = 0.7, library_ns = 1. / 64, library_call_ns = 6500;

// A single image with more than large_image multiplications is split. It gets one more part for
// each part_of_image multiplications. The split does not depend on the number of threads.
constexpr double large_image = 4e6, part_of_image = 16e6;
constexpr int64_t max_parts = 8, min_rows = 8;
// The number of output features that the library computes together.
constexpr int64_t feature_block = 16;

Convolution convolution_of(const Use<Conv>& u) {
  const Conv& p = u.params;
  const Ints lhs = row_major(u.in[0].shape()), rhs = row_major(u.in[1].shape()),
             out = row_major(u.out[0].shape());
  const auto step = [](const Ints& steps, int64_t axis) { return axis == -1 ? 0 : steps[axis]; };
  Convolution c;
  for (size_t k = 0; k < p.lanes(); ++k)
    c.walks.push_back({u.out[0].shape()[static_cast<int64_t>(k)], step(lhs, p.lhs_lanes[k]),
                       step(rhs, p.rhs_lanes[k]), out[k]});
  c.lhs_feature = step(lhs, p.lhs_spec[1]);
  c.rhs_given = step(rhs, p.rhs_spec[0]);
  c.rhs_taken = step(rhs, p.rhs_spec[1]);
  c.out_feature = step(out, p.out_spec[1]);
  c.groups = p.feature_group_count;
  c.taken = size_of(u.in[1], p.rhs_spec, 1);
  c.given = size_of(u.in[1], p.rhs_spec, 0) / (p.feature_group_count * p.batch_group_count);
  const int64_t images = size_of(u.out[0], p.out_spec, 0), image = step(lhs, p.lhs_spec[0]);
  const auto divided = [&](int64_t parts, int64_t of_lhs) {
    c.walks.push_back({parts, of_lhs, c.given * c.rhs_given, c.given * c.out_feature});
  };
  if (p.batch_group_count > 1) divided(p.batch_group_count, images * image);
  c.walks.push_back({images, image, 0, step(out, p.out_spec[0])});
  for (size_t d = 0; d < p.spatial(); ++d)
    c.axes.push_back({size_of(u.in[0], p.lhs_spec, d + 2), size_of(u.in[1], p.rhs_spec, d + 2),
                      size_of(u.out[0], p.out_spec, d + 2), p.window_strides[d], p.rhs_dilation[d],
                      p.low[d], p.high[d], step(lhs, p.lhs_spec[d + 2]),
                      step(rhs, p.rhs_spec[d + 2]), step(out, p.out_spec[d + 2])});
  return c;
}

// A part of a convolution, and the offsets of its operands and its result.
struct Part {
  Convolution c;
  int64_t lhs = 0, out = 0;
};
// Rows first … last - 1 of the result along the first spatial axis, from the rows of lhs that they
// read. There are such rows, because no window is entirely in the padding.
Part rows_of(const Convolution& c, int64_t first, int64_t last) {
  Part p{c};
  Convolution::Axis& a = p.c.axes[0];
  const int64_t begin = first * a.stride - a.low,
                end = (last - 1) * a.stride - a.low + dilated(a.kernel, a.dilation);
  const int64_t from = std::max<int64_t>(0, begin), to = std::min(a.in, end);
  p.lhs = from * a.lhs_step;
  p.out = first * a.out_step;
  a.low = from - begin;
  a.high = end - to;
  a.in = to - from;
  a.out = last - first;
  return p;
}
// Images are distributed among threads. A single large image is split into halves of its features
// if these are whole blocks, else by rows.
std::vector<Part> parts_of(const Use<Conv>& u) {
  const Convolution c = convolution_of(u);
  const double work = multiplications(u);
  if (c.images() != 1 || work <= large_image) return {{c}};
  const int64_t rows = c.axes[0].out;
  const bool whole_blocks = c.given % (2 * feature_block) == 0;
  if (c.groups == 1 && c.given % 2 == 0 && (whole_blocks || rows < 2 * min_rows)) {
    Part half{c};
    half.c.given /= 2;
    half.c.walks.push_back({2, 0, half.c.given * c.rhs_given, half.c.given * c.out_feature});
    return {half};
  }
  const int64_t wanted =
      std::clamp(static_cast<int64_t>(work / part_of_image), int64_t{2}, max_parts);
  const int64_t n = std::max<int64_t>(1, std::min(wanted, rows / min_rows));
  std::vector<Part> parts;
  for (int64_t i = 0; i < n; ++i) parts.push_back(rows_of(c, rows * i / n, rows * (i + 1) / n));
  return parts;
}

// Maps each lane axis to itself; all other axes are part of the computation.
std::vector<int> lane_axis_map(const Type& t, const Ints& lanes) {
  std::vector<int> axis_map(t.ndim(), -1);
  for (size_t k = 0; k < lanes.size(); ++k)
    if (lanes[k] != -1) axis_map[lanes[k]] = static_cast<int>(k);
  return axis_map;
}

std::vector<std::vector<int>> axis_map_of(const Use<Conv>& u) {
  return {lane_axis_map(u.in[0], u.params.lhs_lanes), lane_axis_map(u.in[1], u.params.rhs_lanes)};
}

// The cost of a GPU library, per multiplication. It includes the number of multiplications from
// which on an image pays for additional launches, transposed axes and no graph. The numbers are not
// measured.
double device_cost(const Use<Conv>& u) {
  constexpr double each_ns = generated_ns / 10;
  return large_image * (generated_ns - each_ns) + each_ns * multiplications(u);
}
NativeCall device_call(const Use<Conv>& u) {
  NativeCall call = device_calls::convolution(u);
  call.axis_map = axis_map_of(u);
  return call;
}

struct PartConvolver {
  Part part;
  native::Convolver convolver;
  explicit PartConvolver(const Part& p) : part(p), convolver(p.c) {}
};
NativeCall library_call(const Use<Conv>& u) {
  const auto made = std::make_shared<std::vector<std::unique_ptr<PartConvolver>>>();
  for (const Part& p : parts_of(u)) made->push_back(std::make_unique<PartConvolver>(p));
  NativeCall call;
  call.run = [made, a = u.in[0].elements(), b = u.in[1].elements(),
              n = u.out[0].elements()](const NativeArgs& args) {
    const float *lhs = args.in<float>(0, a), *rhs = args.in<float>(1, b);
    float* const out = args.out<float>(0, n);
    parallel_for(std::ssize(*made), 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const PartConvolver& m = *(*made)[static_cast<size_t>(i)];
        m.convolver.run(lhs + m.part.lhs, rhs, out + m.part.out);
      }
    });
  };
  call.workspace = [made] {
    int64_t bytes = 0;
    for (const auto& m : *made) bytes += m->convolver.workspace();
    return bytes;
  };
  call.axis_map = axis_map_of(u);
  return call;
}

}  // namespace

std::vector<Implementation<Conv>> conv_implementations() {
  const Implementation<Conv> nest{.name = std::string(generated), .cost = [](const Use<Conv>& u) {
                                    return generated_ns * multiplications(u);
                                  }};
  const Implementation<Conv> library{
      .name = "library",
      .applies = library_applies,
      .cost = [](const Use<Conv>& u) { return library_call_ns + library_ns * multiplications(u); },
      .make = library_call};
  const Implementation<Conv> device{.name = "cudnn",
                                    .applies = device_calls::takes_convolution,
                                    .cost = device_cost,
                                    .make = device_call,
                                    .library = "cuDNN"};
  return {nest, library, device};
}

}  // namespace weft
