// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/conv.cpp: convolutions by oneDNN, one image per thread at a time. Operands and
// results are reordered to the memory layout that oneDNN prefers.
#include "runtime/native/conv.h"

#include <algorithm>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "core/fork_mutex.h"
#include "core/ir.h"
#include "runtime/native/library_threads.h"
#include "weft/buffer.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::native {
namespace {

using dnnl::memory;
using Forward = dnnl::convolution_forward;

const dnnl::engine& cpu() {
  static const auto* const e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}
memory::desc any_order(const memory::dims& d) {
  return {d, memory::data_type::f32, memory::format_tag::any};
}

// The dims and strides of one image, of the kernel or of a result.
struct Laid {
  memory::dims dims, steps;
  memory::desc desc() const { return {dims, memory::data_type::f32, steps}; }
};
Laid image_of(int64_t features, int64_t step, const std::vector<Convolution::Axis>& axes,
              int64_t Convolution::Axis::* size, int64_t Convolution::Axis::* between) {
  Laid l{{1, features}, {1, step}};
  for (const Convolution::Axis& a : axes) {
    l.dims.push_back(a.*size);
    l.steps.push_back(a.*between);
  }
  return l;
}
Laid kernel_of(const Convolution& c) {
  Laid l = image_of(c.taken, c.rhs_taken, c.axes, &Convolution::Axis::kernel,
                    &Convolution::Axis::rhs_step);
  l.dims[0] = c.given;
  l.steps[0] = c.rhs_given;
  if (c.groups > 1) {
    l.dims.insert(l.dims.begin(), c.groups);
    l.steps.insert(l.steps.begin(), c.given * c.rhs_given);
  }
  return l;
}
memory::dims each(const Convolution& c, int64_t Convolution::Axis::* what, int64_t less = 0) {
  memory::dims d;
  for (const Convolution::Axis& a : c.axes) d.push_back(a.*what - less);
  return d;
}

Forward::primitive_desc described(const Convolution& c, const Laid& lhs, const Laid& rhs,
                                  const Laid& out) {
  using Axis = Convolution::Axis;
  const Forward::desc d(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                        any_order(lhs.dims), any_order(rhs.dims), any_order(out.dims),
                        each(c, &Axis::stride), each(c, &Axis::dilation, 1), each(c, &Axis::low),
                        each(c, &Axis::high));
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {d, attr, cpu()};
}

// Returns f(). An error of the library, which means that memory is insufficient, becomes
// OutOfMemoryError.
template <class F>
auto asked(F f) {
  try {
    return f();
  } catch (const dnnl::error& e) {
    throw OutOfMemoryError(std::string("oneDNN could not run a convolution: ") + e.what());
  }
}

constexpr int64_t aligned(size_t bytes) { return (static_cast<int64_t>(bytes) + 63) / 64 * 64; }

// The offsets of one item in the three arrays.
struct ItemOffsets {
  int64_t lhs = 0, rhs = 0, out = 0;
};
ItemOffsets offsets_of(const Convolution& c, int64_t i) {
  ItemOffsets p;
  for (auto w = c.walks.rbegin(); w != c.walks.rend(); ++w) {
    const int64_t k = i % w->count;
    i /= w->count;
    p.lhs += k * w->lhs;
    p.rhs += k * w->rhs;
    p.out += k * w->out;
  }
  return p;
}

// The caller's layout of an array and the layout that the library prefers.
struct Sides {
  memory::desc given, wanted;
  bool differ() const { return given != wanted; }
  int64_t bytes() const { return differ() ? aligned(wanted.get_size()) : 0; }
};
void move(const dnnl::stream& s, const memory& from, const memory& to) {
  memory source = from, target = to;
  dnnl::reorder(source, target).execute(s, source, target);
}

}  // namespace

struct Convolver::Plan {
  Laid lhs_laid, rhs_laid, out_laid;
  Forward::primitive_desc desc;
  Forward forward;
  Sides lhs, rhs, out;
  explicit Plan(const Convolution& c)
      : lhs_laid(image_of(c.groups * c.taken, c.lhs_feature, c.axes, &Convolution::Axis::in,
                          &Convolution::Axis::lhs_step)),
        rhs_laid(kernel_of(c)),
        out_laid(image_of(c.groups * c.given, c.out_feature, c.axes, &Convolution::Axis::out,
                          &Convolution::Axis::out_step)),
        desc(described(c, lhs_laid, rhs_laid, out_laid)),
        forward(desc),
        lhs{lhs_laid.desc(), desc.src_desc()},
        rhs{rhs_laid.desc(), desc.weights_desc()},
        out{out_laid.desc(), desc.dst_desc()} {}
  int64_t scratch() const { return aligned(desc.scratchpad_desc().get_size()); }
  // Bytes for one thread, without the kernel.
  int64_t bytes() const { return lhs.bytes() + out.bytes() + scratch(); }
};

namespace {

// The grain does not affect the result: every image is computed the same way.
int64_t grain_of(const Convolution& c) {
  double work = static_cast<double>(c.groups * c.taken * c.given);
  for (const Convolution::Axis& a : c.axes) work *= static_cast<double>(a.kernel * a.out);
  return static_cast<int64_t>(std::max(1., 1e6 / std::max(1., work)));
}
bool shares_kernel(const Convolution& c) {
  return std::all_of(c.walks.begin(), c.walks.end(),
                     [](const Convolution::Walk& w) { return w.count == 1 || w.rhs == 0; });
}

}  // namespace

int64_t Convolution::images() const {
  int64_t n = 1;
  for (const Walk& w : walks) n *= w.count;
  return n;
}

Convolver::Convolver(Convolution c) : c_(std::move(c)) {}
Convolver::~Convolver() = default;

const Convolver::Plan& Convolver::plan() const {
  static auto& mutex = *new ForkMutex;
  const std::lock_guard lock(mutex);
  if (!plan_) {
    const OneOpenMpThread alone;  // otherwise the primitive starts threads whenever it runs
    plan_ = asked([&] { return std::make_unique<Plan>(c_); });
  }
  return *plan_;
}

int64_t Convolver::workspace() const {
  const Plan& p = plan();
  const int64_t grain = grain_of(c_);
  const int64_t at_once =
      std::min<int64_t>(num_threads(), (c_.images() + grain - 1) / std::max<int64_t>(grain, 1));
  return p.rhs.bytes() * (shares_kernel(c_) ? 1 : at_once) + at_once * p.bytes();
}

namespace {

memory at(const memory::desc& d, const void* data) {
  return memory(d, cpu(), const_cast<void*>(data));
}

}  // namespace

void Convolver::run(const float* lhs, const float* rhs, float* out) const {
  const Plan& p = plan();
  const bool shared = shares_kernel(c_);
  const Temporaries kernel(shared ? p.rhs.bytes() : 0);
  if (shared && p.rhs.differ())
    asked([&] {
      const OneOpenMpThread alone;
      dnnl::stream s(cpu());
      move(s, at(p.rhs.given, rhs), at(p.rhs.wanted, kernel.data()));
      s.wait();
    });
  parallel_for(c_.images(), grain_of(c_), [&](int64_t first, int64_t last) {
    const OneOpenMpThread alone;
    const Temporaries workspace(p.bytes() + (shared ? 0 : p.rhs.bytes()));
    asked([&] {
      some_images(p, {lhs, rhs, out}, first, last, workspace.data(), shared, kernel.data());
    });
  });
}

// Convolves images first … last - 1; `workspace` holds the reordered arrays. A kernel that all
// images share has already been reordered into `kernel`.
void Convolver::some_images(const Plan& p, const Data& x, int64_t first, int64_t last,
                            std::byte* workspace, bool shared, std::byte* kernel) const {
  const auto take = [&](int64_t bytes) { return std::exchange(workspace, workspace + bytes); };
  const memory scratch = at(p.desc.scratchpad_desc(), take(p.scratch())),
               lhs_moved = at(p.lhs.wanted, take(p.lhs.bytes())),
               out_moved = at(p.out.wanted, take(p.out.bytes())),
               rhs_moved = at(p.rhs.wanted, shared ? kernel : take(p.rhs.bytes()));
  dnnl::stream s(cpu());
  int64_t moved = -1;
  for (int64_t i = first; i < last; ++i) {
    const ItemOffsets item = offsets_of(c_, i);
    const memory a = at(p.lhs.given, x.lhs + item.lhs), b = at(p.rhs.given, x.rhs + item.rhs),
                 r = at(p.out.given, x.out + item.out);
    if (p.lhs.differ()) move(s, a, lhs_moved);
    if (p.rhs.differ() && !shared && moved != item.rhs) move(s, b, rhs_moved);
    moved = item.rhs;
    p.forward.execute(s, {{DNNL_ARG_SRC, p.lhs.differ() ? lhs_moved : a},
                          {DNNL_ARG_WEIGHTS, p.rhs.differ() ? rhs_moved : b},
                          {DNNL_ARG_DST, p.out.differ() ? out_moved : r},
                          {DNNL_ARG_SCRATCHPAD, scratch}});
    if (p.out.differ()) move(s, out_moved, r);
    s.wait();
  }
}

}  // namespace weft::native
