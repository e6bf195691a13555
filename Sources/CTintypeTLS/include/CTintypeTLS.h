#ifndef CTINTYPE_TLS_H
#define CTINTYPE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// TLS over non-blocking sockets with OpenSSL 3, which is loaded at run time: a program that links this target needs
// neither the library nor its headers until it opens a connection.
//
// Invariants:
// - A context is not changed after it was made. Several threads may open sessions with it.
// - A session belongs to one thread at a time. It does not own its socket.
// - Writing to a socket that its peer has closed is an error and raises no signal.

/// The addresses of functions of OpenSSL.
typedef struct tintype_tls_library tintype_tls_library;

/// Returns the names of the functions of `tintype_tls_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_tls_function_names(void);

// MARK: Digests

/// Writes the 32 bytes of the SHA-256 digest (FIPS 180-4) of `count` bytes.
void tintype_tls_sha256(
    const tintype_tls_library *library, const void *_Nullable bytes, size_t count, uint8_t *digest);

// MARK: Contexts

/// The certificates and settings of one side of TLS.
typedef struct tintype_tls_context tintype_tls_context;

/// The settings of a server. Texts are in PEM format and end with a null byte.
typedef struct {
    /// The certificate, followed by those that signed it, and its private key.
    const char *certificates, *key;
    /// The certificates of which clients must present one; null accepts clients without one.
    const char *_Nullable clients;
    /// The application protocols (RFC 7301), the preferred one first, each after a byte with its length.
    const uint8_t *_Nullable protocols;
    size_t protocols_size;
} tintype_tls_server;

/// Returns the context of a server. Returns null, with the reason in `message`, if a certificate or the key cannot be
/// used, or memory is missing. A client that shares no application protocol gets none.
tintype_tls_context *_Nullable tintype_tls_context_for_server(
    const tintype_tls_library *library, const tintype_tls_server *server, char *message, size_t message_size);

/// The settings of a client. Texts are in PEM format and end with a null byte.
typedef struct {
    /// The certificates of which one must have signed that of the server; null trusts those of the system.
    const char *_Nullable authorities;
    /// The certificate of the client, followed by those that signed it, and its private key; null for none.
    const char *_Nullable certificates, *_Nullable key;
} tintype_tls_client;

/// Returns the context of a client that verifies the certificates of servers, and uses TLS 1.2 or later. Returns null,
/// with the reason in `message`, if a certificate or the key cannot be used, or memory is missing.
tintype_tls_context *_Nullable tintype_tls_context_for_client(
    const tintype_tls_library *library, const tintype_tls_client *client, char *message, size_t message_size);

void tintype_tls_context_free(tintype_tls_context *_Nullable context);

// MARK: Sessions

typedef struct tintype_tls_session tintype_tls_session;

/// The result of reading or writing, if it is not a number of bytes.
enum {
    /// The peer has closed the session, or the connection in the midst of it.
    TINTYPE_TLS_ENDED = 0,
    /// The socket must be readable, or writable, before the same call can succeed.
    TINTYPE_TLS_NEEDS_READ = -1,
    TINTYPE_TLS_NEEDS_WRITE = -2,
    /// The session cannot be used again.
    TINTYPE_TLS_FAILED = -3,
};

/// Opens the server's side of a session. The handshake happens in the first calls that read or write. Returns null if
/// memory is missing. The context must not be freed before the session.
tintype_tls_session *_Nullable tintype_tls_session_open(const tintype_tls_context *context, int descriptor);

/// Opens the client's side of a session with the context of a client. The certificate of the server must be one for
/// `host`, a name or an address. Returns null if memory is missing or `host` is empty. Otherwise as
/// `tintype_tls_session_open`.
tintype_tls_session *_Nullable tintype_tls_session_connect(
    const tintype_tls_context *context, int descriptor, const char *host);

void tintype_tls_session_free(tintype_tls_session *_Nullable session);

/// Reads at least one byte. Returns the number of bytes, or one of the results above.
ptrdiff_t tintype_tls_read(tintype_tls_session *session, void *bytes, size_t count);

/// Writes at least one byte. Returns the number of bytes, or one of the results above.
ptrdiff_t tintype_tls_write(tintype_tls_session *session, const void *bytes, size_t count);

/// Writes the reason for which a session has failed. Call it next on the thread that got `TINTYPE_TLS_FAILED`.
void tintype_tls_explain(const tintype_tls_session *session, char *message, size_t size);

/// Sends the alert that closes the session in order, if that is possible at once. Nothing can be written after it.
void tintype_tls_close(tintype_tls_session *session);

/// Whether the handshake has ended.
bool tintype_tls_is_established(const tintype_tls_session *session);

/// Returns the application protocol that was chosen, and its length; null if there is none.
const uint8_t *_Nullable tintype_tls_protocol(const tintype_tls_session *session, size_t *size);

#pragma clang assume_nonnull end

#endif
