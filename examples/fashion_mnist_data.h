/* fashion_mnist_data.h: the images and labels of Fashion-MNIST, read from gzip'd IDX files. */
#ifndef FASHION_MNIST_DATA_H
#define FASHION_MNIST_DATA_H

#include "pytree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { SIDE = 28, CLASSES = 10, MOST_IMAGES = 1000000 };

typedef struct Images {
    int n;
    unsigned char *pixels;                /* (n, SIDE, SIDE) */
    unsigned char *labels;                /* (n,) below CLASSES */
} Images;

#define PYTREE_STRUCT Images
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, pixels, ARRAY(self->n, SIDE, SIDE)) \
    PYTREE_FIELD(DATA, labels, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Idx {
    char path[1024];
    FILE *file;
    z_stream stream;
    bool ended;                           /* the gzip data ended, with the right checksum */
    unsigned char input[1 << 15];
} Idx;

/* Inflate n bytes, or fewer at the end of the gzip data. (gzread is simpler, but misses a file truncated in its checksum.) */
static pytree_status idx_inflate(Idx *idx, void *bytes, unsigned n, unsigned *got, const char *what, pytree_error *err)
{
    z_stream *z = &idx->stream;
    z->next_out = bytes;
    z->avail_out = n;
    while (z->avail_out > 0 && !idx->ended) {
        if (z->avail_in == 0) {
            z->next_in = idx->input;
            z->avail_in = (unsigned)fread(idx->input, 1, sizeof idx->input, idx->file);
            if (z->avail_in == 0) {
                return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got %u: %s", n, what, n - z->avail_out,
                                   ferror(idx->file) ? strerror(errno) : "the file is truncated");
            }
        }
        int code = inflate(z, Z_NO_FLUSH);
        idx->ended = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END) {
            return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got damaged gzip data: %s", n, what,
                               z->msg != NULL ? z->msg : zError(code));
        }
    }
    *got = n - z->avail_out;
    return PYTREE_OK;
}

/* Read n bytes. The error of a short file names them as `what`. */
static pytree_status idx_read(Idx *idx, void *bytes, unsigned n, const char *what, pytree_error *err)
{
    unsigned got;
    pytree_status status = idx_inflate(idx, bytes, n, &got, what, err);
    if (status != PYTREE_OK || got == n) { return status; }
    return pytree_fail(err, PYTREE_IO, idx->path, "expected %u bytes of %s, got %u: the data is truncated", n, what, got);
}

/* Check that only the checksum follows. */
static pytree_status idx_end(Idx *idx, pytree_error *err)
{
    unsigned char more;
    unsigned got = 0;
    pytree_status status = idx_inflate(idx, &more, 1, &got, "checksum", NULL);
    if (status == PYTREE_OK && got == 0) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_IO, idx->path, "expected a checksum and the end after the last element, got %s",
                       got > 0 ? "more data" : "a truncated file or a wrong checksum");
}

/* Open folder/name and read its header: a magic number, for unsigned bytes in n_extents dimensions, and the extents. */
static pytree_status idx_open(Idx *idx, const char *folder, const char *name, int n_extents, int *extents, pytree_error *err)
{
    unsigned char head[16] = { 0 };
    int length = snprintf(idx->path, sizeof idx->path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof idx->path) {
        return pytree_fail(err, PYTREE_ARGUMENT, name, "expected a shorter folder name, got %zu bytes", strlen(folder));
    }
    idx->file = fopen(idx->path, "rb");
    if (idx->file == NULL) {
        return pytree_fail(err, PYTREE_IO, idx->path,
                           "expected a gzip'd IDX file (package dataset-fashion-mnist, or --data), got: %s", strerror(errno));
    }
    size_t n = fread(head, 1, 2, idx->file);
    if (ferror(idx->file)) {
        return pytree_fail(err, PYTREE_IO, idx->path, "expected a gzip'd IDX file, got: %s", strerror(errno));
    }
    if (n < 2) { return pytree_fail(err, PYTREE_IO, idx->path, "expected a gzip'd IDX file, got one of %zu bytes", n); }
    if (head[0] != 0x1f || head[1] != 0x8b) {
        return pytree_fail(err, PYTREE_IO, idx->path, "expected gzip data, which begins with the bytes 1f 8b, got %02x %02x",
                           head[0], head[1]);
    }
    rewind(idx->file);
    if (inflateInit2(&idx->stream, 16 + MAX_WBITS) != Z_OK) {          /* 16: gzip instead of zlib's own format */
        return pytree_fail(err, PYTREE_NO_MEMORY, idx->path, "expected memory for zlib, got none");
    }
    if (idx_read(idx, head, 4 + 4 * (unsigned)n_extents, "header", err) != PYTREE_OK) { return PYTREE_IO; }
    const unsigned magic = 0x800u + (unsigned)n_extents;
    for (int i = 0; i <= n_extents; i++) {
        const unsigned char *b = head + 4 * i;
        unsigned long word = (unsigned long)b[0] << 24 | (unsigned long)b[1] << 16 | (unsigned long)b[2] << 8 | b[3];
        if (i == 0 && word != magic) {
            return pytree_fail(err, PYTREE_IO, idx->path,
                               "expected the magic number 0x%08x (bytes, %d dimensions), got 0x%08lx", magic, n_extents, word);
        }
        if (i > 0 && (word == 0 || word > MOST_IMAGES)) {
            return pytree_fail(err, PYTREE_IO, idx->path, "expected an extent from 1 to %d, got %lu", (int)MOST_IMAGES, word);
        }
        if (i > 0) { extents[i - 1] = (int)word; }
    }
    return PYTREE_OK;
}

static void idx_close(Idx *idx)
{
    inflateEnd(&idx->stream);             /* allowed even if inflateInit2 was not called */
    if (idx->file != NULL) { fclose(idx->file); }
}

/* Read <name>-images-idx3-ubyte.gz and <name>-labels-idx1-ubyte.gz. */
static pytree_status read_images(Images *images, const char *folder, const char *name, pytree_error *err)
{
    Idx pictures = { .file = NULL }, labels = { .file = NULL };
    int extents[3], n_labels;
    char file[64];
    snprintf(file, sizeof file, "%s-images-idx3-ubyte.gz", name);
    pytree_status status = idx_open(&pictures, folder, file, 3, extents, err);
    if (status == PYTREE_OK && (extents[1] != SIDE || extents[2] != SIDE)) {
        status = pytree_fail(err, PYTREE_IO, pictures.path, "expected images of %d x %d, got %d x %d", SIDE, SIDE,
                             extents[1], extents[2]);
    }
    if (status == PYTREE_OK) {
        snprintf(file, sizeof file, "%s-labels-idx1-ubyte.gz", name);
        status = idx_open(&labels, folder, file, 1, &n_labels, err);
    }
    if (status == PYTREE_OK && n_labels != extents[0]) {
        status = pytree_fail(err, PYTREE_IO, labels.path, "expected %d labels, one for each image, got %d", extents[0],
                             n_labels);
    }
    if (status == PYTREE_OK) {
        images->n = n_labels;
        status = pytree_allocate(PYTREE(images), NULL, err);
    }
    if (status == PYTREE_OK) { status = idx_read(&pictures, images->pixels, (unsigned)images->n * SIDE * SIDE, "pixels", err); }
    if (status == PYTREE_OK) { status = idx_end(&pictures, err); }
    if (status == PYTREE_OK) { status = idx_read(&labels, images->labels, (unsigned)images->n, "labels", err); }
    if (status == PYTREE_OK) { status = idx_end(&labels, err); }
    for (int i = 0; status == PYTREE_OK && i < images->n; i++) {
        if (images->labels[i] >= CLASSES) {
            status = pytree_fail(err, PYTREE_IO, labels.path, "expected labels below %d, got %d for image %d", CLASSES,
                                 images->labels[i], i);
        }
    }
    idx_close(&pictures);
    idx_close(&labels);
    return status;
}

#endif
