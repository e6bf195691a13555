#ifndef CTINTYPE_TLS_LIBRARY_H
#define CTINTYPE_TLS_LIBRARY_H

#include "CTintypeTLS.h"

// The types that functions.h uses, as far as they are needed here. They do not come from the original headers, which a
// machine that only runs a program does not have.

typedef struct ssl_method_st SSL_METHOD;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;
typedef struct x509_st X509;
typedef struct x509_store_st X509_STORE;
typedef struct X509_VERIFY_PARAM_st X509_VERIFY_PARAM;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;

/// Chooses an application protocol for a server.
typedef int (*tintype_tls_select)(
    SSL *, const unsigned char **, unsigned char *, const unsigned char *, unsigned int, void *);

/// The values of OpenSSL 3 that are used.
enum {
    OPENSSL_INIT_NO_ATEXIT = 0x80000,
    SSL_CTRL_EXTRA_CHAIN_CERT = 14,
    SSL_CTRL_MODE = 33,
    SSL_CTRL_SET_TLSEXT_HOSTNAME = 55,
    SSL_CTRL_SET_MIN_PROTO_VERSION = 123,
    TLS1_2_VERSION = 0x0303,
    SSL_MODE_ENABLE_PARTIAL_WRITE = 1,
    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER = 2,
    SSL_VERIFY_PEER = 1,
    SSL_VERIFY_FAIL_IF_NO_PEER_CERT = 2,
    SSL_ERROR_WANT_READ = 2,
    SSL_ERROR_WANT_WRITE = 3,
    SSL_ERROR_ZERO_RETURN = 6,
    SSL_TLSEXT_ERR_OK = 0,
    SSL_TLSEXT_ERR_NOACK = 3,
    OPENSSL_NPN_NEGOTIATED = 1,
    BIO_FLAGS_READ = 1,
    BIO_FLAGS_WRITE = 2,
    BIO_FLAGS_SHOULD_RETRY = 8,
    BIO_CTRL_FLUSH = 11,
    BIO_TYPE_SOURCE_SINK = 0x400,
};

/// The addresses of the functions used.
struct tintype_tls_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
};

struct tintype_tls_context {
    const tintype_tls_library *library;
    SSL_CTX *settings;
    BIO_METHOD *sockets;
    /// As in tintype_tls_server.
    size_t protocols_size;
    uint8_t protocols[256];
};

/// Makes the method of BIOs that read and write the socket that is their data.
BIO_METHOD *tintype_tls_sockets(const tintype_tls_library *library);

/// The data of a BIO: its socket, and the functions of OpenSSL.
struct tintype_tls_socket {
    const tintype_tls_library *library;
    int descriptor;
};

#endif
