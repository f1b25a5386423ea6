/* tensors_options.h: the exit status of tensors.c and the options of its command line. */
#ifndef TENSORS_OPTIONS_H
#define TENSORS_OPTIONS_H

#include <stdbool.h>

enum { EQUAL, DIFFERENT, TROUBLE };       /* exit status, as in diff(1) */

typedef struct Options {
    bool json, quick, help;
    double relative, absolute;            /* tolerances of diff */
} Options;

#endif
