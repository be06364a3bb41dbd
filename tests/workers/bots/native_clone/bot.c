/* Makes a world of its own, in which it would be root. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    puts("[\"namespaces\"]");
    fflush(stdout);
    return getchar();
}
