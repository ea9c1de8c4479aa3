// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/records.h: accesses to the elements of small records, one record per point, or per
// trip of a loop that fills vectors. If all of them are read or written together, they are whole
// vectors.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/loops/nest.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

struct Record {
  struct Field {
    nest::Id access;
    int64_t element;  // index in the record, relative to the first accessed element
  };
  int64_t stride = 0;              // distance in elements between neighbouring records
  std::vector<Field> fields = {};  // in program order
  bool stored = false;
  // Returns the number of elements from the first to the last that is accessed.
  int64_t length() const;
};

// Returns true if one of its accesses is in the set.
bool has_field_of(const Record& r, const std::set<nest::Id>& accesses);
// Returns true if few shuffles select the fields from the vectors that the records fill.
bool has_few_shuffles(const Record& r, int64_t vector_width);
// Elements of less than four bytes are moved as words of four bytes, because processors gather and
// scatter nothing shorter. Returns the first element of each word that is needed. Words are in the
// record, so the last one may share elements with the one before. Returns none if the record is
// shorter than a word.
std::vector<int64_t> words_of(const Record& r, int64_t element_bytes);
inline constexpr int64_t word_bytes = 4;
// Returns the bytes of an element that is loaded or stored, in a buffer or an array of a point.
int64_t record_bytes(const nest::Kernel& k, nest::Id access);
// Returns the records of a kernel by their first access. Points have records outside loops and
// branches; trips of a loop have records in its body, and only load them. Nothing writes what the
// loads of a record read. The stores of a record write all of it, and nothing else accesses the
// buffer.
std::map<nest::Id, Record> records_of(const nest::Kernel& k, const Divergence& d);
// Returns the records that points have in this block, which runs for all points of a vector.
std::map<nest::Id, Record> records_of_points(const nest::Kernel& k, const Divergence& d,
                                             nest::BlockId b);
// Returns the loads of each row that points read in a loop, by first access, as a record of stride
// 0. The index follows from carries alone, such as the number of a step. Points that run together
// often read the same row.
std::map<nest::Id, Record> records_of_steps(const nest::Kernel& k, const Divergence& d);

}  // namespace weft::compiler
