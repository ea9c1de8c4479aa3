// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/staging.cpp: copies in pieces; one is under way while the next is prepared.
#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "runtime/cuda/gpu.h"

namespace weft::cuda {

void Staging::prepare(Half& h) {
  const Driver& d = gpu_.driver();
  if (!h.memory) {
    void* memory = nullptr;
    gpu_.check(d.host_allocate(&memory, half_bytes, number::portable_and_mapped), "cuMemHostAlloc");
    h.memory = static_cast<std::byte*>(memory);
  }
  if (!h.copied) gpu_.check(d.event_create(&h.copied, number::no_timing), "cuEventCreate");
}

void Staging::wait(Half& h) {
  if (!h.busy) return;
  gpu_.wait([&] {
    gpu_.check(gpu_.driver().event_synchronize(h.copied), "cuEventSynchronize");
    h.busy = false;
  });
}

void Staging::mark(Half& h) {
  gpu_.check(gpu_.driver().event_record(h.copied, gpu_.queue()), "cuEventRecord");
  h.busy = true;
}

void Staging::copy_in(Address to, const std::byte* from, int64_t bytes) {
  const std::lock_guard lock(guard_);
  for (int64_t at = 0, k = 0; at < bytes; at += half_bytes, ++k) {
    const size_t n = std::min(half_bytes, bytes - at);
    Half& h = halves_[k % 2];
    prepare(h);
    wait(h);
    std::memcpy(h.memory, from + at, n);
    gpu_.check(gpu_.driver().copy_in(to + static_cast<Address>(at), h.memory, n, gpu_.queue()),
               "cuMemcpyHtoDAsync");
    mark(h);
  }
}

void Staging::copy_out(std::byte* to, Address from, int64_t bytes) {
  const std::lock_guard lock(guard_);
  const int64_t pieces = (bytes + half_bytes - 1) / half_bytes;
  const auto size = [&](int64_t k) {
    return static_cast<size_t>(std::min(half_bytes, bytes - k * half_bytes));
  };
  // Piece k is being copied while piece k - 1 is read.
  for (int64_t k = 0; k <= pieces; ++k) {
    if (k < pieces) {
      Half& h = halves_[k % 2];
      prepare(h);
      wait(h);
      gpu_.check(gpu_.driver().copy_out(h.memory, from + static_cast<Address>(k * half_bytes),
                                        size(k), gpu_.queue()),
                 "cuMemcpyDtoHAsync");
      mark(h);
    }
    if (k > 0) {
      Half& h = halves_[(k - 1) % 2];
      wait(h);
      std::memcpy(to + (k - 1) * half_bytes, h.memory, size(k - 1));
    }
  }
}

void Staging::release() {
  const std::lock_guard lock(guard_);
  const Driver& d = gpu_.driver();
  for (Half& h : halves_) {
    wait(h);
    if (h.memory) gpu_.check(d.host_release(h.memory), "cuMemFreeHost");
    h.memory = nullptr;
    if (h.copied) gpu_.check(d.event_destroy(h.copied), "cuEventDestroy");
    h.copied = nullptr;
  }
}

}  // namespace weft::cuda
