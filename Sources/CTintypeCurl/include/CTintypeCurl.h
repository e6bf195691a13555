/// libcurl, loaded at the first request. `curl_easy_setopt` and its relatives have variable arguments, which Swift
/// cannot call, so each type of argument has a function here.
#ifndef CTINTYPE_CURL_H
#define CTINTYPE_CURL_H

#include <CTintypeLibraries.h>
// The macros of libcurl would check types by expressions that Swift does not import.
#define CURL_DISABLE_TYPECHECK
// curl_multi_socket_all is deprecated, because it costs what all transfers cost.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdbool.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION)                                                                                    \
    FUNCTION(curl_easy_cleanup) FUNCTION(curl_easy_getinfo) FUNCTION(curl_easy_init) FUNCTION(curl_easy_pause)         \
    FUNCTION(curl_easy_reset) FUNCTION(curl_easy_setopt) FUNCTION(curl_easy_strerror) FUNCTION(curl_global_init)       \
    FUNCTION(curl_multi_add_handle) FUNCTION(curl_multi_cleanup) FUNCTION(curl_multi_info_read)                        \
    FUNCTION(curl_multi_init) FUNCTION(curl_multi_remove_handle) FUNCTION(curl_multi_setopt)                           \
    FUNCTION(curl_multi_socket_action) FUNCTION(curl_multi_socket_all) FUNCTION(curl_multi_timeout)                    \
    FUNCTION(curl_slist_append) FUNCTION(curl_slist_free_all) FUNCTION(curl_version_info)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"
TINTYPE_DECLARE_CALLS(tintype_curl)
#pragma clang diagnostic pop

#pragma clang assume_nonnull begin

/// Initializes libcurl. Environment variables change nothing: while it runs, the name of `SSLKEYLOGFILE` is altered in
/// place, since libcurl would write the keys of all connections to that file.
CURLcode tintype_curl_start(void);

/// Sets an option that takes a number, or a flag.
CURLcode tintype_curl_set_number(CURL *handle, CURLoption option, long value);
/// Sets an option that takes a text, which libcurl copies, or a list of texts, which must outlive the transfer.
CURLcode tintype_curl_set_pointer(CURL *handle, CURLoption option, const void *_Nullable value);
/// Sets an option that takes bytes, which libcurl copies.
CURLcode tintype_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count);
/// Sets the body of a request, which libcurl copies.
CURLcode tintype_curl_set_body(CURL *handle, const void *_Nullable bytes, size_t count);
/// Sets an option of a multi handle that takes a number.
CURLMcode tintype_curl_set_multi_number(CURLM *handle, CURLMoption option, long value);

/// What libcurl calls during a transfer, each with the context of the transfer, on the thread that performs it.
struct tintype_curl_calls {
    /// A line of a head or a trailer. Returns the number of bytes, or another number to end the transfer.
    size_t (*_Nonnull header)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
    /// A part of the body. Returns the number of bytes, CURL_WRITEFUNC_PAUSE to get it again later, or another number.
    size_t (*_Nonnull body)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
    /// Opens a socket for an address, or returns CURL_SOCKET_BAD to try the next address.
    curl_socket_t (*_Nonnull open)(
        void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *_Nonnull address);
    /// Called before each request is sent. Returns CURL_PREREQFUNC_OK, or CURL_PREREQFUNC_ABORT.
    int (*_Nonnull request)(
        void *_Nullable context, char *_Nullable remote_address, char *_Nullable local_address, int remote_port,
        int local_port);
};

/// Sets the functions that libcurl calls.
void tintype_curl_set_calls(CURL *handle, const struct tintype_curl_calls *calls, void *context);

/// Sets the function that closes sockets. It outlives the transfer that opened them.
void tintype_curl_set_close(
    CURL *handle, int (*_Nonnull close)(void *_Nullable context, curl_socket_t socket), void *context);

/// Returns a number about a transfer; -1 if it is unknown.
long tintype_curl_number(CURL *handle, CURLINFO info);
/// Returns a time in microseconds, or a size, of a transfer; -1 if it is unknown.
curl_off_t tintype_curl_time(CURL *handle, CURLINFO info);

/// Writes the text of an IP address, such as `10.0.0.5` or `fe80::1`, and returns its length; 0 for an address of
/// another family.
size_t tintype_curl_address_text(const struct curl_sockaddr *address, char *_Nullable text, size_t size);

/// The names of the functions with which TLS libraries tell whether they hold received bytes, up to a null pointer.
const char *_Nullable const *_Nonnull tintype_curl_pending_names(void);
/// Sets the addresses of these functions; those that libcurl's TLS library lacks are null. Unless libcurl is isolated,
/// it uses the functions of a TLS library that the program links.
void tintype_curl_connect_pending(const void *addresses, bool prefers_program);
/// Whether the TLS library holds received bytes of the connection of a transfer, or does not tell. `false` without TLS.
bool tintype_curl_has_pending(CURL *handle);

/// Whether a socket has bytes to read, or was closed by its peer. Does not block.
bool tintype_socket_has_input(int socket);
/// Whether a socket has these ends.
bool tintype_socket_connects(
    int socket, const char *local_address, int local_port, const char *remote_address, int remote_port);
/// Returns the smoothed round-trip time of a TCP connection in microseconds, by the kernel (`TCP_INFO`, tcp(7)); -1 if
/// it is unknown.
long tintype_socket_round_trip(int socket);

/// Drives a multi handle with epoll(7), so that a turn costs what is ready, not what waits. Belongs to one thread.
typedef struct tintype_poller tintype_poller;

/// Creates the poller of a multi handle, which it must outlive; null if there is no memory or no descriptor left.
///
/// `wakeup` is a descriptor that ends a wait when it becomes readable.
tintype_poller *_Nullable tintype_poller_create(CURLM *multi, int wakeup);
void tintype_poller_free(tintype_poller *poller);
/// Notes that a socket was opened, or is about to be closed. Other descriptors are those of libcurl alone.
void tintype_poller_note_socket(tintype_poller *poller, int descriptor, bool is_open);
/// Performs what is due without waiting.
void tintype_poller_perform(tintype_poller *poller);
/// Performs all transfers, whether or not something is due.
void tintype_poller_perform_all(tintype_poller *poller);
/// Waits until a socket is ready, a time-out of libcurl has passed, or the wakeup descriptor is readable, and performs
/// what is ready. Returns whether the wakeup descriptor is readable. `limit` is the longest wait in milliseconds.
bool tintype_poller_wait(tintype_poller *poller, int limit);

#pragma clang assume_nonnull end

#endif
