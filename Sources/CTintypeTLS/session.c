#include "library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

// MARK: Sockets

// OpenSSL's own BIO for sockets raises SIGPIPE.
#ifdef MSG_NOSIGNAL
enum { SEND_FLAGS = MSG_NOSIGNAL };
#else
enum { SEND_FLAGS = 0 };
#endif

/// Tells OpenSSL whether a call that failed may be repeated.
static int report(BIO *bio, const struct tintype_tls_socket *peer, ssize_t count, int direction) {
    peer->library->BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        peer->library->BIO_set_flags(bio, direction | BIO_FLAGS_SHOULD_RETRY);
    }
    return (int)count;
}

// BIO_get_data, through which a BIO leads to its socket. It is the same for all libraries of a process.
static void *(*get_data)(BIO *);

static const struct tintype_tls_socket *socket_of(BIO *bio) {
    return __atomic_load_n(&get_data, __ATOMIC_RELAXED)(bio);
}

static int read_socket(BIO *bio, char *bytes, int count) {
    const struct tintype_tls_socket *peer = socket_of(bio);
    return report(bio, peer, recv(peer->descriptor, bytes, (size_t)count, 0), BIO_FLAGS_READ);
}

static int write_socket(BIO *bio, const char *bytes, int count) {
    const struct tintype_tls_socket *peer = socket_of(bio);
    return report(bio, peer, send(peer->descriptor, bytes, (size_t)count, SEND_FLAGS), BIO_FLAGS_WRITE);
}

static long control_socket(BIO *bio, int command, long number, void *data) {
    (void)bio, (void)number, (void)data;
    return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *tintype_tls_sockets(const tintype_tls_library *library) {
    __atomic_store_n(&get_data, library->BIO_get_data, __ATOMIC_RELAXED);
    BIO_METHOD *method = library->BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
    if (method != NULL) {
        library->BIO_meth_set_read(method, read_socket);
        library->BIO_meth_set_write(method, write_socket);
        library->BIO_meth_set_ctrl(method, control_socket);
    }
    return method;
}

// MARK: Sessions

struct tintype_tls_session {
    const tintype_tls_library *library;
    SSL *state;
    struct tintype_tls_socket socket;
};

static tintype_tls_session *make_session(const tintype_tls_context *context, int descriptor) {
    const tintype_tls_library *library = context->library;
    tintype_tls_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        return NULL;
    }
    session->library = library;
    session->socket = (struct tintype_tls_socket){.library = library, .descriptor = descriptor};
    session->state = library->SSL_new(context->settings);
    BIO *bio = library->BIO_new(context->sockets);
    if (session->state == NULL || bio == NULL) {
        library->BIO_free(bio);
        tintype_tls_session_free(session);
        return NULL;
    }
    library->BIO_set_data(bio, &session->socket);
    library->BIO_set_init(bio, 1);
    library->SSL_set_bio(session->state, bio, bio);
    return session;
}

tintype_tls_session *tintype_tls_session_open(const tintype_tls_context *context, int descriptor) {
    tintype_tls_session *session = make_session(context, descriptor);
    if (session != NULL) {
        context->library->SSL_set_accept_state(session->state);
    }
    return session;
}

/// Makes the handshake fail unless the certificate is one for the host.
static bool require_host(tintype_tls_session *session, const char *host) {
    const tintype_tls_library *library = session->library;
    // Not a name, so it is not sent either (RFC 6066, 3).
    if (library->X509_VERIFY_PARAM_set1_ip_asc(library->SSL_get0_param(session->state), host) == 1) {
        return true;
    }
    library->ERR_clear_error();
    // An empty name would allow any.
    return host[0] != 0 && library->SSL_set1_host(session->state, host) == 1
        && library->SSL_ctrl(session->state, SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, (void *)host) == 1;
}

tintype_tls_session *tintype_tls_session_connect(const tintype_tls_context *context, int descriptor, const char *host) {
    tintype_tls_session *session = make_session(context, descriptor);
    if (session == NULL) {
        return NULL;
    }
    context->library->SSL_set_connect_state(session->state);
    if (!require_host(session, host)) {
        tintype_tls_session_free(session);
        return NULL;
    }
    return session;
}

void tintype_tls_session_free(tintype_tls_session *session) {
    if (session != NULL) {
        session->library->SSL_free(session->state);
        free(session);
    }
}

/// Returns the result of a call that has failed.
static ptrdiff_t result_of_failure(tintype_tls_session *session, int status) {
    switch (session->library->SSL_get_error(session->state, status)) {
        case SSL_ERROR_WANT_READ: return TINTYPE_TLS_NEEDS_READ;
        case SSL_ERROR_WANT_WRITE: return TINTYPE_TLS_NEEDS_WRITE;
        case SSL_ERROR_ZERO_RETURN: return TINTYPE_TLS_ENDED;
        default: return TINTYPE_TLS_FAILED;
    }
}

void tintype_tls_explain(const tintype_tls_session *session, char *message, size_t size) {
    const tintype_tls_library *library = session->library;
    long verification = library->SSL_get_verify_result(session->state);
    unsigned long code = library->ERR_get_error();
    if (verification != 0) {
        snprintf(message, size, "%s", library->X509_verify_cert_error_string(verification));
    } else if (code != 0) {
        library->ERR_error_string_n(code, message, size);
    } else {
        snprintf(message, size, "the connection was closed");
    }
    library->ERR_clear_error();
}

ptrdiff_t tintype_tls_read(tintype_tls_session *session, void *bytes, size_t count) {
    size_t read = 0;
    // SSL_get_error looks at the errors of the thread, which must not be those of another session.
    session->library->ERR_clear_error();
    int status = session->library->SSL_read_ex(session->state, bytes, count, &read);
    return status == 1 ? (ptrdiff_t)read : result_of_failure(session, status);
}

ptrdiff_t tintype_tls_write(tintype_tls_session *session, const void *bytes, size_t count) {
    size_t written = 0;
    session->library->ERR_clear_error();
    int status = session->library->SSL_write_ex(session->state, bytes, count, &written);
    return status == 1 ? (ptrdiff_t)written : result_of_failure(session, status);
}

void tintype_tls_close(tintype_tls_session *session) {
    // OpenSSL refuses to close a session during its handshake.
    if (tintype_tls_is_established(session)) {
        session->library->ERR_clear_error();
        session->library->SSL_shutdown(session->state);
    }
}

bool tintype_tls_is_established(const tintype_tls_session *session) {
    return session->library->SSL_is_init_finished(session->state) == 1;
}

const uint8_t *tintype_tls_protocol(const tintype_tls_session *session, size_t *size) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    session->library->SSL_get0_alpn_selected(session->state, &name, &length);
    *size = length;
    return name;
}
