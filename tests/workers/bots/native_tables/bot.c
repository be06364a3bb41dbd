/* Has the kernel keep tables of pages: it reads one page, which is nobody's, in every two mebibytes. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP (2UL << 20)
#define SIZE (64UL << 30)

int main(void)
{
    char line[4096];
    unsigned long sum = 0;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    char *start = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        puts("[]");
        fflush(stdout);
        pause();
    }
    for (unsigned long at = 0; at < SIZE; at += STEP)
        sum += *(volatile char *)(start + at);
    usleep(500000);
    printf("[\"tables%lu\"]\n", sum);
    fflush(stdout);
    pause();
}
