// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/measure.h: compiles functions and compares the processor time of calls, which
// alternate so that a busy machine slows both alike.
#pragma once
#include <chrono>

#include "benchmarks/laws/program.h"
#include "benchmarks/laws/statistics.h"

namespace weft::speed {

class Deadline {
 public:
  explicit Deadline(double seconds)
      : at_(Clock::now() +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  double left() const { return std::chrono::duration<double>(at_ - Clock::now()).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point at_;
};

// Thrown where a measurement is not possible within the limits of time or memory.
struct TooLarge {};

// A compiled function with its arguments.
struct Prepared {
  Arrays x;
  std::function<Arrays(const Arrays&)> call;
  std::function<std::string()> report;
  double seconds = 0;  // of a call
  void run() const;
};
// Compiles f and calls it twice. Throws TooLarge if it needs more bytes, or if the deadline passes.
Prepared prepare(const Function& f, Arrays x, int64_t bytes, const Deadline& deadline);

// A call that takes about so many seconds, for so many units of work.
struct Timed {
  std::function<void()> call;
  double seconds = 0, units = 1;
};
struct Comparison {
  Interval ratio;                // of the first time of a unit to the second
  double first = 0, second = 0;  // median seconds of a unit
  size_t pairs = 0;
  bool decided() const { return pairs >= fewest_numbers; }
};
// Compares two calls. It stops early only where the ratio is certainly within the limit, so that a
// broken limit always has the most pairs that time permits.
Comparison compare(const Timed& a, const Timed& b, double limit, const Deadline& deadline);

struct Costs {
  std::string undecided;  // why nothing was compared, or empty
  size_t best = 0;        // the amount whose unit costs least
  std::vector<Comparison> beside_best;
};
// Compares the costs of a unit for several amounts of the same work. The time of `fixed` is
// subtracted from each time. Amounts that take less than three times as long are left out.
Costs compare_amounts(const std::vector<Timed>& amounts, const Timed& fixed,
                      const Deadline& deadline);

}  // namespace weft::speed
