// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/accuracy.cpp: measures the elementwise functions of one number, as compiled
// kernels compute them, against the truth, and writes docs/accuracy.md or, with --check, fails
// where one is off by more than its bound. The functions are those of the registry.
#include <fmt/format.h>

#include <chrono>
#include <complex>
#include <random>
#include <thread>
#include <vector>

#include "weft/core/op.h"
#include "weft/core/text/print.h"
#include "weft/functions/numpy/create.h"
#include "weft/jit/jit.h"
#include "weft/tools/accuracy/bounds.h"
#include "weft/tools/accuracy/library.h"
#include "weft/tools/accuracy/multiple.h"
#include "weft/tools/page.h"
#include "weft/tracer/trace.h"

namespace weft::accuracy {
namespace {

// ---- what is measured

struct Format {
  DType dtype;
  const char* name;
  int digits, least;  // of the significand; exponent of the least normal number
  double largest;
};
constexpr Format f32{F32, "F32", 24, -126, 0x1.fffffep127},
    f64{F64, "F64", 53, -1022, 0x1.fffffffffffffp1023}, f16{F16, "F16", 11, -14, 65504},
    bf16{BF16, "BF16", 8, -126, 0x1.fep127};

// 2 ULP, of complex parts 8, of narrow floats 1, unless bounds.h says more.
double bound_of(const std::string& name, const std::string& type) {
  for (const Special& s : specials)
    if (name == s.name && type == s.type) return s.bound;
  return type[0] == 'C' ? 8 : type == "F16" || type == "BF16" ? 1 : 2;
}
// The least size whose ULP an error is measured in.
double unit_of(const std::string& name) {
  for (const char* s : irrational_zeros)
    if (name == s) return 1;
  return 0;
}

struct Row {
  std::string name, type, judge;
  double error = 0;
  std::string at;
  uint64_t inputs = 0;
};
struct Worst {
  double error = 0, at = 0, other = 0;  // other: the imaginary part
  void add(double e, double x, double y = 0) {
    if (e > error || std::isnan(e)) *this = {e, x, y};
  }
  void add(const Worst& w) { add(w.error, w.at, w.other); }
};

constexpr double wrong = 1e30;  // another kind of number than the truth

// The error of `got` where the truth is `truth` rounded to double, and `difference` apart.
double ulps(const Format& f, double got, double truth, double difference, double unit) {
  if (std::isnan(got) || std::isnan(truth)) return std::isnan(got) == std::isnan(truth) ? 0 : wrong;
  const double size = std::fabs(truth);
  if (std::isinf(got))
    return std::signbit(got) == std::signbit(truth) && size >= f.largest ? 0 : wrong;
  if (std::isinf(truth)) return wrong;
  const int e = std::max(size == 0 ? f.least : std::ilogb(std::max(size, unit)), f.least);
  return std::ldexp(std::fabs(difference), std::min(f.digits - 1 - e, 1023)) *
         (f.digits - 1 - e > 1023 ? std::ldexp(1., f.digits - 1 - e - 1023) : 1);
}
double ulps(const Format& f, double got, const Multiple& truth, double unit) {
  const double difference = std::isfinite(got) ? (truth - Multiple(got)).to_double() : 0;
  return ulps(f, got, truth.to_double(), difference, unit);
}

struct Options {
  double share = 1, seconds = 60;
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

// judge(i) of 0 … n - 1 on all cores; each thread has a Worst of its own.
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

// ---- the functions

struct Function {
  const Op* op;
  AnyParams params;
  double lo, hi;
  bool is_complex;
};
// Ops without fields that make one array of numbers from another of the same type, element by
// element.
std::vector<Function> functions_of(DType d) {
  std::vector<Function> all;
  for (const Op* op : all_ops())
    for (const AnySample& s : op->samples()) {
      if (s.in.size() != 1 || s.in[0].dtype() != d || !default_fields(*op).empty()) continue;
      const Type t(d, {3, 5});
      try {
        if (op->type({t}, s.params) != Types{t}) continue;
      } catch (const Error&) {
        continue;
      }
      all.push_back({op, s.params, s.lo, s.hi, weft::is_complex(d)});
      break;
    }
  std::sort(all.begin(), all.end(),
            [](const Function& a, const Function& b) { return a.op->name() < b.op->name(); });
  return all;
}
auto compiled(const Function& f) {
  return jit([&f](Array x) { return bind_op(*f.op, {x}, f.params)[0]; });
}

// Half of the numbers have any bits, a quarter lie in the range of the op's samples, a quarter near
// 1 in size.
double drawn(std::mt19937_64& random, const Function& f, const Format& t) {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53;
  switch (random() % 4) {
    case 0: return f.lo + (f.hi - f.lo) * u;
    case 1: return std::ldexp(random() % 2 ? 1 + u : -1 - u, static_cast<int>(random() % 24) - 16);
    default: {
      if (t.dtype == F64) return std::bit_cast<double>(random());
      return std::bit_cast<float>(static_cast<uint32_t>(random()));
    }
  }
}

template <class T>
std::vector<T> values_of(const auto& kernel, const std::vector<T>& x, DType d) {
  const DType wide = sizeof(T) == 4 ? F32 : F64;
  const Array y = kernel(array(x).astype(d));
  return y.astype(wide).template to_vector<T>();
}

constexpr size_t chunk = 1 << 20;

// The F16 of these bits.
float half_of(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto rest = static_cast<float>(bits & 1023);
  const float size = exponent == 31  ? (rest == 0 ? INFINITY : NAN)
                     : exponent == 0 ? std::ldexp(rest, -24)
                                     : std::ldexp(rest + 1024, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -size : size;
}

// All floats, or every so many-th, by the C library.
Row sweep_by_library(const Function& f, Library truth, const Options& o) {
  const auto kernel = compiled(f);
  const auto stride = static_cast<uint64_t>(std::max(1., std::round(1 / o.share)));
  const double unit = unit_of(f.op->name());
  Worst worst;
  Row row{f.op->name(), "F32", "", 0, "", 0};
  for (uint64_t b = 0; b < (uint64_t{1} << 32);) {
    std::vector<float> x;
    for (; b < (uint64_t{1} << 32) && x.size() < chunk; b += stride)
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(b)));
    const std::vector<float> y = values_of(kernel, x, F32);
    worst.add(on_all_cores(x.size(), [&](size_t i, Worst& w) {
      const double t = truth(x[i]);
      w.add(ulps(f32, y[i], t, t - y[i], unit), x[i]);
    }));
    row.inputs += x.size();
  }
  row.error = worst.error;
  row.at = fmt::format("{:.9g}", worst.at);
  return row;
}
// How far the C library is off in double precision, at floats.
double error_of_library(const Function& f, Library truth, const Truth& judge, const Options& o) {
  std::mt19937_64 random(11);
  std::vector<double> x;
  for (double k = 0; k < std::max(1000., 1e5 * o.share); ++k)
    x.push_back(static_cast<float>(drawn(random, f, f32)));
  return on_all_cores(x.size(),
                      [&](size_t i, Worst& w) {
                        const double y = truth(x[i]);
                        w.add(ulps(f64, y, judge(x[i], y), 0), x[i]);
                      })
      .error;
}
// Numbers of any format by MPFR, as many as there is time for; of a narrow format all of them.
template <class T>
Row sample_by_mpfr(const Function& f, const Format& t, const Truth& truth, double most,
                   const Options& o) {
  const auto kernel = compiled(f);
  const double unit = unit_of(f.op->name());
  std::mt19937_64 random(7);
  Worst worst;
  Row row{f.op->name(), t.name, "MPFR", 0, "", 0};
  const Clock clock(o.seconds);
  const bool narrow = t.digits < 24;
  const auto count = static_cast<uint64_t>(std::max(1000., most * o.share));
  // Tests look at a few of the narrow ones.
  const uint64_t stride = narrow && o.share < 0.01 ? std::max<uint64_t>(1, 65536 / count) : 1;
  while (row.inputs < count && !clock.over()) {
    std::vector<T> x;
    for (size_t k = 0; k < std::min<uint64_t>(count - row.inputs, narrow ? 65536 : 1 << 13); ++k)
      x.push_back(static_cast<T>(drawn(random, f, t)));
    if (narrow) {
      x.clear();
      for (uint32_t b = 0; b < 65536; b += static_cast<uint32_t>(stride)) {
        const float v = t.dtype == BF16 ? std::bit_cast<float>(b << 16) : half_of(b);
        x.push_back(static_cast<T>(v));
      }
    }
    const std::vector<T> y = values_of(kernel, x, t.dtype);
    worst.add(on_all_cores(x.size(), [&](size_t i, Worst& w) {
      w.add(ulps(t, y[i], truth(Multiple(x[i]), y[i]), unit), x[i]);
    }));
    row.inputs += x.size();
    if (narrow) break;
  }
  row.error = worst.error;
  row.at = fmt::format("{:.{}g}", worst.at, sizeof(T) == 4 ? 9 : 17);
  return row;
}

// Parts of sizes 2^-20 to 2^6. A part that is lost in the other counts in roundings of the whole.
template <class T>
Row sample_complex(const Function& f, const Format& part, const char* type, ComplexLibrary truth,
                   const Options& o) {
  const auto kernel = compiled(f);
  std::mt19937_64 random(5);
  std::vector<std::complex<T>> x;
  const auto draw = [&] {
    const double u = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<T>(std::ldexp(random() % 2 ? u : -u, static_cast<int>(random() % 26) - 20));
  };
  for (double k = 0; k < std::clamp(1e7 * o.share, 1000., 1e6); ++k) {
    const T re = draw();
    x.emplace_back(re, draw());
  }
  const std::vector<std::complex<T>> y = kernel(array(x)).template to_vector<std::complex<T>>();
  const Worst worst = on_all_cores(x.size(), [&](size_t i, Worst& w) {
    Quad z;
    __real__ z = x[i].real();
    __imag__ z = x[i].imag();
    const Quad t = truth(z);
    const __float128 parts[] = {crealq(t), cimagq(t)};
    const T got[] = {y[i].real(), y[i].imag()};
    const auto whole = static_cast<double>(cabsq(t));
    for (int k = 0; k < 2; ++k) {
      const auto rounded = static_cast<double>(parts[k]);
      // What overflows or is subnormal is left out.
      if (whole > part.largest / 4 || std::fabs(rounded) < std::ldexp(1., part.least)) continue;
      const double difference = std::isfinite(got[k]) ? static_cast<double>(parts[k] - got[k]) : 0;
      w.add(ulps(part, got[k], rounded, difference, std::ldexp(whole, -part.digits / 2)),
            x[i].real(), x[i].imag());
    }
  });
  return {f.op->name(),
          type,
          "libquadmath",
          worst.error,
          fmt::format("{:.9g}{:+.9g}i", worst.at, worst.other),
          x.size()};
}

std::vector<Row> measured(const Options& o, const std::string& only) {
  const auto truth = truths();
  const auto by_library = library();
  const auto by_quad = complex_library();
  std::vector<Row> rows;
  const auto chosen = [&](const Function& f) { return only.empty() || only == f.op->name(); };
  const auto add = [&](Row r) {
    std::fprintf(stderr, "%-18s %-4s %10.4g ULP at %s of %llu\n", r.name.c_str(), r.type.c_str(),
                 r.error, r.at.c_str(), static_cast<unsigned long long>(r.inputs));
    rows.push_back(std::move(r));
  };
  for (const Function& f : functions_of(F32)) {
    if (!chosen(f)) continue;
    const std::string& name = f.op->name();
    const auto judge = truth.find(name);
    if (judge == truth.end())
      throw Error(name + ": there is no truth of it in tools/accuracy/multiple.h");
    const auto c = by_library.find(name);
    if (c != by_library.end()) {
      Row r = sweep_by_library(f, c->second, o);
      r.judge = fmt::format("C library in F64, itself within {:.2g} ULP of MPFR",
                            error_of_library(f, c->second, judge->second, o));
      add(std::move(r));
    } else {
      add(sample_by_mpfr<float>(f, f32, judge->second, 1e7, o));
    }
    add(sample_by_mpfr<double>(f, f64, judge->second, 1e7, o));
    add(sample_by_mpfr<float>(f, f16, judge->second, 65536, o));
    add(sample_by_mpfr<float>(f, bf16, judge->second, 65536, o));
  }
  for (const Function& f : functions_of(C64)) {
    if (!chosen(f)) continue;
    const auto judge = by_quad.find(f.op->name());
    if (judge == by_quad.end())
      throw Error(f.op->name() + ": there is no truth of it in tools/accuracy/library.h");
    add(sample_complex<float>(f, f32, "C64", judge->second, o));
    add(sample_complex<double>(f, f64, "C128", judge->second, o));
  }
  return rows;
}

// ---- the page

std::string shown(double error) {
  return error >= wrong ? "wrong kind" : error == 0 ? "0" : fmt::format("{:.3f}", error);
}
constexpr const char* words = R"(# Accuracy

Written by `./dev accuracy`, which measures the compiled kernels of every elementwise function of one number in
the registry; do not edit. This run: share {:g} of the inputs, at most {:g} seconds for each line judged by MPFR.
Functions of several numbers (`pow`, `atan2`, `igamma`, …) and those with a parameter (`round`, `integer_pow`,
`reduce_precision`) are not measured.

An error is in units of the last place (ULP) of the truth, subnormal numbers included; 0.5 is perfect rounding. At
share 1 there are 2^32 inputs of F32 where the C library judges and 10^7 where MPFR does (160 bits and more), 10^7
of F64, 10^6 complex ones (from share 0.1 on); of F16 and BF16 all. Half of those that MPFR judges have any bits,
the others lie about 1 and where the op's samples do. Of complex numbers each part is judged, of parts of sizes
2^-20 to 2^6; a part smaller than the root of the rounding times the whole counts in ULP of that.

Bounds: 2 ULP, of F16 and BF16 1, of complex parts 8. Beyond them:

)";
std::string page(const std::vector<Row>& rows, const Options& o) {
  std::string s = fmt::format(words, o.share, o.seconds);
  for (const Special& e : specials)
    s += fmt::format("- `{}` of {}: {:g}; {}.\n", e.name, e.type, e.bound, e.why);
  s += "\nBeside zeros that no number of the format hits, ULP are those of 1: ";
  for (const char* name : irrational_zeros)
    s += fmt::format("{}`{}`", name == irrational_zeros[0] ? "" : ", ", name);
  s += ".\n\n| function | type | largest error (ULP) | at | inputs | judge "
       "|\n|---|---|--:|---|--:|---|\n";
  for (const Row& r : rows)
    s += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.name, r.type, shown(r.error), r.at,
                     r.inputs, r.judge);
  return s;
}

int run(int argc, char** argv) {
  Options o;
  std::string folder, only;
  bool check = false;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool more = k + 1 < argc;
    if (word == "--check")
      check = true;
    else if (word == "--share" && more)
      o.share = std::stod(argv[++k]);
    else if (word == "--seconds" && more)
      o.seconds = std::stod(argv[++k]);
    else if (word == "--only" && more)
      only = argv[++k];
    else if (word[0] != '-' && folder.empty())
      folder = word;
    else
      folder.clear(), k = argc;
  }
  if ((folder.empty() && !check) || !(o.share > 0 && o.share <= 1) || !(o.seconds > 0))
    return pages::fail("usage: accuracy [--share S] [--seconds T] [--only OP] (DIR | --check)"), 2;
  const std::vector<Row> rows = measured(o, only);
  int beyond = 0;
  for (const Row& r : rows)
    if (!(r.error <= bound_of(r.name, r.type))) {
      beyond = 1;
      pages::fail(fmt::format("{} of {} is off by {} ULP at {}, its bound is {:g}", r.name, r.type,
                              shown(r.error), r.at, bound_of(r.name, r.type)));
    }
  if (folder.empty()) return beyond;
  std::ofstream out(folder + "/accuracy.md", std::ios::binary);
  out << page(rows, o);
  return out.flush() ? beyond : pages::fail("cannot write " + folder + "/accuracy.md");
}

}  // namespace
}  // namespace weft::accuracy

int main(int argc, char** argv) try {
  return weft::accuracy::run(argc, argv);
} catch (const std::exception& e) {
  return weft::pages::fail(std::string("accuracy: ") + e.what());
}
