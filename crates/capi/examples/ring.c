/* A ring: each of 16 hosts sends 64 messages to the next host, each one as soon as the message of
 * the step before has arrived from the previous host. Prints the time of the last delivery.
 *
 * The loop is the program's own: fabricsim_run_until_next() returns at each event.
 */
#include <fabricsim.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define HOSTS 16
#define STEPS 64
#define SIZE 40000

static const char *const NETWORK =
    "[topology]\n"
    "kind = \"leaf-spine\"\n"
    "leaves = 4\n"
    "hosts_per_leaf = 4\n"
    "spines = 2\n"
    "[cc]\n"
    "kind = \"dcqcn\"\n";

/* Ends the program with the library's message if a function has failed. */
static void check(int32_t code)
{
    if (code != FABRICSIM_OK) {
        char words[1024];
        fabricsim_last_error(words, sizeof words);
        fprintf(stderr, "error %" PRId32 ": %s\n", code, words);
        exit(1);
    }
}

static void send_step(FabricsimHandle simulation, uint32_t host, uint64_t step)
{
    FabricsimMessage message = {0};
    message.src = host;
    message.dst = (host + 1) % HOSTS;
    message.size = SIZE;
    message.tag = step;
    message.dst_port = 400;
    check(fabricsim_send(simulation, &message));
}

int main(int argc, char **argv)
{
    FabricsimHandle simulation = 0;
    uint64_t last = 0;
    unsigned delivered = 0;

    if (fabricsim_abi_version() != FABRICSIM_ABI_VERSION) {
        fprintf(stderr, "library and header are of different versions\n");
        return 1;
    }
    check(fabricsim_open_text(NETWORK, 1, &simulation));
    for (uint32_t host = 0; host < HOSTS; host++) {
        send_step(simulation, host, 0);
    }
    for (;;) {
        FabricsimEvent event;
        uint32_t stop;
        check(fabricsim_run_until_next(simulation, UINT64_MAX, &event, &stop));
        if (stop != FABRICSIM_STOP_EVENT) {
            break;
        }
        if (event.kind == FABRICSIM_EVENT_DELIVERED) {
            delivered++;
            last = event.at;
            if (event.message.tag + 1 < STEPS) {
                send_step(simulation, event.message.dst, event.message.tag + 1);
            }
        }
    }
    if (argc > 1) {
        check(fabricsim_write_flows(simulation, argv[1]));
    }
    check(fabricsim_close(simulation));
    printf("%u messages, the last delivered at %" PRIu64 " ps\n", delivered, last);
    return delivered == HOSTS * STEPS ? 0 : 1;
}
