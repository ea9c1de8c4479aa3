// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/dnn.cpp: descriptors of a convolution, and the choice of an algorithm.
// Only algorithms that sum products directly are used, not those that transform the data first.
#include "runtime/cuda/libraries/dnn.h"

#include <array>
#include <mutex>

#include "runtime/cuda/libraries/call.h"

namespace weft::cuda {
namespace {

// An algorithm that needs more workspace is not chosen; the value was not tuned by measurement.
constexpr size_t max_workspace = 256 << 20;

std::vector<int> ints(const Ints& x) { return {x.begin(), x.end()}; }
std::vector<int> with_batch(int64_t batch, const Ints& x) {
  std::vector<int> all = ints(x);
  all.insert(all.begin(), static_cast<int>(batch));
  return all;
}
int number_of(DType d) {
  return d == F32    ? number::dnn_float
         : d == F64  ? number::dnn_double
         : d == BF16 ? number::dnn_bfloat16
                     : number::dnn_half;
}

class DnnConvolver final : public Convolver {
 public:
  explicit DnnConvolver(const Convolution& c) : c_(c) {}
  void run(const NativeArgs& args) override {
    const std::lock_guard lock(guard_);
    LibraryCall call(args, cudnn, name_of_convolution);
    const std::byte *const images = call.operand(0, bytes(c_.batch, c_.image)),
                           *const filters = call.operand(1, bytes(1, c_.filter));
    std::byte* const to = call.result(0, bytes(c_.batch, c_.result));
    const DnnHandle handle = call.dnn_handle();
    const Dnn& l = dnn(call.driver());
    if (made_for_ != &call.gpu()) make(call, l, handle);
    const double twice[] = {1, 0};
    const float single[] = {1, 0};
    const auto scale = [&](int i) {
      return c_.type == F64 ? static_cast<const void*>(&twice[i])
                            : static_cast<const void*>(&single[i]);
    };
    void* const workspace = call.workspace(static_cast<int64_t>(workspace_));
    call.check(name_of_convolution,
               l.forward(handle, scale(0), images_.handle, images, filters_.handle, filters,
                         convolution_.handle, algorithm_, workspace, workspace_, scale(1),
                         results_.handle, to));
    call.done();
  }

 private:
  int64_t bytes(int64_t n, const Ints& extents) const {
    for (const int64_t e : extents) n *= e;
    return n * itemsize(c_.type);
  }
  void lay_out(LibraryCall& call, const Dnn& l, OwnedHandle<TensorHandle>& h, const Ints& extents) {
    if (!h.handle) {
      h.destroy = l.tensor_destroy;
      call.check("cudnnCreateTensorDescriptor", l.tensor_create(&h.handle));
    }
    const std::vector<int> all = with_batch(c_.batch, extents);
    std::vector<int> steps(all.size(), 1);
    for (size_t a = all.size() - 1; a-- > 0;) steps[a] = steps[a + 1] * all[a + 1];
    call.check("cudnnSetTensorNdDescriptor",
               l.tensor_set(h.handle, number_of(c_.type), static_cast<int>(all.size()), all.data(),
                            steps.data()));
  }
  void describe(LibraryCall& call, const Dnn& l) {
    lay_out(call, l, images_, c_.image);
    lay_out(call, l, results_, c_.result);
    if (!filters_.handle) {
      filters_.destroy = l.filter_destroy;
      call.check("cudnnCreateFilterDescriptor", l.filter_create(&filters_.handle));
    }
    const std::vector<int> filter = ints(c_.filter);
    call.check("cudnnSetFilterNdDescriptor",
               l.filter_set(filters_.handle, number_of(c_.type), number::nchw,
                            static_cast<int>(filter.size()), filter.data()));
    if (!convolution_.handle) {
      convolution_.destroy = l.convolution_destroy;
      call.check("cudnnCreateConvolutionDescriptor", l.convolution_create(&convolution_.handle));
    }
    call.check("cudnnSetConvolutionNdDescriptor",
               l.convolution_set(convolution_.handle, static_cast<int>(c_.strides.size()),
                                 ints(c_.padding).data(), ints(c_.strides).data(),
                                 ints(c_.dilation).data(), number::cross_correlation,
                                 c_.type == F64 ? number::dnn_double : number::dnn_float));
    call.check("cudnnSetConvolutionGroupCount",
               l.set_groups(convolution_.handle, static_cast<int>(c_.groups)));
    set_math(call, l, math());
  }
  // F32 is computed without TF32.
  int math() const {
    return c_.type == F32 || c_.type == F64 ? number::fma_math : number::tensor_op_math;
  }
  void set_math(LibraryCall& call, const Dnn& l, int math) {
    call.check("cudnnSetConvolutionMathType", l.set_math(convolution_.handle, math));
  }
  // Takes the first suitable algorithm of the library's list, which is sorted by time. Falls back
  // to implicit GEMM, which always exists.
  void make(LibraryCall& call, const Dnn& l, DnnHandle handle) {
    describe(call, l);
    std::array<ConvolutionChoice, 8> all{};
    int found = 0;
    call.check("cudnnGetConvolutionForwardAlgorithm_v7",
               l.choose(handle, images_.handle, filters_.handle, convolution_.handle,
                        results_.handle, static_cast<int>(all.size()), &found, all.data()));
    algorithm_ = number::implicit_gemm;
    int math_of_choice = math();
    for (const ConvolutionChoice& c : std::span(all).first(static_cast<size_t>(found))) {
      const bool narrows = c.math == number::tensor_op_math && math() == number::fma_math;
      if (c.state != 0 || c.algorithm > number::direct || c.workspace > max_workspace || narrows)
        continue;
      algorithm_ = c.algorithm;
      math_of_choice = c.math;
      break;
    }
    set_math(call, l, math_of_choice);
    call.check("cudnnGetConvolutionForwardWorkspaceSize",
               l.workspace(handle, images_.handle, filters_.handle, convolution_.handle,
                           results_.handle, algorithm_, &workspace_));
    made_for_ = &call.gpu();
  }

  const Convolution c_;
  std::mutex guard_;  // guards the members below
  const Gpu* made_for_ = nullptr;
  OwnedHandle<TensorHandle> images_, results_;
  OwnedHandle<FilterHandle> filters_;
  OwnedHandle<ConvolutionHandle> convolution_;
  int algorithm_ = 0;
  size_t workspace_ = 0;
};

}  // namespace

std::shared_ptr<Convolver> make_convolver(const Convolution& c) {
  return std::make_shared<DnnConvolver>(c);
}

}  // namespace weft::cuda
