// Stands in for the cpuinfo library, of which XNNPACK asks only a few questions.
// The compiler's own processor detection answers them.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "cpuinfo-uarch.h"

struct cpuinfo_uarch_info {
  enum cpuinfo_uarch uarch;
};
struct cpuinfo_core {
  enum cpuinfo_uarch uarch;
};

static inline bool cpuinfo_initialize(void) { return true; }
static inline uint32_t cpuinfo_get_uarchs_count(void) { return 1; }

static inline const struct cpuinfo_uarch_info* cpuinfo_get_uarch(uint32_t index) {
  static const struct cpuinfo_uarch_info unknown = {cpuinfo_uarch_unknown};
  (void)index;
  return &unknown;
}

static inline const struct cpuinfo_core* cpuinfo_get_core(uint32_t index) {
  static const struct cpuinfo_core unknown = {cpuinfo_uarch_unknown};
  (void)index;
  return &unknown;
}

#if defined(__x86_64__)
static inline bool cpuinfo_has_x86_ssse3(void) { return __builtin_cpu_supports("ssse3"); }
static inline bool cpuinfo_has_x86_sse4_1(void) { return __builtin_cpu_supports("sse4.1"); }
static inline bool cpuinfo_has_x86_avx(void) { return __builtin_cpu_supports("avx"); }
// Every processor with FMA3 also has F16C; not all compilers know the name "f16c".
static inline bool cpuinfo_has_x86_f16c(void) { return __builtin_cpu_supports("fma"); }
static inline bool cpuinfo_has_x86_fma3(void) { return __builtin_cpu_supports("fma"); }
static inline bool cpuinfo_has_x86_avx2(void) { return __builtin_cpu_supports("avx2"); }
static inline bool cpuinfo_has_x86_avx512f(void) { return __builtin_cpu_supports("avx512f"); }
#elif defined(__aarch64__)
// Every 64-bit ARM processor has these; the optional extensions are not used.
static inline bool cpuinfo_has_arm_vfpv3(void) { return true; }
static inline bool cpuinfo_has_arm_neon(void) { return true; }
static inline bool cpuinfo_has_arm_neon_fp16(void) { return true; }
static inline bool cpuinfo_has_arm_neon_fma(void) { return true; }
static inline bool cpuinfo_has_arm_neon_v8(void) { return true; }
static inline bool cpuinfo_has_arm_fp16_arith(void) { return false; }
static inline bool cpuinfo_has_arm_neon_fp16_arith(void) { return false; }
static inline bool cpuinfo_has_arm_neon_bf16(void) { return false; }
static inline bool cpuinfo_has_arm_neon_dot(void) { return false; }
static inline bool cpuinfo_has_arm_i8mm(void) { return false; }
static inline bool cpuinfo_has_arm_sve(void) { return false; }
static inline bool cpuinfo_has_arm_sve2(void) { return false; }
static inline bool cpuinfo_has_arm_sme(void) { return false; }
static inline bool cpuinfo_has_arm_sme2(void) { return false; }
#endif
