// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/records.cpp: moves the records of a vector of points.
#include "jit/emit/cpu/records.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <vector>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/transpose.h"

namespace weft::compiler {

namespace {

// Returns a vector whose element l is element pick(l) of the vectors, one after another.
template <class Pick>
V picked(IrBuilder& b, const std::vector<V>& vectors, Pick pick) {
  const int width = b.vector_width;
  V all = vectors[0];
  for (int k = 1; k < static_cast<int>(vectors.size()); ++k) {
    llvm::SmallVector<int, 64> mask;
    for (int l = 0; l < width; ++l) {
      const int from = pick(l) / width, element = pick(l) % width;
      mask.push_back(from == k  ? width + element
                     : from > k ? llvm::PoisonMaskElem
                     : k == 1   ? element
                                : l);
    }
    all = b.CreateShuffleVector(all, vectors[static_cast<size_t>(k)], mask);
  }
  return all;
}

}  // namespace

Records::Records(CpuEmitter& e) : EmitterPart(e) {}

void Records::Found::add(Id first, const Record& r) {
  for (const Record::Field& f : r.fields) first_of[f.access] = first;
  records.emplace(first, r);
}

const Record* Records::Found::of(Id access) const {
  const auto first = first_of.find(access);
  return first == first_of.end() ? nullptr : &records.at(first->second);
}

void Records::find() {
  if (!s_.records.empty())
    for (const auto& [first, r] : records_of(k_, e_.divergence))
      if (s_.records.contains(first)) records_.add(first, r);
  for (const auto& [first, r] : records_of_steps(k_, e_.divergence)) steps_.add(first, r);
  if (!s_.sort_points) return;
  find_rows(0);
  for (Id branch : s_.sorted)
    for (BlockId side : k_.insts[branch].blocks) find_rows(side);
}

// Finds the records from which it takes less time to move whole vectors, and to transpose them,
// than to move the accessed elements one by one.
void Records::find_rows(BlockId b) {
  for (const auto& [first, r] : records_of_points(k_, e_.divergence, b))
    if (r.length() >= s_.vector_width && r.length() <= longest_record &&
        2 * std::ssize(r.fields) >= r.length() &&
        record_bytes(k_, first) * s_.vector_width <= widest_transpose)
      rows_.add(first, r);
}

bool Records::moves(Id v) {
  if (const Record* r = steps_.of(v)) {
    if (v == r->fields.front().access) load_at_step(*r, v);
    return true;
  }
  const bool neighbours = e_.positions.empty();
  const Record* r = (neighbours ? records_ : rows_).of(v);
  if (!r || (neighbours && !enabled)) return false;
  if (v != (r->stored ? r->fields.back().access : r->fields.front().access)) return true;
  if (!neighbours) {
    transpose_rows(*r, v);
    return true;
  }
  const bool narrow = record_bytes(k_, v) < word_bytes;
  for (int p = 0; p < e_.interleave; ++p) {
    if (narrow && r->stored)
      store_words(*r, v, p);
    else if (narrow)
      load_words(*r, v, p);
    else if (!is_short(*r, v))
      move_record(*r, v, p);
    else if (r->stored)
      store_short(*r, v, p);
    else
      load_short(*r, v, p);
  }
  return true;
}

// A few shuffles of whole vectors take less time than a call. Measured with rows of three numbers:
// 1.4 instead of 3.1 microseconds for 2,000 rows of F64.
bool Records::is_short(const Record& r, Id here) const {
  return has_few_shuffles(r, b_.vector_width) &&
         !(r.stored && (!e_.active.empty() || s_.streamed.contains(k_.insts[here].imm)));
}

V Records::first_record(const Record& r, Id here, int p) {
  const Inst& i = k_.insts[here];
  const bool local = i.op == Opcode::LocalLoad;
  auto* t = memory_type(here);
  const auto mine = std::ranges::find(r.fields, here, &Record::Field::access);
  const V begin = local ? e_.array_of(i.args[0]) : e_.buffers[i.imm];
  const V start = b_.CreateGEP(t, begin, b_.i64(-mine->element));
  return b_.CreateGEP(t, start, e_.vector_base(e_.value(i.args[local ? 1 : 0]), p));
}

llvm::Type* Records::memory_type(Id access) const {
  const Inst& i = k_.insts[access];
  return i.op == Opcode::LocalLoad ? ops_.memory_type(i.kind)
                                   : ops_.memory_type(k_.buffers[i.imm].storage);
}

void Records::load_short(const Record& r, Id here, int p) {
  auto* t = memory_type(here);
  const V first = first_record(r, here, p);
  std::vector<int64_t> fields;
  for (const Record::Field& f : r.fields) fields.push_back(f.element);
  const V end = e_.active.empty() ? nullptr : elements_of(r, p);
  const std::vector<V> all = e_.elements().strided_loads(t, first, r.stride, fields, end);
  for (size_t n = 0; n < all.size(); ++n) values_[{r.fields[n].access, p}] = all[n];
}

void Records::store_short(const Record& r, Id here, int p) {
  auto* t = memory_type(here);
  std::vector<V> vectors(static_cast<size_t>(r.stride));
  for (const Record::Field& f : r.fields)
    vectors[static_cast<size_t>(f.element)] = ops_.to_memory(
        e_.vec(k_.insts[f.access].args[1], p), k_.buffers[k_.insts[here].imm].storage);
  const V first = first_record(r, here, p);
  const int width = b_.vector_width, stride = static_cast<int>(r.stride);
  for (int k = 0; k < stride; ++k) {
    const V part = picked(b_, vectors, [&](int l) {
      const int i = k * width + l;
      return i % stride * width + i / stride;
    });
    b_.CreateAlignedStore(part, b_.CreateGEP(t, first, b_.i64(k * width)), b_.align_of(t));
  }
}

// Compares the indices of the active points of each vector with the first of them.
void Records::load_at_step(const Record& r, Id here) {
  const Inst& i = k_.insts[here];
  auto* t = memory_type(here);
  // Returns the address at which the offset of this access is that of a field.
  const auto begin_of = [&](const Record::Field& f) {
    return b_.CreateGEP(t, e_.buffers[i.imm], b_.i64(f.element - r.fields.front().element));
  };
  V same = b_.getTrue();
  Vs first_offsets;
  for (int p = 0; p < e_.interleave; ++p) {
    const V offsets = e_.vec(i.args[0], p);
    V point = b_.i64(0), others = b_.getFalse();
    if (!e_.active.empty()) {
      const V bits = b_.CreateBitCast(e_.active[p], b_.getIntNTy(b_.vector_width));
      const V number = b_.call(llvm::Intrinsic::cttz, {bits, b_.getFalse()});
      // If no point is active, the comparison fails.
      const V none = b_.CreateICmpEQ(bits, llvm::Constant::getNullValue(bits->getType()));
      same = b_.CreateAnd(same, b_.CreateNot(none));
      point = b_.CreateSelect(none, b_.i64(0), b_.CreateZExt(number, b_.getInt64Ty()));
      others = b_.CreateNot(e_.active[p]);
    }
    const V offset = b_.CreateExtractElement(offsets, point);
    V equal = b_.CreateICmpEQ(offsets, b_.splat(offset));
    if (!e_.active.empty()) equal = b_.CreateOr(equal, others);
    same = b_.CreateAnd(same, b_.CreateAndReduce(equal));
    first_offsets.push_back(offset);
  }
  const auto fields = [&](auto&& load) {
    Vs all;
    for (int p = 0; p < e_.interleave; ++p)
      for (const Record::Field& f : r.fields) all.push_back(load(p, f));
    return all;
  };
  const Vs loaded = b_.branch(
      same,
      [&] {
        return fields([&](int p, const Record::Field& f) {
          const V at = b_.CreateGEP(t, begin_of(f), first_offsets[static_cast<size_t>(p)]);
          return b_.splat(b_.CreateAlignedLoad(t, at, b_.align_of(t)));
        });
      },
      [&] {
        return fields([&](int p, const Record::Field& f) {
          return e_.elements().load_elements(t, begin_of(f), i.args[0], p);
        });
      });
  size_t n = 0;
  for (int p = 0; p < e_.interleave; ++p)
    for (const Record::Field& f : r.fields) values_[{f.access, p}] = loaded[n++];
}

V Records::load_word(const Record& r, Id here, int p, int64_t element) {
  auto* word = b_.getInt32Ty();
  const int64_t bytes = record_bytes(k_, here);
  const llvm::Align align(static_cast<uint64_t>(bytes));
  const V first = b_.CreateGEP(memory_type(here), first_record(r, here, p), b_.i64(element));
  if (r.stride * bytes == word_bytes)
    return b_.CreateMaskedLoad(b_.vector_of(word), first, align, e_.mask_of(p),
                               llvm::Constant::getNullValue(b_.vector_of(word)));
  return e_.elements().gather(word, word_addresses(first, r.stride * bytes), e_.mask_of(p), align);
}

void Records::store_word(const Record& r, Id here, int p, int64_t element, V value) {
  const int64_t bytes = record_bytes(k_, here);
  const llvm::Align align(static_cast<uint64_t>(bytes));
  const V first = b_.CreateGEP(memory_type(here), first_record(r, here, p), b_.i64(element));
  if (r.stride * bytes == word_bytes)
    b_.CreateMaskedStore(value, first, align, e_.mask_of(p));
  else
    e_.elements().scatter(b_.getInt32Ty(), word_addresses(first, r.stride * bytes), value,
                          e_.mask_of(p), align);
}

V Records::word_addresses(V first, int64_t bytes) {
  const V steps = b_.splat(b_.i32(static_cast<int32_t>(bytes)));
  return b_.CreateGEP(b_.getInt8Ty(), first, b_.CreateMul(b_.iota(b_.getInt32Ty()), steps));
}

void Records::load_words(const Record& r, Id here, int p) {
  const int64_t bytes = record_bytes(k_, here), n = word_bytes / bytes;
  auto* narrow = b_.vector_of(b_.getIntNTy(static_cast<unsigned>(8 * bytes)));
  for (int64_t start : words_of(r, bytes)) {
    const V all = load_word(r, here, p, start);
    for (const Record::Field& f : r.fields) {
      if (f.element < start || f.element >= start + n) continue;
      const V low = b_.CreateLShr(
          all, b_.splat(b_.i32(static_cast<int32_t>(8 * bytes * (f.element - start)))));
      values_[{f.access, p}] =
          b_.CreateBitCast(b_.CreateTrunc(low, narrow), b_.vector_of(memory_type(here)));
    }
  }
}

void Records::store_words(const Record& r, Id here, int p) {
  const int64_t bytes = record_bytes(k_, here), n = word_bytes / bytes;
  auto* word = b_.vector_of(b_.getInt32Ty());
  auto* narrow = b_.vector_of(b_.getIntNTy(static_cast<unsigned>(8 * bytes)));
  for (int64_t start : words_of(r, bytes)) {
    V all = llvm::Constant::getNullValue(word);
    for (const Record::Field& f : r.fields) {
      if (f.element < start || f.element >= start + n) continue;
      const V value = ops_.to_memory(e_.vec(k_.insts[f.access].args[1], p),
                                     k_.buffers[k_.insts[here].imm].storage);
      const V low = b_.CreateZExt(b_.CreateBitCast(value, narrow), word);
      all = b_.CreateOr(
          all, b_.CreateShl(
                   low, b_.splat(b_.i32(static_cast<int32_t>(8 * bytes * (f.element - start))))));
    }
    store_word(r, here, p, start, all);
  }
}

V Records::elements_of(const Record& r, int p) {
  if (e_.active.empty()) return b_.i64((b_.vector_width - 1) * r.stride + r.length());
  // The active points are the first ones.
  const V bits =
      b_.CreateZExt(b_.CreateBitCast(e_.active[p], b_.getIntNTy(b_.vector_width)), b_.getInt64Ty());
  const V records = b_.call(llvm::Intrinsic::ctpop, {bits});
  const V some = b_.CreateAdd(b_.CreateMul(b_.CreateSub(records, b_.i64(1)), b_.i64(r.stride)),
                              b_.i64(r.length()));
  return b_.CreateSelect(b_.CreateICmpEQ(records, b_.i64(0)), b_.i64(0), some);
}

// Returns where the frame has the vector of an element.
V Records::place(const Record& r, int64_t element) {
  auto* t = b_.vector_of(memory_type(r.fields.front().access));
  V& array = arrays_[r.fields.front().access];
  if (!array) array = b_.allocate(t, r.stride, "record");
  return b_.CreateConstGEP1_64(t, array, static_cast<unsigned>(element));
}

void Records::put_fields(const Record& r, Id here, int p) {
  for (const Record::Field& f : r.fields)
    b_.CreateStore(ops_.to_memory(e_.vec(k_.insts[f.access].args[1], p),
                                  k_.buffers[k_.insts[here].imm].storage),
                   place(r, f.element));
}

void Records::take_fields(const Record& r, Id here, int p) {
  for (const Record::Field& f : r.fields)
    values_[{f.access, p}] = b_.CreateLoad(b_.vector_of(memory_type(here)), place(r, f.element));
}

// Moves vector p between memory and the frame. The index of access `here` must be known.
void Records::move_record(const Record& r, Id here, int p) {
  const Inst& i = k_.insts[here];
  const bool local = i.op == Opcode::LocalLoad;
  const V array = place(r, 0), memory = first_record(r, here, p);
  const V elements = elements_of(r, p);
  if (r.stored) put_fields(r, here, p);
  const bool streamed = !local && s_.streamed.contains(i.imm);
  b_.call(record_name(r.stored, record_bytes(k_, here), b_.vector_width, r.stride), b_.getVoidTy(),
          {r.stored ? memory : array, r.stored ? array : memory, elements, b_.i64(r.stride),
           b_.i32(streamed)});
  if (!r.stored) take_fields(r, here, p);
}

// Moves the records of the points at the positions, in blocks of as many elements as a vector has.
// The last block may begin in the one before.
void Records::transpose_rows(const Record& r, Id here) {
  auto* n64 = b_.getInt64Ty();
  auto* t = memory_type(here);
  const int64_t bytes = record_bytes(k_, here), width = b_.vector_width;
  if (!starts_) starts_ = b_.allocate(b_.vector_of(n64), 1, "starts");
  const V position = e_.position_elements[0];
  const V from_first =
      b_.CreateSub(b_.CreateZExt(e_.positions[0], b_.vector_of(n64)), b_.splat(position));
  b_.CreateStore(b_.CreateMul(from_first, b_.splat(b_.i64(r.stride * bytes))), starts_);
  const V first = first_record(r, here, 0);
  const auto row_at = [&](V at) {
    return b_.CreateGEP(t, first, b_.CreateMul(at, b_.i64(r.stride)));
  };
  const V row = row_at(position);
  const V dense = e_.offsets_of_vectors(bytes);
  if (r.stored) put_fields(r, here, 0);
  for (int64_t done = 0; done < r.length(); done += width) {
    const int64_t element = std::min(done, r.length() - width);
    if (!r.stored)
      for (V later : e_.later_positions)
        b_.prefetch(b_.CreateGEP(t, row_at(later), b_.i64(element)));
    const V memory = b_.CreateGEP(t, row, b_.i64(element)), frame = place(r, element);
    b_.call(transpose_name(bytes, b_.vector_width), b_.getVoidTy(),
            {r.stored ? memory : frame, r.stored ? starts_ : dense, r.stored ? frame : memory,
             r.stored ? dense : starts_, b_.i32(TurnHow::without_prefetch)});
  }
  if (!r.stored) take_fields(r, here, 0);
}

}  // namespace weft::compiler
