// The functions that the wasm module exports: all that TypeScript can call. Plain numbers go in and out; lists go through one
// block of memory (gb_block) that the caller fills before a call and reads after it.
//
// Rules
// 1. int32 functions give a number below -100 when they fail: -(100 + ErrorCode). Pointer functions give null, gb_optimizer_get
//    gives NaN. gb_error() has the message, gb_error_code() the code (0 after a call that went well).
// 2. A handle (> 0) stands for a use of a tensor and must be released. -1 in place of a handle means "none"; a result of -2
//    means "there is none". A handle that was released is refused, not reused for long.
// 3. A call that fails changes nothing and keeps no memory, except that backward() may have visited a part of its records.
// 4. Pointers into memory are valid until the next call. A result in the block stays until the next call that uses the block.
//
// Block layouts: "ints" are int32 from the start of the block; "numbers" are float64 from the next multiple of 8 bytes on.
#pragma once

#include <cstdint>

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define GRADBOOK_EXPORT EMSCRIPTEN_KEEPALIVE
#else
#define GRADBOOK_EXPORT
#endif

extern "C" {

// -- the border itself: border.cpp -----------------------------------------------------------------------------------

/// The block: gb_block_size() bytes (64 KiB), 16-byte aligned, at the same place for ever.
GRADBOOK_EXPORT char* gb_block();
GRADBOOK_EXPORT int32_t gb_block_size();
/// Message of the last failure, UTF-8, without a zero at the end.
GRADBOOK_EXPORT const char* gb_error();
GRADBOOK_EXPORT int32_t gb_error_size();
/// ErrorCode of the last call, 0 when it went well.
GRADBOOK_EXPORT int32_t gb_error_code();
/// The text that the last call made, UTF-8.
GRADBOOK_EXPORT const char* gb_text();
GRADBOOK_EXPORT int32_t gb_text_size();
/// The tables as JSON (describe.h), UTF-8.
GRADBOOK_EXPORT const char* gb_describe();
GRADBOOK_EXPORT int32_t gb_describe_size();

// -- tensors: bind_tensors.cpp ---------------------------------------------------------------------------------------

/// In: ints sizes[rank]. A tensor of zeros.
GRADBOOK_EXPORT int32_t gb_create(int32_t dtype, int32_t rank);
/// A float32 tensor of one element with `rank` axes. Leaves the block as it is, so that it may be called while one is filled.
GRADBOOK_EXPORT int32_t gb_single(double value, int32_t rank);
/// The values, row-major. A view is copied first, so write only into a tensor fresh from gb_create; else use gb_copy_into.
GRADBOOK_EXPORT char* gb_data(int32_t handle);
/// Out: ints dtype, rank, requiresGrad, isLeaf, elementCount, sizes[rank].
GRADBOOK_EXPORT int32_t gb_info(int32_t handle);
/// Releasing a handle twice, or one that never was, does nothing and gives -2.
GRADBOOK_EXPORT int32_t gb_release(int32_t handle);
/// Another handle to the same tensor.
GRADBOOK_EXPORT int32_t gb_share(int32_t handle);
/// A handle to the same values off the tape.
GRADBOOK_EXPORT int32_t gb_detach(int32_t handle);
/// Overwrites a leaf in place; shapes must be equal, the dtype of the target stays.
GRADBOOK_EXPORT int32_t gb_copy_into(int32_t target, int32_t source);
/// Starts the random stream anew from a 64-bit seed.
GRADBOOK_EXPORT int32_t gb_seed(uint32_t low, uint32_t high);
/// Ints (as uint32) seed low, high, position low, high: out when `set` is 0, in when it is 1.
GRADBOOK_EXPORT int32_t gb_random_state(int32_t set);

// -- datasets: bind_data.cpp ------------------------------------------------------------------------------------------

/// In: ints positions[count]. A batch: a handle of float32(features[positions]) * scale + shift; out: int handle of labels[positions].
GRADBOOK_EXPORT int32_t gb_batch(int32_t features, int32_t labels, int32_t count, double scale, double shift);

// -- ops and gradients: bind_ops.cpp ---------------------------------------------------------------------------------

/// In: ints handles[input_count] (-1 an absent optional tensor, -2 a number), numbers: one per -2, then the attributes in the
/// order of the row: a number each, lists and texts as count and values; left out: all 8 bytes 0xFF. Those left out at the end
/// may be cut off: `number_bytes` says how many bytes the numbers take. Gives a handle of the result.
GRADBOOK_EXPORT int32_t gb_run(int32_t op, int32_t input_count, int32_t number_bytes);
GRADBOOK_EXPORT int32_t gb_set_requires_grad(int32_t handle, int32_t value);
/// Flags: 1 retain the graph, 2 create a graph of the gradients. `upstream` may be -1 for a tensor with one element.
GRADBOOK_EXPORT int32_t gb_backward(int32_t handle, int32_t upstream, int32_t flags);
/// In: ints targets[count]. Out: ints handles[count], -2 where root does not depend on the target. Leaves grad alone.
GRADBOOK_EXPORT int32_t gb_gradients(int32_t root, int32_t count, int32_t upstream, int32_t flags);
/// A new handle of the gradient of a leaf, or of a result under gb_retain_grad(); -2 when there is none.
GRADBOOK_EXPORT int32_t gb_grad(int32_t handle);
/// Makes backward() leave the gradient of a result too, where gb_grad() finds it.
GRADBOOK_EXPORT int32_t gb_retain_grad(int32_t handle);
/// -1 drops the gradient.
GRADBOOK_EXPORT int32_t gb_set_grad(int32_t handle, int32_t gradient);
/// Returns the former mode.
GRADBOOK_EXPORT int32_t gb_grad_mode(int32_t enabled);

// -- training: bind_train.cpp ----------------------------------------------------------------------------------------

/// In: numbers from the start of the block: all attributes of the row, written as in gb_run. Fills a leaf in place.
GRADBOOK_EXPORT int32_t gb_initialize(int32_t initializer, int32_t handle);
/// In: ints handles[count], numbers: all settings of the row, lists laid flat. Gives an id.
GRADBOOK_EXPORT int32_t gb_optimizer_create(int32_t row, int32_t count);
GRADBOOK_EXPORT int32_t gb_optimizer_step(int32_t id);
GRADBOOK_EXPORT int32_t gb_optimizer_zero_grad(int32_t id);
/// `setting` counts the flat values.
GRADBOOK_EXPORT int32_t gb_optimizer_set(int32_t id, int32_t setting, double value);
GRADBOOK_EXPORT double gb_optimizer_get(int32_t id, int32_t setting);
/// A new handle of the live state tensor, -2 when there is none (yet).
GRADBOOK_EXPORT int32_t gb_optimizer_state(int32_t id, int32_t parameter, int32_t slot);
/// Copies a saved state in.
GRADBOOK_EXPORT int32_t gb_optimizer_state_set(int32_t id, int32_t parameter, int32_t slot, int32_t handle);
/// Updates that this parameter has had; sets it first when `value` is not negative.
GRADBOOK_EXPORT int32_t gb_optimizer_steps(int32_t id, int32_t parameter, int32_t value);
GRADBOOK_EXPORT int32_t gb_optimizer_release(int32_t id);
/// In: ints handles[count] of parameters. Gives a handle of the norm before, a float64 scalar. `order`: 1, 2 or infinity.
GRADBOOK_EXPORT int32_t gb_clip_norm(int32_t count, double largest, double order);
GRADBOOK_EXPORT int32_t gb_clip_value(int32_t count, double largest);

// -- captured steps: bind_program.cpp ---------------------------------------------------------------------------------

/// In: ints handles[count], the arguments of the step. Records what runs from now on; `log_step` is the number that was logged last.
GRADBOOK_EXPORT int32_t gb_program_begin(int32_t count, double log_step);
/// In: the reason, UTF-8. The step that is being recorded cannot become a program; nothing happens outside of a recording.
GRADBOOK_EXPORT int32_t gb_program_refuse(int32_t byte_count);
/// In: ints handles[count], the results of the step. Gives the id of a trace.
GRADBOOK_EXPORT int32_t gb_program_end(int32_t count);
/// Ends a recording without a trace.
GRADBOOK_EXPORT int32_t gb_program_abort();
/// 0: both traces did the same, so they may become a program. 1: gb_text() says what differs, or why it cannot be.
/// 2: as 1, and other parameters had gradients when the steps began.
GRADBOOK_EXPORT int32_t gb_program_difference(int32_t before, int32_t now);
GRADBOOK_EXPORT int32_t gb_program_release_trace(int32_t trace);
/// Makes a program of a trace, which stays. Gives its id.
GRADBOOK_EXPORT int32_t gb_program_compile(int32_t trace);
GRADBOOK_EXPORT int32_t gb_program_release(int32_t program);
/// 1: which leaves have a gradient now is as it was when the step was recorded; else another program is needed.
GRADBOOK_EXPORT int32_t gb_program_applies(int32_t program);
/// In: ints handles[count]. Out: ints handles of the results, as many as are returned, where -2 stands for one float32: the
/// number at its place in the numbers that follow, of which gb_single() makes a tensor. -2 instead: the program does not apply now.
GRADBOOK_EXPORT int32_t gb_program_run(int32_t program, int32_t count, double log_step);
/// After a failed run, 1: something outside the program had been changed already. 0: nothing was, the random stream is back
/// where it was, and the step may be run again by hand.
GRADBOOK_EXPORT int32_t gb_program_changed(int32_t program);
/// 1: its runs are timed op by op from now on, for gb_program_explain(). 0: no more.
GRADBOOK_EXPORT int32_t gb_program_timed(int32_t program, int32_t timed);
/// gb_text() then has the program in words. Out: numbers arena bytes, largest live set in bytes.
GRADBOOK_EXPORT int32_t gb_program_explain(int32_t program);

// -- looking in: bind_inspect.cpp ------------------------------------------------------------------------------------

/// In: the name, UTF-8, from the start of the block. Gives the number of the metric, the same for the same name.
GRADBOOK_EXPORT int32_t gb_metrics_name(int32_t byte_count);
/// In: ints metrics[count], ints handles[count] (-1: take the number), numbers values[count]. Gives 1 when a value that was not
/// finite waits for gb_metrics_trouble(), else 0.
GRADBOOK_EXPORT int32_t gb_metrics_log(double step, int32_t count);
/// Out: numbers step, metric, value, time in ms, floating-point operations so far, for each of the returned number of records. Repeat until it gives 0.
GRADBOOK_EXPORT int32_t gb_metrics_drain(int32_t most);
/// Out: numbers step, metric, value of the first logged value since the last call that was not finite, dropped records. Gives 1
/// when there was one.
GRADBOOK_EXPORT int32_t gb_metrics_trouble();
/// Drops records and trouble; names keep their numbers.
GRADBOOK_EXPORT int32_t gb_metrics_clear();
/// Floating-point operations done so far; with a count from 0 on, goes on counting from there and gives what it was.
GRADBOOK_EXPORT double gb_flops(double count);
/// Out: numbers live bytes, peak bytes, tensor storages, handles, records on tapes, bytes of the heap, milliseconds between the
/// last two optimizer steps.
GRADBOOK_EXPORT int32_t gb_memory();
/// Bytes that tensors may take together before gb_ calls fail with an out-of-memory error; 0: no limit but the system's.
GRADBOOK_EXPORT int32_t gb_memory_limit(double bytes);
/// 1 begins a profile of all ops, 0 ends it. Gives the former mode.
GRADBOOK_EXPORT int32_t gb_profile(int32_t enabled);
/// Out: numbers op (-1: optimizer steps), 1 for its gradient or 0, calls, milliseconds, for each of the returned number of rows.
GRADBOOK_EXPORT int32_t gb_profile_rows();
/// 1 makes ops fail whose result is the first that is not finite; see inspect/observe.h. Gives the former mode.
GRADBOOK_EXPORT int32_t gb_detect_anomaly(int32_t enabled);
/// What is recorded from now on carries this number (0: none). Gives the former.
GRADBOOK_EXPORT int32_t gb_place(int32_t place);
/// The number of the record whose gradient made the last backward() fail, 0: none.
GRADBOOK_EXPORT int32_t gb_failed_place();
/// Asks for this many threads; gives the number in use.
GRADBOOK_EXPORT int32_t gb_threads(int32_t count);
/// 1 asks the running call to stop; it fails with ErrorCode::kInterrupted and sets the flag back to 0.
GRADBOOK_EXPORT volatile int32_t* gb_interrupt_flag();

// -- the inspector: bind_snapshot.cpp ---------------------------------------------------------------------------------

/// Handles made from now on belong to this owner, for the memory ledger. 0: to nobody.
GRADBOOK_EXPORT int32_t gb_owner(int32_t owner);
/// 1 asks for the trace of the next step, 0 ends one that has begun, 2 says that a run begins, -1 changes nothing. Gives 1 while a
/// trace is wanted.
GRADBOOK_EXPORT int32_t gb_trace(int32_t wanted);
/// With 1 the following ops are left out of traces, with 0 no more. Gives the former state.
GRADBOOK_EXPORT int32_t gb_trace_pause(int32_t paused);
/// Ops of the following calls carry this number; a snapshot's notes say which line of which cell it is.
GRADBOOK_EXPORT int32_t gb_trace_place(int32_t place);
/// Begins the sums of traced ops anew.
GRADBOOK_EXPORT int32_t gb_trace_clear();
/// Takes a snapshot (inspect/collect.h) and gives its size in bytes; gb_snapshot_data() has them. `notes` is a uint8 tensor of
/// lines, words between tabs: flavour NAME; owner NUMBER CELL; place CELL LINE, in the order of their numbers;
/// name HANDLE NAME. `selected` is the key of the tensor whose values from element `from` on are
/// wanted, 0 for none; statistics may read `allowance` elements.
GRADBOOK_EXPORT int32_t gb_snapshot(int32_t notes, double selected, double from, int32_t running, double allowance);
GRADBOOK_EXPORT const char* gb_snapshot_data();

// -- files: bind_files.cpp --------------------------------------------------------------------------------------------

/// Reads the safetensors file whose bytes are the elements of a uint8 tensor. Gives the number of tensors in it; gb_text() then
/// has {"tensors":[[name, handle], ...], "metadata":{name: text}}. The handles are new.
GRADBOOK_EXPORT int32_t gb_safetensors_read(int32_t file);
/// `description`: a uint8 tensor with text of the same form. Gives a handle of a uint8 tensor with the bytes of the file.
GRADBOOK_EXPORT int32_t gb_safetensors_write(int32_t description);

}  // extern "C"
