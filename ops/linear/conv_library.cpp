// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/conv_library.cpp: convolutions of floats by a library, and the cost model that selects
// it.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "ops/kit/kit.h"
#include "ops/linear/conv_params.h"
#include "ops/linear/device/convolution.h"
#include "ops/structure/structure.h"
#include "runtime/native/conv_patches.h"
#include "tracer/base_ops.h"
#include "weft/device/threads.h"

namespace weft {
namespace {

using native::Convolution;

bool dilates_lhs(const Conv& p) {
  return std::any_of(p.lhs_dilation.begin(), p.lhs_dilation.end(),
                     [](int64_t d) { return d != 1; });
}

// The library supports one to three spatial axes, and either lhs dilation or strides. Its sizes are
// ints.
bool library_applies(const Use<Conv>& u) {
  constexpr int64_t most = std::numeric_limits<int>::max() / 4;
  const Conv& p = u.params;
  if (u.target.gpu || u.in[0].dtype() != F32 || u.out[0].dtype() != F32) return false;
  if (p.spatial() < 1 || p.spatial() > 3 || u.out[0].elements() == 0) return false;
  if (u.in[0].elements() == 0 || u.in[1].elements() == 0) return false;
  for (size_t d = 0; d < p.spatial(); ++d) {
    if (dilates_lhs(p) && p.window_strides[d] != 1) return false;
    if (std::max({dilated(size_of(u.in[0], p.lhs_spec, d + 2), p.lhs_dilation[d]),
                  dilated(size_of(u.in[1], p.rhs_spec, d + 2), p.rhs_dilation[d]),
                  dilated(size_of(u.out[0], p.out_spec, d + 2), p.window_strides[d]),
                  p.window_strides[d], p.lhs_dilation[d], p.rhs_dilation[d]}) > most)
      return false;
  }
  return true;
}

// The number of multiplications for one image of one lane. It includes those by the zeros between
// the elements of a dilated lhs.
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

// The share of these multiplications that are by elements of lhs.
double share_of_elements(const Conv& p) {
  double share = 1;
  for (const int64_t d : p.lhs_dilation) share /= static_cast<double>(d);
  return share;
}

// Nanoseconds per multiplication and per call. The library is used for images with about 9500
// multiplications or more (docs/decisions/0019). Generated code for a dilated lhs divides for each
// multiplication.
constexpr double generated_ns = 0.7, dilated_ns = 2.5, library_ns = native::conv_multiplication_ns,
                 library_call_ns = native::conv_call_ns;

double generated_cost(const Use<Conv>& u) {
  return multiplications(u) * (dilates_lhs(u.params) ? dilated_ns : generated_ns);
}

// Gradients by the kernel have few results for each image, from windows as large as the images. The
// library computes all images with one call if a call for each of them would take longer to start
// than to run (docs/decisions/0069). It also does so for depthwise convolutions, where each group
// of the batch is one image and gives one feature. Another call would use one place of its vectors.
constexpr double small_image = 1e6;
constexpr int64_t several = 4;
bool computes_images_together(const Use<Conv>& u) {
  const Conv& p = u.params;
  if (dilates_lhs(p)) return false;
  double window = 1, results = 1;
  for (size_t d = 0; d < p.spatial(); ++d) {
    window *= static_cast<double>(size_of(u.in[1], p.rhs_spec, d + 2));
    results *= static_cast<double>(size_of(u.out[0], p.out_spec, d + 2));
  }
  const int64_t calls = size_of(u.in[0], p.lhs_spec, 0), groups = p.batch_group_count;
  if (window <= results || calls < several * p.feature_group_count) return false;
  const bool depthwise = groups > 1 && calls == groups && size_of(u.in[1], p.rhs_spec, 0) == groups;
  return depthwise || multiplications(u) < small_image;
}

// A single call with more than large_image multiplications is split. It gets one more part for each
// part_of_image multiplications. The split does not depend on the number of threads.
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
  c.lhs_image = step(lhs, p.lhs_spec[0]);
  c.out_image = step(out, p.out_spec[0]);
  c.taken = size_of(u.in[1], p.rhs_spec, 1);
  c.given = size_of(u.in[1], p.rhs_spec, 0) / (p.feature_group_count * p.batch_group_count);
  const int64_t images = size_of(u.out[0], p.out_spec, 0);
  const auto divided = [&](int64_t parts, int64_t of_lhs) {
    if (parts > 1)
      c.walks.push_back({parts, of_lhs, c.given * c.rhs_given, c.given * c.out_feature});
  };
  if (computes_images_together(u)) {
    c.form = Convolution::Form::backward_weights;
    c.groups = p.batch_group_count;
    c.images = images;
    divided(p.feature_group_count, c.taken * c.lhs_feature);
  } else {
    if (dilates_lhs(p)) c.form = Convolution::Form::transposed;
    c.groups = p.feature_group_count;
    divided(p.batch_group_count, images * c.lhs_image);
    c.walks.push_back({images, c.lhs_image, 0, c.out_image});
  }
  for (size_t d = 0; d < p.spatial(); ++d)
    c.axes.push_back({size_of(u.in[0], p.lhs_spec, d + 2), size_of(u.in[1], p.rhs_spec, d + 2),
                      size_of(u.out[0], p.out_spec, d + 2), p.window_strides[d], p.lhs_dilation[d],
                      p.rhs_dilation[d], p.low[d], p.high[d], step(lhs, p.lhs_spec[d + 2]),
                      step(rhs, p.rhs_spec[d + 2]), step(out, p.out_spec[d + 2])});
  return c;
}

double library_cost(const Use<Conv>& u) {
  const bool together = computes_images_together(u);
  const double calls =
      together ? 1 / static_cast<double>(size_of(u.in[0], u.params.lhs_spec, 0)) : 1;
  const double ns =
      library_call_ns * calls + library_ns * share_of_elements(u.params) * multiplications(u);
  // Lanes do not leave a loop for a small image.
  return u.in_loop || together ? ns
                               : std::min(ns, native::PatchProduct::cost_ns(convolution_of(u)));
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

// A part of a convolution, and the offsets of its operands and its result.
struct Part {
  Convolution c;
  int64_t lhs = 0, out = 0;
};
// Rows first … last - 1 of the result along spatial axis d, from the rows of lhs that they read.
// Rows at the ends whose windows are entirely in the padding are left out: they are zero. The
// library requires that the padding is not negative and smaller than the window.
std::optional<Part> rows_of(const Part& whole, size_t d, int64_t first, int64_t last) {
  Part p = whole;
  Convolution::Axis& a = p.c.axes[d];
  const int64_t window = dilated(a.kernel, a.dilation), size = dilated(a.in, a.lhs_dilation);
  first = std::max(first, ceil_div(a.low - window + 1, a.stride));
  const int64_t reading = std::min(last, floor_div(size - 1 + a.low, a.stride) + 1);
  if (first >= reading) return std::nullopt;
  // A transposed convolution may have a few zero rows at the end.
  if (last - reading >= a.lhs_dilation) last = reading;
  // The windows begin and end at these positions among the elements of lhs and between them.
  const int64_t begin = first * a.stride - a.low, end = (last - 1) * a.stride - a.low + window;
  // The padding before lhs must be smaller than the window, also if lhs has wide gaps.
  const int64_t from = std::max<int64_t>(
      0, std::min(ceil_div(begin, a.lhs_dilation), floor_div(begin + window - 1, a.lhs_dilation)));
  int64_t to = std::min(a.in, ceil_div(end, a.lhs_dilation));
  // The library ignores fewer rows than a stride at the end. They remain, so that lhs is dense.
  const int64_t stride = p.c.form == Convolution::Form::backward_weights ? a.dilation : a.stride;
  if (a.in - to < stride) to = a.in;
  p.lhs += from * a.lhs_step;
  p.out += first * a.out_step;
  a.low = from * a.lhs_dilation - begin;
  a.high = std::max<int64_t>(0, end - 1 - (to - 1) * a.lhs_dilation);
  a.in = to - from;
  a.out = last - first;
  return p;
}

// The number of parts of a call with this many multiplications.
int64_t part_count(double work) {
  return std::clamp(static_cast<int64_t>(work / part_of_image), int64_t{2}, max_parts);
}
// The images, or the groups, of a single large call are split: if possible, into whole blocks.
void split_images(Convolution* c, double work) {
  if (c->calls() != 1 || work <= large_image) return;
  const bool by_groups = c->groups > 1;
  int64_t& all = by_groups ? c->groups : c->images;
  for (const int64_t block : {feature_block, int64_t{1}})
    for (int64_t n = part_count(work); n > 1; --n) {
      if (all % (n * block) != 0) continue;
      all /= n;
      if (by_groups)
        c->walks.push_back({n, all * c->images * c->lhs_image, all * c->given * c->rhs_given,
                            all * c->given * c->out_feature});
      else
        c->walks.push_back({n, all * c->lhs_image, 0, all * c->out_image});
      return;
    }
}
// Images are distributed among threads. A single large image is split into halves of its features
// if these are whole blocks, else by rows. Elements of the result that are in no part are zero.
std::vector<Part> parts_of(const Use<Conv>& u) {
  Part whole{convolution_of(u)};
  Convolution& c = whole.c;
  double work = multiplications(u) * share_of_elements(u.params);
  if (c.form == Convolution::Form::backward_weights) {
    work *= static_cast<double>(size_of(u.in[0], u.params.lhs_spec, 0));
    split_images(&c, work);
  }
  for (size_t d = 0; d < c.axes.size(); ++d) {
    const std::optional<Part> p = rows_of(whole, d, 0, c.axes[d].out);
    if (!p) return {};
    whole = *p;
  }
  if (c.form == Convolution::Form::backward_weights || c.calls() != 1 || work <= large_image)
    return {whole};
  const int64_t rows = c.axes[0].out;
  const bool whole_blocks = c.given % (2 * feature_block) == 0;
  if (c.groups == 1 && c.given % 2 == 0 && (whole_blocks || rows < 2 * min_rows)) {
    c.given /= 2;
    c.walks.push_back({2, 0, c.given * c.rhs_given, c.given * c.out_feature});
    return {whole};
  }
  const int64_t n = std::max<int64_t>(1, std::min(part_count(work), rows / min_rows));
  std::vector<Part> parts;
  for (int64_t i = 0; i < n; ++i)
    if (const auto p = rows_of(whole, 0, rows * i / n, rows * (i + 1) / n)) parts.push_back(*p);
  return parts;
}
// True if the parts compute every element of the result.
bool covers(const std::vector<Part>& parts, const Type& out) {
  double n = 0;
  for (const Part& p : parts) {
    double of_part = static_cast<double>(p.c.calls() * p.c.images * p.c.groups * p.c.given);
    for (const Convolution::Axis& a : p.c.axes) of_part *= static_cast<double>(a.out);
    n += of_part;
  }
  return n == static_cast<double>(out.elements());
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

constexpr const char* device_library = "cuDNN";
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

// The same without lhs dilation and padding, for an lhs in which the zeros are stored.
Conv with_stored_zeros(Conv p) {
  p.lhs_dilation.assign(p.spatial(), 1);
  p.low.assign(p.spatial(), 0);
  p.high.assign(p.spatial(), 0);
  return p;
}
Ints sizes_with_zeros(const Use<Conv>& u) {
  const Conv& p = u.params;
  Ints sizes = u.in[0].shape().sizes();
  for (size_t d = 0; d < p.spatial(); ++d) {
    int64_t& n = sizes[p.lhs_spec[d + 2]];
    n = dilated(n, p.lhs_dilation[d]) + p.low[d] + p.high[d];
  }
  return sizes;
}
double elements_with_zeros(const Use<Conv>& u) {
  double n = 1;
  for (const int64_t k : sizes_with_zeros(u)) n *= static_cast<double>(k);
  return n;
}
constexpr double most_stored = 1e9;  // elements; more of them hardly fit into memory
// A program with stored zeros pays if a library runs the rest of it, outside of a lane.
bool zeros_can_be_stored(const Use<Conv>& u) {
  if (!dilates_lhs(u.params) || u.in_loop || u.out[0].elements() == 0) return false;
  if (elements_with_zeros(u) > most_stored) return false;
  const Conv p = with_stored_zeros(u.params);
  const Types in{Type(u.in[0].dtype(), Shape(sizes_with_zeros(u))), u.in[1]};
  const Use<Conv> stored{in, u.out, p, u.target};
  if (!u.target.gpu) return library_applies(stored);
  return u.target.libraries && u.target.libraries->missing(device_library).empty() &&
         device_calls::takes_convolution(stored);
}
double cost_of_stored_zeros(const Use<Conv>& u) {
  return elements_with_zeros(u) +
         (u.target.gpu ? device_cost(u) : library_call_ns + library_ns * multiplications(u));
}

struct PartConvolver {
  Part part;
  native::Convolver convolver;
  explicit PartConvolver(const Part& p) : part(p), convolver(p.c) {}
};
NativeCall library_call(const Use<Conv>& u) {
  const auto made = std::make_shared<std::vector<std::unique_ptr<PartConvolver>>>();
  const std::vector<Part> parts = parts_of(u);
  for (const Part& p : parts) made->push_back(std::make_unique<PartConvolver>(p));
  NativeCall call;
  call.run = [made, a = u.in[0].elements(), b = u.in[1].elements(), n = u.out[0].elements(),
              whole = covers(parts, u.out[0])](const NativeArgs& args) {
    const float *lhs = args.in<float>(0, a), *rhs = args.in<float>(1, b);
    float* const out = args.out<float>(0, n);
    if (!whole)
      parallel_for(n, int64_t{1} << 16,
                   [&](int64_t first, int64_t last) { std::fill(out + first, out + last, 0.f); });
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
  const Implementation<Conv> nest{.name = std::string(generated), .cost = generated_cost};
  const Implementation<Conv> library{
      .name = "library", .applies = library_applies, .cost = library_cost, .make = library_call};
  const Implementation<Conv> device{.name = "cudnn",
                                    .applies = device_calls::takes_convolution,
                                    .cost = device_cost,
                                    .make = device_call,
                                    .library = device_library};
  const Implementation<Conv> stored{
      .name = std::string(expanded), .applies = zeros_can_be_stored, .cost = cost_of_stored_zeros};
  return {nest, library, stored, device};
}

Arrays conv_with_stored_zeros(const ExpandArgs<Conv>& e) {
  const Conv& p = e.params;
  const Array& lhs = e.x[0];
  const size_t rank = lhs.shape().sizes().size();
  Ints low(rank, 0), high(rank, 0), between(rank, 0);
  for (size_t d = 0; d < p.spatial(); ++d) {
    const int64_t axis = p.lhs_spec[d + 2];
    low[axis] = p.low[d];
    high[axis] = p.high[d];
    between[axis] = p.lhs_dilation[d] - 1;
  }
  const Array zero = base::convert(Array(0.), lhs.dtype(), lhs.weak_type());
  return {e.op({pad_with(lhs, zero, low, high, between), e.x[1]}, with_stored_zeros(p))};
}

}  // namespace weft
