#include "ops/windows.h"

namespace gradbook {

Shape per_axis(const Call& c, int i, int spatial, Index least) {
  int param = 0, attribute = 0;
  for (; param < c.op->params.count; ++param)
    if (!c.op->params.items[static_cast<size_t>(param)].is_tensor() && attribute++ == i) break;
  const std::string_view name = c.op->params.items[static_cast<size_t>(param)].name;
  Shape given = c.integers(i);
  if (given.rank() == 1) given = Shape::filled(spatial, given[0]);
  if (given.rank() != spatial) fail(ErrorCode::kShape, "`", name, "` needs one number, or one for each of the ", spatial, " axes, got ", given);
  for (Index v : given)
    if (v < least) fail(ErrorCode::kValue, "`", name, "` must be at least ", least, ", got ", v);
  return given;
}

void infer_out(Windows& windows, int spatial, bool ceil_mode) {
  const bool is_sequence = spatial == 1;
  const char* const kNames[] = {"deep", "high", is_sequence ? "long" : "wide"};
  for (int i = 3 - spatial; i < 3; ++i) {
    WindowAxis& a = windows.axes[i];
    const Index room = a.in + 2 * a.padding - a.dilation * (a.window - 1) - 1;
    if (room < 0)
      fail(ErrorCode::kShape, "a window ", a.dilation * (a.window - 1) + 1, " ", kNames[i], " does not fit ", is_sequence ? "sequences" : "images", " that are ", a.in, " ", kNames[i], a.padding ? " with padding " + std::to_string(a.padding) : "",
           "; use a smaller window or more padding");
    a.out = (room + (ceil_mode ? a.stride - 1 : 0)) / a.stride + 1;
    if (ceil_mode && (a.out - 1) * a.stride >= a.in + a.padding) --a.out;
  }
}

}  // namespace gradbook
