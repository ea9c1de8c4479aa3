// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/syntax.h: the syntax tree of StableHLO text: types, attributes, and
// operations with regions. It represents only the text: ops are names, and unknown attributes
// remain text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ir.h"
#include "interop/stablehlo/read/lexer.h"
#include "weft/type.h"

namespace weft::hlo {

// The prefix of composites "weft.NAME", which represent Weft's ops.
inline constexpr std::string_view own_prefix = "weft.";

inline constexpr size_t max_axes = 255;

// Types are interned by their text, so within one program equal types have equal pointers.
struct TypeData {
  enum class Kind { other, tensor, tuple, function };
  Kind kind = Kind::other;
  std::string text;                      // canonical text
  std::vector<int64_t> dims;             // sizes of a tensor; -1 means '?'
  const TypeData* element = nullptr;     // element type of a tensor
  std::string encoding;                  // text after the element type of a tensor
  std::vector<const TypeData*> in, out;  // types of a function; the parts of a tuple are `in`
};
using Typ = const TypeData*;

class TypeTable {
 public:
  Typ other(std::string text);
  Typ tensor(std::vector<int64_t> dims, Typ element, std::string encoding = {});
  Typ tuple(std::vector<Typ> parts);
  Typ function(std::vector<Typ> in, std::vector<Typ> out);
  size_t text_bytes() const { return text_bytes_; }  // length of the text of all types

 private:
  Typ keep(TypeData t);
  size_t text_bytes_ = 0;
  std::map<std::string, std::unique_ptr<TypeData>, std::less<>> types_;
};

// The numbers of a constant. Elements of a dtype that Weft has are decoded: row-major, in this
// machine's byte order, one byte for each bool. Elements that Weft holds in another dtype
// (small_type.h) or does not support keep their text.
struct Dense {
  Typ type = nullptr;
  bool known = false;
  DType dtype = F32;
  bool splat = false;  // one element represents all elements
  std::vector<std::byte> bytes;
  std::string text;
};

struct NamedAttr;
struct Attr {
  // `list` is […], `numbers` is array<i64: …>, and `text` is a form of a dialect (#stablehlo<…>).
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
  std::string text;     // a number as written (bools: true, false), string, symbol, dialect form
  int64_t integer = 0;  // bools: 0 and 1
  Typ type = nullptr;   // type of a number if given, element type of `numbers`, value of `type`
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
  int32_t first_result = 0;  // results have consecutive numbers
  std::vector<NamedAttr> attrs;
  std::vector<Region> regions;
  std::vector<std::string> successors;

  const Attr* attr(std::string_view name) const;
};

// A file, or the part of a file between two lines "// -----". Values are numbered in the order of
// their definitions. The values in an op's regions have lower numbers than its results.
struct Program {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<TypeTable> types;
  std::vector<Op> ops;
};

// Parses all parts of a text. Raises ParseError with line and column.
std::vector<Program> parse(std::shared_ptr<const SourceText> source);
// Returns the text in the generic form, which parse() and MLIR can read.
std::string to_string(const Program& p);
std::string to_string(const Attr& a);
// Returns true if two programs are equal, apart from their positions in the text.
bool same(const Program& a, const Program& b);

}  // namespace weft::hlo
