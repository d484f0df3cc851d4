// The engine's clock.
#pragma once

namespace gradbook {

/// Milliseconds since the engine first asked, from a clock that never goes back.
double engine_time_ms();

}  // namespace gradbook
