/* Tells ThreadSanitizer what a contended Synchronization.Mutex orders; loaded by LD_PRELOAD.
 *
 * Where nobody waits, locking is a compare-and-swap in the caller's code, which the sanitizer sees.
 * Where somebody does, it is done by two functions of libswiftSynchronization, which is not
 * instrumented: the sanitizer sees no order between the threads, and reports every use of what the
 * mutex guards. Here those two functions are followed, and preceded, by what the sanitizer has to
 * know. Nothing is suppressed, so no race is hidden.
 *
 * The names are those of _MutexHandle._lockSlow(_:) and _unlockSlow() (Swift 6.3, Linux); the lock
 * word is the first thing in the handle. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *

void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t, HANDLE);
typedef SWIFT void (*unlock_function)(HANDLE);

SWIFT void lock_slowly(uint32_t thread, HANDLE handle) __asm__(LOCK);
SWIFT void unlock_slowly(HANDLE handle) __asm__(UNLOCK);

static lock_function next_lock;
static unlock_function next_unlock;

__attribute__((constructor)) static void find(void)
{
    next_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
    next_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slowly(uint32_t thread, HANDLE handle)
{
    next_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slowly(HANDLE handle)
{
    if (__tsan_release) __tsan_release(handle);
    next_unlock(handle);
}
