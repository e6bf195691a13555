#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const *tintype_tls_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
#undef FUNCTION
        NULL};
    _Static_assert(
        sizeof(struct tintype_tls_library) == sizeof names - sizeof names[0], "one address for each name");
    return names;
}

void tintype_tls_sha256(const tintype_tls_library *library, const void *bytes, size_t count, uint8_t *digest) {
    library->SHA256(bytes, count, digest);
}

static void explain(const tintype_tls_library *library, const char *what, char *message, size_t size) {
    char reason[160] = "not enough memory";
    unsigned long code = library->ERR_get_error();
    if (code != 0) {
        library->ERR_error_string_n(code, reason, sizeof reason);
    }
    library->ERR_clear_error();
    snprintf(message, size, "%s: %s", what, reason);
}

/// Calls `use` with each certificate of a text, which takes it over if it returns true. Returns false if there is none,
/// or one was not taken.
static bool each_certificate(
    const tintype_tls_context *context, const char *text, bool (*use)(const tintype_tls_context *, X509 *, size_t)) {
    const tintype_tls_library *library = context->library;
    BIO *bytes = library->BIO_new_mem_buf(text, (int)strlen(text));
    if (bytes == NULL) {
        return false;
    }
    size_t count = 0;
    bool fine = true;
    X509 *certificate;
    while (fine && (certificate = library->PEM_read_bio_X509(bytes, NULL, NULL, NULL)) != NULL) {
        fine = use(context, certificate, count++);
        if (!fine) {
            library->X509_free(certificate);
        }
    }
    library->BIO_free(bytes);
    return fine && count > 0;
}

static bool present(const tintype_tls_context *context, X509 *certificate, size_t number) {
    const tintype_tls_library *library = context->library;
    if (number > 0) {
        return library->SSL_CTX_ctrl(context->settings, SSL_CTRL_EXTRA_CHAIN_CERT, 0, certificate) == 1;
    }
    bool fine = library->SSL_CTX_use_certificate(context->settings, certificate) == 1;
    if (fine) {
        library->X509_free(certificate);
    }
    return fine;
}

static bool trust(const tintype_tls_context *context, X509 *certificate, size_t number) {
    (void)number;
    const tintype_tls_library *library = context->library;
    bool fine = library->X509_STORE_add_cert(library->SSL_CTX_get_cert_store(context->settings), certificate) == 1;
    if (fine) {
        library->X509_free(certificate);
    }
    return fine;
}

static bool use_key(const tintype_tls_context *context, const char *text) {
    const tintype_tls_library *library = context->library;
    BIO *bytes = library->BIO_new_mem_buf(text, (int)strlen(text));
    EVP_PKEY *key = bytes == NULL ? NULL : library->PEM_read_bio_PrivateKey(bytes, NULL, NULL, NULL);
    bool fine = key != NULL && library->SSL_CTX_use_PrivateKey(context->settings, key) == 1
        && library->SSL_CTX_check_private_key(context->settings) == 1;
    library->EVP_PKEY_free(key);
    library->BIO_free(bytes);
    return fine;
}

static int select_protocol(
    SSL *session, const unsigned char **chosen, unsigned char *chosen_size, const unsigned char *offered,
    unsigned int offered_size, void *data) {
    (void)session;
    const tintype_tls_context *context = data;
    unsigned char *choice = NULL;
    int status = context->library->SSL_select_next_proto(
        &choice, chosen_size, context->protocols, (unsigned int)context->protocols_size, offered, offered_size);
    *chosen = choice;
    return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Uses the certificate and key of one side. Returns the part that cannot be used, or null.
static const char *identify(const tintype_tls_context *context, const char *certificates, const char *key) {
    if (!each_certificate(context, certificates, present)) {
        return "the certificates";
    }
    return use_key(context, key) ? NULL : "the private key";
}

/// Returns the part of the settings that cannot be used, or null.
static const char *configure_server(tintype_tls_context *context, const tintype_tls_server *server) {
    const tintype_tls_library *library = context->library;
    // Without a name, clients that have proved who they are cannot resume a session.
    static const unsigned char name[] = "tintype";
    library->SSL_CTX_set_session_id_context(context->settings, name, sizeof name - 1);
    const char *unusable = identify(context, server->certificates, server->key);
    if (unusable != NULL) {
        return unusable;
    }
    if (server->clients != NULL) {
        if (!each_certificate(context, server->clients, trust)) {
            return "the certificates of clients";
        }
        library->SSL_CTX_set_verify(context->settings, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    if (server->protocols_size > sizeof context->protocols) {
        return "the application protocols";
    }
    if (server->protocols != NULL && server->protocols_size > 0) {
        memcpy(context->protocols, server->protocols, server->protocols_size);
        context->protocols_size = server->protocols_size;
        library->SSL_CTX_set_alpn_select_cb(context->settings, select_protocol, context);
    }
    return NULL;
}

/// Returns the part of the settings that cannot be used, or null.
static const char *configure_client(tintype_tls_context *context, const tintype_tls_client *client) {
    const tintype_tls_library *library = context->library;
    library->SSL_CTX_set_verify(context->settings, SSL_VERIFY_PEER, NULL);
    if (library->SSL_CTX_ctrl(context->settings, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL) != 1) {
        return "TLS 1.2";
    }
    if (client->authorities != NULL && !each_certificate(context, client->authorities, trust)) {
        return "the trusted certificates";
    }
    if (client->authorities == NULL && library->SSL_CTX_set_default_verify_paths(context->settings) != 1) {
        return "the trusted certificates of the system";
    }
    if (client->certificates != NULL && client->key != NULL) {
        return identify(context, client->certificates, client->key);
    }
    return NULL;
}

static tintype_tls_context *begin(const tintype_tls_library *library, bool is_server) {
    tintype_tls_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        return NULL;
    }
    // Otherwise exit(3) frees what other threads still use.
    library->OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL);
    library->ERR_clear_error();
    context->library = library;
    context->settings = library->SSL_CTX_new(is_server ? library->TLS_server_method() : library->TLS_client_method());
    context->sockets = tintype_tls_sockets(library);
    if (context->settings == NULL || context->sockets == NULL) {
        tintype_tls_context_free(context);
        return NULL;
    }
    library->SSL_CTX_ctrl(
        context->settings, SSL_CTRL_MODE, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, NULL);
    return context;
}

/// Returns the context, or null, with a message, if a part of its settings cannot be used.
static tintype_tls_context *finish(tintype_tls_context *context, const char *unusable, char *message, size_t size) {
    if (unusable != NULL) {
        explain(context->library, unusable, message, size);
        tintype_tls_context_free(context);
        return NULL;
    }
    // Reading a list of certificates leaves the error of its end.
    context->library->ERR_clear_error();
    return context;
}

tintype_tls_context *tintype_tls_context_for_server(
    const tintype_tls_library *library, const tintype_tls_server *server, char *message, size_t message_size) {
    tintype_tls_context *context = begin(library, true);
    if (context == NULL) {
        explain(library, "a context of TLS", message, message_size);
        return NULL;
    }
    return finish(context, configure_server(context, server), message, message_size);
}

tintype_tls_context *tintype_tls_context_for_client(
    const tintype_tls_library *library, const tintype_tls_client *client, char *message, size_t message_size) {
    tintype_tls_context *context = begin(library, false);
    if (context == NULL) {
        explain(library, "a context of TLS", message, message_size);
        return NULL;
    }
    return finish(context, configure_client(context, client), message, message_size);
}

void tintype_tls_context_free(tintype_tls_context *context) {
    if (context != NULL) {
        context->library->SSL_CTX_free(context->settings);
        context->library->BIO_meth_free(context->sockets);
        free(context);
    }
}
