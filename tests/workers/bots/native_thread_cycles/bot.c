/* Passes its work from thread to thread: each lives for a moment. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 300
#define THREADS 8

static void *work(void *unused)
{
    for (volatile int at = 0; at < 2000; at++)
        ;
    return unused;
}

int main(void)
{
    char line[4096];
    pthread_t threads[THREADS];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int at = 0; at < THREADS; at++)
            if (pthread_create(&threads[at], NULL, work, NULL))
                return 1;
        for (int at = 0; at < THREADS; at++)
            pthread_join(threads[at], NULL);
    }
    puts("[]");
    fflush(stdout);
    pause();
}
