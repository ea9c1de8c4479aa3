// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/lower.cpp: constant elements, and the storage of elements.
#include "core/loops/lower.h"

#include "core/scalar/number.h"

namespace weft {

namespace {
void emit_bits(DType d, const uint64_t* bits, Elem* e) {
  nest::Builder& b = num::builder();
  switch (d) {
    case Bool: e->re = b.constant(nest::Kind::Mask, bits[0]); return;
    case I8:
    case U8: e->re = b.constant(nest::Kind::I8, bits[0]); return;
    case I16:
    case U16: e->re = b.constant(nest::Kind::I16, bits[0]); return;
    case I32:
    case U32: e->re = b.constant(nest::Kind::I32, bits[0]); return;
    case I64:
    case U64: e->re = b.constant(nest::Kind::I64, bits[0]); return;
    case F32: e->re = b.constant(nest::Kind::F32, bits[0]); return;
    case F64: e->re = b.constant(nest::Kind::F64, bits[0]); return;
    case C64:
      e->re = b.constant(nest::Kind::F32, bits[0] & 0xffffffffu);
      e->im = b.constant(nest::Kind::F32, bits[0] >> 32);
      return;
    case C128:
      e->re = b.constant(nest::Kind::F64, bits[0]);
      e->im = b.constant(nest::Kind::F64, bits[1]);
      return;
    case Key:
    case RbgKey:
      e->re = b.constant(nest::Kind::I32, bits[0] & 0xffffffffu);
      e->im = b.constant(nest::Kind::I32, bits[0] >> 32);
      return;
    case BF16:
    case F16: {
      float f = 0;
      if (d == BF16) {
        bfloat16_t h;
        h.bits = static_cast<uint16_t>(bits[0]);
        f = h;
      } else {
        float16_t h;
        h.bits = static_cast<uint16_t>(bits[0]);
        f = h;
      }
      e->re = num::Ir<float>(f).id;
      return;
    }
  }
}
}  // namespace

Elem literal_elem(const Literal& l) {
  Elem e;
  emit_bits(l.dtype, l.bits, &e);
  return e;
}

Elem select_elem(nest::Id mask, const Elem& a, const Elem& b) {
  if (bool taken = false; num::Ir<bool>::at(mask).known(&taken)) return taken ? a : b;
  nest::Builder& w = num::builder();
  const auto one = [&](nest::Id p, nest::Id q) {
    return p == q ? p : w.pure(nest::Opcode::Select, w.kind(p), {mask, p, q});
  };
  return {one(a.re, b.re), a.im == nest::no_id ? nest::no_id : one(a.im, b.im)};
}

nest::Storage storage_of(DType d) {
  switch (d) {
    case Bool: return nest::Storage::Bool;
    case I8:
    case U8: return nest::Storage::I8;
    case I16:
    case U16: return nest::Storage::I16;
    case I32:
    case U32:
    case Key:
    case RbgKey: return nest::Storage::I32;
    case I64:
    case U64: return nest::Storage::I64;
    case BF16: return nest::Storage::BF16;
    case F16: return nest::Storage::F16;
    case F64:
    case C128: return nest::Storage::F64;
    default: return nest::Storage::F32;
  }
}

}  // namespace weft
