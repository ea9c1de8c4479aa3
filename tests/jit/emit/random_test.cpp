// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/random_test.cpp: random nests, compiled in all schedules and compared with the
// interpreter. WEFT_RANDOM=first:count runs other seeds.
#include <cstdlib>

#include "jit/emit/random_kernels.h"
#include "support/share.h"

namespace weft::compiler {
namespace {

void seeds(unsigned first, unsigned count) {
  const char* const asked = std::getenv("WEFT_RANDOM");
  if (asked) std::sscanf(asked, "%u:%u", &first, &count);
  const auto machines = targets();
  Share share(asked ? 1 : 2);
  for (unsigned seed = first; seed < first + count; ++seed) {
    if (!share.next()) continue;
    const TargetInfo& t = machines[seed % machines.size()];
    const int64_t n = grid_sizes[seed / 3 % grid_sizes.size()];
    for (auto v : {Vector::grid, Vector::inner, Vector::none})
      for (bool one_while : {false, true}) {
        if (one_while && v != Vector::grid) continue;
        RandomKernel r(seed, v, one_while);
        const Options variants[] = {{},
                                    {Options::Use::never, static_cast<int>(seed % 4) + 1},
                                    {Options::Use::always, static_cast<int>(seed % 3) + 1}};
        const Options& o = one_while ? variants[1 + seed % 2] : variants[0];
        INFO("seed " << seed << " " << t.cpu << " n=" << n << " vector=" << static_cast<int>(v)
                     << " one_while=" << one_while);
        REQUIRE(nest::verify(r.kernel) == "");
        CHECK(difference(r.kernel, r.run(n), t, o) == "");
        if (v == Vector::grid)
          CHECK(difference(r.kernel, r.run(n), t, {.sort = Options::Use::always}) == "");
      }
  }
}

}  // namespace

TEST_CASE("random kernels", "[jit][random][share]") { seeds(0, 42); }

}  // namespace weft::compiler
