// Convolutions: forward, forward with the pool behind it, input gradient and filter gradient of usual layers; "each" times every technique that serves a layer.
#include "clock.h"
#include "groups.h"
#include "kernels/conv_partial.h"
#include "kernels/conv_techniques.h"
#include "kernels/convolution.h"
#include "kernels/pooling.h"

namespace gradbook::bench {
namespace {

using namespace gradbook::kernels;

struct Layer {
  const char* name;
  Index batch, in, size, out, filter, stride, padding, groups;
};
constexpr Layer kLayers[] = {
    {"lenet conv1 1->6 5x5 28", 64, 1, 28, 6, 5, 1, 0, 1},       {"lenet conv2 6->16 5x5 12", 64, 6, 12, 16, 5, 1, 0, 1},
    {"cnn conv1 1->8 3x3 28", 64, 1, 28, 8, 3, 1, 1, 1},         {"cnn conv2 8->16 3x3 14", 64, 8, 14, 16, 3, 1, 1, 1},
    {"rgb 3->32 3x3 32", 32, 3, 32, 32, 3, 1, 1, 1},             {"32->64 3x3 16", 32, 32, 16, 64, 3, 1, 1, 1},
    {"64->64 3x3 8", 32, 64, 8, 64, 3, 1, 1, 1},                 {"strided 16->32 3x3 28 /2", 32, 16, 28, 32, 3, 2, 1, 1},
    {"grouped 32->32 3x3 14 g4", 32, 32, 14, 32, 3, 1, 1, 4},    {"depthwise 32 3x3 28", 32, 32, 28, 32, 3, 1, 1, 32},
    {"depthwise 32 3x3 28 /2", 32, 32, 28, 32, 3, 2, 1, 32},     {"pointwise 32->64 14", 32, 32, 14, 64, 1, 1, 0, 1},
    {"one image 64->64 3x3 28", 1, 64, 28, 64, 3, 1, 1, 1},
};

ConvShape shape_of(const Layer& l) {
  ConvShape s;
  s.batch = l.batch, s.in_channels = l.in, s.in_height = s.in_width = l.size, s.out_channels = l.out, s.filter_height = s.filter_width = l.filter;
  s.stride_y = s.stride_x = l.stride, s.padding_y = s.padding_x = l.padding, s.groups = l.groups;
  s.infer_out();
  return s;
}

void bench_layer(const Layer& l, bool each) {
  const ConvShape s = shape_of(l);
  const std::vector<float> x = values(s.batch * s.in_channels * s.in_height * s.in_width), w = values(filter_floats(s)), g = values(s.batch * s.out_channels * s.out_height * s.out_width),
                           b = values(s.out_channels);
  std::vector<float> y = g, dx = x, dw = w, turned = w;
  const std::string name = l.name;
  const auto forward = [&](const std::string& how, auto function) {
    report(name + " forward " + how, s.flops(), "GFLOP/s", [&] { function(s, x.data(), w.data(), b.data(), false, y.data()); });
  };
  const auto input = [&](const std::string& how, auto function) {
    report(name + " dX " + how, s.flops(), "GFLOP/s", [&] { function(s, g.data(), w.data(), dx.data()); });
  };
  const auto filter = [&](const std::string& how, auto function) {
    report(name + " dW " + how, s.flops(), "GFLOP/s", [&] { function(s, x.data(), g.data(), dw.data()); });
  };
  forward("", conv_forward);
  if (each) {
    forward("packed", forward_packed);
    if (s.stride_x == 1 && s.out_width >= 4) forward("direct", forward_direct);
    if (s.out_width >= 4) forward("channels", forward_channels);
  }
  PoolShape pool;
  pool.planes = s.batch * s.out_channels, pool.in_height = s.out_height, pool.in_width = s.out_width, pool.window_height = pool.window_width = pool.stride_y = pool.stride_x = 2;
  pool.infer_out();
  if (serves_max_pool(s, pool)) {
    std::vector<int32_t> places(y.size());
    const auto pooled = [&](const std::string& how, auto function) {
      report(name + " pooled " + how, s.flops(), "GFLOP/s", [&] { function(s, pool, x.data(), w.data(), b.data(), true, y.data(), places.data()); });
    };
    pooled("", conv_forward_max_pool);
    if (each) pooled("lanes", forward_lanes_max_pool);
    if (each && serves_winograd(s, pool)) pooled("winograd", forward_winograd_max_pool);
  }
  input("", conv_input_gradient);
  if (each) {
    input("scattered", input_gradient_scattered);
    input("lanes", input_gradient_lanes);
    if (s.stride_x == 1 && s.stride_y == 1) {
      const ConvShape r = reversed(s);
      turn_filter(s, w.data(), turned.data());
      input("reversed packed", [&](auto&&...) { forward_packed(r, g.data(), turned.data(), nullptr, false, dx.data()); });
      if (r.out_width >= 4) input("reversed channels", [&](auto&&...) { forward_channels(r, g.data(), turned.data(), nullptr, false, dx.data()); });
      if (r.out_width >= 4) input("reversed direct", [&](auto&&...) { forward_direct(r, g.data(), turned.data(), nullptr, false, dx.data()); });
    }
  }
  filter("", conv_filter_gradient);
  if (each) {
    filter("packed", filter_gradient_packed);
    filter("channels", filter_gradient_channels);
    if (s.stride_x == 1) filter("direct", filter_gradient_direct);
  }
}

void bench_pool(Index planes, Index size) {
  PoolShape s;
  s.planes = planes, s.in_height = s.in_width = size, s.window_height = s.window_width = s.stride_y = s.stride_x = 2;
  s.infer_out();
  const std::vector<float> x = values(planes * size * size);
  std::vector<float> y(x.size()), dx = x;
  std::vector<int32_t> place(x.size());
  const double bytes = 4.0 * static_cast<double>(planes * size * size);
  const std::string name = std::to_string(planes) + " planes of " + std::to_string(size);
  report("max pool 2x2 forward " + name, bytes, "GB/s", [&] { max_pool_forward(s, x.data(), y.data(), place.data()); });
  report("max pool 2x2 backward " + name, bytes, "GB/s", [&] { max_pool_backward(s, y.data(), place.data(), dx.data()); });
  report("average pool 2x2 forward " + name, bytes, "GB/s", [&] { average_pool_forward(s, true, x.data(), y.data()); });
  report("average pool 2x2 backward " + name, bytes, "GB/s", [&] { average_pool_backward(s, true, y.data(), dx.data()); });
}

}  // namespace

void bench_convolution(const char* only, bool each) {
  for (const Layer& layer : kLayers)
    if (!only || std::string(layer.name).find(only) != std::string::npos) bench_layer(layer, each);
  if (only) return;
  bench_pool(64 * 6, 24);
  bench_pool(64 * 16, 14);
}

}  // namespace gradbook::bench
