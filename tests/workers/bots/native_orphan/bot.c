/* Ends its first thread, and takes memory in another: the process then looks as if it held none. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *take(void *unused)
{
    (void)unused;
    usleep(100000);
    for (int held = 0; held < 120; held++) {
        char *part = malloc(1 << 20);
        if (!part)
            break;
        memset(part, held + 1, 1 << 20);
    }
    usleep(500000);
    puts("[\"held\"]");
    fflush(stdout);
    pause();
    return NULL;
}

int main(void)
{
    char line[4096];
    pthread_t thread;
    if (!fgets(line, sizeof line, stdin) || pthread_create(&thread, NULL, take, NULL))
        return 1;
    pthread_exit(NULL);
}
