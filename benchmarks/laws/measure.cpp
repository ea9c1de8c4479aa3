// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/measure.cpp: measures with the clock of the processor time of all threads.
#include "benchmarks/laws/measure.h"

#include <time.h>

namespace weft::speed {
namespace {

constexpr double sample = 1e-3;  // the least seconds of a measurement: shorter calls are repeated
constexpr size_t most_pairs = 60, most_rounds = 40, early = 12;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
// The seconds of one call. Short calls are repeated.
double timed(const Timed& t) {
  const auto n = static_cast<int64_t>(std::clamp(sample / std::max(t.seconds, 1e-9), 1., 1e5));
  const double begin = processor_seconds();
  for (int64_t i = 0; i < n; ++i) t.call();
  // The clock may not have advanced, and ratios need a number that is not zero.
  return std::max(processor_seconds() - begin, 1e-9) / static_cast<double>(n);
}
// About the seconds that timed() takes.
double cost(const Timed& t) { return std::max(t.seconds, sample); }
std::vector<double> quotients(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> r;
  for (size_t i = 0; i < a.size(); ++i) r.push_back(a[i] / b[i]);
  return r;
}
double median(const std::vector<double>& x) { return median_interval(x).middle; }

Comparison comparison(const std::vector<double>& a, const std::vector<double>& b) {
  return {median_interval(quotients(a, b)), median(a), median(b), a.size()};
}

}  // namespace

void Prepared::run() const {
  for (const Array& y : call(x)) y.block_until_ready();
}

Prepared prepare(const Function& f, Arrays x, int64_t bytes, const Deadline& deadline) {
  if (deadline.left() <= 0) throw TooLarge();
  try {
    const ir::TimeLimit limit(deadline.left(), "speed_laws");
    const auto lowered = jit([f](Arrays a) { return f(a); }).lower(x);
    const auto program = lowered.compile();
    if (program.memory().peak() > bytes) throw TooLarge();
    Prepared p{std::move(x), [program](const Arrays& a) { return program(a); },
               [lowered] { return lowered.report(); }};
    p.run();
    p.seconds = timed({[&p] { p.run(); }, sample});
    return p;
  } catch (const InterruptedError&) {
    throw TooLarge();
  }
}

Comparison compare(const Timed& a, const Timed& b, double limit, const Deadline& deadline) {
  std::vector<double> first, second;
  if ((cost(a) + cost(b)) * fewest_numbers > deadline.left()) return {};
  while (first.size() < most_pairs && deadline.left() > 0) {
    const bool swapped = first.size() % 2;
    if (swapped) second.push_back(timed(b) / b.units);
    first.push_back(timed(a) / a.units);
    if (!swapped) second.push_back(timed(b) / b.units);
    const size_t n = first.size();
    if (n >= early && n % 4 == 0 && median_interval(quotients(first, second)).high <= limit) break;
  }
  return comparison(first, second);
}

Costs compare_amounts(const std::vector<Timed>& amounts, const Timed& fixed,
                      const Deadline& deadline) {
  Costs r;
  r.beside_best.resize(amounts.size());
  double round = cost(fixed);
  for (const Timed& a : amounts) round += cost(a);
  if (round * fewest_numbers > deadline.left()) {
    r.undecided = "no time for all sizes";
    return r;
  }
  std::vector<double> overhead;
  std::vector<std::vector<double>> times(amounts.size());
  while (overhead.size() < most_rounds && deadline.left() > 0) {
    overhead.push_back(timed(fixed));
    for (size_t k = 0; k < amounts.size(); ++k) times[k].push_back(timed(amounts[k]));
  }
  const double least = 3 * median(overhead), common = median(overhead);
  std::vector<size_t> compared;
  for (size_t k = 0; k < amounts.size(); ++k) {
    if (median(times[k]) > least) compared.push_back(k);
    for (double& t : times[k]) t = std::max(t - common, 1e-12) / amounts[k].units;
  }
  if (compared.size() < 2) {
    r.undecided = "too short beside one lane";
    return r;
  }
  r.best = *std::min_element(compared.begin(), compared.end(), [&](size_t a, size_t b) {
    return median(times[a]) < median(times[b]);
  });
  for (size_t k : compared)
    if (k != r.best) r.beside_best[k] = comparison(times[k], times[r.best]);
  return r;
}

}  // namespace weft::speed
