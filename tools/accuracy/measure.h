// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/measure.h: formats, errors in units of the last place, and the worst error of many
// inputs on all cores.
#pragma once
#include <bit>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tools/accuracy/bounds.h"
#include "tools/accuracy/multiple.h"
#include "weft/dtype.h"

namespace weft::accuracy {

struct Format {
  DType dtype;
  const char* name;
  int digits, least;  // digits of the significand; exponent of the least normal number
  double largest;
};
inline constexpr Format f32{F32, "F32", 24, -126, 0x1.fffffep127},
    f64{F64, "F64", 53, -1022, 0x1.fffffffffffffp1023}, f16{F16, "F16", 11, -14, 65504},
    bf16{BF16, "BF16", 8, -126, 0x1.fep127};

struct Row {
  std::string name, type, judge;
  double error = 0;
  std::string at;
  uint64_t inputs = 0;
};
struct Worst {
  double error = 0, at = 0, other = 0, third = 0;  // the operands, or the parts of a complex one
  void add(double e, double x, double y = 0, double z = 0) {
    if (e > error || std::isnan(e)) *this = {e, x, y, z};
  }
  void add(const Worst& w) { add(w.error, w.at, w.other, w.third); }
};

inline constexpr double wrong = 1e30;  // one is finite, infinite or NaN, and the other is not

// ilogb and ldexp(1, e), fast for normal numbers: sweeps call them 2^32 times.
inline int exponent_of(double x) {
  const auto biased = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 2047);
  return biased == 0 ? std::ilogb(x) : biased - 1023;
}
inline double power_of_2(int e) {
  return e > -1023 && e < 1024 ? std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52)
                               : std::ldexp(1., e);
}

// The error of `got`. `truth` is the exact value rounded to double; `difference` is exact minus
// `got`.
inline double ulps(const Format& f, double got, double truth, double difference, double unit) {
  if (std::isnan(got) || std::isnan(truth)) return std::isnan(got) == std::isnan(truth) ? 0 : wrong;
  const double size = std::fabs(truth);
  if (std::isinf(got))
    return std::signbit(got) == std::signbit(truth) && size >= f.largest ? 0 : wrong;
  if (std::isinf(truth)) return wrong;
  const int e = std::max(size == 0 ? f.least : exponent_of(std::max(size, unit)), f.least);
  const int up = f.digits - 1 - e;
  return std::fabs(difference) * power_of_2(std::min(up, 1023)) *
         power_of_2(std::max(up - 1023, 0));
}
inline double ulps(const Format& f, double got, const Multiple& truth, double unit) {
  const double difference = std::isfinite(got) ? (truth - Multiple(got)).to_double() : 0;
  return ulps(f, got, truth.to_double(), difference, unit);
}

struct Options {
  double share = 1, seconds = 20;
};
class Clock {
 public:
  explicit Clock(double seconds) : end_(now() + seconds) {}
  bool over() const { return now() > end_; }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  double end_;
};

// Calls judge(i) for 0 … n - 1 on all cores; each thread has its own Worst.
template <class F>
Worst on_all_cores(size_t n, const F& judge) {
  const size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Worst> worst(threads);
  std::vector<std::thread> pool;
  for (size_t t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (size_t i = t; i < n; i += threads) judge(i, worst[t]);
      mpfr_free_cache();
    });
  for (std::thread& t : pool) t.join();
  Worst all;
  for (const Worst& w : worst) all.add(w);
  return all;
}

}  // namespace weft::accuracy
