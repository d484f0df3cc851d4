#include "autodiff/flops.h"

#include <algorithm>

namespace gradbook {
namespace {

double g_done = 0;

double count_of(const Tensor& t) { return t.defined() ? static_cast<double>(t.element_count()) : 0; }
// A filter [out, in / groups, ...]: multiply-adds for each element of the larger channel side.
double taps_of(const Tensor& filter) { return filter.rank() > 0 ? count_of(filter) / std::max(1.0, static_cast<double>(filter.size(0))) : 0; }

}  // namespace

double flops_of(const Call& call) {
  if (!call.op || call.op->view || !call.result.defined()) return 0;
  switch (call.op->arithmetic) {
    case Arithmetic::kNone: return 0;
    case Arithmetic::kProduct: {
      const Tensor& x = call.input(0);
      return 2 * count_of(call.result) * (x.rank() > 0 ? static_cast<double>(x.size(x.rank() - 1)) : 1);
    }
    case Arithmetic::kFilter: return 2 * count_of(call.result) * taps_of(call.input(1));
    case Arithmetic::kInputGradient: return 2 * count_of(call.input(0)) * taps_of(call.input(1));
    case Arithmetic::kFilterGradient: return 2 * count_of(call.input(0)) * taps_of(call.result);
    case Arithmetic::kElements: break;
  }
  double most = count_of(call.result);
  for (const Tensor& t : call.inputs) most = std::max(most, count_of(t));
  return most;
}

double flops_done() { return g_done; }
void set_flops_done(double count) { g_done = count; }
void count_flops(double more) { g_done += more; }

}  // namespace gradbook
