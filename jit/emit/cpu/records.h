// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/records.h: small records (jit/schedule/records.h). It may touch the memory and the
// buffers of the records and their vectors in the frame. Another size of record is added to the
// library (runtime/native/transpose.h).
#pragma once
#include <map>
#include <utility>

#include "jit/emit/emitter_part.h"
#include "jit/schedule/records.h"

namespace weft::compiler {

class CpuEmitter;

// The records of a vector are adjacent in memory. The library converts them to one vector per
// element, in the frame, or back. Whole records of a few elements are shuffled in registers. Narrow
// elements are gathered and scattered in words. The long records of points that are not neighbours
// are rows at arbitrary places, which the library transposes. Points that run together often read
// the record of the same step of a loop. Then scalars are loaded, else all elements are gathered.
class Records : EmitterPart<CpuEmitter> {
 public:
  explicit Records(CpuEmitter& e);

  // Finds the records that the schedule names. The divergence must be known.
  void find();
  // The first load moves all elements, or the last store. Returns true if v belongs to a record.
  bool moves(nest::Id v);
  // Returns vector p of a load that belongs to a record.
  V loaded(nest::Id v, int p) const { return values_.at({v, p}); }

  bool enabled = true;  // false: the points that follow are not neighbours

 private:
  struct Found {
    std::map<nest::Id, Record> records = {};     // by first access
    std::map<nest::Id, nest::Id> first_of = {};  // by access
    void add(nest::Id first, const Record& r);
    // Returns the record of an access, or null.
    const Record* of(nest::Id access) const;
  };
  void find_rows(nest::BlockId b);
  void transpose_rows(const Record& r, nest::Id here);
  void load_at_step(const Record& r, nest::Id here);
  V place(const Record& r, int64_t element);
  void put_fields(const Record& r, nest::Id here, int p);
  void take_fields(const Record& r, nest::Id here, int p);
  void move_record(const Record& r, nest::Id here, int p);
  bool is_short(const Record& r, nest::Id here) const;
  void load_short(const Record& r, nest::Id here, int p);
  void store_short(const Record& r, nest::Id here, int p);
  void load_words(const Record& r, nest::Id here, int p);
  void store_words(const Record& r, nest::Id here, int p);
  // They move the word that begins with this element, in each record of vector p.
  V load_word(const Record& r, nest::Id here, int p, int64_t element);
  void store_word(const Record& r, nest::Id here, int p, int64_t element, V value);
  V word_addresses(V first, int64_t bytes);
  // Returns the address of the record of the first element of vector p.
  V first_record(const Record& r, nest::Id here, int p);
  llvm::Type* memory_type(nest::Id access) const;
  // Returns the number of elements from the first to the last that vector p accesses.
  V elements_of(const Record& r, int p);

  Found records_;                                 // of neighbours
  Found rows_;                                    // of points that are not neighbours
  Found steps_;                                   // of loops' steps
  std::map<std::pair<nest::Id, int>, V> values_;  // that were read, by access and vector
  std::map<nest::Id, V> arrays_;                  // by first access
  V starts_ = nullptr;                            // of the rows of a vector, in bytes
};

}  // namespace weft::compiler
