// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/kernels/schedules_test.cpp: runs kernels with GPU schedules on an emulated GPU and
// compares the memory with the interpreter's.
#include "gpu/emulated.h"
#include "jit/emit/compile/image.h"
#include "jit/schedule/choose/choose.h"
#include "jit/schedule/product.h"
#include "jit/schedule/rows.h"
#include "jit/schedule/schedule_kernels.h"

using namespace weft;
using namespace weft::test;
using namespace weft::compiler;

namespace {

const TargetInfo& emulated() {
  static const TargetInfo target = [] {
    TargetInfo t = gpu_target("sm_90");
    t.emulated = true;
    return t;
  }();
  return target;
}

std::vector<int64_t> grid_of(const compiler::Sample& s) {
  const auto& r = s.run.range;
  if (s.kernel.rank == 0) return {};
  if (s.kernel.rank == 1) return {r[3]};
  return {r[1], r[3]};
}

// Returns "" if both leave the same memory. Buffers start `off` bytes after a multiple of 256.
std::string difference_there(const compiler::Sample& s, const Schedule& schedule, size_t off = 0) {
  const nest::Kernel& k = s.kernel;
  if (const std::string why = verify(schedule, k, emulated()); !why.empty()) return why;
  Memory walked(s.run.contents);
  walk_nest(k, walked.buffers(), s.run.extents.data(), s.run.range.data());
  std::deque<There> there;
  std::vector<uint64_t> values{reinterpret_cast<uint64_t>(gpu().stop_word())};
  for (const auto& c : s.run.contents) {
    std::vector<unsigned char> bytes(off, 0xa5);
    bytes.insert(bytes.end(), c.begin(), c.end());
    bytes.insert(bytes.end(), Memory::guard, 0xa5);
    there.emplace_back(gpu(), bytes);
    values.push_back(reinterpret_cast<uint64_t>(there.back().data()) + off);
  }
  const std::vector<int64_t> grid = grid_of(s);
  for (int e = 0; e < k.extents; ++e)
    values.push_back(static_cast<uint64_t>(s.run.extents[static_cast<size_t>(e)]));
  for (const int64_t n : grid) values.push_back(static_cast<uint64_t>(n));
  std::vector<void*> arguments;
  for (uint64_t& v : values) arguments.push_back(&v);
  const auto f = gpu().load(gpu_image({{k, schedule}}, emulated()), {"weft_kernel"});
  gpu().launcher().launch(*f[0],
                          {.blocks = blocks_of_grid(schedule, grid), .threads = schedule.block},
                          arguments.data(), "schedule");
  for (size_t b = 0; b < there.size(); ++b) {
    const std::vector<unsigned char> got = there[b].read<unsigned char>();
    const size_t size = s.run.contents[b].size(), one = bytes_of(k.buffers[b].storage);
    for (size_t i = 0; i < got.size(); ++i)
      if ((i < off || i >= off + size) && got[i] != 0xa5) return "wrote past a buffer";
    for (size_t i = 0; i < size; i += one) {
      const auto *x = walked.held[b].data() + Memory::guard + i, *y = got.data() + off + i;
      if (std::memcmp(x, y, one) == 0) continue;
      if (is_nan(k.buffers[b].storage, x) && is_nan(k.buffers[b].storage, y)) continue;
      return fmt::format("buffer {}[{}]\n{}", b, i / one, nest::print(k));
    }
  }
  return "";
}

// Returns numbers between -3 and 3, so that a result that uses a row depends on all of the row.
std::vector<unsigned char> plain_numbers(Storage s, size_t bytes) {
  const size_t n = bytes / bytes_of(s);
  const std::vector<unsigned char> floats = between(-3, 3, n);
  std::vector<unsigned char> out;
  for (size_t i = 0; i < n; ++i) {
    float x = 0;
    std::memcpy(&x, floats.data() + i * sizeof x, sizeof x);
    const auto put = [&](auto v) {
      const auto* p = reinterpret_cast<const unsigned char*>(&v);
      out.insert(out.end(), p, p + sizeof v);
    };
    switch (s) {
      case Storage::F64: put(static_cast<double>(x)); break;
      case Storage::F32: put(x); break;
      case Storage::BF16: put(static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16)); break;
      case Storage::I32: put(static_cast<int32_t>(100 * x)); break;
      default: throw std::runtime_error("numbers of another kind");
    }
  }
  return out;
}

// Returns the kernel as the pipeline writes it for a GPU.
template <class F, class... A>
compiler::Sample for_gpu(const char* name, F f, const A&... x) {
  const Jaxpr program = make_jaxpr(f)(x...).jaxpr;
  const TargetScope scope(emulated());
  compiler::Sample s = sample_of(name, program);
  for (size_t b = 0; b < s.kernel.buffers.size(); ++b)
    if (!s.kernel.buffers[b].written)
      s.run.contents[b] = plain_numbers(s.kernel.buffers[b].storage, s.run.contents[b].size());
  return s;
}

Array numbers(const Shape& s, DType d = F32) { return zeros(s).astype(d); }

std::vector<compiler::Sample> rows_of_many_lengths() {
  std::vector<compiler::Sample> all;
  const auto softmax = [](Array x) { return nn::softmax(x); };
  const auto norm = [](Array x, Array g, Array b) {
    const ReduceOptions kept{.keepdims = true};
    const Array d = x - mean(x, -1, kept);
    return d * lax::rsqrt(mean(d * d, -1, kept) + 1e-5) * g + b;
  };
  const auto best = [](Array x) { return x.argmax(1); };
  for (const int64_t n : {64, 65, 300, 1000, 1023, 1024, 1056, 1500, 4096, 5000}) {
    all.push_back(for_gpu("softmax", softmax, numbers({9, n})));
    all.push_back(for_gpu("layer norm", norm, numbers({9, n}), numbers({n}), numbers({n})));
    all.push_back(for_gpu("argmax", best, numbers({9, n})));
  }
  all.push_back(for_gpu("softmax of F64", softmax, numbers({9, 400}, F64)));
  all.push_back(for_gpu("softmax of BF16", softmax, numbers({9, 400}, BF16)));
  const auto two_rows = [](Array x, Array y) {
    const Array p = nn::softmax(x);
    return (y - sum(y * p, -1, {.keepdims = true})) * p;
  };
  all.push_back(for_gpu("two rows", two_rows, numbers({5, 96}), numbers({5, 96})));
  return all;
}

}  // namespace

TEST_CASE("threads keep values of rows with the bits of the walker", "[gpu]") {
  int kept = 0, by_block = 0;
  for (const compiler::Sample& s : rows_of_many_lengths()) {
    Schedule plain = choose_schedule(s.kernel, emulated());
    INFO(s.name << "\n" << to_string(plain) << nest::print(s.kernel));
    CHECK(difference_there(s, plain) == "");
    if (plain.threads == 1) continue;
    kept += plain.kept;
    for (const int threads : {32, 64, 128, 256})
      for (const bool keeps : {false, true}) {
        plain.block = threads == 32 ? 64 : threads;
        plain.threads = threads;
        plain.kept = keeps;
        if (verify(plain, s.kernel, emulated()) != "") continue;
        INFO(to_string(plain));
        by_block += threads > 32;
        CHECK(difference_there(s, plain) == "");
      }
  }
  CHECK(kept >= 18);
  CHECK(by_block >= 100);
  check_no_complaints();
}

TEST_CASE("nests of every kind by the schedule of a GPU", "[gpu]") {
  for (const compiler::Sample& s : schedule_samples()) {
    INFO(s.name);
    CHECK(difference_there(s, choose_schedule(s.kernel, emulated())) == "");
  }
  check_no_complaints();
}

// Covers all lengths, dtypes and alignments.
TEST_CASE("points side by side move numbers of all widths together", "[gpu]") {
  const auto f = [](Array x, Array y) { return where(x > y, x * y, y - 2); };
  std::vector<compiler::Sample> all;
  for (const int64_t n : {1, 7, 64, 1003, 4096})
    for (const DType d : {F32, F64, BF16, I32})
      all.push_back(for_gpu("select", f, numbers({n}, d), numbers({n}, d)));
  all.push_back(for_gpu(
      "widths", [](Array x, Array y) { return x + y.astype(F32); }, numbers({1003}),
      numbers({1003}, BF16)));
  all.push_back(
      for_gpu("masks", [](Array x, Array y) { return x < y; }, numbers({1003}), numbers({1003})));
  all.push_back(for_gpu("shifted", [](Array x) { return roll(x, 1) + x; }, numbers({1003})));
  for (const int64_t columns : {64, 67})
    all.push_back(for_gpu(
        "bias", [](Array x, Array b) { return x * 2 + b; }, numbers({13, columns}),
        numbers({columns})));
  int side_by_side = 0;
  for (const compiler::Sample& s : all)
    for (const int points : {0, 1, 2, 4, 8, 16}) {
      Schedule schedule = choose_schedule(s.kernel, emulated());
      if (points) {
        schedule.interleave = points;
        schedule.mode = points == 1 ? Mode::scalar : Mode::grid;
      }
      side_by_side += schedule.interleave > 1;
      INFO(s.name << "\n" << to_string(schedule) << nest::print(s.kernel));
      CHECK(difference_there(s, schedule) == "");
      CHECK(difference_there(s, schedule, 8) == "");
    }
  CHECK(side_by_side > 100);
  check_no_complaints();
}

TEST_CASE("tiles of blocks transpose operands in shared memory", "[gpu]") {
  std::vector<compiler::Sample> all;
  for (const auto& [n, m] :
       std::vector<std::array<int64_t, 2>>{{32, 32}, {64, 96}, {35, 70}, {100, 33}})
    for (const DType d : {F32, F64, BF16, I32})
      all.push_back(
          for_gpu("transpose", [](Array x) { return transpose(x) + 1; }, numbers({n, m}, d)));
  all.push_back(for_gpu(
      "fused", [](Array x, Array y, Array z) { return transpose(x) * y + transpose(z); },
      numbers({35, 70}), numbers({70, 35}), numbers({35, 70})));
  all.push_back(for_gpu(
      "batches", [](Array x, Array y) { return swapaxes(x, 1, 2) * y; }, numbers({3, 64, 96}),
      numbers({3, 96, 64})));
  int tiled = 0;
  for (const compiler::Sample& s : all)
    for (const int block : {256, 64, 1024}) {
      Schedule schedule = choose_schedule(s.kernel, emulated());
      schedule.block = block;
      tiled += schedule.tile > 0;
      INFO(s.name << "\n" << to_string(schedule) << nest::print(s.kernel));
      CHECK(difference_there(s, schedule) == "");
    }
  CHECK(tiled >= 50);
  check_no_complaints();
}
