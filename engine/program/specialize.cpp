// Kernels with settled sizes for the ops that small models spend their time around, so that a step of a few elements does
// not pay for shapes worked out anew. Same kernels as the ops' own `fast`, so the same bits. All else runs the op's code.
#include "program/bind.h"

#include <algorithm>

#include "kernels/binary_line.h"
#include "kernels/conv_pooled.h"
#include "kernels/elementwise.h"
#include "kernels/gemm.h"
#include "kernels/reduce.h"
#include "kernels/strided.h"
#include "ops/fast.h"

namespace gradbook {
namespace {

using kernels::Binary;
using kernels::Unary;

struct UnaryRow {
  std::string_view name;
  Unary function;
};
constexpr UnaryRow kUnaryRows[] = {
    {"relu", Unary::kRelu},   {"step", Unary::kStep},   {"neg", Unary::kNegate}, {"abs", Unary::kAbs},     {"sign", Unary::kSign}, {"exp", Unary::kExp},
    {"expm1", Unary::kExpm1}, {"log", Unary::kLog},     {"log1p", Unary::kLog1p}, {"sqrt", Unary::kSqrt},  {"rsqrt", Unary::kRsqrt}, {"sin", Unary::kSin},
    {"cos", Unary::kCos},     {"tanh", Unary::kTanh},   {"sigmoid", Unary::kSigmoid}, {"erf", Unary::kErf}, {"floor", Unary::kFloor}, {"ceil", Unary::kCeil},
    {"round", Unary::kRound},
};
struct BinaryRow {
  std::string_view name;
  Binary function;
};
constexpr BinaryRow kBinaryRows[] = {
    {"add", Binary::kAdd},     {"sub", Binary::kSubtract},     {"mul", Binary::kMultiply},     {"div", Binary::kDivide},
    {"pow", Binary::kPow},     {"maximum", Binary::kMaximum}, {"minimum", Binary::kMinimum}, {"keepPositive", Binary::kReluGradient},
};

bool is_float(const Place& p) { return p.dtype == DType::kFloat32; }
bool all_float(const Instruction& i) {
  if (!is_float(i.result)) return false;
  for (const Place& p : i.inputs)
    if (p.defined() && !is_float(p)) return false;
  return true;
}

// So few elements are no work to be shared, and their loop is called without another look at their shapes.
constexpr Index kShort = 4096;

Work elementwise(const Instruction& i, const AddressOf& address) {
  const std::string_view name = i.op->name;
  const Address out = address(i.result);
  const Index n = i.result.count();
  if (i.inputs.size() == 1 && i.inputs[0].is_contiguous())
    for (const UnaryRow& row : kUnaryRows)
      if (row.name == name) return [f = row.function, n, x = address(i.inputs[0]), out] { kernels::unary(f, n, x.floats(), out.floats()); };
  if (i.inputs.size() != 2) return {};
  for (const BinaryRow& row : kBinaryRows) {
    if (row.name != name) continue;
    const Place &a = i.inputs[0], &b = i.inputs[1];
    const Address x = address(a), y = address(b);
    if (const kernels::BinaryLine line = kernels::binary_line(row.function); line && n > 0 && n <= kShort) {
      const Shape of_x = broadcast_strides(a.shape, a.strides, i.result.shape), of_y = broadcast_strides(b.shape, b.strides, i.result.shape);
      const kernels::Axes<2> axes(i.result.shape, {&of_x, &of_y});
      if (axes.rank == 1)
        return [line, x, y, out, count = axes.inner(), x_step = axes.inner_stride(0), y_step = axes.inner_stride(1)] { line(count, x.floats(), x_step, y.floats(), y_step, out.floats()); };
    }
    if (a.is_contiguous() && b.is_contiguous() && a.shape == i.result.shape && b.shape == i.result.shape)
      return [f = row.function, n, x, y, out] { kernels::binary(f, n, x.floats(), y.floats(), out.floats()); };
    return [f = row.function, shape = i.result.shape, x, y, out, of_x = broadcast_strides(a.shape, a.strides, i.result.shape), of_y = broadcast_strides(b.shape, b.strides, i.result.shape)] {
      kernels::binary(f, shape, x.floats(), of_x, y.floats(), of_y, out.floats());
    };
  }
  return {};
}

Work linear(const Instruction& i, const AddressOf& address) {
  const Place &x = i.inputs[0], &weight = i.inputs[1];
  if (!x.is_contiguous() || !weight.is_contiguous()) return {};
  const Index in = weight.shape[1], out = weight.shape[0], rows = out ? i.result.count() / out : 0;
  const Address bias = i.inputs.size() > 2 && i.inputs[2].defined() ? address(i.inputs[2]) : Address();
  if (bias.defined() && !i.inputs[2].is_contiguous()) return {};
  return [=, relu = i.relu, from = address(x), w = address(weight), to = address(i.result)] {
    kernels::gemm(rows, out, in, {from.floats(), in, 1}, {w.floats(), 1, in}, {to.floats(), out, 1}, {.column_bias = bias.defined() ? bias.floats() : nullptr, .relu = relu});
  };
}

Work matmul(const Instruction& i, const AddressOf& address) {
  const Place &a = i.inputs[0], &b = i.inputs[1];
  if (a.shape.rank() != 2 || b.shape.rank() != 2) return {};
  return [m = a.shape[0], k = a.shape[1], n = b.shape[1], x = address(a), y = address(b), to = address(i.result), x_row = a.strides[0], x_column = a.strides[1], y_row = b.strides[0], y_column = b.strides[1]] {
    kernels::gemm(m, n, k, {x.floats(), x_row, x_column}, {y.floats(), y_row, y_column}, {to.floats(), n, 1});
  };
}

// Sums over one block of axes, or over all but one block; the others are left to the op.
Work sum(const Instruction& i, const AddressOf& address) {
  const Place& x = i.inputs[0];
  if (!x.is_contiguous() || x.count() == 0) return {};
  const Shape &wide = x.shape, &small = i.result.shape;
  Shape axes, kept;
  if (i.op->name == "sumTo") {
    const int added = wide.rank() - small.rank();
    for (int axis = 0; axis < wide.rank(); ++axis) (axis < added || small[axis - added] != wide[axis] ? axes : kept).push_back(axis);
  } else {
    const Attribute& named = i.attributes[0];
    std::vector<bool> goes(static_cast<size_t>(wide.rank()), !named.present);
    for (double axis : named.list)
      if (wide.rank()) goes[static_cast<size_t>(normalize_axis(static_cast<Index>(axis), wide.rank()))] = true;
    for (int axis = 0; axis < wide.rank(); ++axis) (goes[static_cast<size_t>(axis)] ? axes : kept).push_back(axis);
  }
  const Address from = address(x), to = address(i.result);
  AxisBlock block;
  if (find_axis_block(wide, axes, block)) {
    if (block.outer == 1 && block.inner == 1) return [n = block.size, from, to] { *to.floats() = kernels::sum(n, from.floats()); };
    return [block, from, to] { kernels::sum_axis(block.outer, block.size, block.inner, from.floats(), to.floats()); };
  }
  if (!find_axis_block(wide, kept, block)) return {};
  return [block, from, to] { kernels::sum_channels(block.outer, block.size, block.inner, from.floats(), to.floats()); };
}

// Element of an attribute that names one number per axis; a list of one stands for both axes.
Index per_axis(const Attribute& attribute, size_t axis, Index otherwise) {
  const std::vector<double>& list = attribute.list;
  return list.empty() ? otherwise : static_cast<Index>(list[std::min(axis, list.size() - 1)]);
}

Work convolution_and_pool(const Instruction& i, const AddressOf& address) {
  const Address bias = i.inputs.size() > 2 && i.inputs[2].defined() ? address(i.inputs[2]) : Address();
  return [shapes = pooled_convolution_of(i), relu = i.relu, images = address(i.inputs[0]), filter = address(i.inputs[1]), bias, to = address(i.result), places = address(i.saved[0])] {
    kernels::conv_forward_max_pool(shapes.convolution, shapes.pool, images.floats(), filter.floats(), bias.defined() ? bias.floats() : nullptr, relu, to.floats(), places.ints());
  };
}

Work sparse_gradient(const Instruction& i, const AddressOf& address) {
  const kernels::ConvShape shape = convolution_of(i, i.sparse);
  const Index count = i.inputs[0].shape[2] * i.inputs[0].shape[3];
  const Address values = address(i.inputs[0]), other = address(i.inputs[1]), places = address(i.inputs[2]), to = address(i.result);
  if (i.op->name == "conv2dFilterGradient") return [=] { kernels::conv_filter_gradient_sparse(shape, other.floats(), {count, values.floats(), places.ints()}, to.floats()); };
  return [=, one_per_cell = i.one_per_cell] { kernels::conv_input_gradient_sparse(shape, {count, values.floats(), places.ints(), one_per_cell}, other.floats(), to.floats()); };
}

Work copy(const Instruction& i, const AddressOf& address) {
  const Place &from = i.inputs[0], &to = i.result;
  if (!is_float(from) || !is_float(to) || !to.is_contiguous() || from.slot == to.slot || i.checks_whole) return {};
  return [shape = to.shape, strides = from.strides, x = address(from), out = address(to)] { kernels::copy_strided(shape, x.floats(), strides, out.floats()); };
}

}  // namespace

kernels::ConvShape convolution_of(const Instruction& i, const Shape& gradient) {
  // Attributes: sizes of the result, stride, padding, dilation, groups.
  const auto value = [&](int attribute, size_t axis) { return per_axis(i.attributes[static_cast<size_t>(attribute)], axis, attribute == 2 ? 0 : 1); };
  const bool of_filter = i.op->name == "conv2dFilterGradient";
  const Shape &images = of_filter ? i.inputs[1].shape : i.result.shape, &filter = of_filter ? i.result.shape : i.inputs[1].shape;
  return {.batch = images[0],
          .in_channels = images[1], .in_height = images[2], .in_width = images[3],
          .out_channels = filter[0], .out_height = gradient[2], .out_width = gradient[3],
          .filter_height = filter[2], .filter_width = filter[3],
          .stride_y = value(1, 0), .stride_x = value(1, 1),
          .padding_y = value(2, 0), .padding_x = value(2, 1),
          .dilation_y = value(3, 0), .dilation_x = value(3, 1),
          .groups = static_cast<Index>(i.attributes[4].number)};
}

kernels::PoolShape pool_of(const Attributes& attributes, const Shape& images, const Shape& results) {
  // Attributes: window, stride, padding, dilation.
  const auto window = [&](size_t axis) { return per_axis(attributes[0], axis, 1); };
  return {.planes = images[0] * images[1],
          .in_height = images[2], .in_width = images[3],
          .out_height = results[2], .out_width = results[3],
          .window_height = window(0), .window_width = window(1),
          .stride_y = per_axis(attributes[1], 0, window(0)), .stride_x = per_axis(attributes[1], 1, window(1)),
          .padding_y = per_axis(attributes[2], 0, 0), .padding_x = per_axis(attributes[2], 1, 0),
          .dilation_y = per_axis(attributes[3], 0, 1), .dilation_x = per_axis(attributes[3], 1, 1)};
}

PooledConvolution pooled_convolution_of(const Instruction& i) {
  // Attributes: stride, padding, dilation, groups.
  const Shape &images = i.inputs[0].shape, &filter = i.inputs[1].shape, &results = i.unpooled;
  const auto conv = [&](size_t attribute, size_t axis) { return per_axis(i.attributes[attribute], axis, attribute == 1 ? 0 : 1); };
  return {.convolution = {.batch = images[0],
                          .in_channels = images[1], .in_height = images[2], .in_width = images[3],
                          .out_channels = filter[0], .out_height = results[2], .out_width = results[3],
                          .filter_height = filter[2], .filter_width = filter[3],
                          .stride_y = conv(0, 0), .stride_x = conv(0, 1),
                          .padding_y = conv(1, 0), .padding_x = conv(1, 1),
                          .dilation_y = conv(2, 0), .dilation_x = conv(2, 1),
                          .groups = static_cast<Index>(i.attributes[3].number)},
          .pool = pool_of(i.pool, results, i.result.shape)};
}

Work specialized(const Instruction& i, const AddressOf& address) {
  if (i.sparse.rank() > 0) return sparse_gradient(i, address);
  if (i.unpooled.rank() > 0) return convolution_and_pool(i, address);
  // A change of something outside counts as a change of its storage; the general way does that.
  if (i.kind == Instruction::Kind::kCopy) return i.result.fixed.defined() ? Work() : copy(i, address);
  if (i.kind != Instruction::Kind::kOp || !all_float(i)) return {};
  const std::string_view name = i.op->name;
  if (name == "linear") return linear(i, address);
  if (name == "matmul") return matmul(i, address);
  if (name == "sum" || name == "sumTo") return sum(i, address);
  return elementwise(i, address);
}

}  // namespace gradbook
