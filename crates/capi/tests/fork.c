/* A process forks while it has a simulation on two threads. Parent and child continue the
 * simulation, each on its own, and both print the time of the last delivery. A child has none of the
 * parent's threads; if it waited for them, the alarm would end it.
 */
#define _POSIX_C_SOURCE 200809L

#include <fabricsim.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int32_t code)
{
    if (code != FABRICSIM_OK) {
        char words[1024];
        fabricsim_last_error(words, sizeof words);
        fprintf(stderr, "error %" PRId32 ": %s\n", code, words);
        exit(1);
    }
}

static void finish(FabricsimHandle simulation)
{
    uint64_t last = 0;
    uint32_t stop = 0;
    FabricsimEvent event;
    for (;;) {
        check(fabricsim_run_until_next(simulation, UINT64_MAX, &event, &stop));
        if (stop != FABRICSIM_STOP_EVENT) {
            break;
        }
        last = event.at;
    }
    printf("%" PRIu64 "\n", last);
    fflush(stdout);
    check(fabricsim_close(simulation));
}

int main(void)
{
    const char *network = "[topology]\nkind = \"star\"\nhosts = 8\n[cc]\nkind = \"hpcc\"\n";
    FabricsimHandle simulation = 0;
    int status = 0;
    check(fabricsim_open_text(network, 2, &simulation));
    for (uint32_t host = 0; host < 8; host++) {
        FabricsimMessage message = {0};
        message.src = host;
        message.dst = (host + 3) % 8;
        message.size = 400000;
        check(fabricsim_send(simulation, &message));
    }
    check(fabricsim_run_until(simulation, 10000000, NULL));
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        finish(simulation);
        return 0;
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "the child has ended with the status %d\n", status);
        return 1;
    }
    finish(simulation);
    return 0;
}
