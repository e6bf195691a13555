#include "CTintypeCurl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/// What is known of a descriptor. Events are flags: CURL_POLL_IN, CURL_POLL_OUT.
struct entry {
    /// The events that libcurl waits for.
    unsigned char wanted;
    /// The events for which the descriptor is in the epoll set; 0 if it is not there.
    unsigned char registered;
    /// Whether the poller learns that the descriptor is closed.
    bool is_socket;
};

struct tintype_poller {
    CURLM *multi;
    int epoll, wakeup;
    struct entry *entries;
    size_t count;
};

static struct entry *find(tintype_poller *poller, int descriptor) {
    if (descriptor < 0) return NULL;
    const size_t index = (size_t)descriptor;
    if (index >= poller->count) {
        const size_t count = (index + 1) * 2;
        struct entry *entries = realloc(poller->entries, count * sizeof *entries);
        if (!entries) return NULL;
        memset(entries + poller->count, 0, (count - poller->count) * sizeof *entries);
        poller->entries = entries;
        poller->count = count;
    }
    return &poller->entries[index];
}

static int set(tintype_poller *poller, int descriptor, struct entry *entry, unsigned char events) {
    if (entry->registered == events) return 0;
    struct epoll_event event = {.data.fd = descriptor};
    if (events & CURL_POLL_IN) event.events |= EPOLLIN;
    if (events & CURL_POLL_OUT) event.events |= EPOLLOUT;
    const int operation = events == 0 ? EPOLL_CTL_DEL : entry->registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(poller->epoll, operation, descriptor, &event) != 0 && events != 0) return -1;
    entry->registered = events;
    return 0;
}

static int want(CURL *handle, curl_socket_t descriptor, int what, void *context, void *unused) {
    (void)handle, (void)unused;
    tintype_poller *poller = context;
    struct entry *entry = find(poller, descriptor);
    if (!entry) return -1;
    entry->wanted = what == CURL_POLL_REMOVE ? 0 : (unsigned char)(what & CURL_POLL_INOUT);
    // A socket stays in the set: the next request over it then needs no system call.
    if (entry->wanted == 0 && entry->is_socket) return 0;
    return set(poller, descriptor, entry, entry->wanted);
}

tintype_poller *tintype_poller_create(CURLM *multi, int wakeup) {
    tintype_poller *poller = calloc(1, sizeof *poller);
    if (!poller) return NULL;
    poller->multi = multi;
    poller->wakeup = wakeup;
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = wakeup};
    if (poller->epoll < 0 || epoll_ctl(poller->epoll, EPOLL_CTL_ADD, wakeup, &event) != 0) {
        tintype_poller_free(poller);
        return NULL;
    }
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, poller);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, want);
    return poller;
}

void tintype_poller_free(tintype_poller *poller) {
    if (poller->epoll >= 0) close(poller->epoll);
    free(poller->entries);
    free(poller);
}

void tintype_poller_note_socket(tintype_poller *poller, int descriptor, bool is_open) {
    struct entry *entry = find(poller, descriptor);
    if (entry) *entry = (struct entry){.is_socket = is_open};
}

void tintype_poller_perform(tintype_poller *poller) {
    long timeout = -1;
    int running;
    curl_multi_timeout(poller->multi, &timeout);
    if (timeout == 0) curl_multi_socket_action(poller->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

void tintype_poller_perform_all(tintype_poller *poller) {
    int running;
    curl_multi_socket_all(poller->multi, &running);
}

bool tintype_poller_wait(tintype_poller *poller, int limit) {
    struct epoll_event events[64];
    long timeout = -1;
    curl_multi_timeout(poller->multi, &timeout);
    if (timeout < 0 || timeout > limit) timeout = limit;
    const int count = epoll_wait(poller->epoll, events, sizeof events / sizeof events[0], (int)timeout);
    bool is_woken = false;
    for (int i = 0; i < count; i++) {
        const int descriptor = events[i].data.fd;
        if (descriptor == poller->wakeup) {
            is_woken = true;
            continue;
        }
        struct entry *entry = find(poller, descriptor);
        if (!entry) continue;
        if (entry->wanted == 0) {
            // Nobody reads this input: it is that of an idle connection, or of one whose reader has to wait.
            set(poller, descriptor, entry, 0);
            continue;
        }
        int action = 0, running;
        if (events[i].events & ~(uint32_t)EPOLLOUT) action |= CURL_CSELECT_IN;
        if (events[i].events & ~(uint32_t)EPOLLIN && entry->wanted & CURL_POLL_OUT) action |= CURL_CSELECT_OUT;
        curl_multi_socket_action(poller->multi, descriptor, action, &running);
    }
    return is_woken;
}
