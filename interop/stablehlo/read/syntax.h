// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/syntax.h: the syntax tree of StableHLO text: types, attributes, operations
// with regions. What the text says and no more: ops are names, unknown attributes stay text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/type.h"
#include "weft/interop/stablehlo/read/lexer.h"

namespace weft::hlo {

// Composites "weft.NAME" stand for ops of ours.
inline constexpr std::string_view own_prefix = "weft.";

inline constexpr size_t most_axes = 255;

// Interned by its text, so equal is pointer-equal within one program.
struct TypeData {
  enum class Kind { other, tensor, tuple, function };
  Kind kind = Kind::other;
  std::string text;                      // canonical
  std::vector<int64_t> dims;             // of a tensor; -1: '?'
  const TypeData* element = nullptr;     // of a tensor
  std::string encoding;                  // of a tensor, what follows its element type
  std::vector<const TypeData*> in, out;  // a function's; a tuple's parts are `in`
};
using Typ = const TypeData*;

class TypeTable {
 public:
  Typ other(std::string text);
  Typ tensor(std::vector<int64_t> dims, Typ element, std::string encoding = {});
  Typ tuple(std::vector<Typ> parts);
  Typ function(std::vector<Typ> in, std::vector<Typ> out);
  size_t text_bytes() const { return text_bytes_; }  // of all types

 private:
  Typ keep(TypeData t);
  size_t text_bytes_ = 0;
  std::map<std::string, std::unique_ptr<TypeData>, std::less<>> types_;
};

// The numbers of a constant. Elements of a dtype that Weft has are decoded: row-major, in this
// machine's byte order, a bool a byte. Those that it holds as another dtype (small_type.h) and
// those that it lacks keep their text.
struct Dense {
  Typ type = nullptr;
  bool known = false;
  DType dtype = F32;
  bool splat = false;  // one element stands for all
  std::vector<std::byte> bytes;
  std::string text;
};

struct NamedAttr;
struct Attr {
  // `list` is […], `numbers` is array<i64: …>, `text` is a form of some dialect (#stablehlo<…>).
  enum class Kind {
    unit,
    integer,
    floating,
    string,
    symbol,
    type,
    list,
    dictionary,
    dense,
    numbers,
    text
  };
  Kind kind = Kind::unit;
  size_t at = 0;
  std::string text;     // of a number as written (booleans: true, false), string, symbol, dialect
  int64_t integer = 0;  // booleans: 0 and 1
  Typ type = nullptr;   // of a number if given, element type of `numbers`, the type of `type`
  std::vector<Attr> items;
  std::vector<NamedAttr> entries;
  std::vector<int64_t> numbers;
  std::shared_ptr<const Dense> dense;
};
struct NamedAttr {
  std::string name;
  Attr value;
};

struct Op;
struct Block {
  std::string label;  // without '^', or empty
  int32_t first_arg = 0;
  std::vector<Typ> args;
  std::vector<Op> ops;
};
struct Region {
  std::vector<Block> blocks;
};
struct Op {
  size_t at = 0;
  std::string name;  // "stablehlo.add"
  std::vector<int32_t> operands;
  std::vector<Typ> in, out;
  int32_t first_result = 0;  // results are numbered in a row
  std::vector<NamedAttr> attrs;
  std::vector<Region> regions;
  std::vector<std::string> successors;

  const Attr* attr(std::string_view name) const;
};

// A file, or what stands between two lines "// -----". Values are numbered in the order in which
// they are defined; those of an op's regions come before its results.
struct Program {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<TypeTable> types;
  std::vector<Op> ops;
};

// All parts of a text. ParseError with line and column.
std::vector<Program> parse(std::shared_ptr<const SourceText> source);
// In the generic form, which parse() and MLIR read.
std::string to_string(const Program& p);
std::string to_string(const Attr& a);
// Whether two programs say the same, places aside.
bool same(const Program& a, const Program& b);

}  // namespace weft::hlo
