// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest.h: the loop program of one kernel, independent of the target; written by lowering
// rules through `Builder`, read by the CPU and the PTX back ends.
//
// A kernel is a program for ONE point of a parallel grid (one lane). It is in SSA form with
// structured control flow, and says nothing about vectors, masks, threads or tiles: the back end
// packs neighbouring grid points into vector registers (Vector::grid), or vectorises the
// inner `fold` and `for_each` loops of a grid point (Vector::inner), and masks what
// diverges. Both give the same bits: every instruction is total and exactly defined, and the order
// of a fold depends on its extent alone.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/loops/cold_path.h"

namespace weft::nest {

// What a value is made of. Signedness belongs to the instruction, as in LLVM.
enum class Kind : uint8_t { None, Mask, I8, I16, I32, I64, F32, F64 };

// How an element of a buffer lies in memory. Bool is a byte 0/1 (loaded as Mask); BF16 and F16 are
// loaded as F32 (exact) and stored rounded to nearest even.
enum class Storage : uint8_t { Bool, I8, I16, I32, I64, BF16, F16, F32, F64 };
Kind loaded_kind(Storage s);

enum class Opcode : uint8_t {
  // Leaves.
  Const,   // imm: the bits, zero-extended (F32 as its 32 bits)
  Extent,  // I64: run-time argument number imm (an extent of an axis)
  Index,   // I64: this lane's index along grid axis imm
  Param,   // a parameter of the block it stands in (set by the structured instruction)
  Result,  // result number imm of the structured instruction args[0]
  // Arithmetic. Integers wrap. No fast-math, no contraction: fma only where Fma stands.
  Add,
  Sub,
  Mul,
  Neg,
  Div,  // float
  SDiv,
  UDiv,
  SRem,
  URem,  // total: x/0 = -1 or all ones, x%0 = x, MIN/-1 = MIN, MIN%-1 = 0
  Rem,   // float, C's fmod
  Fma,
  Sqrt,
  Abs,  // float (Abs: clear the sign)
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  FMin,
  FMax,  // IEEE minimum/maximum: NaN wins, -0 < +0
  SMin,
  SMax,
  UMin,
  UMax,
  And,
  Or,
  Xor,
  Not,  // integers and masks
  Shl,
  Shr,
  Sar,  // total: a count >= width (unsigned) gives 0, Sar the sign
  MulHiS,
  MulHiU,
  Popcount,
  Clz,
  Eq,
  Ne,
  Lt,
  Le,  // Eq, Ne on anything; Lt, Le on floats (ordered; Ne is unordered)
  SLt,
  SLe,
  ULt,
  ULe,
  Select,  // (mask, if true, if false)
  // Conversions; `kind` is the target.
  FToS,
  FToU,  // truncate, saturate at the target's range, NaN gives 0
  SToF,
  UToF,
  FConv,
  SExt,
  ZExt,
  Narrow,
  MaskToInt,  // 0 or 1
  Bitcast,
  RoundBF16,
  RoundF16,  // F32 -> F32 that the narrow type holds, nearest even
  // Memory. Index operands are I64 element offsets and in bounds for an active lane.
  Load,        // buffer imm, (offset); inactive lanes do not touch memory
  Store,       // buffer imm, (offset, value)
  Local,       // a per-lane array of imm elements of kind `kind`, uninitialised
  LocalLoad,   // (local, index)
  LocalStore,  // (local, index, value)
  // Structured. Results are read by Result.
  For,      // (lo, hi, init...) blocks {body: (i, carry...) -> carry...}; imm = +1 or -1 (from hi-1
            // down); `fold`: Add of a carry whose terms another order may add, with its own
            // rounding of the sums
  Fold,     // (n, identity...) blocks {body: (i) -> term...}; `fold` names the combiner of each,
            // core/loops/fold_order.h the order: that of one block; imm = 1: the terms are folds
            // themselves, and these rather than the terms are for lanes
  ForEach,  // (n) blocks {body: (i) -> }; iterations are independent, effects are stores
  While,    // (init...) blocks {test: (carry...) -> mask, body: (carry...) -> carry...}
  If,       // (mask) blocks {then: () -> result..., otherwise: () -> result...}; imm, if not 0, is
            // the path of core/loops/cold_path.h that `then` computes of one more argument
};

// How a fold combines. ArgMin/ArgMax own two accumulators, (value, index): NaN wins over any
// number, then the better value, then the lower index. Of the pair the first names the combiner,
// the second says Second. A term of MulAdd is two factors: fma adds their product to what there is;
// two results are added.
enum class Combine : uint8_t {
  Add,
  Mul,
  FMin,
  FMax,
  SMin,
  SMax,
  UMin,
  UMax,
  And,
  Or,
  Xor,
  ArgMin,
  ArgMax,
  Second,
  MulAdd
};

using Id = int32_t;  // an instruction, and its value
using BlockId = int32_t;
inline constexpr Id no_id = -1;

struct Inst {
  Opcode op = Opcode::Const;
  Kind kind = Kind::None;  // of the value; None for stores and structured instructions
  BlockId home = 0;        // the block it stands in
  int64_t imm = 0;
  std::vector<Id> args;
  std::vector<BlockId> blocks;  // of a structured instruction
  std::vector<Kind> kinds;      // of its results
  std::vector<Combine> fold;    // of a Fold, of a For
};

struct Block {
  Id owner = no_id;     // the structured instruction; no_id for the top block
  BlockId parent = -1;  // the block that holds it
  int depth = 0;
  std::vector<Id> params;
  std::vector<Id> body;  // in order
  std::vector<Id> yields;
};

struct Buffer {
  Storage storage = Storage::F32;
  bool written = false;       // an output; may be read back too (then loads are not moved)
  bool non_temporal = false;  // an output too large to be found in a cache later, never read here
};

// What fills a vector register best, as far as whoever wrote the kernel can tell.
enum class Vector : uint8_t {
  grid,   // neighbouring points of the last grid axis
  none,   // nothing: there is one point
  inner,  // the terms of the outermost Fold and ForEach loops of a point
};

struct Kernel {
  std::string name;
  int rank = 1;     // grid axes
  int extents = 0;  // run-time extents
  std::vector<Buffer> buffers;
  std::vector<Inst> insts;
  std::vector<Block> blocks;  // blocks[0] is the top
  Vector vector = Vector::grid;
};

// Text of a kernel, one instruction a line; equal text means equal code, so it is the cache key.
std::string print(const Kernel& k);
// Empty if the kernel is well formed, else what is wrong and where.
std::string verify(const Kernel& k);

// Writes a kernel. Pure instructions are shared (hash-consed) and placed in the outermost block
// that has their operands, so what a loop does not change leaves the loop by itself; nothing
// leaves an If block (a branch that is not taken is not run).
class Builder {
 public:
  explicit Builder(std::string name);
  int buffer(Storage s, bool written);
  Id constant(Kind k, uint64_t bits);
  Id integer(int64_t v, Kind k = Kind::I64);
  Id extent(int64_t slot);
  Id index(int axis);
  Id pure(Opcode op, Kind k, std::initializer_list<Id> args, int64_t imm = 0);
  Id load(int buffer, Id offset);
  void store(int buffer, Id offset, Id value);
  Id local(Kind k, int64_t n);
  Id local_load(Id local, Id i);
  void local_store(Id local, Id i, Id value);

  // Structured instructions: open, fill the block(s), close. Blocks nest like braces.
  BlockId open(const std::vector<Kind>& params);  // a block under the current one; returns it
  void yield(const std::vector<Id>& values);      // what the current block hands on
  void leave();                                   // back to the parent
  Id param(BlockId b, int i) const { return kernel_.blocks[b].params[i]; }
  std::vector<Id> loop(Id lo, Id hi, int step, const std::vector<Id>& init, BlockId body,
                       const std::vector<Combine>& in_any_order = {});
  std::vector<Id> fold(Id n, const std::vector<Id>& identity, const std::vector<Combine>& c,
                       BlockId body, bool of_folds = false);
  void for_each(Id n, BlockId body);
  std::vector<Id> loop_while(const std::vector<Id>& init, BlockId test, BlockId body);
  std::vector<Id> branch(Id mask, BlockId then, BlockId otherwise,
                         ColdPathId path = ColdPathId::none, Id argument = no_id);
  BlockId open_branch();  // as open({}), and nothing is moved out of it

  Kind kind(Id v) const { return kernel_.insts[v].kind; }
  const Inst& inst(Id v) const { return kernel_.insts[v]; }
  bool is_constant(Id v, int64_t* value = nullptr) const;
  BlockId current() const { return current_; }
  size_t size() const { return kernel_.insts.size(); }
  // Whether v may be used in the block being written.
  bool visible(Id v) const;
  Kernel finish(int rank, int extents, Vector v);

 private:
  Id add(Inst i, BlockId where);
  Id append(Inst i);
  BlockId place(const std::vector<Id>& args) const;
  std::vector<Id> results(Id owner, const std::vector<Kind>& kinds,
                          const std::vector<BlockId>& blocks);
  Kernel kernel_;
  std::vector<bool> barrier_;  // by block: nothing leaves it
  BlockId current_ = 0;
  std::unordered_map<std::string, std::vector<Id>> known_;
};

}  // namespace weft::nest
