/* Thinks on when the kernel says that its time is over. */
#include <signal.h>
#include <stdio.h>

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    for (volatile unsigned long count = 0;; count++)
        ;
}
