// SPDX-License-Identifier: MIT
// Library that is preloaded into a process: delays Gloo's threads whenever they have reported that
// a sum is complete, as if they were not scheduled on a busy machine.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

int late_threads_delay_ms = 300;

int pthread_cond_broadcast(pthread_cond_t* condition) {
    static int (*broadcast)(pthread_cond_t*);
    if (broadcast == NULL) *(void**)&broadcast = dlsym(RTLD_NEXT, "pthread_cond_broadcast");
    const int result = broadcast(condition);
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    if (strcmp(name, "pt_gloo_runloop") == 0) usleep(1000 * late_threads_delay_ms);
    return result;
}
