/* Faults of a disk and of a clock, for the tests: preloaded into the process from which the ranks are forked.
 *
 * FAULT_UNDER  only calls on paths that begin so are looked at; without it nothing is
 * FAULT_FROM   the count begins with the first call on a path that has this in it
 * FAULT_OPS    the calls that count, by name, between commas as in ",write,fsync,"; empty = all that change the disk
 * FAULT_AT     the first call that fails, from 1; 0 = none
 * FAULT_TIMES  how many calls fail from there on; 0 = all
 * FAULT_DO     the errno, or 0 for SIGKILL before the call
 * FAULT_LOG    every call that counts is written there, one line each: its name and its path
 * FAULT_CLOCK  "SECONDS PATH": the wall clock jumps by so much once PATH exists; the monotonic one does not
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int count, begun; /* of this process; a forked rank begins with zero, for nothing counts before the fork */

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* The errno of this call, or 0 where it is to go through. */
static int fault(const char *op, const char *path) {
    const char *under = setting("FAULT_UNDER"), *from = setting("FAULT_FROM"), *ops = setting("FAULT_OPS");
    if (!*under || !path || strncmp(path, under, strlen(under)))
        return 0;
    char name[32];
    snprintf(name, sizeof name, ",%s,", op);
    if (*ops ? !strstr(ops, name) : !strcmp(op, "read"))
        return 0;
    if (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST) && !strstr(path, from))
        return 0;
    __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
    int number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (*setting("FAULT_LOG")) {
        char line[PATH_MAX + 64];
        int bytes = snprintf(line, sizeof line, "%s %s\n", op, path);
        int log = syscall(SYS_openat, AT_FDCWD, setting("FAULT_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0644);
        syscall(SYS_write, log, line, bytes);
        syscall(SYS_close, log);
    }
    int at = atoi(setting("FAULT_AT")), times = atoi(setting("FAULT_TIMES")), what = atoi(setting("FAULT_DO"));
    if (!at || number < at || (times && number >= at + times))
        return 0;
    if (!what)
        kill(getpid(), SIGKILL);
    return what;
}

static int fault_of(const char *op, int file) {
    char link[64], path[PATH_MAX];
    if (!*setting("FAULT_UNDER"))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return fault(op, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define GUARD(code)                                                                                                    \
    do {                                                                                                               \
        int error = (code);                                                                                            \
        if (error) {                                                                                                   \
            errno = error;                                                                                             \
            return -1;                                                                                                 \
        }                                                                                                              \
    } while (0)
#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                      \
        va_end(rest);                                                                                                  \
        if (flags & (O_WRONLY | O_RDWR | O_CREAT))                                                                     \
            GUARD(fault("open", path));                                                                                \
        return REAL(name)(path, flags, mode);                                                                          \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int file, void *to, size_t size) {
    GUARD(fault_of("read", file));
    return REAL(read)(file, to, size);
}
ssize_t write(int file, const void *from, size_t size) {
    GUARD(fault_of("write", file));
    return REAL(write)(file, from, size);
}
ssize_t writev(int file, const struct iovec *parts, int number) {
    GUARD(fault_of("write", file));
    return REAL(writev)(file, parts, number);
}
ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
    GUARD(fault_of("write", file));
    return REAL(pwrite)(file, from, size, at);
}
ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
    GUARD(fault_of("write", file));
    return REAL(pwrite64)(file, from, size, at);
}
int fsync(int file) {
    GUARD(fault_of("fsync", file));
    return REAL(fsync)(file);
}
int fdatasync(int file) {
    GUARD(fault_of("fsync", file));
    return REAL(fdatasync)(file);
}
int rename(const char *from, const char *to) {
    GUARD(fault("rename", to));
    return REAL(rename)(from, to);
}
int unlink(const char *path) {
    GUARD(fault("unlink", path));
    return REAL(unlink)(path);
}

/* By the system call, so that whoever asks, from C++ too, is told the same. */
int clock_gettime(clockid_t which, struct timespec *now) {
    int code = (int)syscall(SYS_clock_gettime, which, now);
    const char *jump = which == CLOCK_REALTIME ? setting("FAULT_CLOCK") : "", *path = strchr(jump, ' ');
    if (path && !access(path + 1, F_OK))
        now->tv_sec += atoi(jump);
    return code;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    (void)zone;
    return 0;
}
time_t time(time_t *to) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (to)
        *to = exact.tv_sec;
    return exact.tv_sec;
}
