// How large a block is in the account of memory: what was asked for, a readable tail, and rounding.
#pragma once

#include <cstddef>

namespace gradbook {

/// Bytes that memory_count() counts for a Storage of this size.
size_t block_capacity(size_t byte_count);

}  // namespace gradbook
