// SPDX-License-Identifier: MIT
// Preloaded into the program: disturbs one of its ranks, FAULT_RANK, or "any" of its processes, from outside.
// FAULT_AT       where it gets FAULT_SIGNAL, once:
//                send:TEXT    before it sends a message with TEXT to the store
//                sent:TEXT    after that
//                leave        before it takes leave of the store
//                data:BYTES   before it sends that much at once to another rank
//                commit:TEXT  before it gives a file a name that contains TEXT
//                committed:TEXT  after that
// FAULT_COUNT    at which of these moments of a process, 1 where it is not set
// FAULT_DELAY_MS how long after it; the thread that reached it waits, the others go on
// FAULT_ONCE     a file that the first one makes: of several processes one gets the signal
// FAULT_GROUP    whether its whole group gets the signal
// FAULT_HOLD     instead of a signal: the thread that reached the moment goes on when this file exists
// FAULT_CLOCK_S  how far its clock is off
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char* where;
static int signal_number;
static int whole_group;
static long clock_offset;
static const char* once;
static const char* hold;
static long delay_ms;
static atomic_long moments_left = 1;

__attribute__((constructor)) static void read_environment(void) {
    static const char* const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    const char* const wanted = getenv("FAULT_RANK");
    if (!wanted || strcmp(program_invocation_short_name, "helioray") != 0) return;
    const char* rank = "any";
    for (int i = 0; i < 3 && strcmp(wanted, "any") != 0; ++i) {
        if (getenv(names[i])) rank = getenv(names[i]);
    }
    if (strcmp(rank, wanted) != 0) return;
    where = getenv("FAULT_AT");
    if (where && getenv("FAULT_SIGNAL")) signal_number = atoi(getenv("FAULT_SIGNAL"));
    whole_group = getenv("FAULT_GROUP") != NULL;
    once = getenv("FAULT_ONCE");
    hold = getenv("FAULT_HOLD");
    if (getenv("FAULT_COUNT")) moments_left = atol(getenv("FAULT_COUNT"));
    if (getenv("FAULT_DELAY_MS")) delay_ms = atol(getenv("FAULT_DELAY_MS"));
    if (getenv("FAULT_CLOCK_S")) clock_offset = atol(getenv("FAULT_CLOCK_S"));
}

/// The text after `kind`, where the fault is of this kind.
static const char* at(const char* kind) {
    const size_t length = strlen(kind);
    return where && strncmp(where, kind, length) == 0 ? where + length : NULL;
}

static void strike(void) {
    if (atomic_fetch_sub(&moments_left, 1) != 1) return;
    if (once && open(once, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0) return;
    if (delay_ms > 0) usleep((useconds_t)(1000 * delay_ms));
    if (hold) {
        while (access(hold, F_OK) != 0) usleep(20000);
        return;
    }
    // To this thread: it goes no further, as it might where another one takes the signal.
    if (whole_group)
        kill(0, signal_number);
    else
        syscall(SYS_tgkill, getpid(), gettid(), signal_number);
}

static int contains(const void* bytes, size_t count, const char* text) {
    return text && memmem(bytes, count, text, strlen(text)) != NULL;
}

ssize_t send(int socket, const void* bytes, size_t count, int flags) {
    // Length, number of the call, and the last of the calls that a store serves.
    const int leaves = at("leave") && count == 13 && ((const char*)bytes)[12] == 12;
    if (leaves || contains(bytes, count, at("send:"))) strike();
    const ssize_t sent = syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
    if (contains(bytes, count, at("sent:"))) strike();
    return sent;
}

ssize_t writev(int file, const struct iovec* parts, int count) {
    const char* const least = at("data:");
    size_t bytes = 0;
    for (int i = 0; least && i < count; ++i) bytes += parts[i].iov_len;
    if (least && bytes >= (size_t)atol(least)) strike();
    return syscall(SYS_writev, file, parts, count);
}

int rename(const char* from, const char* to) {
    if (contains(to, strlen(to), at("commit:"))) strike();
    const int status = (int)syscall(SYS_rename, from, to);
    if (contains(to, strlen(to), at("committed:"))) strike();
    return status;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    const int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += clock_offset;
    return status;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    struct timespec time;
    const int status = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return status;
}

time_t time(time_t* copy) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (copy) *copy = now.tv_sec;
    return now.tv_sec;
}
