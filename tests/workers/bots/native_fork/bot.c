/* Forks by the bare calls of the kernel, past every library. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char line[4096];
    int children = 0;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (int round = 0; round < 1000; round++) {
        long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (child == 0)
            for (;;)
                pause();
        children += child > 0;
#ifdef SYS_vfork
        child = syscall(SYS_vfork);
        if (child == 0)
            _exit(0);
        children += child > 0;
#endif
    }
    printf(children ? "[%d]\n" : "[]\n", children);
    fflush(stdout);
    return getchar();
}
