// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/records.h: accesses of the elements of small records, one behind the other in
// memory, of which each lane has its own: read or written together, they are whole vectors.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "weft/core/loops/nest.h"
#include "weft/jit/schedule/divergence.h"

namespace weft::compiler {

struct Record {
  struct Field {
    nest::Id access;
    int64_t element;  // of the record, counted from the first one that is accessed
  };
  int64_t stride = 0;              // elements from one lane's to the next one's
  std::vector<Field> fields = {};  // in the order of the code
  bool stored = false;
  // From the first to the last that is accessed.
  int64_t length() const;
};

// Those of a kernel's points, outside of loops and branches; by their first access. The loads of a
// record read what nothing writes; its stores write all of it, and are all that access the buffer.
std::map<nest::Id, Record> records_of(const nest::Kernel& k, const Divergence& d);

}  // namespace weft::compiler
