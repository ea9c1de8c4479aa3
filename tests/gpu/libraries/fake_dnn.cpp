// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_dnn.cpp: implements cuDNN's convolution by its definition, on memory of
// the emulated device.
#include <cstring>
#include <vector>

#include "gpu/libraries/fake_libraries.h"

using weft::cuda::Status;
namespace number = weft::cuda::number;

namespace weft::cuda {

struct TensorOf {
  int type = -1;
  std::vector<int64_t> sizes;
};
struct FilterOf {
  int type = -1;
  std::vector<int64_t> sizes;
};
struct ConvolutionOf {
  std::vector<int64_t> padding, strides, dilation;
  int compute = -1, groups = 1, math = 0;
};

}  // namespace weft::cuda

namespace {

using fake::destroyed, fake::made;

constexpr int chosen = 1;
constexpr size_t room = 3000;

int64_t product(const std::vector<int64_t>& n, size_t from = 0) {
  int64_t p = 1;
  for (size_t a = from; a < n.size(); ++a) p *= n[a];
  return p;
}
int cuda_type(int dnn) {
  return dnn == number::dnn_float    ? number::r_32f
         : dnn == number::dnn_double ? number::r_64f
         : dnn == number::dnn_half   ? number::r_16f
                                     : number::r_16bf;
}

struct Convolve {
  weft::cuda::TensorOf x, y;
  weft::cuda::FilterOf w;
  weft::cuda::ConvolutionOf c;
  const void *images, *filters;
  void* to;

  bool fits() const {
    const size_t space = c.strides.size();
    if (x.sizes.size() != space + 2 || w.sizes.size() != space + 2 || y.sizes.size() != space + 2 ||
        space < 2)
      return false;
    if (x.sizes[0] != y.sizes[0] || w.sizes[0] != y.sizes[1] ||
        w.sizes[1] * c.groups != x.sizes[1] || w.sizes[0] % c.groups != 0)
      return false;
    for (size_t d = 0; d < space; ++d) {
      const int64_t window = (w.sizes[d + 2] - 1) * c.dilation[d] + 1;
      if (y.sizes[d + 2] != (x.sizes[d + 2] + 2 * c.padding[d] - window) / c.strides[d] + 1)
        return false;
    }
    return true;
  }
  // Returns element `at` of the result. `at` counts within the image and channel.
  double element(int64_t image, int64_t output, int64_t at) const {
    const size_t space = c.strides.size();
    const int64_t taken = w.sizes[1], windows = product(w.sizes, 2), pixels = product(x.sizes, 2),
                  first = output / (w.sizes[0] / c.groups) * taken;
    double sum = 0;
    for (int64_t k = 0; k < windows; ++k) {
      int64_t pixel = 0, step = 1, left = k, place = at;
      bool inside = true;
      for (size_t d = space; d-- > 0;) {
        const int64_t i = place % y.sizes[d + 2] * c.strides[d] - c.padding[d] +
                          left % w.sizes[d + 2] * c.dilation[d];
        inside = inside && i >= 0 && i < x.sizes[d + 2];
        pixel += i * step;
        step *= x.sizes[d + 2];
        left /= w.sizes[d + 2];
        place /= y.sizes[d + 2];
      }
      for (int64_t channel = 0; inside && channel < taken; ++channel)
        sum += fake::read(cuda_type(x.type), images,
                          (image * x.sizes[1] + first + channel) * pixels + pixel) *
               fake::read(cuda_type(w.type), filters, (output * taken + channel) * windows + k);
    }
    return sum;
  }
  void run() const {
    const int64_t places = product(y.sizes, 2);
    for (int64_t i = 0; i < product(y.sizes); ++i)
      fake::write(cuda_type(y.type), to, i,
                  element(i / places / y.sizes[1], i / places % y.sizes[1], i % places));
  }
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
namespace weft::cuda {

Status cudnnCreate(DnnHandle* h) {
  const fake::Call c("cudnnCreate");
  if (!c) return c.status();
  *h = new DnnOf;
  ++fake::live.handles;
  return 0;
}
Status cudnnSetStream(DnnHandle h, StreamHandle s) {
  fake::Call c("cudnnSetStream");
  c.on(s);
  if (c) h->stream = s;
  return c.status();
}
Status cudnnGetProperty(int which, int* value) {
  return fake::property("cudnnGetProperty", which, value);
}
Status cudnnCreateTensorDescriptor(TensorHandle* h) {
  return made<TensorOf>("cudnnCreateTensorDescriptor", h, {});
}
Status cudnnDestroyTensorDescriptor(TensorHandle h) {
  return destroyed("cudnnDestroyTensorDescriptor", h);
}
Status cudnnSetTensorNdDescriptor(TensorHandle h, int type, int n, const int* sizes,
                                  const int* steps) {
  fake::Call c("cudnnSetTensorNdDescriptor", false);
  int64_t step = 1;
  for (int a = n; a-- > 0; step *= sizes[a]) c.require(steps[a] == step, "gaps in a tensor");
  c.require(n >= 4, "no two axes in space");
  if (c) *h = {type, {sizes, sizes + n}};
  return c.status();
}
Status cudnnCreateFilterDescriptor(FilterHandle* h) {
  return made<FilterOf>("cudnnCreateFilterDescriptor", h, {});
}
Status cudnnDestroyFilterDescriptor(FilterHandle h) {
  return destroyed("cudnnDestroyFilterDescriptor", h);
}
Status cudnnSetFilterNdDescriptor(FilterHandle h, int type, int format, int n, const int* sizes) {
  fake::Call c("cudnnSetFilterNdDescriptor", false);
  c.require(format == number::nchw, "another format than filters have");
  if (c) *h = {type, {sizes, sizes + n}};
  return c.status();
}
Status cudnnCreateConvolutionDescriptor(ConvolutionHandle* h) {
  return made<ConvolutionOf>("cudnnCreateConvolutionDescriptor", h, {});
}
Status cudnnDestroyConvolutionDescriptor(ConvolutionHandle h) {
  return destroyed("cudnnDestroyConvolutionDescriptor", h);
}
Status cudnnSetConvolutionNdDescriptor(ConvolutionHandle h, int n, const int* padding,
                                       const int* strides, const int* dilation, int mode,
                                       int compute) {
  fake::Call c("cudnnSetConvolutionNdDescriptor", false);
  c.require(mode == number::cross_correlation, "filters turned around");
  if (c)
    *h = {{padding, padding + n}, {strides, strides + n}, {dilation, dilation + n}, compute, 1, 0};
  return c.status();
}
Status cudnnSetConvolutionGroupCount(ConvolutionHandle h, int groups) {
  const fake::Call c("cudnnSetConvolutionGroupCount", false);
  if (c) h->groups = groups;
  return c.status();
}
Status cudnnSetConvolutionMathType(ConvolutionHandle h, int math) {
  const fake::Call c("cudnnSetConvolutionMathType", false);
  if (c) h->math = math;
  return c.status();
}
// Lists algorithms that the caller must not choose first. One uses transforms, one uses narrower
// products, one needs too much workspace, and one has failed.
Status cudnnGetConvolutionForwardAlgorithm_v7(DnnHandle, TensorHandle, FilterHandle,
                                              ConvolutionHandle conv, TensorHandle, int wanted,
                                              int* found, ConvolutionChoice* to) {
  const fake::Call c("cudnnGetConvolutionForwardAlgorithm_v7");
  if (!c) return c.status();
  const bool wide = conv->math == number::fma_math;
  const ConvolutionChoice all[] = {
      {6, 0, 1, 100, 1, conv->math, {}},
      {2, 0, 2, 100, 1, wide ? number::tensor_op_math : conv->math, {}},
      {0, 0, 3, size_t{1} << 40, 1, conv->math, {}},
      {3, 3000, 4, 100, 1, conv->math, {}},
      {chosen, 0, 5, room, 1, conv->math, {}}};
  *found = wide ? 5 : 1;
  if (!wide) to[0] = {chosen, 0, 5, room, 1, conv->math, {}};
  for (int i = 0; wide && i < *found && i < wanted; ++i) to[i] = all[i];
  return 0;
}
Status cudnnGetConvolutionForwardWorkspaceSize(DnnHandle, TensorHandle, FilterHandle,
                                               ConvolutionHandle, TensorHandle, int algorithm,
                                               size_t* bytes) {
  fake::Call c("cudnnGetConvolutionForwardWorkspaceSize");
  c.require(algorithm == chosen, "another choice than was to be made");
  *bytes = room;
  return c.status();
}
Status cudnnConvolutionForward(DnnHandle h, const void* alpha, TensorHandle x, const void* images,
                               FilterHandle w, const void* filters, ConvolutionHandle conv,
                               int algorithm, void* work, size_t bytes, const void* beta,
                               TensorHandle y, void* to) {
  fake::Call c("cudnnConvolutionForward");
  c.on(h->stream);
  const Convolve run{*x, *y, *w, *conv, images, filters, to};
  const bool wide = x->type == number::dnn_double, narrow = x->type >= number::dnn_half;
  const int scale = wide ? number::r_64f : number::r_32f;
  c.require(fake::read(scale, alpha, 0) == 1 && fake::read(scale, beta, 0) == 0,
            "factors other than 1 and 0");
  c.require(conv->compute == (wide ? number::dnn_double : number::dnn_float) &&
                conv->math == (narrow ? number::tensor_op_math : number::fma_math),
            "sums of another type");
  c.require(run.fits() && x->type == y->type && x->type == w->type, "sizes that do not fit");
  c.require(algorithm == chosen && bytes == room, "another choice than was made");
  const int64_t item = fake::item(cuda_type(x->type));
  c.inside(images, product(x->sizes) * item);
  c.inside(filters, product(w->sizes) * item);
  c.inside(to, product(y->sizes) * item);
  c.inside(work, static_cast<int64_t>(bytes));
  return c.queue([=] {
    std::memset(work, 0xee, bytes);
    run.run();
  });
}

}  // namespace weft::cuda
}
#pragma GCC visibility pop
