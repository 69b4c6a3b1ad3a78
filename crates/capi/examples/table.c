/* A table of results: runs a permutation of 32 hosts and reads its flows column by column, as
 * Apache Arrow's C data interface stores them. Prints their number, bytes, and mean slowdown. With an
 * argument, also writes them as an fct.csv.
 *
 * Libraries for Arrow (nanoarrow, Arrow C++, DuckDB and more) import the stream with one call.
 */
#include <fabricsim.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SCENARIO =
    "[topology]\n"
    "kind = \"leaf-spine\"\n"
    "leaves = 4\n"
    "hosts_per_leaf = 8\n"
    "spines = 2\n"
    "[[workload]]\n"
    "kind = \"permutation\"\n"
    "size = \"200KB\"\n"
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

/* Ends the program with the stream's message if one of its functions has failed. */
static void check_stream(struct ArrowArrayStream *stream, int code)
{
    if (code != 0) {
        const char *words = stream->get_last_error(stream);
        fprintf(stderr, "error %d: %s\n", code, words ? words : "no words");
        exit(1);
    }
}

/* The index of the column `name`, which must have the type `format`: "l" is int64, "g" double. */
static int64_t column(const struct ArrowSchema *schema, const char *name, const char *format)
{
    for (int64_t place = 0; place < schema->n_children; place++) {
        const struct ArrowSchema *own = schema->children[place];
        if (strcmp(own->name, name) == 0 && strcmp(own->format, format) == 0) {
            return place;
        }
    }
    fprintf(stderr, "there is no column %s of type %s\n", name, format);
    exit(1);
}

int main(int argc, char **argv)
{
    FabricsimHandle simulation = 0;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    int64_t flows = 0, bytes = 0;
    double slowdowns = 0.0;

    check(fabricsim_open_text(SCENARIO, 1, &simulation));
    check(fabricsim_run_until(simulation, UINT64_MAX, NULL));
    if (argc > 1) {
        check(fabricsim_write_flows(simulation, argv[1]));
    }
    check(fabricsim_export_flows(simulation, &stream));
    /* The table is independent of the simulation from here on. */
    check(fabricsim_close(simulation));

    check_stream(&stream, stream.get_schema(&stream, &schema));
    const int64_t size = column(&schema, "size_bytes", "l");
    const int64_t slowdown = column(&schema, "slowdown", "g");
    for (;;) {
        struct ArrowArray rows;
        check_stream(&stream, stream.get_next(&stream, &rows));
        if (rows.release == NULL) {
            break; /* the end of the stream */
        }
        /* Buffer 0 marks nulls; these columns have none. */
        const struct ArrowArray *sizes = rows.children[size];
        const struct ArrowArray *ratios = rows.children[slowdown];
        for (int64_t row = 0; row < rows.length; row++) {
            bytes += ((const int64_t *)sizes->buffers[1])[sizes->offset + row];
            slowdowns += ((const double *)ratios->buffers[1])[ratios->offset + row];
        }
        flows += rows.length;
        rows.release(&rows);
    }
    schema.release(&schema);
    stream.release(&stream);
    printf("%" PRId64 " flows, %" PRId64 " bytes, mean slowdown %.6f\n", flows, bytes,
           slowdowns / (double)flows);
    return 0;
}
