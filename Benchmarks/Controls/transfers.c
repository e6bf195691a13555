#include "CBenchmarkControls.h"

#include <curl/curl.h>
#include <stdlib.h>

struct control_client {
    CURLM *multi;
    size_t width;
    CURL *handles[];
};

static size_t discard(char *bytes, size_t size, size_t count, void *total) {
    (void)bytes;
    *(size_t *)total += size * count;
    return size * count;
}

control_client *control_client_create(size_t width) {
    control_client *client = calloc(1, sizeof *client + width * sizeof client->handles[0]);
    if (!client) return NULL;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    client->multi = curl_multi_init();
    client->width = width;
    for (size_t i = 0; i < width; i++) client->handles[i] = curl_easy_init();
    return client;
}

void control_client_free(control_client *client) {
    for (size_t i = 0; i < client->width; i++) curl_easy_cleanup(client->handles[i]);
    curl_multi_cleanup(client->multi);
    free(client);
}

static void start(control_client *client, CURL *handle, const char *url, size_t *total) {
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, total);
    curl_multi_add_handle(client->multi, handle);
}

size_t control_client_load(control_client *client, const char *const *urls, size_t count) {
    size_t total = 0, next = 0, active = 0;
    for (; active < client->width && next < count; active++) start(client, client->handles[active], urls[next++], &total);
    while (active > 0) {
        int running = 0, messages = 0;
        curl_multi_perform(client->multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(client->multi, &messages));) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            const bool failed = message->data.result != CURLE_OK;
            curl_multi_remove_handle(client->multi, handle);
            if (failed) return 0;
            if (next < count) start(client, handle, urls[next++], &total);
            else active--;
        }
        if (active > 0) curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
    }
    return total;
}
