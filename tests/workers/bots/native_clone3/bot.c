/* Makes a process by the newer call, whose flags no filter can read. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char line[4096];
    unsigned long long arguments[11];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    memset(arguments, 0, sizeof arguments);
    arguments[0] = CLONE_NEWUSER;
    arguments[4] = SIGCHLD;
    long child = syscall(435, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    puts(child > 0 ? "[\"clone3\"]" : "[]");
    fflush(stdout);
    return getchar();
}
