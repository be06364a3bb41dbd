/* Takes memory by the oldest call there is, and uses all of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    for (;;) {
        void *more = sbrk(1 << 20);
        if (more != (void *)-1)
            memset(more, 1, 1 << 20);
    }
}
