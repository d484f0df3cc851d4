// How fast this machine is at best: the number that every GFLOP/s is held against. What an op costs is in autodiff/flops.h.
#pragma once

namespace gradbook {

/// GFLOP/s of the engine's own best case, a 256 x 256 product in cache on the threads in use: the best of a few measurements,
/// since a busy machine makes it look slower. Takes 20 ms for each of the first calls, and 5 ms for the first of a number of
/// threads when it is `hurried`; then nothing.
double measured_ceiling(bool hurried);

}  // namespace gradbook
