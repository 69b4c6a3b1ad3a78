/* libfabricsim: a packet-level simulator of datacenter networks for programs in C.
 *
 * Made by cbindgen from crates/capi; do not edit. docs/embedding.md has a guide.
 *
 * Every function that returns an int32_t returns FABRICSIM_OK or FABRICSIM_ERROR_...; after an
 * error, fabricsim_last_error() returns its message, on the same thread. Times are in picoseconds.
 *
 * Pointers: no function keeps a pointer after it has returned, except the callback and its
 * `user`, which stay in use until another callback is set or the simulation is closed. A pointer must
 * not be null unless its function allows it. Texts end with a zero and are UTF-8.
 *
 * Tables: fabricsim_export_...() fills a stream of Apache Arrow's C stream interface
 * (https://arrow.apache.org/docs/format/CStreamInterface.html). It belongs to the program and is
 * independent of the simulation: any thread, one at a time, can use it after fabricsim_close(), as
 * long as the library is loaded. The program calls its `release` once; schemas and arrays taken
 * from it have a `release` of their own, and may live longer. After an error of
 * fabricsim_export_...() `release` is null: there is nothing to release.
 *
 * Threads: simulations are independent of one another. Only one thread at a time can use a
 * simulation: if two try, one gets FABRICSIM_ERROR_BUSY.
 */

#ifndef FABRICSIM_H
#define FABRICSIM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

// The type of a table or of a column, as Arrow's C data interface defines it.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

// The values of a table or of a column, as Arrow's C data interface defines them.
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

// Arrays of one type, one after another, as Arrow's C stream interface defines them.
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif // ARROW_C_STREAM_INTERFACE

// The version of the functions and types of this header: it grows when they change.
#define FABRICSIM_ABI_VERSION 1

// The function has succeeded.
#define FABRICSIM_OK 0

// A pointer is null, but must not be.
#define FABRICSIM_ERROR_NULL -1

// The handle is not valid, or its simulation has been closed.
#define FABRICSIM_ERROR_HANDLE -2

// A value is impossible: fabricsim_last_error() names it and explains the error.
#define FABRICSIM_ERROR_ARGUMENT -3

// The scenario cannot be read or built: fabricsim_last_error() names the position and a fix.
#define FABRICSIM_ERROR_SCENARIO -4

// The simulation is running: a callback cannot call this function, or another thread is using the
// simulation.
#define FABRICSIM_ERROR_BUSY -5

// A file cannot be written, or cannot be read.
#define FABRICSIM_ERROR_FILE -6

// A callback has panicked. The run has ended; the simulation can be used and closed.
#define FABRICSIM_ERROR_CALLBACK -7

// An error of the library itself, now or in an earlier call. The simulation can only be closed.
#define FABRICSIM_ERROR_INTERNAL -8

// All flows have ended and no event is left.
#define FABRICSIM_STOP_FINISHED 0

// The run has reached the given time.
#define FABRICSIM_STOP_TIME 1

// An event has occurred (only of fabricsim_run_until_next()).
#define FABRICSIM_STOP_EVENT 2

// Unfinished flows are left, but no packet moves.
#define FABRICSIM_STOP_STALLED 3

// Switches wait for one another (a PFC deadlock).
#define FABRICSIM_STOP_DEADLOCKED 4

// The run has reached the end of simulated time, 53 days.
#define FABRICSIM_STOP_HORIZON 5

// The simulation has more packets and events under way than it can store.
#define FABRICSIM_STOP_OVERLOADED 6

// A callback has called fabricsim_stop(). The run can continue.
#define FABRICSIM_STOP_ASKED 7

// The last byte of a message has been delivered to its receiver.
#define FABRICSIM_EVENT_DELIVERED 1

// The last acknowledgement of a message has reached its sender.
#define FABRICSIM_EVENT_ACKNOWLEDGED 2

// No route led to the receiver when a message was to start. It is lost.
#define FABRICSIM_EVENT_UNREACHABLE 4

// A timer has fired.
#define FABRICSIM_EVENT_TIMER 8

// A simulation. Zero is not a valid handle; the handle of a closed simulation is not used again.
typedef uint64_t FabricsimHandle;

// A message from one host to another.
typedef struct FabricsimMessage {
  // The sending host, from 0 to fabricsim_hosts() - 1.
  uint32_t src;
  // The receiving host.
  uint32_t dst;
  // Payload bytes, at least one.
  uint64_t size;
  // A number of the program's choice, repeated in the events of the message.
  uint64_t tag;
  // A second number of the program's choice, also repeated in the events.
  uint64_t token;
  // The flow class, which separates the flows in the results. It is the class of the
  // `[[workload]]` with this number, if there is one.
  uint16_t flow_class;
  // Destination port; 0 for port 100.
  uint16_t dst_port;
  // Priority queue of its packets, 1 to 7; 0 for priority 3.
  uint8_t priority;
  // Must be zero.
  uint8_t reserved[3];
} FabricsimMessage;

// Counts over the whole network, from the start.
typedef struct FabricsimStatistics {
  // The current time, in picoseconds.
  uint64_t now;
  // Flows that have started, including flows of workloads.
  uint64_t flows_started;
  // Flows that have ended.
  uint64_t flows_finished;
  // Flows without a route to their destination.
  uint64_t flows_unreachable;
  // Packets that crossed a link.
  uint64_t packet_hops;
  // Bytes that crossed a link.
  uint64_t wire_bytes;
  // Packets dropped by switches, because the buffer was full or by a queue discipline.
  uint64_t drops;
  // Packets lost on links, or because a link was down.
  uint64_t losses;
  // Pause frames sent by switches.
  uint64_t pauses;
  // Payload bytes delivered in order.
  uint64_t delivered_bytes;
  // Payload bytes retransmitted.
  uint64_t retransmitted_bytes;
  // Retransmission timeouts.
  uint64_t timeouts;
  // The largest number of bytes queued at one switch port.
  uint64_t max_queue_bytes;
} FabricsimStatistics;

// An event of a message or a timer.
typedef struct FabricsimEvent {
  // The exact time, in picoseconds.
  uint64_t at;
  // Token of the timer; only of FABRICSIM_EVENT_TIMER.
  uint64_t timer;
  // One of FABRICSIM_EVENT_...
  uint32_t kind;
  // Zero.
  uint32_t reserved;
  // The message; all zero for a timer.
  struct FabricsimMessage message;
} FabricsimEvent;

// Function that receives each event. `user` is the pointer that was set with it, and the event
// lives until the callback returns. No exception and no longjmp may leave it.
typedef void (*FabricsimCallback)(void *user, const struct FabricsimEvent *event);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Fills `stream` with the flows that have ended so far (messages and flows of workloads) as one
// table with the columns of fct.csv; fabricsim_write_flows() writes the same. The columns `src`
// and `dst` are node numbers; fabricsim_node_host() converts them to hosts.
//
// # Safety
// `stream` points to room for a stream. It is overwritten, so it must not be in use.
int32_t fabricsim_export_flows(FabricsimHandle simulation,
                               struct ArrowArrayStream *stream);

// Fills `stream` with the result file at `path` as one table: `fct.csv`, a time series, the points
// of a sweep, or any other file of columns with a header. Whole numbers have the type int64, times
// and ratios are doubles, names are UTF-8, and empty cells are null.
//
// # Safety
// `path` ends with a zero. `stream` points to room for a stream; it is overwritten, so it must not
// be in use.
int32_t fabricsim_export_file(const char *path,
                              struct ArrowArrayStream *stream);

// Returns the version of the library's functions and types: compare it with FABRICSIM_ABI_VERSION.
uint32_t fabricsim_abi_version(void);

// Returns the version of the library, such as "0.2.0". The text stays valid.
const char *fabricsim_version(void);

// Copies the message of the last error of this thread to `buffer`, as much as fits into `room`
// bytes with a terminating zero. Returns the number of bytes that the whole message needs,
// including the zero. `buffer` may be null if `room` is 0.
//
// # Safety
// `buffer` is null or points to `room` bytes.
size_t fabricsim_last_error(char *buffer,
                            size_t room);

// Opens a simulation of the scenario `toml`. Its paths are relative to the working folder. It
// needs no `[[workload]]`. `threads` is 1 or more; results do not depend on it. Writes the handle
// to `simulation`.
//
// # Safety
// `toml` ends with a zero; `simulation` points to room for a handle.
int32_t fabricsim_open_text(const char *toml,
                            uint32_t threads,
                            FabricsimHandle *simulation);

// Like fabricsim_open_text(), from the file at `path`. Each of the `count` texts of `settings`
// changes a key of the scenario, such as "cc.kind=hpcc"; `settings` may be null if `count` is 0.
//
// # Safety
// `path` and each of `settings` end with a zero; `simulation` points to room for a handle.
int32_t fabricsim_open_file(const char *path,
                            const char *const *settings,
                            size_t count,
                            uint32_t threads,
                            FabricsimHandle *simulation);

// Closes a simulation: its handle becomes invalid. A callback of the simulation cannot call this.
int32_t fabricsim_close(FabricsimHandle simulation);

// Writes the number of hosts to `count`. Hosts are counted from 0; fabricsim_host_node() returns
// their nodes.
//
// # Safety
// `count` points to room for it.
int32_t fabricsim_hosts(FabricsimHandle simulation,
                        uint32_t *count);

// Copies the name of a host to `buffer`, as much as fits into `room` bytes with a terminating
// zero, and writes the number of bytes that the whole name needs to `needed`, which may be null.
//
// # Safety
// `buffer` is null or points to `room` bytes; `needed` is null or points to room for it.
int32_t fabricsim_host_name(FabricsimHandle simulation,
                            uint32_t host,
                            char *buffer,
                            size_t room,
                            size_t *needed);

// Writes the number of the host called `name` to `host`.
//
// # Safety
// `name` ends with a zero; `host` points to room for the number.
int32_t fabricsim_find_host(FabricsimHandle simulation, const char *name, uint32_t *host);

// Writes the node number of host `host` to `node`. Scenarios and results (`fct.csv`,
// `topology.csv`) number all nodes, hosts and switches. Hosts counted from 0 are the nodes from 0
// on, unless the topology is a file that numbers other nodes between them.
//
// # Safety
// `node` points to room for the number.
int32_t fabricsim_host_node(FabricsimHandle simulation,
                            uint32_t host,
                            uint32_t *node);

// Writes the number of the host, counted from 0, that is node `node` to `host`: the inverse of
// fabricsim_host_node(). It is an error if the node is a switch or does not exist.
//
// # Safety
// `host` points to room for the number.
int32_t fabricsim_node_host(FabricsimHandle simulation, uint32_t node, uint32_t *host);

// Writes the time from the start of a message to its last acknowledgement, if it is alone in the
// idle network, to `time`, in picoseconds, by the rule of `[output] ideal`. It depends on the
// ends, size, class and priority of the message.
//
// # Safety
// `message` points to a message and `time` to room for the time.
int32_t fabricsim_ideal_time(FabricsimHandle simulation,
                             const struct FabricsimMessage *message,
                             uint64_t *time);

// Writes the current time, in picoseconds, to `now`. In a callback it is the time of the event.
//
// # Safety
// `now` points to room for it.
int32_t fabricsim_now(FabricsimHandle simulation, uint64_t *now);

// Writes counts over the whole network to `statistics`. After an event they include the work of
// the switches up to the end of the current synchronization window.
//
// # Safety
// `statistics` points to room for them.
int32_t fabricsim_statistics(FabricsimHandle simulation,
                             struct FabricsimStatistics *statistics);

// Writes the flows that have ended so far to the file at `path`, in the format of a run's
// `fct.csv`: messages and flows of workloads, in the order of their ends.
//
// # Safety
// `path` ends with a zero.
int32_t fabricsim_write_flows(FabricsimHandle simulation,
                              const char *path);

// Keeps flows that end from now on for fabricsim_write_flows(), unless `keep` is 0. The default is
// to keep them. A program that sends without end passes 0, because each flow takes about a hundred
// bytes.
int32_t fabricsim_keep_flows(FabricsimHandle simulation,
                             uint32_t keep);

// Sets the function that fabricsim_run_until() calls with each event of the `kinds`
// (FABRICSIM_EVENT_... combined by `|`), on the thread that runs the simulation. The library
// passes `user` to each call, so it must stay valid for as long. A null callback ends the calls.
//
// A callback can send messages, set and cancel timers, and call fabricsim_now() and
// fabricsim_stop(): its requests take effect at the instant of the event. It can call no other
// function.
//
// # Safety
// `callback` can be called with `user` until the program sets another one or closes the
// simulation.
int32_t fabricsim_set_callback(FabricsimHandle simulation,
                               FabricsimCallback callback,
                               void *user,
                               uint32_t kinds);

// Runs all events before `until`, in picoseconds; UINT64_MAX runs to the end. Writes the reason
// for the return, FABRICSIM_STOP_..., to `stop`, which may be null. Without a callback, events are
// kept for fabricsim_run_until_next().
//
// # Safety
// `stop` is null or points to room for it.
int32_t fabricsim_run_until(FabricsimHandle simulation,
                            uint64_t until,
                            uint32_t *stop);

// Runs to the next event before `until` and writes it to `event`. fabricsim_now() is then the
// exact time of the event, and requests take effect at that time. Writes FABRICSIM_STOP_EVENT to
// `stop`, or the reason for having no event. Fails if a callback is set.
//
// # Safety
// `event` and `stop` point to room for them.
int32_t fabricsim_run_until_next(FabricsimHandle simulation,
                                 uint64_t until,
                                 struct FabricsimEvent *event,
                                 uint32_t *stop);

// Ends the events FABRICSIM_EVENT_ACKNOWLEDGED from now on: a run costs less if only deliveries
// and timers are events. A callback cannot call this.
int32_t fabricsim_ignore_acknowledgements(FabricsimHandle simulation);

// Ends the run after the current event. Only a callback can call this. The run can continue later.
int32_t fabricsim_stop(FabricsimHandle simulation);

// Sends a message now. The library copies it.
//
// # Safety
// `message` points to a message.
int32_t fabricsim_send(FabricsimHandle simulation, const struct FabricsimMessage *message);

// Sends a message at the time `at`, in picoseconds, which is now or later. The library copies it.
//
// # Safety
// `message` points to a message.
int32_t fabricsim_send_at(FabricsimHandle simulation,
                          uint64_t at,
                          const struct FabricsimMessage *message);

// Sets the timer `token` to the time `at`, in picoseconds, or moves it there if it is already set.
// It fires as an event FABRICSIM_EVENT_TIMER. `at` is now or later.
int32_t fabricsim_set_timer(FabricsimHandle simulation, uint64_t at, uint64_t token);

// Cancels the timer `token`, if it is set.
int32_t fabricsim_cancel_timer(FabricsimHandle simulation, uint64_t token);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FABRICSIM_H */
