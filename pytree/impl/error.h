/* pytree/impl/error.h: statuses by name, setting and printing an error. */
#ifndef PYTREE_IMPL_ERROR_H
#define PYTREE_IMPL_ERROR_H

#include "internal.h"

PYTREE__APART_CLANG const char *pytree_status_name(pytree_status status)
{
    switch (status) {
#define PYTREE__X(name, text) case PYTREE_##name: return text;
        PYTREE__STATUSES(PYTREE__X)
#undef PYTREE__X
    }
    return "unknown status";
}

enum {
    PYTREE__STATUS_COUNT = 0
#define PYTREE__X(name, text) + 1
        PYTREE__STATUSES(PYTREE__X)
#undef PYTREE__X
};

/* Tell whether an error object holds no error. One that was not initialised has a status that there is none of, and holds
 * none, either. */
static bool pytree__error_is_free(const pytree_error *err)
{
    return err->status == PYTREE_OK || (unsigned)err->status >= PYTREE__STATUS_COUNT;
}

void pytree_error_print(FILE *file, const pytree_error *err)
{
    if (err != NULL && err->status != PYTREE_OK) {
        const int before = PYTREE__GET_ERRNO();                /* which the first write to a terminal sets */
        if (pytree__error_is_free(err)) {
            fputs("a pytree_error without a status: initialise it, pytree_error err = { 0 }\n", file);
        } else {
            fprintf(file, "%s%s%s (%s)\n", err->path, err->path[0] != '\0' ? ": " : "", err->message,
                    pytree_status_name(err->status));
        }
        PYTREE__SET_ERRNO(before);
    }
}

static PYTREE__APART_CLANG void pytree__shorten_middle(char *to, size_t room, const char *text)
{
    size_t n = strlen(text), head = room / 2 - 2, tail = room - head - 4;
    if (n < room) {
        memcpy(to, text, n + 1);
    } else {
        const char *end = text + n - tail;
        while (head > 0 && (text[head] & 0xC0) == 0x80) { head--; }        /* between characters */
        while ((*end & 0xC0) == 0x80) { end++; }
        memcpy(to, text, head);
        memcpy(to + head, "...", 3);
        memcpy(to + head + 3, end, strlen(end) + 1);
    }
}

#if defined(PYTREE_SMALL)
pytree_status pytree__fail_short(pytree_error *err, pytree_status status, const char *path)
{
    if (err != NULL && pytree__error_is_free(err)) {
        err->status = status;
        pytree__shorten_middle(err->message, sizeof err->message, pytree_status_name(status));
        pytree__shorten_middle(err->path, sizeof err->path, path == NULL ? "" : path);
    }
    return status;
}

pytree_status (pytree_fail)(pytree_error *err, pytree_status status, const char *path, const char *format, ...)
{
    (void)format;
    return pytree__fail_short(err, status, path);
}
#else
/* Sets a message that is too long for an error: its beginning and its end. */
static PYTREE__NOINLINE void pytree__put_long_message(pytree_error *err, const char *format, va_list arguments)
{
    char text[PYTREE__MESSAGE];
    (void)vsnprintf(text, sizeof text, format, arguments);
    pytree__shorten_middle(err->message, sizeof err->message, text);
}

/* Formats an error's message. A message of the usual length needs no buffer. */
static PYTREE__NOINLINE void pytree__put_message(pytree_error *err, const char *format, va_list arguments)
{
    const int before = PYTREE__GET_ERRNO();
    va_list again;
    int length;
    va_copy(again, arguments);
    length = vsnprintf(err->message, sizeof err->message, format, arguments);
    if (length < 0) { err->message[0] = '\0'; }
    else if ((size_t)length >= sizeof err->message) { pytree__put_long_message(err, format, again); }
    va_end(again);
    PYTREE__SET_ERRNO(before);
}

pytree_status pytree_fail(pytree_error *err, pytree_status status, const char *path, const char *format, ...)
{
    if (err != NULL && pytree__error_is_free(err)) {
        va_list arguments;
        va_start(arguments, format);
        pytree__put_message(err, format, arguments);
        va_end(arguments);
        err->status = status;
        pytree__shorten_middle(err->path, sizeof err->path, path == NULL ? "" : path);
    }
    return status;
}
#endif

/* Fails because the second pass over a tree found something else than the first. */
static PYTREE__APART_CLANG pytree_status pytree__fail_unstable_callback(pytree_error *err)
{
    return pytree_fail(err, PYTREE_ARGUMENT, NULL,
                       "expected the same answers of is_leaf and custom nodes each time they are asked, got others");
}
#endif
