/* tensors.c: list the contents of a checkpoint, or the differences of two.
 *
 *     tensors model.safetensors                     each tensor: name, type, shape, bytes, mean, deviation, range, NaNs
 *     tensors model.safetensors 'layers.*.weight'   those whose names match (* any string, ? one character)
 *     tensors diff old.npz new.safetensors          added, removed, changed; status 0 if they are equal, 1 if not
 *     tensors extract model.safetensors layers.0.weight weight.npy
 *     tensors convert model.pt model.safetensors
 *     tensors view model.safetensors                writes model.safetensors.html, to be looked at in a browser
 *
 * Reads .safetensors, sharded .index.json, .pt, .gguf, .npz and .npy. All but NumPy's are mapped: --quick lists a file of any
 * size at once, because it does not read the data; without it every byte is read once, and only quantised or transposed tensors
 * are copied. --json prints the same for programs. Colours and line width depend on the terminal, or on NO_COLOR and COLUMNS.
 *
 * This file reads the command line. Each command has a header: tensors_list.h, tensors_diff.h, tensors_extract.h,
 * tensors_convert.h and tensors_view.h. They use tensors_file.h (opening a checkpoint), tensors_numbers.h (elements,
 * statistics), tensors_table.h (output on a terminal) and tensors_text.h (strings, JSON).
 *
 * Build: cc -std=c11 -O3 -I. examples/tensors.c -o tensors -lz -lm
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L           /* isatty, which tensors_table.h calls */
#endif

#define PYTREE_MAX_DIMS 16                /* NumPy allows 64, but hardly any array has more than 16 */
#define PYTREE_IMPLEMENTATION
#include "tensors_convert.h"
#include "tensors_diff.h"
#include "tensors_extract.h"
#include "tensors_list.h"
#include "tensors_view.h"

static const char usage[] =
    "usage: tensors [list] FILE [PATTERN...]      its tensors, or those whose names match (* and ?)\n"
    "       tensors diff A B                      what differs; status 0: nothing, 1: something\n"
    "       tensors extract FILE NAME OUT.npy     one tensor as numpy's file\n"
    "       tensors convert FILE OUT              OUT: .safetensors, .gguf or .npz, by its ending\n"
    "       tensors view FILE [OTHER] [OUT.html]  a page to look at: a file, or its differences from another\n"
    "FILE: .safetensors, .index.json (sharded), .pt, .gguf, .npz or .npy. Status 2: something went wrong.\n"
    "  --json           for programs (list, diff)\n"
    "  --quick          headers alone: no statistics, no values compared\n"
    "  --rtol X         diff: numbers may differ by X * |b| (0)\n"
    "  --atol X         diff: numbers may differ by X (0)\n"
    "  --help\n"
    "Colour and width follow the terminal; NO_COLOR and COLUMNS override.\n";

static int wrong_usage(const char *expected, const char *got)
{
    char *shown = printable(got);
    fprintf(stderr, "tensors: expected %s, got %s; --help says more\n", expected, shown);
    free(shown);
    return TROUBLE;
}

/* Remove the options from the arguments and move the others to the front. Returns EQUAL if there is no error. */
static int take_options(Options *o, int *n, char **arguments)
{
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        const char *word = arguments[i];
        if (strcmp(word, "--") == 0) {
            while (++i < *n) { arguments[kept++] = arguments[i]; }
        } else if (strcmp(word, "--json") == 0) { o->json = true; }
        else if (strcmp(word, "--quick") == 0) { o->quick = true; }
        else if (strcmp(word, "--help") == 0) { o->help = true; }
        else if (strcmp(word, "--rtol") == 0 || strcmp(word, "--atol") == 0) {
            const char *value = ++i < *n ? arguments[i] : "nothing";
            char *end;
            double x = strtod(value, &end);
            if (end == value || *end != '\0' || !(x >= 0)) { return wrong_usage("a number from 0 as a tolerance", value); }
            *(word[2] == 'r' ? &o->relative : &o->absolute) = x;
        } else if (word[0] == '-' && word[1] != '\0') {
            return wrong_usage("--json, --quick, --rtol, --atol, --help", word);
        } else {
            arguments[kept++] = arguments[i];
        }
    }
    *n = kept;
    return EQUAL;
}

static int command(int n, char **words, const Options *o)
{
    const char *word = n > 0 ? words[0] : "";
    if (strcmp(word, "diff") == 0) {
        return n == 3 ? diff(words[1], words[2], o) : wrong_usage("two files after diff", n < 3 ? "fewer" : words[3]);
    }
    if (strcmp(word, "convert") == 0) {
        return n == 3 ? convert(words[1], words[2])
                      : wrong_usage("a file and a file to write after convert", n < 3 ? "fewer" : words[3]);
    }
    if (strcmp(word, "extract") == 0) {
        return n == 4 ? extract(words[1], words[2], words[3])
                      : wrong_usage("a file, a name and a file to write after extract", n < 4 ? "fewer" : words[4]);
    }
    if (strcmp(word, "view") == 0) {
        const int pages = n > 2 && ends_in(words[n - 1], ".html");
        return n >= 2 && n - pages <= 3 ? view(n - 1, words + 1, o)
                                        : wrong_usage("one or two files after view", n < 2 ? "none" : words[3]);
    }
    if (strcmp(word, "list") == 0) {
        words++;
        n--;
    }
    return n > 0 ? list(words[0], (size_t)n - 1, words + 1, o) : wrong_usage("a file", "none");
}

int main(int argc, char **argv)
{
    Options o = { 0 };
    int n = argc > 0 ? argc - 1 : 0, status = take_options(&o, &n, argv + 1);
    if (status == EQUAL && o.help) { fputs(usage, stdout); }
    else if (status == EQUAL) { status = command(n, argv + 1, &o); }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("tensors: standard output");
        return TROUBLE;
    }
    return status;
}
