// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/element_access.h: loads and stores of the elements of vectors. It may touch any
// memory of the kernel, and knows only the offsets of the elements. Another form of access is added
// to load_elements() or store_elements().
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "jit/emit/emitter_part.h"
#include "jit/schedule/periodic_offset.h"

namespace weft::compiler {

class CpuEmitter;
struct Val;

// Values that are contiguous in memory move as one vector, others are gathered and scattered.
// Inactive elements access no memory.
class ElementAccess : EmitterPart<CpuEmitter> {
 public:
  explicit ElementAccess(CpuEmitter& e);

  V load_elements(llvm::Type* t, V base, nest::Id offset, int vector);
  void store_elements(llvm::Type* t, V base, nest::Id offset, int vector, V value,
                      bool non_temporal = false);
  // align: of the addresses, if it is not that of the type.
  V gather(llvm::Type* t, V addresses, V mask, llvm::MaybeAlign align = {});
  void scatter(llvm::Type* t, V addresses, V value, V mask, llvm::MaybeAlign align = {});
  // Returns a vector for each of `fields`: first[l * stride + field] for each element l. The
  // smallest field is 0. Nothing is read beyond the last of them, or from `end` on if it is given.
  std::vector<V> strided_loads(llvm::Type* t, V first, int64_t stride,
                               const std::vector<int64_t>& fields, V end = nullptr);
  void prefetch_next_row(nest::Id load);

 private:
  // Returns true if the elements are consecutive points, and all of them are active. Their offsets
  // then follow from that of the first one. In refill mode operands of an offset are not available,
  // and checked code tests the address of each element.
  bool reads_together() const;
  // Uniform offsets plus an index that runs through consecutive numbers, within limits.
  struct Limited {
    static constexpr int64_t no_low = std::numeric_limits<int64_t>::min(),
                             no_high = std::numeric_limits<int64_t>::max();
    nest::Id numbers = nest::no_id;
    int64_t low = no_low, high = no_high;
    std::vector<nest::Id> offsets = {};
  };
  std::optional<Limited> limited(llvm::Type* t, nest::Id offset);
  V load_limited(llvm::Type* t, V base, const Limited& x, int vector);
  // A uniform address, and what the elements add to it, less than the width of a vector. The
  // elements together read the first `count` elements from there.
  struct Window {
    std::vector<nest::Id> offsets = {};
    V base = nullptr, differences = nullptr, count = nullptr;
  };
  std::optional<Window> window(llvm::Type* t, nest::Id offset, int vector);
  V load_window(llvm::Type* t, V base, const Window& w);
  // Offsets whose differences repeat, if the elements of a vector are in two vectors of memory.
  struct Pattern {
    PeriodicOffset offset;
    std::vector<int64_t> first, count;  // of the elements of a vector, by the index of the first
    int64_t fewest = 0, most = 0;       // the limits of `count`
  };
  std::optional<Pattern> pattern(llvm::Type* t, nest::Id offset);
  V enter_period(llvm::Type* t, V* base, const PeriodicOffset& o, int vector);
  V load_pattern(llvm::Type* t, V base, const Pattern& x, int vector);
  // Offsets that run through rows whose distance is not their length.
  std::optional<PeriodicOffset> rows_apart(nest::Id offset);
  void for_each_row(llvm::Type* t, V base, const PeriodicOffset& o, int vector,
                    const std::function<void(V at, V mask)>& access);
  V load_rows_apart(llvm::Type* t, V base, const PeriodicOffset& o, int vector);
  bool permutes(llvm::Type* t) const;
  V permuted(llvm::Type* t, const std::vector<V>& vectors, V places);
  void store_non_temporal(V value, V at, V all_elements, const std::function<void()>& otherwise);
  V element_addresses(llvm::Type* t, V base, nest::Id offset, int vector);
  bool accessed_one_by_one(const Val& offset) const;
  V address_at_position(llvm::Type* t, V first, const Val& offset, size_t l);
  void redirect_inactive_elements(llvm::Type* t, V* addresses, V* mask);
  V reversed_load(llvm::Type* t, V first);

  V dummy_slot_ = nullptr;  // where inactive elements load and store
};

}  // namespace weft::compiler
