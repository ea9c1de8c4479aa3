// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/schedule/schedule_test.cpp: schedules as texts, and the chosen schedules for nests of
// every kind. Every choice gives other code or is refused, and no choice changes a bit.
#include "jit/schedule/schedule.h"

#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "jit/emit/compile/image.h"
#include "jit/schedule/choose/choose.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/product.h"
#include "jit/schedule/records.h"
#include "jit/schedule/schedule_kernels.h"
#include "jit/schedule/sorting.h"
#include "support/golden.h"
#include "support/share.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = schedule_samples();
  return all;
}

struct Machine {
  const char* name;
  TargetInfo target;
};
// The machine that runs the test, and others.
std::vector<Machine> machines() {
  const auto cpu = [](int vector_width, bool mask_registers) {
    TargetInfo t = host_target();
    t.vector_width = vector_width;
    t.mask_registers = mask_registers;
    t.non_temporal = true;
    return t;
  };
  return {{"AVX-512", cpu(16, true)},
          {"AVX2", cpu(8, false)},
          {"SSE4.2", cpu(4, false)},
          {"sm_80", gpu_target("sm_80")}};
}
std::vector<TargetInfo> compiled_for() {
  std::vector<TargetInfo> all = targets();
  all.push_back(gpu_target("sm_80"));
  return all;
}

std::string code(const nest::Kernel& k, const Schedule& s, const TargetInfo& t) {
  if (t.gpu()) return gpu_image({{k, s}}, t);
  static const std::regex number("weft_[0-9]+");
  return std::regex_replace(compile(k, s, t)->llvm_ir(), number, "weft");
}

using Random = std::mt19937;
int64_t one_of(Random& g, const std::vector<int64_t>& all) { return all[g() % all.size()]; }
std::vector<nest::Id> all_of(const nest::Kernel& k, Opcode op) {
  std::vector<nest::Id> out;
  for (size_t v = 0; v < k.insts.size(); ++v)
    if (k.insts[v].op == op) out.push_back(static_cast<nest::Id>(v));
  return out;
}
template <class T>
void toggle(std::set<T>& s, T x) {
  if (!s.erase(x)) s.insert(x);
}

struct Context {
  const nest::Kernel& kernel;
  const TargetInfo& target;
  Random& random;
};
void change_mode(Context c, Schedule& s) {
  Schedule fresh;
  fresh.mode = static_cast<Mode>(c.random() % 4);
  if (fresh.mode != Mode::scalar) fresh.vector_width = c.target.vector_width;
  if (fresh.mode == Mode::refill) {
    fresh.refill = refillable_while(c.kernel, analyse_divergence(c.kernel, Mode::grid));
    fresh.idle_trips = 20;
  }
  fresh.block = s.block;
  s = fresh;
}
void change_tile(Context c, Schedule& s) {
  s.tile = one_of(c.random, {0, 4, 8, 16, 32, 64});
  s.tiled.clear();
  if (s.tile == 0) return;
  const Divergence d = analyse_divergence(c.kernel, Mode::grid);
  const auto can =
      c.target.gpu() ? tile_loads(c.kernel, d, s.tile) : tile_accesses(c.kernel, d, s.tile);
  s.tiled.insert(can.begin(), can.end());
}
void change_sort(Context c, Schedule& s) {
  const Schedule always = choose_schedule(c.kernel, c.target, {.sort = Options::Use::always});
  s.sort_points = one_of(c.random, {0, 2, 16, 64, 1024});
  s.sorted = s.sort_points ? always.sorted : std::set<nest::Id>();
  s.sort_cost = 0;
}
void change_product(Context c, Schedule& s) {
  const auto p = product_loop(c.kernel);
  const auto side = [&] { return static_cast<int>(one_of(c.random, {16, 32, 64, 128})); };
  const auto of_thread = [&] { return static_cast<int>(one_of(c.random, {1, 2, 4, 8})); };
  if (!p || c.random() % 4 == 0)
    s.product = {};
  else
    s.product = {p->loop,     side(),      side(),    side() / 4,
                 of_thread(), of_thread(), p->matrix, c.random() % 2 == 0};
  if (!p) s.product.loop = 0;
}
void change_loop(Context c, Schedule& s) {
  const auto all = all_of(c.kernel, Opcode::For);
  if (all.empty()) return;
  const nest::Id v = all[c.random() % all.size()];
  using How = LoopSchedule::How;
  LoopSchedule l{static_cast<How>(c.random() % 5)};
  if (static_cast<int>(l.how) == 4) {
    s.loops.erase(v);
    return;
  }
  if (l.how == How::rows) {
    l.trips = one_of(c.random, {4, 8, 16, 32, 64});
    for (const auto& o : row_operands(c.kernel, analyse_divergence(c.kernel, s.mode), v))
      if (c.random() % 4) l.operands.push_back(o);
  }
  s.loops[v] = l;
}
void change_fold(Context c, Schedule& s) {
  const auto all = all_of(c.kernel, Opcode::Fold);
  if (all.empty()) return;
  const nest::Id v = all[c.random() % all.size()];
  using How = FoldSchedule::How;
  const auto how = static_cast<How>(c.random() % 3);
  s.folds.erase(v);
  if (static_cast<int>(how) == 2) return;
  s.folds[v] = {how, how == How::blocks ? static_cast<int>(one_of(c.random, {4, 8, 16})) : 0};
}
void change_prefetch(Context c, Schedule& s) {
  const auto all = all_of(c.kernel, Opcode::Load);
  if (all.empty()) return;
  const nest::Id v = all[c.random() % all.size()];
  if (!s.prefetch.erase(v)) s.prefetch[v] = one_of(c.random, {-64, 1, 16, 300});
}

// Changes of each field, by its name.
using Change = std::function<void(Context, Schedule&)>;
const std::map<std::string, Change>& changes() {
  static const std::map<std::string, Change> all{
      {"mode", change_mode},
      {"vector_width",
       [](Context c, Schedule& s) {
         s.vector_width = static_cast<int>(one_of(c.random, {4, 8, 16}));
       }},
      {"interleave",
       [](Context c, Schedule& s) { s.interleave = 1 + static_cast<int>(c.random() % 4); }},
      {"refill",
       [](Context c, Schedule& s) {
         s.refill = static_cast<nest::Id>(c.random() % c.kernel.insts.size());
         if (!c.target.gpu() || c.random() % 4 == 0) return;
         s.refill = thread_refillable_while(c.kernel);
         s.points = 2 + static_cast<int>(c.random() % 4);
         s.idle_trips = 20;
       }},
      {"idle_trips", [](Context c, Schedule& s) { s.idle_trips = 1 + c.random() % 500; }},
      {"versioned", [](Context, Schedule& s) { s.versioned = !s.versioned; }},
      {"plain_remainder", [](Context, Schedule& s) { s.plain_remainder = !s.plain_remainder; }},
      {"sort_points", change_sort},
      {"sort_cost", [](Context c, Schedule& s) { s.sort_cost = c.random() % 1000; }},
      {"sorted",
       [](Context c, Schedule& s) {
         const auto all = all_of(c.kernel, Opcode::If);
         if (!all.empty()) toggle(s.sorted, all[c.random() % all.size()]);
       }},
      {"tile", change_tile},
      {"tiled",
       [](Context c, Schedule& s) {
         toggle(s.tiled, static_cast<nest::Id>(c.random() % c.kernel.insts.size()));
       }},
      {"records",
       [](Context c, Schedule& s) {
         const auto all = records_of(c.kernel, analyse_divergence(c.kernel, Mode::grid));
         const auto n = c.random() % (all.size() + 1);
         toggle(s.records, n < all.size() ? std::next(all.begin(), static_cast<int>(n))->first
                                          : static_cast<nest::Id>(0));
       }},
      {"loop", change_loop},
      {"fold", change_fold},
      {"prefetch", change_prefetch},
      {"flat",
       [](Context c, Schedule& s) {
         toggle(s.flat, static_cast<nest::BlockId>(c.random() % c.kernel.blocks.size()));
       }},
      {"streamed",
       [](Context c, Schedule& s) {
         toggle(s.streamed, static_cast<int64_t>(c.random() % c.kernel.buffers.size()));
       }},
      {"block",
       [](Context c, Schedule& s) {
         s.block = static_cast<int>(one_of(c.random, {0, 32, 64, 128, 512, 1024}));
       }},
      {"points", [](Context c, Schedule& s) { s.points = 1 + static_cast<int>(c.random() % 4); }},
      {"threads",
       [](Context c, Schedule& s) {
         s.threads = static_cast<int>(one_of(c.random, {1, 2, 32, 256}));
       }},
      {"kept", [](Context, Schedule& s) { s.kept = !s.kept; }},
      {"product", change_product},
      {"band", [](Context c, Schedule& s) { s.band = 1 + static_cast<int>(c.random() % 2); }},
  };
  return all;
}

// Returns a valid schedule of the kernel, some changes away from the chosen one.
Schedule random_schedule(Context c) {
  Schedule s = choose_schedule(c.kernel, c.target);
  const auto names = schedule_fields();
  for (int done = 0, tried = 0; done < 4 && tried < 60; ++tried) {
    Schedule other = s;
    changes().at(names[c.random() % names.size()])(c, other);
    if (other == s || !verify(other, c.kernel, c.target).empty()) continue;
    s = other;
    ++done;
  }
  return s;
}

}  // namespace

TEST_CASE("schedules of every kind of nest", "[jit][schedule][golden]") {
  std::string text = "# made by schedule_test.cpp, with WEFT_UPDATE_GOLDEN=1\n";
  for (const Sample& s : samples())
    for (const Machine& m : machines()) {
      const Schedule chosen = choose_schedule(s.kernel, m.target);
      CAPTURE(s.name, m.name, to_string(chosen));
      CHECK(verify(chosen, s.kernel, m.target) == "");
      CHECK(parse_schedule(to_string(chosen)) == chosen);
      text += "### " + s.name + ", " + m.name + "\n" + to_string(chosen);
    }
  CHECK(testing::own_golden("schedules.txt", text) == "");
}

TEST_CASE("points read many shared values where they use them", "[jit][schedule]") {
  for (const int64_t n : {20, 40}) {
    CAPTURE(n);
    Floats b("shared");
    const auto shared = b.buffer(Storage::F32, false);
    const Id x = b.in();
    Id sum = b.f(0);
    for (int64_t i = 0; i < n; ++i) sum = b.fma(b.load(shared, b.integer(i, Kind::I64)), x, sum);
    // The first ones also give a value that is computed once.
    const Id once = b.mul(b.load(shared, b.integer(0, Kind::I64)), b.f(2));
    b.store(b.buffer(Storage::F32, true), b.index(0), b.add(sum, once));
    const nest::Kernel k = b.finish(1, 0, nest::Vector::grid);
    const Divergence d = analyse_divergence(k, Mode::grid);
    int64_t before = 0;
    for (const Id v : k.blocks[0].body)
      before += k.insts[v].op == nest::Opcode::Load && d.level[v] == 0;
    CHECK(before == (n == 20 ? 20 : 1));
  }
}

TEST_CASE("few points fill few vectors", "[jit][schedule]") {
  const auto chosen = [](const std::string& name, const std::vector<int64_t>& grid) {
    const auto s = std::ranges::find_if(samples(), [&](const Sample& x) { return x.name == name; });
    REQUIRE(s != samples().end());
    const TargetInfo target = machines()[0].target;
    const Schedule schedule = choose_schedule(s->kernel, target, {.grid = grid});
    CHECK(verify(schedule, s->kernel, target) == "");
    return schedule;
  };
  const auto is_refilled = [&](int64_t n) {
    return chosen("mandelbrot", {n}).mode == Mode::refill;
  };
  CHECK(is_refilled(1000));
  CHECK(is_refilled(33));
  CHECK_FALSE(is_refilled(32));
  for (const int64_t n : {1, 16, 17, 32, 33, 48, 49, 64, 65, 1000}) {
    CAPTURE(n);
    const int64_t vectors = std::min<int64_t>(4, (n + 15) / 16);
    CHECK(chosen("mandelbrot", {n}).interleave == vectors);
    const Schedule euler = chosen("euler", {n});
    CHECK(euler.interleave == vectors);
    // Vectors in part are a version only if others are whole.
    CHECK(euler.versioned == (vectors == 1 || n >= 16 * vectors));
    // Folds have a power of two.
    CHECK(chosen("sum of columns", {1000, n}).interleave == (vectors == 3 ? 4 : vectors));
  }
}

TEST_CASE("every field of a schedule is another code, or refused", "[jit][schedule]") {
  // The verifier accepts one value of these: steps do not share blocks of the grid, and not all
  // processors have non-temporal stores.
  std::set<std::string> always_refused{"band"};
  if (!host_target().non_temporal) always_refused.insert("streamed");
  const std::vector<TargetInfo> all = compiled_for();
  for (const std::string& field : schedule_fields()) {
    INFO("field " << field);
    REQUIRE(changes().count(field) == 1);
    int refused = 0, other_code = 0;
    Random g(3);
    for (int tried = 0; tried < 1000 && other_code < 10; ++tried) {
      const Sample& k = samples()[g() % samples().size()];
      const TargetInfo& t = all[g() % all.size()];
      const Context c{k.kernel, t, g};
      const Schedule s = g() % 2 ? choose_schedule(k.kernel, t) : random_schedule(c);
      Schedule other = s;
      changes().at(field)(c, other);
      if (other == s) continue;
      CHECK(to_string(other) != to_string(s));
      if (!verify(other, k.kernel, t).empty()) {
        ++refused;
        continue;
      }
      ++other_code;
      INFO(k.name << " for " << t.cpu << "\n" << to_string(s) << "\n" << to_string(other));
      CHECK(code(k.kernel, s, t) != code(k.kernel, other, t));
    }
    CHECK(refused > 0);
    CHECK((other_code == 0) == (always_refused.count(field) > 0));
  }
}

TEST_CASE("a nest gives the same bits by every schedule", "[jit][schedule][share]") {
  Share share(4);
  Random g(1);
  const std::vector<TargetInfo> all = targets();
  for (const Sample& k : samples())
    for (int n = 0; n < 20; ++n) {
      if (!share.next()) continue;
      const TargetInfo& t = all[g() % all.size()];
      const Schedule s = random_schedule({k.kernel, t, g});
      INFO(k.name << " for " << t.cpu << "\n" << to_string(s));
      CHECK(difference(k.kernel, k.run, compile(k.kernel, s, t)) == "");
    }
}

TEST_CASE("texts that are not schedules", "[jit][schedule]") {
  const auto refuses = [](const char* text, const char* why) {
    CHECK_THROWS_AS(parse_schedule(text), ParseError);
    CHECK_THROWS_WITH(parse_schedule(text), why);
  };
  refuses("", "schedule, line 1: a schedule says at least its mode");
  refuses("mode grid\nvector_width many", "schedule, line 2: 'many' is not a number");
  refuses("mode grid\n\nvector_width 99999999999", "schedule, line 3: 99999999999 is too large");
  refuses("mode sideways", "schedule, line 1: 'sideways' is none of scalar, grid, refill, inner");
  refuses("mode grid\nmode grid", "schedule, line 2: says 'mode' a second time");
  refuses("mode grid\nloop 3 runs\nloop 3 unrolled",
          "schedule, line 3: says a second time what is to be done with 3");
  refuses("mode grid 4", "schedule, line 1: '4' is one word too many");
  refuses("mode", "schedule, line 1: ends too early");
  CHECK_THROWS_WITH(parse_schedule("speed high"),
                    Catch::StartsWith("schedule, line 1: 'speed' is not a choice of a schedule"));
}

TEST_CASE("schedules that a kernel cannot have", "[jit][schedule]") {
  const nest::Kernel k = speed_elementwise(0);
  const auto refused = [&](const char* text) {
    try {
      (void)compile(k, parse_schedule(text), host_target());
    } catch (const CompileError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto says = [](const char* why) {
    return Catch::Contains(std::string("schedule: ") + why);
  };
  CHECK(refused("mode grid\nvector_width 4") == "");
  CHECK_THAT(refused("mode grid\nvector_width 5"), says("vector_width 5: has to be 4, 8 or 16"));
  CHECK_THAT(refused("mode scalar\nvector_width 4"), says("vector_width 4: has to be"));
  CHECK_THAT(refused("mode grid\nvector_width 4\ninterleave 9"),
             says("interleave 9: has to be 1 to 4"));
  CHECK_THAT(refused("mode inner\nvector_width 4"), says("mode: a point has no folds"));
  CHECK_THAT(refused("mode refill\nvector_width 4"), says("refill: goes with mode refill"));
  CHECK_THAT(refused("mode grid\nvector_width 4\nband 2"),
             says("band 2: steps do not share blocks yet"));
  CHECK_THAT(refused("mode grid\nvector_width 4\nloop 1 runs"), says("loop 1: is not a loop"));
  CHECK_THAT(refused("mode grid\nvector_width 4\nloop 9999 runs"),
             says("loop 9999: is not a loop"));
  CHECK_THAT(refused("mode grid\nvector_width 4\nblock 32"),
             says("block, points, threads: are of GPUs"));
  const nest::Kernel two = costly_branch();
  const Schedule sorted = choose_schedule(two, host_target());
  REQUIRE(sorted.sorted.size() == 1);
  const auto refused_sort = [&](const std::function<void(Schedule&)>& change) {
    Schedule s = sorted;
    change(s);
    return verify(s, two, host_target());
  };
  CHECK(refused_sort([](Schedule&) {}) == "");
  CHECK_THAT(refused_sort([](Schedule& s) { s.sort_points = 1000; }),
             Catch::Contains("sort_points 1000: has to be a power of two"));
  CHECK_THAT(refused_sort([](Schedule& s) { s.sort_points = 1 << 20; }),
             Catch::Contains("has to be a power of two"));
  CHECK_THAT(refused_sort([](Schedule& s) { s.sort_cost = -1; }),
             Catch::Contains("sort_cost -1: has to be 0 to"));
  CHECK_THAT(refused_sort([](Schedule& s) { s.interleave = 2; }),
             Catch::Contains("sort_points: goes with mode grid of single vectors"));
  CHECK_THAT(refused_sort([](Schedule& s) { s.sorted.insert(0); }),
             Catch::Contains("the sides of these branches cannot be known"));
  CHECK_THAT(refused_sort([](Schedule& s) { s.sorted.clear(); }),
             Catch::Contains("sorted : the sides of these branches cannot"));
  const nest::Kernel loop = collatz(Vector::grid);
  const auto refused_refill = [&](const std::string& text) {
    const std::string id = std::to_string(thread_refillable_while(loop));
    return verify(parse_schedule("mode scalar\nvector_width 1\nrefill " + id + "\n" + text), loop,
                  gpu_target("sm_80"));
  };
  CHECK(refused_refill("block 64\npoints 2\nidle_trips 9") == "");
  CHECK_THAT(refused_refill("block 64\nidle_trips 9"),
             Catch::Contains("threads have several points each"));
  CHECK_THAT(refused_refill("block 64\npoints 2"), Catch::Contains("idle_trips 0: has to be 1 to"));
  CHECK_THAT(refused_refill("block 64\npoints 2\nidle_trips 50000000"),
             Catch::Contains("has to be 1 to"));
}

}  // namespace weft::compiler
