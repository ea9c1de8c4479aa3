// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/accuracy/accuracy.cpp: measures the accuracy of the elementwise functions of one number, as
// compiled kernels compute them. It writes docs/accuracy.md (with --only, only the rows of one
// function). With --check, it fails if an error exceeds its bound. The functions are those of the
// registry.
#include <fmt/format.h>

#include <chrono>
#include <complex>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "core/op.h"
#include "core/text/print.h"
#include "tools/accuracy/bounds.h"
#include "tools/accuracy/library.h"
#include "tools/accuracy/measure.h"
#include "tools/accuracy/several.h"
#include "tools/page.h"
#include "tracer/trace.h"
#include "weft/jit.h"
#include "weft/numpy/create.h"

namespace weft::accuracy {
namespace {

// 2 ULP, 8 for complex parts, 1 for narrow floats, unless bounds.h lists another bound.
double bound_of(const std::string& name, const std::string& type) {
  for (const Special& s : specials)
    if (name == s.name && type == s.type) return s.bound;
  return type[0] == 'C' ? 8 : type == "F16" || type == "BF16" ? 1 : 2;
}
// Errors are measured in ULP of numbers of at least this size.
double unit_of(const std::string& name, double x) {
  for (const Zeros& z : irrational_zeros)
    if (name == z.name) return z.unit(x);
  return 0;
}

// ---- the functions

struct Function {
  const Op* op;
  AnyParams params;
  double lo, hi;
  bool is_complex;
};
// Ops without parameters that map one array elementwise to another of the same type.
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

// Half of the numbers have random bits, a quarter are in the range of the op's samples, and a
// quarter have sizes near 1.
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

// The F16 number with these bits.
float half_of(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto rest = static_cast<float>(bits & 1023);
  const float size = exponent == 31  ? (rest == 0 ? INFINITY : NAN)
                     : exponent == 0 ? std::ldexp(rest, -24)
                                     : std::ldexp(rest + 1024, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -size : size;
}

// All floats, or an evenly spaced share of them, compared with the C library.
Row sweep_by_library(const Function& f, Library truth, const Options& o) {
  const auto kernel = compiled(f);
  const auto stride = static_cast<uint64_t>(std::max(1., std::round(1 / o.share)));
  Worst worst;
  Row row{f.op->name(), "F32", "", 0, "", 0};
  for (uint64_t b = 0; b < (uint64_t{1} << 32);) {
    std::vector<float> x;
    for (; b < (uint64_t{1} << 32) && x.size() < chunk; b += stride)
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(b)));
    const std::vector<float> y = values_of(kernel, x, F32);
    worst.add(on_all_cores(x.size(), [&](size_t i, Worst& w) {
      const double t = truth(x[i]);
      w.add(ulps(f32, y[i], t, t - y[i], unit_of(f.op->name(), x[i])), x[i]);
    }));
    row.inputs += x.size();
  }
  row.error = worst.error;
  row.at = fmt::format("{:.9g}", worst.at);
  return row;
}
// The same for functions that the C library does not have, compared with our F64 kernel. MPFR
// checks the latter.
Row sweep_by_kernel(const Function& f, const Options& o) {
  const auto kernel = compiled(f);
  const auto stride = static_cast<uint64_t>(std::max(1., std::round(1 / o.share)));
  Worst worst;
  Row row{f.op->name(), "F32", "our kernel of F64", 0, "", 0};
  for (uint64_t b = 0; b < (uint64_t{1} << 32);) {
    std::vector<double> x;
    for (; b < (uint64_t{1} << 32) && x.size() < chunk; b += stride)
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(b)));
    const Array wide = array(x);
    const auto y = kernel(wide.astype(F32)).template to_vector<float>();
    const auto truth = kernel(wide).template to_vector<double>();
    worst.add(on_all_cores(x.size(), [&](size_t i, Worst& w) {
      w.add(ulps(f32, y[i], truth[i], truth[i] - y[i], unit_of(f.op->name(), x[i])), x[i]);
    }));
    row.inputs += x.size();
  }
  row.error = worst.error;
  row.at = fmt::format("{:.9g}", worst.at);
  return row;
}
// The error of the C library in double precision, at floats.
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
// Numbers of any format, compared with MPFR, as many as time permits; all numbers of a narrow
// format.
template <class T>
Row sample_by_mpfr(const Function& f, const Format& t, const Truth& truth, double most,
                   const Options& o) {
  const auto kernel = compiled(f);
  std::mt19937_64 random(7);
  Worst worst;
  Row row{f.op->name(), t.name, "MPFR", 0, "", 0};
  const Clock clock(o.seconds);
  const bool narrow = t.digits < 24;
  const auto count = static_cast<uint64_t>(std::max(1000., most * o.share));
  // Tests use only a sample of the numbers of narrow formats.
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
      w.add(ulps(t, y[i], truth(Multiple(x[i]), y[i]), unit_of(f.op->name(), x[i])), x[i]);
    }));
    row.inputs += x.size();
    if (narrow) break;
  }
  row.error = worst.error;
  row.at = fmt::format("{:.{}g}", worst.at, sizeof(T) == 4 ? 9 : 17);
  return row;
}

template <class T>
Quad quad_of(std::complex<T> x) {
  Quad z;
  __real__ z = x.real();
  __imag__ z = x.imag();
  return z;
}
// A part below this share of the absolute value is measured in ULP of that share. Parts that
// overflow or are subnormal are skipped.
template <class T>
double error_of_parts(const Format& part, std::complex<T> y, Quad truth, double share) {
  const __float128 parts[] = {crealq(truth), cimagq(truth)};
  const T got[] = {y.real(), y.imag()};
  const auto whole = static_cast<double>(cabsq(truth));
  double most = 0;
  for (int k = 0; k < 2; ++k) {
    const auto rounded = static_cast<double>(parts[k]);
    if (whole > part.largest / 4 || std::fabs(rounded) < std::ldexp(1., part.least)) continue;
    const double difference = std::isfinite(got[k]) ? static_cast<double>(parts[k] - got[k]) : 0;
    most = std::max(most, ulps(part, got[k], rounded, difference, whole * share));
  }
  return most;
}
// Parts have sizes from 2^-20 to 2^6.
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
  double share = std::ldexp(1., -part.digits / 2);
  for (const Cancelling& c : cancelling)
    if (f.op->name() == c.name && std::string(type) == c.type) share = c.share;
  const Worst worst = on_all_cores(x.size(), [&](size_t i, Worst& w) {
    w.add(error_of_parts(part, y[i], truth(quad_of(x[i])), share), x[i].real(), x[i].imag());
  });
  return {f.op->name(),
          type,
          "libquadmath",
          worst.error,
          fmt::format("{:.9g}{:+.9g}i", worst.at, worst.other),
          x.size()};
}

const Op* op_named(const std::string& name) {
  for (const Op* op : all_ops())
    if (op->name() == name) return op;
  throw Error(name + ": there is no such op");
}
// Functions of several numbers, with random operands.
template <class T>
Row sample_several(const Several& f, const Format& t, const Options& o) {
  const Op* op = op_named(f.name);
  AnyParams params;
  for (const AnySample& s : op->samples()) params = s.params;
  const auto kernel = jit([&](Array x, Array y, Array z) {
    Arrays operands = {x, y, z};
    operands.resize(f.operands);
    return bind_op(*op, operands, params)[0];
  });
  Random random{std::mt19937_64(13), t};
  Worst worst;
  Row row{f.name, t.name, f.conditioned ? "MPFR, over 1 + the condition" : "MPFR", 0, "", 0};
  const auto count = static_cast<uint64_t>(std::max(1000., 1e7 * o.share));
  // Results that may have intermediate subnormal parts, which lose digits, are skipped.
  const double least = f.conditioned ? std::ldexp(1., t.least + 20) : 0;
  for (const Clock clock(o.seconds / 2); row.inputs < count && !clock.over();) {
    std::array<std::vector<T>, 3> x;
    std::vector<Places> places;
    for (size_t k = 0; k < std::min<uint64_t>(count - row.inputs, 1 << 12); ++k) {
      Places p = f.draw(random);
      for (size_t n = 0; n < 3; ++n) p[n] = x[n].emplace_back(static_cast<T>(p[n]));
      places.push_back(p);
    }
    const std::vector<T> y = kernel(array(x[0]), array(x[1]), array(x[2])).template to_vector<T>();
    worst.add(on_all_cores(places.size(), [&](size_t i, Worst& w) {
      const Places& p = places[i];
      const Operands exact = {Multiple(p[0]), Multiple(p[1]), Multiple(p[2])};
      const Multiple truth = f.truth(exact, t);
      if (std::fabs(truth.to_double()) < least) return;
      const double e = ulps(t, y[i], truth, 0);
      w.add(f.conditioned && e < wrong ? e / (1 + condition(f, exact, truth, t)) : e, p[0], p[1],
            p[2]);
    }));
    row.inputs += places.size();
  }
  row.error = worst.error;
  const int shown = sizeof(T) == 4 ? 9 : 17;
  row.at = fmt::format("{:.{}g}, {:.{}g}", worst.at, shown, worst.other, shown);
  if (f.operands == 3) row.at += fmt::format(", {:.{}g}", worst.third, shown);
  return row;
}
// a^b of complex numbers. An error is divided by 1 + |b log a|, which bounds the rotation by it,
// and is measured in ULP of at least a quarter of the absolute value.
template <class T>
Row sample_complex_pow(const Format& part, const char* type, const Options& o) {
  const Op* op = op_named("pow");
  const AnyParams params = op->samples()[0].params;
  const auto kernel = jit([&](Array a, Array b) { return bind_op(*op, {a, b}, params)[0]; });
  std::mt19937_64 random(17);
  const auto draw = [&](int size) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<T>(
        std::ldexp(random() % 2 ? 1 + u : -1 - u, static_cast<int>(random() % 12) - 12 + size));
  };
  std::vector<std::complex<T>> a, b;
  for (double k = 0; k < std::clamp(1e7 * o.share, 1000., 1e6); ++k) {
    const T x = draw(5), y = draw(5), u = draw(3);
    a.emplace_back(x, y);
    b.emplace_back(u, draw(3));
  }
  const auto y = kernel(array(a), array(b)).template to_vector<std::complex<T>>();
  const Worst worst = on_all_cores(a.size(), [&](size_t i, Worst& w) {
    const Quad p = quad_of(a[i]), log_of_it = quad_of(b[i]) * clogq(p);
    const auto size = static_cast<double>(cabsq(log_of_it));
    const double e = error_of_parts(part, y[i], cexpq(log_of_it), 0.25);
    w.add(e < wrong ? e / (1 + size) : e, a[i].real(), a[i].imag());
  });
  return {"pow",
          type,
          "libquadmath, over 1 + \\|b log a\\|",
          worst.error,
          fmt::format("{:.9g}{:+.9g}i", worst.at, worst.other),
          a.size()};
}

std::vector<Row> measured(const Options& o, const std::string& only) {
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
    const Truth judge = truth_of(name);
    if (!judge)
      throw Error(name + ": neither MPFR nor tools/accuracy/multiple.h has a function for it");
    if (const Library c = library_of(name)) {
      Row r = sweep_by_library(f, c, o);
      r.judge = fmt::format("C library in F64, itself within {:.2g} ULP of MPFR",
                            error_of_library(f, c, judge, o));
      add(std::move(r));
    } else {
      add(sweep_by_kernel(f, o));
      add(sample_by_mpfr<float>(f, f32, judge, 1e6, o));
    }
    add(sample_by_mpfr<double>(f, f64, judge, 1e7, o));
    add(sample_by_mpfr<float>(f, f16, judge, 65536, o));
    add(sample_by_mpfr<float>(f, bf16, judge, 65536, o));
  }
  for (const Several& f : several) {
    if (!only.empty() && only != f.name) continue;
    add(sample_several<float>(f, f32, o));
    add(sample_several<double>(f, f64, o));
  }
  for (const Function& f : functions_of(C64)) {
    if (!chosen(f)) continue;
    const ComplexLibrary judge = complex_library_of(f.op->name());
    if (!judge)
      throw Error(f.op->name() +
                  ": neither libquadmath nor tools/accuracy/library.h has a function for it");
    add(sample_complex<float>(f, f32, "C64", judge, o));
    add(sample_complex<double>(f, f64, "C128", judge, o));
  }
  if (only.empty() || only == "pow") {
    add(sample_complex_pow<float>(f32, "C64", o));
    add(sample_complex_pow<double>(f64, "C128", o));
  }
  return rows;
}

// ---- the page

std::string shown(double error) {
  return error >= wrong ? "wrong kind" : error == 0 ? "0" : fmt::format("{:.3f}", error);
}
constexpr const char* words = R"(# Accuracy

Written by `./dev accuracy`; do not edit. It measures the compiled kernels of every elementwise
function of one number in the registry, and of those functions of several numbers for which it has
exact values. Measured on {}. Functions with a parameter (`round`,
`integer_pow`, `reduce_precision`), hypergeometric functions, `expn`, and derivatives by parameters
(`igamma_grad_a`, …) are not measured.

An error is in units of the last place (ULP) of the exact value, also for subnormal numbers; 0.5 is
perfect rounding. At share 1 there are 2^32 inputs of F32 if the C library or our F64 kernel is the
judge, and 10^6 if it is MPFR. There are 10^7 inputs of F64, or as many as `--seconds` of MPFR
permit; the row has their number. There are 10^6 complex inputs (from share 0.1 on), and all numbers
of F16 and BF16. Half of the numbers that MPFR judges have random bits. The others are near 1, or in
the range of the op's samples. Parts of complex numbers are measured separately, with sizes from
2^-20 to 2^6. A part that is smaller than the square root of the rounding times the absolute value
is measured in ULP of that.

If the judge says so, an error is divided by 1 + the condition: the relative change of the function
over the relative change of its operands. The rounding of operands alone costs half as many ULP as
the condition.

Bounds: 2 ULP, 1 for F16 and BF16, 8 for complex parts. The exceptions:

)";
std::string effort(const Options& o) { return fmt::format("share {:g} of the inputs", o.share); }
std::string first_cells(const Row& r) { return fmt::format("| `{}` | {} |", r.name, r.type); }
std::string line(const Row& r) {
  return fmt::format("{} {} | {} | {} | {} |\n", first_cells(r), shown(r.error), r.at, r.inputs,
                     r.judge);
}
std::string item(const std::string& text) { return pages::wrapped("- " + text, "  "); }
// The text above the table.
std::string head(const Options& o) {
  std::string s = fmt::format(words, effort(o));
  for (const Special& e : specials)
    s += item(fmt::format("`{}` of {}: {:g}; {}.", e.name, e.type, e.bound, e.why));
  for (const Cancelling& c : cancelling)
    s += item(
        fmt::format("`{}` of {}: {}; a part below {:g} of the whole is measured in ULP of that.",
                    c.name, c.type, c.why, c.share));
  std::string sizes =
      "Near zeros that no number of the format hits, ULP are at least those of a size:";
  for (const Zeros& z : irrational_zeros) sizes += fmt::format(" `{}` {};", z.name, z.what);
  sizes.back() = '.';
  return s + "\n" + pages::wrapped(sizes) +
         "\n| function | type | largest error (ULP) | at | inputs | judge "
         "|\n|---|---|--:|---|--:|---|\n";
}

// The lines of the table in `page`, with new lines for one function. Returns nothing if the page
// has other lines for it, or was written with another effort.
std::optional<std::string> with_rows(const std::string& page, const std::string& name,
                                     const std::vector<Row>& rows, const Options& o) {
  if (page.find(effort(o)) == page.npos) return std::nullopt;
  std::istringstream in(page);
  std::string text, out;
  auto next = rows.begin();
  while (std::getline(in, text)) {
    if (!text.starts_with("| `")) continue;
    if (!text.starts_with(fmt::format("| `{}` |", name)))
      out += text + '\n';
    else if (next != rows.end() && text.starts_with(first_cells(*next)))
      out += line(*next++);
    else
      return std::nullopt;
  }
  return next == rows.end() ? std::optional(out) : std::nullopt;
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
  const std::string path = folder + "/accuracy.md";
  std::string table;
  for (const Row& r : rows) table += line(r);
  if (!only.empty()) {
    std::ifstream in(path, std::ios::binary);
    const std::string before(std::istreambuf_iterator<char>(in), {});
    const std::optional<std::string> merged = with_rows(before, only, rows, o);
    if (!merged)
      return pages::fail(fmt::format(
          "{} has other rows of '{}', or was not written with {}: write it without --only", path,
          only, effort(o)));
    table = *merged;
  }
  std::ofstream out(path, std::ios::binary);
  out << head(o) << table;
  return out.flush() ? beyond : pages::fail("cannot write " + path);
}

}  // namespace
}  // namespace weft::accuracy

int main(int argc, char** argv) try {
  return weft::accuracy::run(argc, argv);
} catch (const std::exception& e) {
  return weft::pages::fail(std::string("accuracy: ") + e.what());
}
