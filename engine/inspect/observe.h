// Watching ops while they run: how long each takes (profile), and which one made the first value that is not finite (anomaly mode).
// Both are off until asked for; then every op pays for a clock, or for a look at its result.
#pragma once

#include <cstdint>
#include <vector>

#include "autodiff/op.h"

namespace gradbook {

/// What one op has cost since the profile began. Composites are seen through the ops that they are written with.
struct ProfileRow {
  const Op* op = nullptr;       // whose forward pass, or whose gradient; null: optimizer steps
  bool backward = false;
  int64_t calls = 0;            // in a gradient: ops that it was written with
  double milliseconds = 0;
};

/// Begins a new profile, or ends it; ended, its rows stay readable. Returns the former mode.
bool set_profiling(bool enabled);
bool profiling();
/// Counts one optimizer step of this length; does nothing while no profile is running.
void profile_step(double milliseconds);
/// Rows with calls, in no particular order.
std::vector<ProfileRow> profile_rows();

/// Listens to ops while there is a profile, the anomaly mode or a trace, and else not. Called when one of them begins or ends.
void watch_ops();

/// While on, an op whose result holds NaN although no input does, or an infinity although all inputs are finite, fails with an
/// error that says where; inside backward() the error also names the op whose gradient it was. Infinities that are asked for (an
/// attribute or a number literal that is infinite) are let through. Returns the former mode.
bool set_anomaly_detection(bool enabled);

}  // namespace gradbook
