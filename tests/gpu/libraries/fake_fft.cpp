// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/fake_fft.cpp: implements cuFFT by its definition, on memory of the emulated
// device.
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <numbers>
#include <vector>

#include "gpu/libraries/fake_libraries.h"

using weft::cuda::FftPlan;
using weft::cuda::Status;
namespace number = weft::cuda::number;

namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

struct Plan {
  const void* stream = nullptr;
  bool allocates = true;
  std::vector<int64_t> lengths;
  int type = 0;
  int64_t batch = 0;
  void* room = nullptr;
};
constexpr int64_t room_bytes = 1000;

std::map<FftPlan, Plan>& plans() {
  static auto* all = new std::map<FftPlan, Plan>;
  return *all;
}
FftPlan next = 0;

int64_t product(const std::vector<int64_t>& n) {
  int64_t p = 1;
  for (const int64_t k : n) p *= k;
  return p;
}

// Transforms an axis of n elements with stride `apart`.
void transform(Number* x, int64_t n, int64_t apart, int sign) {
  Numbers y(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k)
    for (int64_t j = 0; j < n; ++j)
      y[static_cast<size_t>(k)] +=
          x[j * apart] *
          std::polar(1., sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) /
                             static_cast<double>(n));
  for (int64_t k = 0; k < n; ++k) x[k * apart] = y[static_cast<size_t>(k)];
}
void transform_all(Numbers& x, const std::vector<int64_t>& lengths, int sign) {
  int64_t apart = 1;
  for (size_t a = lengths.size(); a-- > 0; apart *= lengths[a])
    for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
      if (i / apart % lengths[a] == 0)
        transform(&x[static_cast<size_t>(i)], lengths[a], apart, sign);
}

template <class R>
void c2c(const Plan& p, void* from, void* to, int sign) {
  const auto* x = static_cast<const std::complex<R>*>(from);
  auto* y = static_cast<std::complex<R>*>(to);
  const int64_t n = product(p.lengths);
  for (int64_t b = 0; b < p.batch; ++b, x += n, y += n) {
    Numbers z(x, x + n);
    transform_all(z, p.lengths, sign);
    for (int64_t i = 0; i < n; ++i) y[i] = std::complex<R>(z[static_cast<size_t>(i)]);
  }
}
template <class R>
void r2c(const Plan& p, const void* from, void* to) {
  const auto* x = static_cast<const R*>(from);
  auto* y = static_cast<std::complex<R>*>(to);
  const int64_t n = product(p.lengths), last = p.lengths.back();
  for (int64_t b = 0; b < p.batch; ++b, x += n) {
    Numbers z(x, x + n);
    transform_all(z, p.lengths, number::fft_forward);
    for (int64_t i = 0; i < n; ++i)
      if (i % last <= last / 2) *y++ = std::complex<R>(z[static_cast<size_t>(i)]);
  }
}
// The transform overwrites its input.
template <class R>
void c2r(const Plan& p, void* from, void* to) {
  auto* x = static_cast<std::complex<R>*>(from);
  auto* y = static_cast<R*>(to);
  const int64_t n = p.lengths.back(), half = n / 2 + 1;
  for (int64_t b = 0; b < p.batch; ++b, x += half, y += n) {
    Numbers z(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      z[static_cast<size_t>(i)] = i < half ? Number(x[i]) : std::conj(Number(x[n - i]));
    if (z[0].imag() != 0 || (n % 2 == 0 && x[half - 1].imag() != 0))
      fake_cuda_complain("cufft: the ends of half of a spectrum are not real");
    transform(z.data(), n, 1, number::fft_inverse);
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(z[static_cast<size_t>(i)].real());
    std::memset(static_cast<void*>(x), 0xee, static_cast<size_t>(half) * sizeof *x);
  }
}

int64_t bytes(const Plan& p, bool complex, bool wide) {
  std::vector<int64_t> n = p.lengths;
  const bool halved = p.type != number::c2c && p.type != number::z2z;
  if (complex && halved) n.back() = n.back() / 2 + 1;
  return p.batch * product(n) * (wide ? 8 : 4) * (complex ? 2 : 1);
}

Status execute(const char* entry, FftPlan plan, int type, void* from, void* to, bool from_complex,
               bool to_complex, void (*run)(const Plan&, void*, void*, int), int sign) {
  fake::Call c(entry);
  c.require(plans().contains(plan), "a plan that is not known");
  if (!c) return c.status();
  const Plan& p = plans().at(plan);
  c.on(p.stream);
  c.require(p.type == type, "a plan of another type");
  c.require(!p.allocates, "a plan with memory of its own");
  c.require(!(type == number::c2r || type == number::z2d) || p.lengths.size() == 1,
            "an axis before the one that becomes real");
  const bool wide = (type & 0x40) != 0;
  c.inside(from, bytes(p, from_complex, wide));
  c.inside(to, bytes(p, to_complex, wide));
  c.inside(p.room, room_bytes);
  return c.queue([=] {
    std::memset(p.room, 0xee, room_bytes);
    run(p, from, to, sign);
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
namespace weft::cuda {

Status cufftCreate(FftPlan* plan) {
  const fake::Call c("cufftCreate");
  if (!c) return c.status();
  plans()[*plan = next++];
  ++fake::live.plans;
  return 0;
}
Status cufftDestroy(FftPlan plan) {
  fake::Call c("cufftDestroy");
  c.require(plans().erase(plan) == 1, "a plan that is not known");
  --fake::live.plans;
  return c.status();
}
Status cufftGetProperty(int which, int* value) {
  return fake::property("cufftGetProperty", which, value);
}
Status cufftSetStream(FftPlan plan, StreamHandle s) {
  fake::Call c("cufftSetStream");
  c.on(s);
  if (c) plans().at(plan).stream = s;
  return c.status();
}
Status cufftSetAutoAllocation(FftPlan plan, int on) {
  const fake::Call c("cufftSetAutoAllocation");
  if (c) plans().at(plan).allocates = on != 0;
  return c.status();
}
Status cufftSetWorkArea(FftPlan plan, void* room) {
  fake::Call c("cufftSetWorkArea");
  c.inside(room, room_bytes);
  if (c) plans().at(plan).room = room;
  return c.status();
}
Status cufftMakePlanMany64(FftPlan plan, int rank, long long* n, long long* in, long long in_step,
                           long long in_apart, long long* out, long long out_step,
                           long long out_apart, int type, long long batch, size_t* room) {
  fake::Call c("cufftMakePlanMany64");
  if (!c) return c.status();
  Plan& p = plans().at(plan);
  p.lengths.assign(n, n + rank);
  p.type = type;
  p.batch = batch;
  const bool from_real = type == number::r2c || type == number::d2z,
             to_real = type == number::c2r || type == number::z2d;
  const auto right = [&](const long long* embed, long long apart, bool halved) {
    long long all = 1;
    for (int a = 0; a < rank; ++a) {
      const long long want = halved && a + 1 == rank ? n[a] / 2 + 1 : n[a];
      if (embed[a] != want || n[a] < 2) return false;
      all *= want;
    }
    return apart == all;
  };
  c.require(in_step == 1 && out_step == 1 && right(in, in_apart, to_real) &&
                right(out, out_apart, from_real),
            "another layout than arrays have");
  *room = room_bytes;
  return c.status();
}

Status cufftExecC2C(FftPlan plan, void* from, void* to, int sign) {
  return execute("cufftExecC2C", plan, number::c2c, from, to, true, true, c2c<float>, sign);
}
Status cufftExecZ2Z(FftPlan plan, void* from, void* to, int sign) {
  return execute("cufftExecZ2Z", plan, number::z2z, from, to, true, true, c2c<double>, sign);
}
Status cufftExecR2C(FftPlan plan, void* from, void* to) {
  const auto run = [](const Plan& p, void* x, void* y, int) { r2c<float>(p, x, y); };
  return execute("cufftExecR2C", plan, number::r2c, from, to, false, true, run, 0);
}
Status cufftExecD2Z(FftPlan plan, void* from, void* to) {
  const auto run = [](const Plan& p, void* x, void* y, int) { r2c<double>(p, x, y); };
  return execute("cufftExecD2Z", plan, number::d2z, from, to, false, true, run, 0);
}
Status cufftExecC2R(FftPlan plan, void* from, void* to) {
  const auto run = [](const Plan& p, void* x, void* y, int) { c2r<float>(p, x, y); };
  return execute("cufftExecC2R", plan, number::c2r, from, to, true, false, run, 0);
}
Status cufftExecZ2D(FftPlan plan, void* from, void* to) {
  const auto run = [](const Plan& p, void* x, void* y, int) { c2r<double>(p, x, y); };
  return execute("cufftExecZ2D", plan, number::z2d, from, to, true, false, run, 0);
}

}  // namespace weft::cuda
}
#pragma GCC visibility pop
