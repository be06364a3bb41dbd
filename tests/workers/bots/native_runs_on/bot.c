/* Does again and again, in four threads, the call that its first line names: one that is long. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define POPULATE_READ 22
#define MOST 0x7ffff000UL
#define BUFFER (32UL << 20)

static char trick[64];
static char *buffer;
static int urandom, nothing, ends[2];

static int is(const char *name) { return strcmp(trick, name) == 0; }

/* Pages that are read only are all the same one: they cost nothing but the time to enter them. */
static void *space(unsigned long size, int flags)
{
    return mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static void *repeat(void *unused)
{
    for (;;) {
        if (is("populate_read") || is("map_populate")) {
            unsigned long size = 8UL << 30;
            void *at = MAP_FAILED;
            while (at == MAP_FAILED && (size /= 2) > BUFFER)
                at = space(size, is("map_populate") ? MAP_POPULATE : 0);
            if (at == MAP_FAILED)
                usleep(1000);
            else if (is("populate_read"))
                madvise(at, size, POPULATE_READ);
            if (at != MAP_FAILED)
                munmap(at, size);
        }
        if (is("sendfile"))
            sendfile(nothing, urandom, NULL, MOST);
        if (is("splice")) {
            splice(urandom, NULL, ends[1], NULL, MOST, SPLICE_F_NONBLOCK);
            splice(ends[0], NULL, nothing, NULL, MOST, SPLICE_F_NONBLOCK);
        }
        if (is("random"))
            getrandom(buffer, BUFFER, 0);
        if (is("device"))
            read(urandom, buffer, BUFFER);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (!fgets(trick, sizeof trick, stdin) || pipe2(ends, O_NONBLOCK))
        return 1;
    trick[strcspn(trick, "\n")] = 0;
    urandom = open("/dev/urandom", O_RDONLY);
    nothing = open("/dev/null", O_WRONLY);
    buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int count = 0; count < 4; count++)
        pthread_create(&thread, NULL, repeat, NULL);
    puts("ready");
    fflush(stdout);
    pause();
}
