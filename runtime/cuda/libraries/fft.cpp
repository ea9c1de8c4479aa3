// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/libraries/fft.cpp: plans of cuFFT. The workspace is allocated on the device for each
// run.
#include "runtime/cuda/libraries/fft.h"

#include <fmt/format.h>

#include <mutex>

#include "runtime/cuda/libraries/call.h"

namespace weft::cuda {
namespace {

using Kind = Transform::Kind;

class FftTransformer final : public Transformer {
 public:
  explicit FftTransformer(const Transform& t) : t_(t), name_(name_of_transform(t)) {}
  ~FftTransformer() override { drop(); }
  void run(const NativeArgs& args) override {
    const std::lock_guard lock(guard_);
    LibraryCall c(args, cufft, name_);
    std::byte *const from = c.operand(0, elements(t_.kind != Kind::from_real)),
                     *const to = c.result(0, elements(t_.kind != Kind::to_real));
    const Fft& l = fft(c.driver());
    if (plan_ < 0) make(c, l);
    c.check("cufftSetWorkArea",
            l.set_work_area(plan_, c.workspace(static_cast<int64_t>(workspace_))));
    c.check(name_, execute(l, from, to));
    c.done();
  }

 private:
  bool wide() const { return t_.parts == F64; }
  // The bytes of all elements on the complex side or on the other side.
  int64_t elements(bool complex) const {
    int64_t n = t_.batch * itemsize(t_.parts) * (complex ? 2 : 1);
    for (size_t a = 0; a < t_.lengths.size(); ++a) n *= extent(a, complex);
    return n;
  }
  int64_t extent(size_t axis, bool complex) const {
    const bool halved = t_.kind == Kind::from_real || t_.kind == Kind::to_real;
    const bool last = axis + 1 == t_.lengths.size();
    return halved && complex && last ? t_.lengths[axis] / 2 + 1 : t_.lengths[axis];
  }
  int type() const {
    if (t_.kind == Kind::from_real) return wide() ? number::d2z : number::r2c;
    if (t_.kind == Kind::to_real) return wide() ? number::z2d : number::c2r;
    return wide() ? number::z2z : number::c2c;
  }
  Status execute(const Fft& l, void* from, void* to) const {
    if (t_.kind == Kind::from_real) return (wide() ? l.d2z : l.r2c)(plan_, from, to);
    if (t_.kind == Kind::to_real) return (wide() ? l.z2d : l.c2r)(plan_, from, to);
    return (wide() ? l.z2z : l.c2c)(
        plan_, from, to, t_.kind == Kind::forward ? number::fft_forward : number::fft_inverse);
  }
  // A plan that could not be completed is destroyed.
  void make(LibraryCall& c, const Fft& l) {
    gpu_ = &c.gpu();
    c.check("cufftCreate", l.create(&plan_));
    try {
      c.check("cufftSetAutoAllocation", l.allocate_itself(plan_, 0));
      // The layouts are given explicitly, so that the library assumes no padding.
      long long n[3] = {}, in[3] = {}, out[3] = {}, of_in = 1, of_out = 1;
      for (size_t a = 0; a < t_.lengths.size(); ++a) {
        n[a] = t_.lengths[a];
        of_in *= in[a] = extent(a, t_.kind != Kind::from_real);
        of_out *= out[a] = extent(a, t_.kind != Kind::to_real);
      }
      c.check("cufftMakePlanMany64", l.plan(plan_, static_cast<int>(t_.lengths.size()), n, in, 1,
                                            of_in, out, 1, of_out, type(), t_.batch, &workspace_));
      c.check("cufftSetStream", l.set_stream(plan_, c.stream()));
    } catch (...) {
      drop();
      throw;
    }
  }
  void drop() {
    if (plan_ >= 0) gpu_->if_usable([&] { fft(gpu_->driver()).destroy(plan_); });
    plan_ = -1;
  }

  const Transform t_;
  const std::string name_;
  std::mutex guard_;  // guards the members below
  Gpu* gpu_ = nullptr;
  FftPlan plan_ = -1;
  size_t workspace_ = 0;
};

}  // namespace

std::string name_of_transform(const Transform& t) {
  const bool wide = t.parts == F64;
  if (t.kind == Kind::from_real) return wide ? "cufftExecD2Z" : "cufftExecR2C";
  if (t.kind == Kind::to_real) return wide ? "cufftExecZ2D" : "cufftExecC2R";
  return wide ? "cufftExecZ2Z" : "cufftExecC2C";
}

std::shared_ptr<Transformer> make_transformer(const Transform& t) {
  return std::make_shared<FftTransformer>(t);
}

}  // namespace weft::cuda
