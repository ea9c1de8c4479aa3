// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest.h: the target-independent loop program of one kernel. Lowering rules write it
// through `Builder`; the CPU and PTX back ends read it.
//
// A kernel is a program for ONE point of a parallel grid. It is in SSA form with
// structured control flow, and contains no vectors, masks, threads or tiles. The back end packs
// neighbouring grid points into vector registers (Vector::grid), or it vectorizes the inner `fold`
// and `for_each` loops of a point (Vector::inner). It masks divergent control flow. Both give the
// same bits: every instruction is total and exactly defined, and the order of a fold depends only
// on its extent.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir.h"
#include "core/loops/cold_path.h"
#include "core/loops/index_ranges.h"

namespace weft::nest {

// The kind of a value. Instructions determine signedness, as in LLVM.
enum class Kind : uint8_t { None, Mask, I8, I16, I32, I64, F32, F64 };

// The memory format of a buffer element. Bool is a byte 0/1 (loaded as Mask). BF16 and F16 are
// loaded as F32 (exact) and stored rounded to nearest even.
enum class Storage : uint8_t { Bool, I8, I16, I32, I64, BF16, F16, F32, F64 };
Kind loaded_kind(Storage s);

enum class Opcode : uint8_t {
  // Leaves.
  Const,   // imm: the bits, zero-extended (F32 as its 32 bits)
  Extent,  // I64: run-time argument number imm (an extent of an axis)
  Index,   // I64: this point's index along grid axis imm
  Param,   // a parameter of its block (set by the structured instruction)
  Result,  // result number imm of the structured instruction args[0]
  // Arithmetic. Integers wrap. There is no fast-math and no contraction: only Fma gives an fma.
  Add,
  Sub,
  Mul,
  Neg,
  Div,  // float
  // Integer division is total: x/0 = -1 or all ones, x%0 = x, MIN/-1 = MIN, MIN%-1 = 0.
  SDiv,
  UDiv,
  SRem,
  URem,
  // Floats: Rem is C's fmod, and Abs clears the sign.
  Rem,
  Fma,
  Sqrt,
  Abs,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  // IEEE minimum and maximum: NaN wins, -0 < +0.
  FMin,
  FMax,
  // Integers.
  SMin,
  SMax,
  UMin,
  UMax,
  // Integers and masks.
  And,
  Or,
  Xor,
  Not,
  // Shifts are total: a count >= width (unsigned) gives 0; for Sar it gives the sign.
  Shl,
  Shr,
  Sar,
  // Integers.
  MulHiS,
  MulHiU,
  Popcount,
  Clz,
  // Comparisons: Eq and Ne of anything, Lt and Le of floats (ordered; Ne is unordered), the others
  // of integers.
  Eq,
  Ne,
  Lt,
  Le,
  SLt,
  SLe,
  ULt,
  ULe,
  Select,  // (mask, if true, if false)
  // Conversions; `kind` is the target. FToS and FToU truncate and saturate to the target's range;
  // NaN gives 0.
  FToS,
  FToU,
  SToF,
  UToF,
  FConv,
  SExt,
  ZExt,
  Narrow,
  MaskToInt,  // 0 or 1
  Bitcast,
  // F32 -> an F32 that the narrow type can represent, nearest even.
  RoundBF16,
  RoundF16,
  // Memory. Index operands are I64 element offsets and are in bounds for an active point.
  Load,        // buffer imm, (offset); inactive points do not touch memory
  Store,       // buffer imm, (offset, value)
  Local,       // a point's own array of imm elements of kind `kind`, uninitialized
  LocalLoad,   // (local, index)
  LocalStore,  // (local, index, value)
  // Structured. Result instructions read their results.
  For,   // (lo, hi, init...) blocks {body: (i, carry...) -> carry...}; imm = +1 or -1 (from hi-1
         // down); `fold`: Add for each carry that is a sum whose terms may be added in another
         // order, with other rounding
  Fold,  // (n, identity...) blocks {body: (i) -> term...}; `fold` names the combiner of each. The
         // order is that of one block in core/loops/fold_order.h. imm = 1: the terms are folds
         // themselves, and the back end vectorizes these inner folds instead of this one
  ForEach,  // (n) blocks {body: (i) -> }; iterations are independent, effects are stores
  While,    // (init...) blocks {test: (carry...) -> mask, body: (carry...) -> carry...}
  If,  // (mask) blocks {then: () -> result..., otherwise: () -> result...}; a nonzero imm is the
       // path of core/loops/cold_path.h that `then` computes from one more argument
};

// How a fold combines. ArgMin/ArgMax have two accumulators, (value, index): NaN wins over any
// number, then the better value, then the lower index. The first of the pair names the combiner,
// the second is Second. A term of MulAdd is two factors: fma adds their product to the accumulator,
// and two results are added.
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
  BlockId home = 0;        // the block that contains it
  int64_t imm = 0;
  std::vector<Id> args;
  std::vector<BlockId> blocks;  // of a structured instruction
  std::vector<Kind> kinds;      // of its results
  std::vector<Combine> fold;    // of a Fold or a For
};

struct Block {
  Id owner = no_id;     // the structured instruction; no_id for the top block
  BlockId parent = -1;  // the block that contains it
  int depth = 0;
  std::vector<Id> params;
  std::vector<Id> body;  // in order
  std::vector<Id> yields;
};

struct Buffer {
  Storage storage = Storage::F32;
  bool written = false;       // an output; it may also be read (then loads are not moved)
  bool large_output = false;  // too large to be in a cache later, and never read here
};

// The best way to fill a vector register, according to the author of the kernel.
enum class Vector : uint8_t {
  grid,   // neighbouring points of the last grid axis
  none,   // not vectorized: there is one point
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

// The text of a kernel, one instruction per line. Equal text means equal code, so the text is the
// cache key.
std::string print(const Kernel& k);
// Empty if the kernel is well formed, else the fault and where it is.
std::string verify(const Kernel& k);

// Writes a kernel. Pure instructions are shared (hash-consed) and placed in the outermost block
// that has their operands, so loop-invariant code is hoisted automatically. So are structured
// instructions that certainly end and only compute. Nothing is hoisted out of an If block, because
// a branch that is not taken must not run.
class Builder {
 public:
  explicit Builder(std::string name);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
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
  void yield(const std::vector<Id>& values);      // the results of the current block
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
  BlockId open_branch();  // like open({}), but nothing is hoisted out of it
  // Removes all that was written since block b was opened, after it was left. Nothing else may
  // refer to it.
  void discard(BlockId b);

  // The range of a parameter that is an index decides comparisons with constants while they are
  // written (core/loops/index_ranges.h).
  void set_range(Id index, const Range& r) { ranges_.set(index, r); }
  const std::set<int64_t>& borders(Id index) const { return ranges_.borders(index); }

  Kind kind(Id v) const { return kernel_.insts[v].kind; }
  const Inst& inst(Id v) const { return kernel_.insts[v]; }
  int depth(Id v) const { return kernel_.blocks[inst(v).home].depth; }  // of the block that has it
  bool is_constant(Id v, int64_t* value = nullptr) const;
  BlockId current() const { return current_; }
  size_t size() const { return kernel_.insts.size(); }
  // Returns true if v may be used in the block being written.
  bool visible(Id v) const;
  Kernel finish(int rank, int extents, Vector v);

 private:
  Id add(Inst i, BlockId where);
  Id append(Inst i);
  BlockId place(const std::vector<Id>& args) const;
  BlockId outermost(int least) const;
  std::optional<int> depth_needed(const Inst& i) const;
  std::vector<Id> structured(Inst i, const std::vector<Kind>& kinds);
  void move_under(BlockId b, BlockId parent);
  // Pure instructions with equal keys have equal values.
  struct PureKey {
    Opcode op;
    Kind kind;
    int64_t imm;
    std::array<Id, 3> args;  // no_id: it has fewer
    friend bool operator==(const PureKey&, const PureKey&) = default;
  };
  struct PureHash {
    size_t operator()(const PureKey& k) const;
  };
  Kernel kernel_;
  std::vector<bool> barrier_;  // by block: nothing is hoisted out of it
  BlockId current_ = 0;
  std::unordered_map<PureKey, Id, PureHash> known_;  // the last of equal instructions
  IndexRanges ranges_{kernel_};
  std::vector<Id> first_;  // by block: the first instruction since it was opened
};

}  // namespace weft::nest
