#include "CTintypeKernels.h"

#include <pthread.h>

enum { MOST_THREADS = 64 };

typedef struct {
    void (*work)(void *context, int number);
    void *context;
    int number;
} part;

static void *run(void *argument) {
    const part *part = argument;
    part->work(part->context, part->number);
    return NULL;
}

void tintype_run_threads(int count, void (*work)(void *context, int number), void *context) {
    pthread_t threads[MOST_THREADS];
    part parts[MOST_THREADS];
    int started = 0;
    for (int number = 1; number < count && number < MOST_THREADS; number++) {
        parts[started] = (part){work, context, number};
        if (pthread_create(&threads[started], NULL, run, &parts[started]) == 0) started++;
    }
    work(context, 0);
    for (int index = 0; index < started; index++) pthread_join(threads[index], NULL);
}
