/* Holds on to the process that started it, to read what it knows. */
#include <stdio.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    ptrace(PTRACE_ATTACH, getppid(), 0, 0);
    puts("[\"parent\"]");
    fflush(stdout);
    return getchar();
}
