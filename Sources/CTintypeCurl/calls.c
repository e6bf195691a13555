#define _GNU_SOURCE
#include "CTintypeCurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

TINTYPE_CALLS(tintype_curl)

extern char **environ;

CURLcode tintype_curl_start(void) {
    static const char name[] = "SSLKEYLOGFILE=";
    char *entries[8];
    size_t count = 0;
    for (char **next = environ; next && *next && count < 8; next++) {
        if (strncmp(*next, name, sizeof name - 1) == 0) entries[count++] = *next;
    }
    // The environment keeps its size and its addresses, so other threads may read it meanwhile.
    for (size_t i = 0; i < count; i++) entries[i][0] = '_';
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    for (size_t i = 0; i < count; i++) entries[i][0] = name[0];
    return code;
}

CURLcode tintype_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode tintype_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode tintype_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, &blob);
}

CURLcode tintype_curl_set_body(CURL *handle, const void *bytes, size_t count) {
    const CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}

CURLMcode tintype_curl_set_multi_number(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

void tintype_curl_set_calls(CURL *handle, const struct tintype_curl_calls *calls, void *context) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, calls->header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, calls->body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, calls->open);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, calls->request);
    curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

void tintype_curl_set_close(CURL *handle, int (*close)(void *context, curl_socket_t socket), void *context) {
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
}

static struct {
    int (*openssl)(const void *ssl);
    size_t (*gnutls)(void *session);
} pending;

const char *const *tintype_curl_pending_names(void) {
    static const char *const names[] = {"SSL_has_pending", "gnutls_record_check_pending", NULL};
    return names;
}

void tintype_curl_connect_pending(const void *addresses, bool prefers_program) {
    void *found[2];
    _Static_assert(sizeof found == sizeof pending, "one address for each name");
    memcpy(found, addresses, sizeof found);
    for (size_t i = 0; i < 2; i++) {
        void *linked = prefers_program ? dlsym(RTLD_DEFAULT, tintype_curl_pending_names()[i]) : NULL;
        if (linked) found[i] = linked;
    }
    memcpy(&pending, found, sizeof pending);
}

bool tintype_curl_has_pending(CURL *handle) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return true;
    if (info->backend == CURLSSLBACKEND_NONE || !info->internals) return false;
    switch (info->backend) {
        case CURLSSLBACKEND_OPENSSL: return !pending.openssl || pending.openssl(info->internals) != 0;
        case CURLSSLBACKEND_GNUTLS: return !pending.gnutls || pending.gnutls(info->internals) != 0;
        default: return true;
    }
}

long tintype_curl_number(CURL *handle, CURLINFO info) {
    long value = -1;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : -1;
}

curl_off_t tintype_curl_time(CURL *handle, CURLINFO info) {
    curl_off_t value = -1;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : -1;
}

size_t tintype_curl_address_text(const struct curl_sockaddr *address, char *text, size_t size) {
    const void *bytes = NULL;
    if (address->family == AF_INET) bytes = &((const struct sockaddr_in *)&address->addr)->sin_addr;
    if (address->family == AF_INET6) bytes = &((const struct sockaddr_in6 *)&address->addr)->sin6_addr;
    return bytes && inet_ntop(address->family, bytes, text, (socklen_t)size) ? strlen(text) : 0;
}

bool tintype_socket_has_input(int socket) {
    struct pollfd entry = {.fd = socket, .events = POLLIN | POLLRDHUP};
    return poll(&entry, 1, 0) != 0;
}

static bool is_end(const struct sockaddr_storage *end, const char *address, int port) {
    char text[INET6_ADDRSTRLEN];
    switch (end->ss_family) {
        case AF_INET: {
            const struct sockaddr_in *ip4 = (const struct sockaddr_in *)end;
            return ntohs(ip4->sin_port) == port && inet_ntop(AF_INET, &ip4->sin_addr, text, sizeof text)
                && strcmp(text, address) == 0;
        }
        case AF_INET6: {
            const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)end;
            return ntohs(ip6->sin6_port) == port && inet_ntop(AF_INET6, &ip6->sin6_addr, text, sizeof text)
                && strcmp(text, address) == 0;
        }
        default: return false;
    }
}

bool tintype_socket_connects(
    int socket, const char *local_address, int local_port, const char *remote_address, int remote_port) {
    struct sockaddr_storage local, remote;
    socklen_t local_length = sizeof local, remote_length = sizeof remote;
    return getsockname(socket, (struct sockaddr *)&local, &local_length) == 0
        && getpeername(socket, (struct sockaddr *)&remote, &remote_length) == 0
        && is_end(&local, local_address, local_port) && is_end(&remote, remote_address, remote_port);
}

long tintype_socket_round_trip(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? (long)info.tcpi_rtt : -1;
}
