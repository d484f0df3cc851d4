// XNNPACK beside our kernels, the same work in one run: what engine/kernels/choice.h is decided by. Its layout has channels last, so
// the numbers of convolutions and pools do not count the conversion that the engine would have to pay.
#include "clock.h"
#include "groups.h"
#include "kernels/conv_partial.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"
#include "kernels/xnnpack.h"

namespace gradbook::bench {
namespace {

using namespace gradbook::kernels;

void both(const std::string& name, double work, const char* unit, const std::function<void()>& ours, const std::function<void()>& theirs) {
  const Times a = time(ours), b = time(theirs);
  std::printf("%-40s ours %9.4f ms %7.1f %s   XNNPACK %9.4f ms %7.1f   ratio %5.2f\n", name.c_str(), a.median_ms, work / a.median_ms * 1e-6, unit, b.median_ms, work / b.median_ms * 1e-6,
              b.median_ms / a.median_ms);
  std::fflush(stdout);
}

void convolution(const char* name, Index batch, Index in, Index size, Index out, Index filter, Index stride, Index padding, Index groups) {
  ConvShape s;
  s.batch = batch, s.in_channels = in, s.in_height = s.in_width = size, s.out_channels = out, s.filter_height = s.filter_width = filter;
  s.stride_y = s.stride_x = stride, s.padding_y = s.padding_x = padding, s.groups = groups;
  s.infer_out();
  const std::vector<float> x = values(batch * in * size * size), w = values(filter_floats(s)), b = values(out), g = values(batch * out * s.out_height * s.out_width);
  std::vector<float> y = g, dx = x;
  both(std::string(name) + " forward", s.flops(), "GFLOP/s", [&] { conv_forward(s, x.data(), w.data(), b.data(), false, y.data()); },
       [&] { xnnpack::conv_forward(s, x.data(), w.data(), b.data(), false, y.data()); });
  both(std::string(name) + " dX", s.flops(), "GFLOP/s", [&] { conv_input_gradient(s, g.data(), w.data(), dx.data()); }, [&] { xnnpack::conv_input_gradient(s, g.data(), w.data(), dx.data()); });
}

}  // namespace

void bench_peer() {
  convolution("lenet conv1 1->6 5x5 28", 64, 1, 28, 6, 5, 1, 0, 1);
  convolution("lenet conv2 6->16 5x5 12", 64, 6, 12, 16, 5, 1, 0, 1);
  convolution("cnn conv2 8->16 3x3 14", 64, 8, 14, 16, 3, 1, 1, 1);
  convolution("32->64 3x3 16", 32, 32, 16, 64, 3, 1, 1, 1);
  convolution("64->64 3x3 8", 32, 64, 8, 64, 3, 1, 1, 1);
  convolution("strided 16->32 3x3 28 /2", 32, 16, 28, 32, 3, 2, 1, 1);
  convolution("grouped 32->32 3x3 14 g4", 32, 32, 14, 32, 3, 1, 1, 4);
  convolution("depthwise 32 3x3 28", 32, 32, 28, 32, 3, 1, 1, 32);
  convolution("pointwise 32->64 14", 32, 32, 14, 64, 1, 1, 0, 1);
  const Index n = 1 << 20, small = 1 << 15;
  const std::vector<float> a = values(n), b = values(n);
  std::vector<float> out = a;
  for (const auto& [planes, size] : {std::pair<Index, Index>{64 * 6, 24}, {64 * 16, 14}}) {
    PoolShape s;
    s.planes = planes, s.in_height = s.in_width = size, s.window_height = s.window_width = s.stride_y = s.stride_x = 2;
    s.infer_out();
    const double bytes = 4.0 * static_cast<double>(planes * size * size);
    const std::string name = " 2x2, " + std::to_string(planes) + " planes of " + std::to_string(size);
    both("max pool" + name, bytes, "GB/s", [&] { max_pool_forward(s, a.data(), out.data(), nullptr); }, [&] { xnnpack::max_pool_forward(s, a.data(), out.data()); });
    both("average pool" + name, bytes, "GB/s", [&] { average_pool_forward(s, true, a.data(), out.data()); }, [&] { xnnpack::average_pool_forward(s, true, a.data(), out.data()); });
  }
  const std::pair<const char*, Unary> functions[] = {{"abs", Unary::kAbs}, {"relu", Unary::kRelu}, {"sqrt", Unary::kSqrt}, {"exp", Unary::kExp}, {"log", Unary::kLog}, {"tanh", Unary::kTanh}, {"sigmoid", Unary::kSigmoid}, {"gelu", Unary::kGelu}, {"floor", Unary::kFloor}};
  for (const auto& [name, function] : functions)
    for (Index count : {small, n})
      both(std::string(name) + " of " + std::to_string(count), static_cast<double>(count), "G/s", [&, f = function] { unary(f, count, a.data(), out.data()); },
           [&, f = function] { xnnpack::unary(f, count, a.data(), out.data()); });
  for (Index count : {small, n})
    for (const auto& [name, function] : {std::pair{"add", Binary::kAdd}, {"multiply", Binary::kMultiply}, {"divide", Binary::kDivide}})
      both(std::string(name) + " of " + std::to_string(count), static_cast<double>(count), "G/s", [&, f = function] { binary(f, count, a.data(), b.data(), out.data()); },
           [&, f = function] { xnnpack::binary(f, Shape{count}, a.data(), Shape{count}, b.data(), out.data()); });
  const Shape matrix{128, 256}, row{256}, image{64, 8, 784}, bias{1, 8, 1};
  both("add row to 128x256", 128.0 * 256, "G/s", [&] { binary(Binary::kAdd, matrix, a.data(), contiguous_strides(matrix), b.data(), Shape{0, 1}, out.data()); },
       [&] { xnnpack::binary(Binary::kAdd, matrix, a.data(), row, b.data(), out.data()); });
  both("add bias to 64x8x784", 64.0 * 8 * 784, "G/s", [&] { binary(Binary::kAdd, image, a.data(), contiguous_strides(image), b.data(), Shape{0, 1, 0}, out.data()); },
       [&] { xnnpack::binary(Binary::kAdd, image, a.data(), bias, b.data(), out.data()); });
  both("softmax of 1024x1024", static_cast<double>(n), "G/s", [&] { softmax_rows(1024, 1024, a.data(), out.data()); }, [&] { xnnpack::softmax_rows(1024, 1024, a.data(), out.data()); });
  both("softmax of 64x10", 640, "G/s", [&] { softmax_rows(64, 10, a.data(), out.data()); }, [&] { xnnpack::softmax_rows(64, 10, a.data(), out.data()); });
  both("transpose of 1024x1024", static_cast<double>(n), "G/s", [&] { copy_strided(Shape{1024, 1024}, a.data(), Shape{1, 1024}, out.data()); },
       [&] { xnnpack::transpose(Shape{1024, 1024}, Shape{1, 0}, a.data(), out.data()); });
  both("transpose 64x8x784 to channels last", 64.0 * 8 * 784, "G/s", [&] { copy_strided(Shape{64, 784, 8}, a.data(), Shape{8 * 784, 1, 784}, out.data()); },
       [&] { xnnpack::transpose(Shape{64, 8, 784}, Shape{0, 2, 1}, a.data(), out.data()); });
  struct Layer {
    Index batch, in, out;
  };
  for (const Layer& l : {Layer{1, 784, 256}, {32, 784, 256}, {128, 784, 256}, {1000, 784, 256}, {64, 256, 120}, {64, 84, 10}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}}) {
    const std::vector<float> x = values(l.batch * l.in), w = values(l.in * l.out);
    std::vector<float> y(static_cast<size_t>(l.batch * l.out) + 16);
    both("linear " + std::to_string(l.batch) + " x " + std::to_string(l.in) + " -> " + std::to_string(l.out), 2.0 * static_cast<double>(l.batch * l.in * l.out), "GFLOP/s",
         [&] { gemm(l.batch, l.out, l.in, {x.data(), l.in, 1}, {w.data(), 1, l.in}, {y.data(), l.out, 1}); }, [&] { xnnpack::linear(l.batch, l.in, l.out, x.data(), w.data(), nullptr, y.data()); });
  }
}

}  // namespace gradbook::bench
