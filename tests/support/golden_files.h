/* golden_files.h: what tests of pytree/safetensors.h, npy.h and npz.h share, above all the files of golden_files/.
 *
 *     #include "support.h"         // first
 *     #include "golden_files.h"
 *
 * - golden_each: the lines of a .jsonl file; golden_read: a whole file; golden_recipe: a file too big to be stored.
 * - golden_unhex, golden_sha256.
 * - golden_vary: the file of a sweep at one position.
 * - scratch_path: a place for a file that the test writes.
 * - Faults: a pytree_io that counts what it is asked, and can do little at a time, be interrupted, fail, or be killed. */
#ifndef GOLDEN_FILES_H
#define GOLDEN_FILES_H

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "pytree/io.h"

enum { GOLDEN_PATH = 1024 };

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static inline void golden_path(char path[GOLDEN_PATH], const char *name)
{
    snprintf(path, GOLDEN_PATH, "tests/golden_files/%s", name);
}

/* A whole file of golden_files/, or any with its path; a NUL stands behind it. To be freed. */
static inline unsigned char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long end;
    if (file == NULL) { fail_msg("%s is not there", path); }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)end, file), (size_t)end);
    fclose(file);
    bytes[end] = 0;
    *size = (size_t)end;
    return bytes;
}

static inline unsigned char *golden_read(const char *name, size_t *size)
{
    char path[GOLDEN_PATH];
    golden_path(path, name);
    return read_whole(path, size);
}

/* Calls fn for each line of a .jsonl file; returns how many there are. */
static inline size_t golden_each(const char *name, void (*fn)(void *context, const cJSON *line), void *context)
{
    size_t size, n = 0;
    char *text = (char *)golden_read(name, &size), *line = text, *end;
    for (; *line != '\0'; line = end + 1, n++) {
        cJSON *json;
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        json = cJSON_Parse(line);
        assert_non_null(json);
        fn(context, json);
        cJSON_Delete(json);
    }
    free(text);
    return n;
}

/* A member that is text; NULL if it is not there or something else. */
static inline const char *golden_text(const cJSON *json, const char *member)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, member));
}

/* A whole number, which is a string if it is 2^53 or more. */
static inline uint64_t golden_number(const cJSON *item)
{
    return cJSON_IsString(item) ? strtoull(item->valuestring, NULL, 10) : (uint64_t)item->valuedouble;
}

/* To be freed. */
static inline unsigned char *golden_unhex(const char *hex, size_t *size)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = strlen(hex) / 2, i;
    unsigned char *bytes = malloc(n + 1);
    assert_non_null(bytes);
    for (i = 0; i < n; i++) {
        bytes[i] = (unsigned char)((strchr(digits, hex[2 * i]) - digits) << 4 | (strchr(digits, hex[2 * i + 1]) - digits));
    }
    *size = n;
    return bytes;
}

/* ---- SHA-256 ------------------------------------------------------------------------------------------------------- */

static inline uint32_t sha256_turn(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static inline void sha256_block(uint32_t state[8], const unsigned char *p)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
        0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
        0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
        0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };
    uint32_t w[64], s[8];
    unsigned i;
    for (i = 0; i < 16; i++) {
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    }
    for (; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ a >> 3) + w[i - 7]
               + (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (i = 0; i < 64; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t t = s[7] + (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i]
                     + w[i];
        uint32_t u = (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t;
        s[0] = t + u;
    }
    for (i = 0; i < 8; i++) { state[i] += s[i]; }
}

/* In hexadecimal digits. */
static inline void golden_sha256(const void *bytes, size_t n, char hex[65])
{
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *p = bytes;
    unsigned char last[128] = { 0 };
    size_t left = n, i, blocks;
    for (; left >= 64; left -= 64, p += 64) { sha256_block(state, p); }
    if (left != 0) { memcpy(last, p, left); }
    last[left] = 0x80;
    blocks = left < 56 ? 1 : 2;
    for (i = 0; i < 8; i++) { last[64 * blocks - 1 - i] = (unsigned char)((uint64_t)n * 8 >> 8 * i); }
    for (i = 0; i < blocks; i++) { sha256_block(state, last + 64 * i); }
    for (i = 0; i < 8; i++) { snprintf(hex + 8 * i, 9, "%08lx", (unsigned long)state[i]); }
}

static inline void assert_sha256(const void *bytes, size_t n, const char *expected)
{
    char hex[65];
    golden_sha256(bytes, n, hex);
    assert_string_equal(hex, expected);
}

/* ---- Sweeps -------------------------------------------------------------------------------------------------------- */

/* The file of a sweep at position k, into room for n + 1 bytes; returns its size. */
static inline size_t golden_vary(const char *op, unsigned char arg, size_t k, const unsigned char *base, size_t n,
                                 unsigned char *out)
{
    memcpy(out, base, n);
    if (strcmp(op, "truncate") == 0) { return k; }
    if (strcmp(op, "delete") == 0) {
        memmove(out + k, base + k + 1, n - k - 1);
        return n - 1;
    }
    if (strcmp(op, "double") == 0 || strcmp(op, "insert") == 0) {
        memcpy(out + k + 1, base + k, n - k);
        if (op[0] == 'i') { out[k] = arg; }
        return n + 1;
    }
    if (strcmp(op, "exchange") == 0) {
        out[k] = base[k + 1];
        out[k + 1] = base[k];
    } else if (strcmp(op, "xor") == 0) {
        out[k] ^= arg;
    } else {
        assert_string_equal(op, "set");
        out[k] = arg;
    }
    return n;
}

/* ---- Files of the test's own --------------------------------------------------------------------------------------- */

/* Nobody else's. The test removes it. */
static inline void scratch_path(char path[GOLDEN_PATH], const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, GOLDEN_PATH, "%s/pytree_%ld_%s", folder == NULL ? "/tmp" : folder, (long)getpid(), name);
}

static inline void write_whole(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void assert_file(const char *path, const void *bytes, size_t size)
{
    size_t got;
    unsigned char *there = read_whole(path, &got);
    assert_int_equal(got, size);
    assert_memory_equal(there, bytes, size);
    free(there);
}

/* Positions in files: on Windows a long has 32 bits, elsewhere as many as positions need, or files are not longer. */
#if defined(_WIN32)
#define GOLDEN_LONGEST INT64_MAX
static inline int golden_seek(FILE *file, uint64_t at) { return _fseeki64(file, (int64_t)at, SEEK_SET); }
static inline uint64_t golden_tell(FILE *file) { return (uint64_t)_ftelli64(file); }
#else
#define GOLDEN_LONGEST LONG_MAX
static inline int golden_seek(FILE *file, uint64_t at) { return fseek(file, (long)at, SEEK_SET); }
static inline uint64_t golden_tell(FILE *file) { return (uint64_t)ftell(file); }
#endif

/* The file that golden_files/`name` describes (README, "Recipes"), at `path`; where it is filled with zeros it is sparse.
 * Returns its length, or 0 and makes none if this system's files cannot be as long. */
static inline uint64_t golden_recipe(const char *name, const char *path)
{
    size_t size, n, fill_size;
    char *text = (char *)golden_read(name, &size);
    cJSON *json = cJSON_Parse(text);
    const char *tail_hex = golden_text(json, "tail_hex"), *fill_hex = golden_text(json, "fill_hex");
    const cJSON *entries = cJSON_GetObjectItemCaseSensitive(json, "entries");
    unsigned char *bytes = golden_unhex(golden_text(json, "header_hex"), &n);
    unsigned char *fill = golden_unhex(fill_hex == NULL ? "00" : fill_hex, &fill_size), *tail;
    uint64_t length = golden_number(cJSON_GetObjectItemCaseSensitive(json, "length")), at = n;
    FILE *file;
    assert_non_null(json);
    if (length > (uint64_t)GOLDEN_LONGEST) {
        cJSON_Delete(json);
        free(text);
        free(fill);
        free(bytes);
        return 0;
    }
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    free(bytes);
    tail = golden_unhex(tail_hex == NULL ? "" : tail_hex, &n);
    if (entries != NULL) {
        const char *entry = golden_text(entries, "text"), *c;
        uint64_t first = golden_number(cJSON_GetObjectItemCaseSensitive(entries, "first")), i;
        uint64_t count = golden_number(cJSON_GetObjectItemCaseSensitive(entries, "count"));
        for (i = 0; i < count; i++) {
            if (i != 0) { fputc(',', file); }
            for (c = entry; *c != '\0'; c++) {
                if (*c == '#') { fprintf(file, "%llu", (unsigned long long)(first + i)); } else { fputc(*c, file); }
            }
        }
    } else if (fill_hex == NULL) {
        assert_int_equal(golden_seek(file, length - n - (n == 0)), 0);
        if (n == 0) { fputc(0, file); }
    } else {
        for (; at < length - n; at += fill_size) { fwrite(fill, 1, fill_size, file); }
    }
    assert_int_equal(fwrite(tail, 1, n, file), n);
    assert_true(golden_tell(file) == length);
    assert_int_equal(fclose(file), 0);
    cJSON_Delete(json);
    free(text);
    free(fill);
    free(tail);
    return length;
}

/* ---- Faults -------------------------------------------------------------------------------------------------------- */

typedef enum FaultOp {
    FAULT_OPEN, FAULT_CREATE, FAULT_READ, FAULT_WRITE, FAULT_SYNC, FAULT_CLOSE, FAULT_RENAME, FAULT_REMOVE, FAULT_OPS
} FaultOp;

/* Stands between the library and `base`. All zero but for base: passes everything on. */
typedef struct Faults {
    const pytree_io *base;
    FaultOp op;                           /* call number `at` of this one fails with `code`, unless that is 0 */
    size_t at;
    int code;
    size_t most;                          /* bytes in one read or write; 0: all */
    bool interrupted;                     /* every second read and write comes to nothing */
    uint64_t read_end;                    /* reads at or behind it fail with EIO; 0: none does */
    uint64_t vanished;                    /* bytes that the file loses after it was opened */
    size_t killed_at;                     /* from this call on (1: the first) nothing happens any more; 0: never */
    bool can_map;                         /* check, map and unmap are passed on too */
    size_t calls[FAULT_OPS], all;         /* counted here, with the interrupted ones */
    size_t n_open;                        /* files that are */
    uint64_t size;
    uint64_t wrote;
} Faults;

/* 0, or what the call has to return at once. */
static inline int faults_ask(Faults *f, FaultOp op)
{
    f->all++;
    if (f->killed_at != 0 && f->all >= f->killed_at) { return EIO; }
    return f->calls[op]++ == f->at && f->op == op ? f->code : 0;
}

static inline int faults_open(void *context, const char *path, void **file, uint64_t *size)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_OPEN);
    if (code == 0) { code = f->base->open(f->base->context, path, file, size); }
    if (code == 0) {
        f->n_open++;
        f->size = *size;
    }
    return code;
}

static inline int faults_create(void *context, const char *path, void **file)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_CREATE);
    if (code == 0) { code = f->base->create(f->base->context, path, file); }
    if (code == 0) { f->n_open++; }
    return code;
}

static inline int faults_read(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_READ);
    uint64_t end = f->size - f->vanished;
    if (code != 0) { return code; }
    if (f->interrupted && f->calls[FAULT_READ] % 2 == 1) { return PYTREE_IO_AGAIN; }
    if (f->read_end != 0 && at + n > f->read_end) { return EIO; }
    if (f->most != 0 && n > f->most) { n = f->most; }
    if (at > end) { at = end; }
    if (n > end - at) { n = (size_t)(end - at); }
    *done = 0;
    return n == 0 ? 0 : f->base->read(f->base->context, file, at, to, n, done);
}

static inline int faults_write(void *context, void *file, const void *from, size_t n, size_t *done)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_WRITE);
    if (code != 0) { return code; }
    if (f->interrupted && f->calls[FAULT_WRITE] % 2 == 1) { return PYTREE_IO_AGAIN; }
    if (f->most != 0 && n > f->most) { n = f->most; }
    code = f->base->write(f->base->context, file, from, n, done);
    f->wrote += code == 0 ? *done : 0;
    return code;
}

static inline int faults_sync(void *context, void *file)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_SYNC);
    return code != 0 ? code : f->base->sync(f->base->context, file);
}

/* The system closes the files of a process that is killed. */
static inline int faults_close(void *context, void *file)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_CLOSE), closed = f->base->close(f->base->context, file);
    f->n_open--;
    return code != 0 ? code : closed;
}

static inline int faults_rename(void *context, const char *from, const char *to)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_RENAME);
    return code != 0 ? code : f->base->rename(f->base->context, from, to);
}

static inline int faults_remove(void *context, const char *path)
{
    Faults *f = context;
    int code = faults_ask(f, FAULT_REMOVE);
    return code != 0 ? code : f->base->remove(f->base->context, path);
}

static inline int faults_check(void *context, void *file, uint64_t at, uint64_t n)
{
    Faults *f = context;
    return f->base->check(f->base->context, file, at, n);
}

static inline int faults_map(void *context, void *file, uint64_t size, const void **bytes)
{
    Faults *f = context;
    return f->base->map(f->base->context, file, size, bytes);
}

static inline void faults_unmap(void *context, const void *bytes, uint64_t size)
{
    Faults *f = context;
    f->base->unmap(f->base->context, bytes, size);
}

/* The table; *f must outlive it. */
static inline pytree_io faults_io(Faults *f)
{
    pytree_io io = {
        faults_open, faults_create, faults_read, faults_write, faults_sync, faults_close, faults_rename, faults_remove,
        NULL, NULL, NULL, NULL, NULL
    };
    io.context = f;
    if (f->can_map) {
        io.check = faults_check;
        io.map = faults_map;
        io.unmap = faults_unmap;
    }
    return io;
}

#endif
