/* tensors_text.h: strings for tensors.c: printable names, error messages, numbers, the order of names, patterns, and JSON. */
#ifndef TENSORS_TEXT_H
#define TENSORS_TEXT_H

#include "tensors_options.h"

#include "pytree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static void *need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "tensors: out of memory\n");
        exit(TROUBLE);
    }
    return p;
}

/* Make a string from a printf format. Returns new memory. */
static char *text(const char *format, ...)
#if defined(__GNUC__) && !defined(__TINYC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
static char *text(const char *format, ...)
{
    va_list arguments, again;
    char *made;
    int n;
    va_start(arguments, format);
    va_copy(again, arguments);
    n = vsnprintf(NULL, 0, format, arguments);
    made = need(n < 0 ? NULL : malloc((size_t)n + 1));
    vsnprintf(made, (size_t)n + 1, format, again);
    va_end(again);
    va_end(arguments);
    return made;
}

/* Replace control characters, including C1 (two bytes): names come from files, and must not control the terminal. */
static char *printable(const char *name)
{
    char *made = need(malloc(4 * strlen(name) + 1)), *to = made;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; at++) {
        if (*at < 0x20 || *at == 0x7F) { to += sprintf(to, "\\x%02x", *at); }
        else if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0) { to += sprintf(to, "\\x%02x", *++at); }
        else { *to++ = (char)*at; }
    }
    *to = '\0';
    return made;
}

/* Print "tensors: expected X, got Y" and the status. Returns TROUBLE. */
static int trouble(const pytree_error *err)
{
    char *message = printable(err->message);
    fprintf(stderr, "tensors: %s (%s)\n", message, pytree_status_name(err->status));
    free(message);
    return TROUBLE;
}

static size_t columns_of(const char *utf8)
{
    size_t n = 0;
    for (; *utf8 != '\0'; utf8++) { n += ((unsigned char)*utf8 & 0xC0) != 0x80; }
    return n;
}

static const char *skip_columns(const char *utf8, size_t n)
{
    for (; *utf8 != '\0'; utf8++) {
        if (((unsigned char)*utf8 & 0xC0) != 0x80 && n-- == 0) { break; }
    }
    return utf8;
}

/* Write a number: all digits of whole numbers, four digits of others. */
static char *number(double x)
{
    if (x == 0) { x = 0; }                /* no -0 */
    return text(fabs(x) < 1e9 && x == floor(x) ? "%.0f" : "%.4g", x);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Compare names so that layers.2 comes before layers.10. */
static int compare_names(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a != '\0' && *b != '\0') {
        if (is_digit(*a) && is_digit(*b)) {
            size_t n = 0, m = 0;
            int order;
            while (*a == '0') { a++; }
            while (*b == '0') { b++; }
            while (is_digit(a[n])) { n++; }
            while (is_digit(b[m])) { m++; }
            order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
            if (order != 0) { return order; }
            a += n;
            b += n;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a != *b ? (*a == '\0' ? -1 : 1) : strcmp(first, second);
}

/* Match a name against a pattern with * and ?. After a mismatch, the last * takes one character more. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            name = *pattern++ == '?' ? skip_columns(name, 1) : name + 1;
        } else if (star != NULL) {
            pattern = star;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') { pattern++; }
    return *pattern == '\0';
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void json_text(const char *s)
{
    putchar('"');
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c == 0x7F) { printf("\\u%04x", c); }
        else if (c == '"' || c == '\\') { printf("\\%c", c); }
        else { putchar(c); }
    }
    putchar('"');
}

static void json_number(const char *key, double x)
{
    if (isfinite(x)) { printf(",\"%s\":%.17g", key, x); }
    else { printf(",\"%s\":null", key); }
}

#endif
