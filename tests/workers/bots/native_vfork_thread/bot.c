/* Waits for a thread of its own as a parent waits for a child: it seems to wait for the disk. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define STACK 65536
#define FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static char stack[STACK] __attribute__((aligned(16)));
static const char ESCAPED[] = "[\"waits as if for the disk\"]\n";

static int keep_it_waiting(void *nothing)
{
    (void)nothing;
    if (write(1, ESCAPED, sizeof ESCAPED - 1) < 0)
        return 1;
    for (;;)
        pause();
}

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    if (clone(keep_it_waiting, stack + STACK, FLAGS | CLONE_VFORK, NULL) >= 0)
        return 1;
    puts("[]");
    fflush(stdout);
    return getchar();
}
