#ifndef CTINTYPE_SANDBOX_H
#define CTINTYPE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// The system calls of worker processes: starting and ending them, shared memory, messages, and the restrictions under
// which a worker decodes. All functions return -1 and set errno on failure unless they say otherwise.

// MARK: Starting

/// The name that a worker receives as its `argv[0]`.
#define TINTYPE_WORKER_NAME "tintype-worker"

/// The descriptors of a worker.
enum {
    /// A stream socket, connected to the host.
    TINTYPE_WORKER_SOCKET = 3,
    /// The reading end of a pipe whose writing end only the host has.
    TINTYPE_WORKER_LIFELINE = 4,
};

/// Starts a worker: `path` with the name of a worker, the two descriptors, `log` as standard error, no other
/// descriptor, and only those environment variables that libraries read.
///
/// `posix_spawn` is used, which copies no page tables, however large the host is. Returns the process ID.
pid_t tintype_worker_spawn(const char *path, int socket, int lifeline, int log);

/// Creates a pipe that no other program inherits. Unless `waits`, reading and writing fail instead of waiting.
int tintype_pipe(int ends[_Nonnull 2], bool waits);

/// Returns whether this program has more privileges than the user who started it, such as file capabilities. A second
/// instance of it would have them too.
bool tintype_process_is_privileged(void);

/// Returns a descriptor that refers to a process (pidfd_open(2)).
int tintype_process_open(pid_t process);

/// Kills a process. A process that has ended is no error.
void tintype_process_kill(int process);

/// The end of a process, as far as it is known: the host may ignore SIGCHLD or reap all children itself.
typedef struct {
    bool is_known;
    /// The signal that ended it, or 0.
    int signal;
    /// The exit status, if no signal ended it.
    int status;
} tintype_process_end;

/// Waits until a child has ended, and reaps it.
tintype_process_end tintype_process_reap(int process);

/// Kills and reaps a child for which there is no descriptor. Preserves errno.
void tintype_process_abandon(pid_t process);

/// Returns the number of threads of a process; 0 if it has ended.
uint64_t tintype_process_thread_count(pid_t process);

/// Returns the processor time of a process in seconds, or -1.
double tintype_process_seconds(pid_t process);

/// Sets the soft limits of a process: private memory in bytes, address space in proportion, and processor time in
/// seconds. 0 leaves a limit as it is.
int tintype_process_limit(pid_t process, uint64_t memory, uint64_t seconds);

// MARK: Shared memory

/// Creates memory that can be mapped by several processes, and whose size cannot change.
int tintype_memory_create(size_t size);

/// Returns whether a descriptor is memory of at least `size` bytes that cannot shrink, so that reading a mapping of it
/// never fails.
bool tintype_memory_is_fixed(int memory, size_t size);

// MARK: Messages

/// Sends all bytes, with a descriptor unless it is -1. Never raises SIGPIPE.
int tintype_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives at most `count` bytes. Returns their number; 0 at the end.
///
/// With `descriptor`, one descriptor is accepted and stored there, or -1. Without, any that arrives is closed.
ssize_t tintype_receive(int socket, void *bytes, size_t count, int *_Nullable descriptor);

// MARK: The process of a worker

/// Returns whether this process was started as a worker.
bool tintype_worker_is_current(void);

/// Prepares this process: its name, one arena of malloc, small stacks of threads, no core file, few descriptors, no
/// writing of files, and its end together with the host. Returns 0, or -1.
int tintype_worker_enter(void);

/// Gives free memory back to the system.
void tintype_worker_trim(void);

/// Ends a worker without running exit handlers.
void tintype_worker_exit(int status) __attribute__((noreturn));

/// Returns the private memory of this process in bytes, as RLIMIT_DATA counts it.
uint64_t tintype_worker_data_bytes(void);

/// Returns whether this program was built with a sanitizer that reserves terabytes of address space.
bool tintype_has_sanitizer(void);

/// Returns the version of Landlock, 0 if the kernel lacks it.
int tintype_landlock_version(void);

/// Forbids access to files, except reading below some folders and, from version 4 on, TCP, from version 6 on, signals
/// to other processes. Must be called before other threads start, which would stay free.
///
/// `version` is at most that of the kernel; 0 does nothing. `readable` ends with a null pointer.
int tintype_landlock_restrict(int version, const char *const _Nullable *_Nonnull readable);

/// Returns whether the kernel supports filters of system calls on this architecture.
bool tintype_filter_is_supported(void);

/// Restricts the system calls of all threads from now on.
///
/// With `reads_files`, files may be opened for reading, as far as Landlock permits it.
int tintype_filter_install(bool reads_files);

/// The number of files that could not be opened since the last call because the sandbox refused them, without those
/// that no image depends on. Stores the path of the last one.
int tintype_refused_files(char *path, size_t size);

// MARK: Flags

/// Reads a flag that another process may set at any time.
static inline uint32_t tintype_flag_load(const volatile uint32_t *flag) {
    return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static inline void tintype_flag_store(volatile uint32_t *flag, uint32_t value) {
    __atomic_store_n(flag, value, __ATOMIC_RELAXED);
}

#pragma clang assume_nonnull end

#endif
