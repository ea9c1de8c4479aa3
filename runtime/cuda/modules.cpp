// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/modules.cpp: kernels on a GPU: loaded, launched, unloaded after their last use.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/cuda/gpu.h"

namespace weft::cuda {
namespace {

// The shared memory per block that needs no opt-in; more must be enabled for each kernel.
constexpr int64_t plain_shared = 48 << 10;

class Kernel final : public Function {
 public:
  Kernel(std::shared_ptr<Module> m, KernelHandle h) : module(std::move(m)), handle(h) {}
  const std::shared_ptr<Module> module;
  const KernelHandle handle;
  mutable int64_t shared_limit = 0;  // opted-in dynamic shared memory; under the device's guard
};

}  // namespace

Module::~Module() { gpu.retire({.module = handle, .last_launch = last_launch.load()}); }

void Gpu::retire(Retired r) {
  if (!usable()) return;
  {
    const std::lock_guard lock(guard_);
    const uint32_t last = r.last_launch;
    retired_.push_back(std::move(r));
    if (!launches_.has_ended(last)) return;
  }
  if (const PushedContext pushed(driver_, context_); pushed.result == success) release_retired();
}

uint32_t Gpu::last_ended() {
  const std::lock_guard lock(guard_);
  return launches_.last_ended();
}

std::shared_ptr<const Function> Gpu::kernel_of(const std::shared_ptr<Module>& m,
                                               const std::string& name) {
  KernelHandle handle = nullptr;
  const Result r = driver_.module_kernel(&handle, m->handle, name.c_str());
  if (is_image_error(r))
    throw CompileError(fmt::format("device '{}': the program has no kernel '{}': {}", this->name(),
                                   name, text_of(driver_, r)));
  check(r, "cuModuleGetFunction");
  auto k = std::make_shared<Kernel>(m, handle);
  const auto ask = [&](int attribute) {
    int n = 0;
    check(driver_.kernel_attribute(&n, attribute, handle), "cuFuncGetAttribute");
    return n;
  };
  k->registers = ask(number::registers);
  k->local_bytes = ask(number::local_bytes);
  k->max_threads = ask(number::max_threads);
  k->shared_bytes = ask(number::shared_bytes);
  return k;
}

std::vector<std::shared_ptr<const Function>> Gpu::load(const std::string& image,
                                                       const std::vector<std::string>& names) {
  const CurrentContext current(*this);
  std::vector<char> log(16 << 10);
  int options[] = {number::error_log, number::error_log_bytes};
  void* values[] = {log.data(), std::bit_cast<void*>(log.size())};
  ModuleHandle handle = nullptr;
  const Result r = driver_.module_load(&handle, image.c_str(), 2, options, values);
  log.back() = 0;
  if (is_image_error(r))
    throw CompileError(fmt::format("device '{}' ({}) refuses the program: {}\n{}", name(),
                                   architecture_, text_of(driver_, r), log.data()));
  check(r, "cuModuleLoadDataEx");
  const auto m = std::make_shared<Module>(*this, handle, last_ended());
  std::vector<std::shared_ptr<const Function>> kernels;
  for (const std::string& n : names) kernels.push_back(kernel_of(m, n));
  return kernels;
}

Occupancy Gpu::occupancy(const Function& f, const Launch& l) {
  const CurrentContext current(*this);
  Occupancy o;
  check(driver_.resident_blocks(&o.blocks, static_cast<const Kernel&>(f).handle, l.threads,
                                static_cast<size_t>(l.shared)),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  o.share = static_cast<double>(o.blocks) * l.threads / std::max(1, properties_.threads);
  return o;
}

Result Gpu::queue_number(uint32_t n) {
  const Address at = words_address_ + offsetof(Words, ended);
  if (driver_.write_word && !no_word_writes_) {
    const Result r = driver_.write_word(queue_, at, n, 0);
    if (r != not_supported) return r;
    no_word_writes_ = true;
  }
  return driver_.set_words(at, n, 1, queue_);
}

bool Gpu::has_blocks(const Launch& l, const char* what) {
  if (l.blocks < 0 || l.blocks > INT32_MAX)
    throw InternalError(fmt::format("kernel '{}' in {} blocks", what, l.blocks));
  return l.blocks > 0;
}

KernelHandle Gpu::handle_of(const Function& f) { return static_cast<const Kernel&>(f).handle; }

Result Gpu::raise_shared_limit(const Function& f, const Launch& l) {
  const auto& k = static_cast<const Kernel&>(f);
  if (l.shared <= std::max(k.shared_limit, plain_shared - k.shared_bytes)) return success;
  const Result r = driver_.set_kernel_attribute(k.handle, number::max_dynamic_shared,
                                                static_cast<int>(l.shared));
  if (r == success) k.shared_limit = l.shared;
  return r;
}

void Gpu::record_launch(const char* what, bool graph, std::span<const Launch::Use> uses) {
  launches_.add(what, graph, SourceScope::current());
  for (const Launch::Use& u : uses)
    if (u.written) launches_.add_written(blocks_.number_at(std::bit_cast<Address>(u.at)));
}

void Gpu::launch(const Function& f, const Launch& l, void** arguments, const char* what) {
  if (!has_blocks(l, what)) return;
  const auto& k = static_cast<const Kernel&>(f);
  const CurrentContext current(*this);
  Result launched = success, numbered = success;
  {
    // Under the lock, so that no other launch is queued between this launch and its number.
    const std::lock_guard lock(guard_);
    require_valid(l.uses);
    launched = raise_shared_limit(f, l);
    if (launched == success)
      launched = driver_.launch(k.handle, static_cast<unsigned>(l.blocks), 1, 1,
                                static_cast<unsigned>(l.threads), 1, 1,
                                static_cast<unsigned>(l.shared), queue_, arguments, nullptr);
    if (launched == success) {
      record_launch(what, /*graph=*/false, l.uses);
      k.module->last_launch = launches_.last();
      numbered = queue_number(launches_.last());
    }
  }
  if (launched != success) check(launched, fmt::format("the launch of kernel '{}'", what));
  if (numbered != success) check(numbered, fmt::format("the number of kernel '{}'", what));
}

}  // namespace weft::cuda
