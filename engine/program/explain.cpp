// Programs in words: what explain() prints.
#include "base/number.h"
#include "program/bind.h"
#include "program/program.h"

namespace gradbook {
namespace {

std::string bytes_text(double bytes) {
  if (bytes >= 1 << 20) return fixed_text(bytes / (1 << 20), 1) + " MB";
  if (bytes >= 1 << 10) return fixed_text(bytes / (1 << 10), 1) + " KB";
  return fixed_text(bytes, 0) + " B";
}

std::string flops_text(double flops) {
  if (flops >= 1e6) return fixed_text(flops / 1e6, 1) + " MFLOP";
  if (flops >= 1e3) return fixed_text(flops / 1e3, 1) + " kFLOP";
  return fixed_text(flops, 0) + " FLOP";
}

std::string right_aligned(const std::string& text, size_t width) { return std::string(width > text.size() ? width - text.size() : 0, ' ') + text; }

std::string time_text(double micros, double flops) {
  const std::string time = right_aligned(fixed_text(micros, 1), 8) + " us";
  return flops >= 1e5 && micros > 0 ? time + " " + right_aligned(fixed_text(flops / micros / 1e3, 1), 6) + " GFLOP/s" : time;
}

std::string padded(std::string text, size_t width) {
  text.append(text.size() + 2 < width ? width - text.size() : 2, ' ');
  return text;
}

double bytes_of(const Place& place) { return static_cast<double>(place.count()) * static_cast<double>(info(place.dtype).size); }

}  // namespace

std::string Program::explain() const {
  std::string text;
  double flops = 0, moved = 0;
  int number = 0;
  size_t fusions = 0;
  for (size_t n = 0; n < trace_.instructions.size(); ++n) {
    const Instruction& i = trace_.instructions[n];
    if (i.kind == Instruction::Kind::kSetGradient) continue;
    double bytes = 0;
    for_each_read(i, [&](const Place& place) { bytes += bytes_of(place); });
    for_each_write(i, [&](const Place& place) { bytes += bytes_of(place); });
    std::string shapes;
    for (const Place& place : i.inputs) shapes += (shapes.empty() ? "" : ", ") + (place.defined() ? to_string(place.shape) : std::string("-"));
    if (i.inputs.size() > 4) shapes = std::to_string(i.inputs.size()) + " tensors";
    if (i.result.defined()) shapes += " -> " + to_string(i.result.shape);
    const double cost = flops_of(i);
    flops += cost;
    moved += bytes;
    fusions += !i.fused.empty();
    text += padded(std::to_string(++number) + ".", 5) + padded(i.shown_name() + (i.fused.empty() ? "" : " + " + i.fused), 46) + padded(i.backward ? "backward" : "", 10) + padded(shapes, 48) +
            padded(bytes_text(bytes), 10) + padded(cost > 0 ? flops_text(cost) : "", 14) + (micros_.empty() ? "" : time_text(micros_[n], cost)) + "\n";
  }
  const double ratio = plan_.largest_live_bytes ? static_cast<double>(plan_.arena_bytes) / static_cast<double>(plan_.largest_live_bytes) : 1;
  return text + message_of({number, " operations, ", fusions, " fused; ", flops_text(flops), ", ", bytes_text(moved), " read and written a step\nmemory: one arena of ",
                            bytes_text(static_cast<double>(plan_.arena_bytes)), ", ", fixed_text(ratio, 2), " times the largest live set (",
                            bytes_text(static_cast<double>(plan_.largest_live_bytes)), ")\n"});
}

double flops_of(const Instruction& i) {
  if (i.kind != Instruction::Kind::kOp) return 0;
  const std::string_view name = i.op->name;
  if (i.sparse.rank() > 0) {
    const kernels::ConvShape s = convolution_of(i, i.sparse);
    return s.flops() * static_cast<double>(i.inputs[0].count()) / static_cast<double>(element_count(i.sparse));
  }
  const auto size = [](const Place& p, int axis) { return static_cast<double>(p.shape[axis]); };
  if (name == "linear") return 2.0 * static_cast<double>(i.result.count()) * size(i.inputs[1], 1);
  if (name == "matmul" && i.inputs[0].shape.rank() >= 1) return 2.0 * static_cast<double>(i.result.count()) * static_cast<double>(i.inputs[0].shape.back());
  if (i.unpooled.rank() > 0) return pooled_convolution_of(i).convolution.flops();
  if (name == "conv2d" || name == "conv3d") return 2.0 * static_cast<double>(i.result.count()) * static_cast<double>(i.inputs[1].count()) / size(i.inputs[1], 0);
  if (name == "conv2dInputGradient" || name == "conv3dInputGradient") return 2.0 * static_cast<double>(i.inputs[0].count()) * static_cast<double>(i.inputs[1].count()) / size(i.inputs[1], 0);
  if (name == "conv2dFilterGradient" || name == "conv3dFilterGradient") return 2.0 * static_cast<double>(i.inputs[0].count()) * static_cast<double>(i.result.count()) / size(i.result, 0);
  return static_cast<double>(std::max(i.result.count(), i.inputs.empty() || !i.inputs[0].defined() ? Index{0} : i.inputs[0].count()));
}

}  // namespace gradbook
