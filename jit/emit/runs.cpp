// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/runs.cpp: loops in runs of trips.
#include "jit/emit/runs.h"

#include <llvm/IR/Intrinsics.h>

#include "core/loops/fold_order.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

using fold_order::run_terms;

V Runs::trips_of_block(V n, V done, int64_t most) {
  if (b_.constant_int(n).value_or(1) % most == 0) return b_.i64(most);
  return b_.call(llvm::Intrinsic::smin, {b_.i64(most), b_.CreateSub(n, done)});
}

Vs Runs::run_of_trips(Id v, const std::vector<Carry>& cs, V first, V count, const Vs& init,
                      const std::function<void(V)>& at_trip) {
  const Id end = run_end(k_, e_.divergence, v);
  const BlockId block = k_.insts[v].blocks[0];
  const nest::Block& body = k_.blocks[block];
  const auto &run_end_block = k_.blocks[k_.insts[end].blocks[0]],
             &trip_block = k_.blocks[k_.insts[end].blocks[1]];
  const auto result = [&](const Carry& c) { return static_cast<size_t>(k_.insts[c.next].imm); };
  const auto index = [&](V trip) {
    return k_.insts[v].imm > 0 ? b_.CreateAdd(first, trip) : b_.CreateSub(first, trip);
  };
  const auto yielded = [&](const nest::Block& by) {
    Vs out;
    for (const Carry& c : cs) out.append(e_.parts(by.yields[result(c)], c.variance));
    return out;
  };
  const IrBuilder::Loop l =
      b_.loop("trips", b_.i64(0), count, b_.i64(1), init, [&](V trip, const Vs& now) {
        e_.set(body.params[0], index(trip));
        e_.loops().bind(cs, &Carry::param, now);
        at_trip(trip);
        for (Id x : body.body)
          if (x != end) e_.emit_inst(x);
        return yielded(trip_block);
      });
  return b_.branch(
      b_.CreateICmpEQ(count, b_.i64(run_terms)),
      [&] {
        const Id trip = k_.insts[k_.insts[k_.insts[end].args[0]].args[0]].args[0];
        e_.set(body.params[0], index(b_.CreateSub(count, b_.i64(1))));
        e_.emit_offset(trip, block);
        std::vector<Carry> last = cs;
        for (Carry& c : last) c.next = trip_block.yields[result(c)];
        e_.loops().bind(last, &Carry::next, l.carry);
        e_.emit_block(k_.insts[end].blocks[0]);
        return yielded(run_end_block);
      },
      [&] { return l.carry; });
}

void Runs::emit(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const V hi = e_.scalar(i.args[1]);
  const Vs init = e_.loops().carried(cs, &Carry::init);
  const IrBuilder::Loop l =
      b_.loop("runs", b_.i64(0), hi, b_.i64(run_terms), init, [&](V done, const Vs& carry) {
        e_.stop_checks().emit(weight(k_, i.blocks[0]) * run_terms);
        const V left = b_.CreateSub(hi, done);
        const V first = i.imm > 0 ? done : b_.CreateSub(left, b_.i64(1));
        return run_of_trips(v, cs, first, trips_of_block(hi, done, run_terms), carry, [](V) {});
      });
  e_.loops().bind(cs, &Carry::result, l.carry);
}

}  // namespace weft::compiler
