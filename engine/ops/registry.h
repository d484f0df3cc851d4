// The list of op tables, and how an op is found by name or by number. The number of an op is its position here;
// TypeScript learns it from describe(), so no enumeration exists twice.
#pragma once

#include <span>
#include <string_view>

#include "autodiff/op.h"

namespace gradbook {

/// All tables, in a fixed order.
std::span<const std::span<const Op>> op_tables();
/// Number of ops in all tables.
int op_count();
/// The op with this number; requires 0 <= number < op_count().
const Op& op_at(int number);
/// The op with this name; throws Error(kUnknown) that suggests the nearest name.
const Op& find_op(std::string_view name);
/// Hands the tape its two ops. Called once at start by bind and by every test program; calling it again does nothing.
void register_ops();

}  // namespace gradbook
