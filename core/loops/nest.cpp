// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/nest.cpp: building, printing and checking loop programs.
#include "core/loops/nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "core/loops/combine.h"
#include "core/loops/counted_loops.h"
#include "core/text/float_text.h"
#include "weft/error.h"

namespace weft::nest {
namespace {

constexpr const char* opcode_names[] = {
    "const",       "extent",      "index",      "param",     "result",   "add",    "sub",
    "mul",         "neg",         "div",        "sdiv",      "udiv",     "srem",   "urem",
    "rem",         "fma",         "sqrt",       "abs",       "floor",    "ceil",   "trunc",
    "round_even",  "fmin",        "fmax",       "smin",      "smax",     "umin",   "umax",
    "and",         "or",          "xor",        "not",       "shl",      "shr",    "sar",
    "mulhi_s",     "mulhi_u",     "popcount",   "clz",       "eq",       "ne",     "lt",
    "le",          "slt",         "sle",        "ult",       "ule",      "select", "ftos",
    "ftou",        "stof",        "utof",       "fconv",     "sext",     "zext",   "narrow",
    "mask_to_int", "bitcast",     "round_bf16", "round_f16", "load",     "store",  "local",
    "local_load",  "local_store", "for",        "fold",      "for_each", "while",  "if"};
static_assert(std::size(opcode_names) == static_cast<size_t>(Opcode::If) + 1);
constexpr const char* kind_names[] = {"none", "mask", "i8", "i16", "i32", "i64", "f32", "f64"};
constexpr const char* storage_names[] = {"bool", "i8",  "i16", "i32", "i64",
                                         "bf16", "f16", "f32", "f64"};
constexpr const char* combine_names[] = {"add",  "mul",    "fmin",   "fmax",   "smin",
                                         "smax", "umin",   "umax",   "and",    "or",
                                         "xor",  "argmin", "argmax", "second", "muladd"};

const char* name(Opcode o) { return opcode_names[static_cast<size_t>(o)]; }
const char* name(Kind k) { return kind_names[static_cast<size_t>(k)]; }

// The properties of an instruction besides its arguments. A constant has its value, so that
// different constants print differently; NaNs show their bits.
std::string immediate(const Inst& i) {
  const auto number = [](double x, DType d, uint64_t bits) {
    return std::isnan(x) ? fmt::format("nan:0x{:x}", bits) : float_text(x, d, FloatStyle::Python);
  };
  const auto bits = static_cast<uint64_t>(i.imm);
  if (i.op == Opcode::Const && i.kind == Kind::F32)
    return number(std::bit_cast<float>(static_cast<uint32_t>(bits)), F32, bits);
  if (i.op == Opcode::Const && i.kind == Kind::F64)
    return number(std::bit_cast<double>(bits), F64, bits);
  return std::to_string(i.imm);
}

// Numbers values by their order of appearance, so that equal programs print equally however they
// were built.
struct Printer {
  const Kernel& k;
  std::string out;
  std::vector<int> number = std::vector<int>(k.insts.size(), -1);
  int next = 0;

  std::string ref(Id v) {
    return fmt::format("%{}", number[v] < 0 ? number[v] = next++ : number[v]);
  }
  std::string refs(const std::vector<Id>& vs) {
    std::string s;
    for (Id v : vs) s += (s.empty() ? "" : " ") + ref(v);
    return s;
  }
  void block(BlockId b, int indent) {
    const Block& bl = k.blocks[b];
    for (Id p : bl.params)
      out += fmt::format("{:{}}{} = param {}\n", "", indent, ref(p), name(k.insts[p].kind));
    for (Id v : bl.body) {
      const Inst& i = k.insts[v];
      if (i.op == Opcode::Param) continue;
      const std::string args = refs(i.args);
      out += fmt::format("{:{}}{} = {} {} {} {}", "", indent, ref(v), name(i.op), name(i.kind),
                         immediate(i), args);
      for (Combine c : i.fold) out += fmt::format(" {}", combine_names[static_cast<size_t>(c)]);
      out += '\n';
      for (BlockId inner : i.blocks) {
        out += fmt::format("{:{}}{{\n", "", indent);
        block(inner, indent + 2);
        out += fmt::format("{:{}}}}\n", "", indent);
      }
    }
    if (!bl.yields.empty()) out += fmt::format("{:{}}yield {}\n", "", indent, refs(bl.yields));
  }
};

}  // namespace

std::string print(const Kernel& k) {
  Printer p{k, {}};
  constexpr const char* vectors[] = {"grid", "none", "inner"};
  p.out = fmt::format("kernel rank={} extents={} vector={}\n", k.rank, k.extents,
                      vectors[static_cast<size_t>(k.vector)]);
  for (size_t i = 0; i < k.buffers.size(); ++i)
    p.out += fmt::format(
        "buffer {} {}{}{}\n", i, storage_names[static_cast<size_t>(k.buffers[i].storage)],
        k.buffers[i].written ? " written" : "", k.buffers[i].large_output ? " non-temporal" : "");
  p.block(0, 0);
  return p.out;
}

std::string verify(const Kernel& k) {
  std::vector<char> defined(k.insts.size(), 0);
  std::string problem;
  const auto check_block = [&](auto&& self, BlockId b) -> void {
    const Block& bl = k.blocks[b];
    for (Id p : bl.params) defined[p] = 1;
    for (Id v : bl.body) {
      if (!problem.empty()) return;
      const Inst& i = k.insts[v];
      if (i.home != b)
        problem = fmt::format("instruction {} ({}) stands in block {} but says {}", v, name(i.op),
                              b, i.home);
      for (Id a : i.args)
        if (a < 0 || !defined[a])
          problem =
              fmt::format("instruction {} ({}) reads {} before it is defined", v, name(i.op), a);
      if ((i.op == Opcode::Load || i.op == Opcode::Store) &&
          (i.imm < 0 || i.imm >= static_cast<int64_t>(k.buffers.size())))
        problem = fmt::format("instruction {} names buffer {} of {}", v, i.imm, k.buffers.size());
      if (i.op == Opcode::Fold && k.blocks[i.blocks[0]].yields.size() != values_of_term(i.fold))
        problem = fmt::format("instruction {} (fold) has terms of {} values, not {}", v,
                              k.blocks[i.blocks[0]].yields.size(), values_of_term(i.fold));
      for (BlockId inner : i.blocks) self(self, inner);
      defined[v] = 1;
    }
    for (Id y : bl.yields)
      if (problem.empty() && !defined[y])
        problem = fmt::format("block {} yields {} before it is defined", b, y);
    // Values defined in a block are not visible outside it.
    if (b != 0) {
      for (Id v : bl.body) defined[v] = 0;
      for (Id p : bl.params) defined[p] = 0;
    }
  };
  check_block(check_block, 0);
  return problem;
}

Builder::Builder(std::string name) {
  kernel_.name = std::move(name);
  kernel_.blocks.emplace_back();
  barrier_.push_back(false);
  first_.push_back(0);
}

int Builder::buffer(Storage s, bool written) {
  kernel_.buffers.push_back({s, written});
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

Id Builder::add(Inst i, BlockId where) {
  i.home = where;
  kernel_.insts.push_back(std::move(i));
  const Id id = static_cast<Id>(kernel_.insts.size()) - 1;
  kernel_.blocks[where].body.push_back(id);
  return id;
}

Id Builder::append(Inst i) { return add(std::move(i), current_); }

// The outermost block that has all operands, but within the current branch.
BlockId Builder::place(const std::vector<Id>& args) const {
  int deepest = 0;
  for (Id a : args) deepest = std::max(deepest, depth(a));
  return outermost(deepest);
}

// The outermost block of this depth or deeper that contains the current one in the same branch.
BlockId Builder::outermost(int least) const {
  BlockId b = current_;
  while (kernel_.blocks[b].depth > least && !barrier_[b]) b = kernel_.blocks[b].parent;
  return b;
}

// The depth of the deepest value that a structured instruction in the current block reads. Empty if
// the instruction uses memory that is written, or may not end: it must not run more or less often.
std::optional<int> Builder::depth_needed(const Inst& i) const {
  int deepest = 0;
  const int own = kernel_.blocks[current_].depth;
  const auto need = [&](const std::vector<Id>& values) {
    for (const Id v : values)
      if (depth(v) <= own) deepest = std::max(deepest, depth(v));
  };
  std::vector<const Inst*> left{&i};
  while (!left.empty()) {
    const Inst& of = *left.back();
    left.pop_back();
    switch (of.op) {
      case Opcode::Store:
      case Opcode::Local:
      case Opcode::LocalLoad:
      case Opcode::LocalStore:
      case Opcode::ForEach:
      case Opcode::While: return {};
      case Opcode::Load:
        if (kernel_.buffers[of.imm].written) return {};
        break;
      default: break;
    }
    need(of.args);
    for (const BlockId b : of.blocks) {
      need(kernel_.blocks[b].yields);
      for (const Id v : kernel_.blocks[b].body) left.push_back(&kernel_.insts[v]);
    }
  }
  return deepest;
}

bool Builder::visible(Id v) const {
  const BlockId home = kernel_.insts[v].home;
  BlockId b = current_;
  while (kernel_.blocks[b].depth > kernel_.blocks[home].depth) b = kernel_.blocks[b].parent;
  return b == home;
}

size_t Builder::PureHash::operator()(const PureKey& k) const {
  return hash_fields(k.op, k.kind, k.imm, k.args[0], k.args[1], k.args[2]);
}

namespace {

// Returns true if v is this float constant, including the sign of 0.
bool is_float(const std::vector<Inst>& insts, Id v, double x) {
  const Inst& i = insts[v];
  const auto bits = static_cast<uint64_t>(i.imm);
  if (i.op != Opcode::Const) return false;
  if (i.kind == Kind::F32) return bits == std::bit_cast<uint32_t>(static_cast<float>(x));
  return i.kind == Kind::F64 && bits == std::bit_cast<uint64_t>(x);
}

// The operand that is the result: x * 1, x / 1, x + -0 and x - 0 are x. But x + 0 is not, because
// it turns -0 into 0.
Id equal_operand(const std::vector<Inst>& insts, Opcode op, std::initializer_list<Id> args) {
  const auto is = [&](size_t k, double x) { return is_float(insts, args.begin()[k], x); };
  const bool product = op == Opcode::Mul, sum = op == Opcode::Add;
  if ((product && is(0, 1)) || (sum && is(0, -0.))) return args.begin()[1];
  if (((product || op == Opcode::Div) && is(1, 1)) || (sum && is(1, -0.)) ||
      (op == Opcode::Sub && is(1, 0)))
    return args.begin()[0];
  return no_id;
}

// A value times a constant.
struct Multiple {
  Id value;
  int64_t factor;
};
Multiple multiple(const std::vector<Inst>& insts, Id v) {
  const Inst& i = insts[v];
  if (i.op != Opcode::Mul || insts[i.args[1]].op != Opcode::Const) return {v, 1};
  return {i.args[0], insts[i.args[1]].imm};
}

// A value divided by positive constants, one after another; other values are divided by 1.
struct Quotient {
  Id value;
  int64_t divisor = 1;
  // Returns true if this is `other` divided by d.
  bool is(const Quotient& other, int64_t d) const {
    int64_t product = 0;
    return value == other.value && !__builtin_mul_overflow(other.divisor, d, &product) &&
           divisor == product;
  }
};
Quotient quotient(const std::vector<Inst>& insts, Id v) {
  Quotient q{v};
  for (;;) {
    const Inst& i = insts[q.value];
    if (i.op != Opcode::SDiv || insts[i.args[1]].op != Opcode::Const || insts[i.args[1]].imm < 1 ||
        __builtin_mul_overflow(q.divisor, insts[i.args[1]].imm, &q.divisor))
      return q;
    q.value = i.args[0];
  }
}

// The sum of multiples of two digits of an index: `factor` times value, or times value % modulus if
// that is not 0.
struct DigitSum {
  Id value;
  int64_t modulus, factor;
};
// (x / d) * d * m + (x % d) * m is x * m, and ((x / d) % e) * d * m + (x % d) * m is
// (x % (d * e)) * m.
std::optional<DigitSum> sum_of_digits(const std::vector<Inst>& insts, Id a, Id b) {
  const auto sum = [&](const Multiple& high, const Multiple& low) -> std::optional<DigitSum> {
    const Inst &h = insts[high.value], &r = insts[low.value];
    if (r.op != Opcode::SRem || insts[r.args[1]].op != Opcode::Const) return {};
    const int64_t d = insts[r.args[1]].imm;
    int64_t factor = 0, modulus = 0;
    if (d < 1 || __builtin_mul_overflow(low.factor, d, &factor) || factor != high.factor) return {};
    const Quotient x = quotient(insts, r.args[0]);
    if (h.op == Opcode::SDiv && quotient(insts, high.value).is(x, d))
      return DigitSum{r.args[0], 0, low.factor};
    if (h.op == Opcode::SRem && insts[h.args[1]].op == Opcode::Const && insts[h.args[1]].imm > 0 &&
        quotient(insts, h.args[0]).is(x, d) &&
        !__builtin_mul_overflow(d, insts[h.args[1]].imm, &modulus))
      return DigitSum{r.args[0], modulus, low.factor};
    return {};
  };
  const Multiple m = multiple(insts, a), n = multiple(insts, b);
  const auto found = sum(m, n);
  return found ? found : sum(n, m);
}

}  // namespace

Id Builder::pure(Opcode op, Kind k, std::initializer_list<Id> args, int64_t imm) {
  if (op == Opcode::Add && k == Kind::I64) {
    const auto times = [&](const DigitSum& m) {
      const Id x = m.modulus == 0 ? m.value : pure(Opcode::SRem, k, {m.value, integer(m.modulus)});
      return m.factor == 1 ? x : pure(Opcode::Mul, k, {x, integer(m.factor)});
    };
    const Id a = args.begin()[0], b = args.begin()[1];
    if (const auto all = sum_of_digits(kernel_.insts, a, b)) return times(*all);
    const Inst& before = kernel_.insts[a];
    if (before.op == Opcode::Add)
      if (const auto all = sum_of_digits(kernel_.insts, before.args[1], b)) {
        const Id rest = before.args[0];
        return pure(op, k, {rest, times(*all)});
      }
  }
  if (const Id same = equal_operand(kernel_.insts, op, args); same != no_id) return same;
  // With a factor of 1 or -1 the product is exact, so the sum rounds alike. The product 0 * -0 is
  // -0.
  if (op == Opcode::Fma)
    for (size_t factor : {0, 1}) {
      const Id one = args.begin()[factor], x = args.begin()[1 - factor], y = args.begin()[2];
      if (is_float(kernel_.insts, one, 0) && is_float(kernel_.insts, x, -0.)) return y;
      if (is_float(kernel_.insts, one, 1)) return pure(Opcode::Add, k, {x, y});
      if (is_float(kernel_.insts, one, -1)) return pure(Opcode::Sub, k, {y, x});
    }
  // 0 <= x and x <= n is one unsigned comparison if n is not negative.
  if (op == Opcode::And && k == Kind::Mask)
    for (size_t low : {0, 1}) {
      const Inst &l = kernel_.insts[args.begin()[low]], &h = kernel_.insts[args.begin()[1 - low]];
      if (l.op != Opcode::SLe || h.op != Opcode::SLe || l.args[1] != h.args[0]) continue;
      const Inst &zero = kernel_.insts[l.args[0]], &n = kernel_.insts[h.args[1]];
      if (zero.op == Opcode::Const && zero.imm == 0 && n.op == Opcode::Const &&
          n.kind == Kind::I64 && n.imm >= 0)
        return pure(Opcode::ULe, k, {h.args[0], h.args[1]});
    }
  if (const auto r = ranges_.decide(op, args))
    return r->operand ? *r->operand : integer(r->number, k);
  PureKey key{op, k, imm, {no_id, no_id, no_id}};
  if (args.size() > key.args.size()) throw InternalError("a pure instruction has many arguments");
  std::ranges::copy(args, key.args.begin());
  // Blocks are not opened again. So what is not visible when an equal instruction is written never
  // is again, and only the last of equal ones can be.
  Id& known = known_.try_emplace(key, no_id).first->second;
  if (known != no_id && visible(known)) return known;
  const std::vector<Id> all(args);
  const Id v = known = add({op, k, 0, imm, all, {}, {}, {}}, place(all));
  ranges_.learn(v);
  return v;
}

Id Builder::constant(Kind k, uint64_t bits) {
  return pure(Opcode::Const, k, {}, static_cast<int64_t>(bits));
}

Id Builder::integer(int64_t v, Kind k) {
  const int bits = k == Kind::I8 ? 8 : k == Kind::I16 ? 16 : k == Kind::I32 ? 32 : 64;
  return constant(k, bits == 64 ? static_cast<uint64_t>(v)
                                : static_cast<uint64_t>(v) & ((uint64_t{1} << bits) - 1));
}

Id Builder::extent(int64_t slot) { return pure(Opcode::Extent, Kind::I64, {}, slot); }
Id Builder::index(int axis) { return pure(Opcode::Index, Kind::I64, {}, axis); }

Kind loaded_kind(Storage s) {
  switch (s) {
    case Storage::Bool: return Kind::Mask;
    case Storage::I8: return Kind::I8;
    case Storage::I16: return Kind::I16;
    case Storage::I32: return Kind::I32;
    case Storage::I64: return Kind::I64;
    case Storage::F64: return Kind::F64;
    default: return Kind::F32;
  }
}

Id Builder::load(int buffer, Id offset) {
  const Buffer& b = kernel_.buffers[buffer];
  if (!b.written) return pure(Opcode::Load, loaded_kind(b.storage), {offset}, buffer);
  return append({Opcode::Load, loaded_kind(b.storage), 0, buffer, {offset}, {}, {}, {}});
}

void Builder::store(int buffer, Id offset, Id value) {
  append({Opcode::Store, Kind::None, 0, buffer, {offset, value}, {}, {}, {}});
}

Id Builder::local(Kind k, int64_t n) { return append({Opcode::Local, k, 0, n, {}, {}, {}, {}}); }
Id Builder::local_load(Id l, Id i) {
  return append({Opcode::LocalLoad, kernel_.insts[l].kind, 0, 0, {l, i}, {}, {}, {}});
}
void Builder::local_store(Id l, Id i, Id v) {
  append({Opcode::LocalStore, Kind::None, 0, 0, {l, i, v}, {}, {}, {}});
}

BlockId Builder::open(const std::vector<Kind>& params) {
  const BlockId b = static_cast<BlockId>(kernel_.blocks.size());
  Block bl;
  bl.parent = current_;
  bl.depth = kernel_.blocks[current_].depth + 1;
  kernel_.blocks.push_back(std::move(bl));
  barrier_.push_back(false);
  first_.push_back(static_cast<Id>(kernel_.insts.size()));
  current_ = b;
  for (Kind k : params) {
    const Id p = append({Opcode::Param,
                         k,
                         0,
                         static_cast<int64_t>(kernel_.blocks[b].params.size()),
                         {},
                         {},
                         {},
                         {}});
    kernel_.blocks[b].params.push_back(p);
  }
  return b;
}

BlockId Builder::open_branch() {
  const BlockId b = open({});
  barrier_[b] = true;
  return b;
}

namespace {
bool is_discarded(const Inst& i) { return i.op == Opcode::Const && i.kind == Kind::None; }
}  // namespace

// Numbers are not used again, because maps of the author may have them. Removed instructions are
// in a block that is never current, so none is visible.
void Builder::discard(BlockId b) {
  for (BlockId o = 0; o < b; ++o)
    std::erase_if(kernel_.blocks[o].body, [&](Id v) { return v >= first_[b]; });
  for (auto o = static_cast<size_t>(b); o < kernel_.blocks.size(); ++o) {
    kernel_.blocks[o].body.clear();
    kernel_.blocks[o].params.clear();
    kernel_.blocks[o].yields.clear();
  }
  for (auto v = static_cast<size_t>(first_[b]); v < kernel_.insts.size(); ++v)
    kernel_.insts[v] = {Opcode::Const, Kind::None, b, 0, {}, {}, {}, {}};
}

void Builder::yield(const std::vector<Id>& values) { kernel_.blocks[current_].yields = values; }
void Builder::leave() { current_ = kernel_.blocks[current_].parent; }

// Writes a structured instruction whose blocks are complete. Returns its results.
std::vector<Id> Builder::structured(Inst i, const std::vector<Kind>& kinds) {
  BlockId where = current_;
  if (outermost(0) != current_)
    if (const std::optional<int> deepest = depth_needed(i)) where = outermost(*deepest);
  const std::vector<BlockId> blocks = i.blocks;
  i.kinds = kinds;
  const Id owner = add(std::move(i), where);
  for (const BlockId b : blocks) {
    kernel_.blocks[b].owner = owner;
    if (where != current_) move_under(b, where);
  }
  std::vector<Id> out;
  for (const Kind k : kinds)
    out.push_back(add({Opcode::Result, k, 0, std::ssize(out), {owner}, {}, {}, {}}, where));
  return out;
}

// Makes `parent` the block that contains b.
void Builder::move_under(BlockId b, BlockId parent) {
  Block& block = kernel_.blocks[b];
  block.parent = parent;
  block.depth = kernel_.blocks[parent].depth + 1;
  for (const Id v : block.body)
    for (const BlockId inner : kernel_.insts[v].blocks) move_under(inner, b);
}

namespace {
std::vector<Kind> kinds_of(const Kernel& k, const std::vector<Id>& vs) {
  std::vector<Kind> out;
  for (Id v : vs) out.push_back(k.insts[v].kind);
  return out;
}
std::vector<Id> joined(std::vector<Id> head, const std::vector<Id>& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}
}  // namespace

std::vector<Id> Builder::loop(Id lo, Id hi, int step, const std::vector<Id>& init, BlockId body,
                              const std::vector<Combine>& in_any_order) {
  return structured(
      {Opcode::For, Kind::None, 0, step, joined({lo, hi}, init), {body}, {}, in_any_order},
      kinds_of(kernel_, init));
}

std::vector<Id> Builder::fold(Id n, const std::vector<Id>& identity, const std::vector<Combine>& c,
                              BlockId body, bool of_folds) {
  // The folds that are the terms may have been hoisted.
  of_folds = of_folds && std::ranges::any_of(kernel_.blocks[body].body, [&](Id v) {
               return kernel_.insts[v].op == Opcode::Fold;
             });
  return structured({Opcode::Fold, Kind::None, 0, of_folds, joined({n}, identity), {body}, {}, c},
                    kinds_of(kernel_, identity));
}

void Builder::for_each(Id n, BlockId body) {
  structured({Opcode::ForEach, Kind::None, 0, 0, {n}, {body}, {}, {}}, {});
}

std::vector<Id> Builder::loop_while(const std::vector<Id>& init, BlockId test, BlockId body) {
  return structured({Opcode::While, Kind::None, 0, 0, init, {test, body}, {}, {}},
                    kinds_of(kernel_, init));
}

std::vector<Id> Builder::branch(Id mask, BlockId then, BlockId otherwise, ColdPathId path,
                                Id argument) {
  std::vector<Id> args{mask};
  if (path != ColdPathId::none) args.push_back(argument);
  return structured({Opcode::If,
                     Kind::None,
                     0,
                     static_cast<int64_t>(path),
                     std::move(args),
                     {then, otherwise},
                     {},
                     {}},
                    kinds_of(kernel_, kernel_.blocks[then].yields));
}

bool Builder::is_constant(Id v, int64_t* value) const {
  const Inst& i = kernel_.insts[v];
  if (i.op != Opcode::Const) return false;
  if (value) *value = i.imm;
  return true;
}

namespace {
bool has_effect(const Inst& i) {
  return i.op == Opcode::Store || i.op == Opcode::LocalStore || i.op == Opcode::For ||
         i.op == Opcode::ForEach || i.op == Opcode::While || i.op == Opcode::If;
}

// Removes instructions that no effect depends on. Structured instructions stay, except for a Fold
// whose results are not read.
void drop_unused(Kernel& k) {
  std::vector<char> live(k.insts.size(), 0);
  std::vector<Id> stack;
  const auto need = [&](Id v) {
    if (!live[v]) {
      live[v] = 1;
      stack.push_back(v);
    }
  };
  const auto drain = [&] {
    while (!stack.empty()) {
      const Inst& i = k.insts[stack.back()];
      stack.pop_back();
      for (Id a : i.args) need(a);
      for (BlockId b : i.blocks) {
        for (Id p : k.blocks[b].params) need(p);
        for (Id y : k.blocks[b].yields) need(y);
      }
    }
  };
  for (size_t v = 0; v < k.insts.size(); ++v)
    if (has_effect(k.insts[v])) need(static_cast<Id>(v));
  drain();
  for (Block& b : k.blocks) std::erase_if(b.body, [&](Id v) { return !live[v]; });
}
// Numbers the instructions again, without those that were discarded.
void remove_discarded(Kernel& k) {
  std::vector<Id> number(k.insts.size(), no_id);
  Id next = 0;
  for (size_t v = 0; v < k.insts.size(); ++v) {
    if (is_discarded(k.insts[v])) continue;
    number[v] = next;
    if (static_cast<Id>(v) != next) k.insts[next] = std::move(k.insts[v]);
    ++next;
  }
  k.insts.resize(next);
  const auto renumber = [&](std::vector<Id>& ids) {
    for (Id& v : ids) v = number[v];
  };
  for (Inst& i : k.insts) renumber(i.args);
  for (Block& b : k.blocks) {
    if (b.owner != no_id) b.owner = number[b.owner];
    for (auto* ids : {&b.params, &b.body, &b.yields}) renumber(*ids);
  }
}
}  // namespace

Kernel Builder::finish(int rank, int extents, Vector v) {
  drop_unused(kernel_);
  remove_discarded(kernel_);
  count_loops(&kernel_);
  kernel_.rank = rank;
  kernel_.extents = extents;
  kernel_.vector = v;
  return std::move(kernel_);
}

}  // namespace weft::nest
