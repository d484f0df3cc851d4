// Geometry of ops that slide a window over images: sizes, strides, padding and dilation of up to three spatial axes.
// Shared by convolution.cpp, pooling.cpp and resample.cpp; arithmetic on sizes only.
#pragma once

#include "autodiff/op.h"

namespace gradbook {

/// One spatial axis of a sliding window.
struct WindowAxis {
  Index in = 1, window = 1, out = 1, stride = 1, padding = 0, dilation = 1;
  /// Place in the image that element `k` of window `at` reads; outside [0, in) it is padding.
  Index place(Index at, Index k) const { return at * stride - padding + k * dilation; }
  bool inside(Index place) const { return place >= 0 && place < in; }
};
/// Depth, height, width; missing axes have size 1.
struct Windows {
  WindowAxis axes[3];
  Index in_count() const { return axes[0].in * axes[1].in * axes[2].in; }
  Index out_count() const { return axes[0].out * axes[1].out * axes[2].out; }
  Index window_count() const { return axes[0].window * axes[1].window * axes[2].window; }
};

/// Attribute `i` as one number per spatial axis; a list of one counts for all. Throws when a number is less than `least`.
Shape per_axis(const Call& c, int i, int spatial, Index least);
/// Sets `out` of all axes from the others: floor((in + 2 padding - dilation (window - 1) - 1) / stride) + 1, with ceil_mode
/// rounded up, but no window begins behind the image and its padding. Throws when a window is larger than the padded image.
void infer_out(Windows& windows, int spatial, bool ceil_mode = false);

/// Visits every element of the windows that lies inside the image: visit(flat place of the window in the result, flat place
/// inside the window, flat place in the image).
template <class Visit>
void for_each_window_element(const Windows& w, Visit visit) {
  const WindowAxis &z = w.axes[0], &y = w.axes[1], &x = w.axes[2];
  Index at = 0;
  for (Index oz = 0; oz < z.out; ++oz)
    for (Index oy = 0; oy < y.out; ++oy)
      for (Index ox = 0; ox < x.out; ++ox, ++at)
        for (Index kz = 0; kz < z.window; ++kz) {
          const Index iz = z.place(oz, kz);
          if (!z.inside(iz)) continue;
          for (Index ky = 0; ky < y.window; ++ky) {
            const Index iy = y.place(oy, ky);
            if (!y.inside(iy)) continue;
            for (Index kx = 0; kx < x.window; ++kx) {
              const Index ix = x.place(ox, kx);
              if (x.inside(ix)) visit(at, (kz * y.window + ky) * x.window + kx, (iz * y.in + iy) * x.in + ix);
            }
          }
        }
}

}  // namespace gradbook
