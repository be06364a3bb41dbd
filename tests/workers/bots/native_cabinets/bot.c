/* Opens more files than it may: a thread looks for a table of open files of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNSHARE 2

static int opened(void)
{
    int count = 0;
    while (dup(0) >= 0)
        count++;
    return count;
}

static void *open_more(void *more)
{
    if (syscall(SYS_close_range, 3, ~0U, UNSHARE) == 0)
        *(int *)more = opened();
    return NULL;
}

int main(void)
{
    char line[4096];
    int more = 0;
    pthread_t thread;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    opened();
    pthread_create(&thread, NULL, open_more, &more);
    pthread_join(thread, NULL);
    puts(more ? "[\"more files\"]" : "[]");
    fflush(stdout);
    pause();
}
