/* silero_vad.c: find speech in a recording with the published weights of Silero VAD.
 *
 *     pip install --no-deps silero-vad                 contains the weights: silero_vad/data/silero_vad_16k.safetensors
 *     silero_vad --model silero_vad_16k.safetensors recording.wav
 *     speech   0.418 to   2.014 s
 *
 * One call, pytree_load_safetensors, loads a published checkpoint into C structs: each array gets the tensor with the name of
 * its key path (conv1.weight), and a file that does not match is refused as a whole. There is no list of tensors, only structs.
 *
 * Build: cc -std=c11 -O3 -I. examples/silero_vad.c -o silero_vad -lm
 */
#define PYTREE_IMPLEMENTATION
#include "pytree/safetensors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- The model ----------------------------------------------------------------------------------------------------- */

typedef struct Conv {
    int out, in, width, stride, pad;
    float *weight;                        /* (out, in, width) */
    float *bias;                          /* (out,), or NULL */
} Conv;

#define PYTREE_STRUCT Conv
#define PYTREE_FIELDS                                                  \
    PYTREE_FIELD(STATIC, out)                                          \
    PYTREE_FIELD(STATIC, in)                                           \
    PYTREE_FIELD(STATIC, width)                                        \
    PYTREE_FIELD(STATIC, stride)                                       \
    PYTREE_FIELD(STATIC, pad)                                          \
    PYTREE_FIELD(DATA, weight, ARRAY(self->out, self->in, self->width)) \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->out))
#include "pytree_registry.h"

typedef struct LSTM {
    int size, in;
    float *weight_ih, *weight_hh;         /* (4 size, in), (4 size, size): input, forget, cell and output gate */
    float *bias_ih, *bias_hh;             /* (4 size,) */
} LSTM;

#define PYTREE_STRUCT LSTM
#define PYTREE_FIELDS                                                  \
    PYTREE_FIELD(STATIC, size)                                         \
    PYTREE_FIELD(STATIC, in)                                           \
    PYTREE_FIELD(DATA, weight_ih, ARRAY(4 * self->size, self->in))     \
    PYTREE_FIELD(DATA, weight_hh, ARRAY(4 * self->size, self->size))   \
    PYTREE_FIELD(DATA, bias_ih, ARRAY(4 * self->size))                 \
    PYTREE_FIELD(DATA, bias_hh, ARRAY(4 * self->size))
#include "pytree_registry.h"

typedef struct SileroVAD {                /* with the names in the file */
    Conv stft_conv;                       /* from samples to a spectrum: cosines, then sines */
    Conv conv1, conv2, conv3, conv4;
    LSTM lstm_cell;
    Conv final_conv;
} SileroVAD;

#define PYTREE_STRUCT SileroVAD
#define PYTREE_FIELDS                                                  \
    PYTREE_FIELD(DATA, stft_conv)                                      \
    PYTREE_FIELD(DATA, conv1)                                          \
    PYTREE_FIELD(DATA, conv2)                                          \
    PYTREE_FIELD(DATA, conv3)                                          \
    PYTREE_FIELD(DATA, conv4)                                          \
    PYTREE_FIELD(DATA, lstm_cell)                                      \
    PYTREE_FIELD(DATA, final_conv)
#include "pytree_registry.h"

enum { RATE = 16000, CHUNK = 512, CONTEXT = 64, WINDOW = 256, BINS = WINDOW / 2 + 1, FRAMES = 4, SIZE = 128 };

static const SileroVAD sizes = {
    .stft_conv = { .out = 2 * BINS, .in = 1, .width = WINDOW, .stride = WINDOW / 2 },
    .conv1 = { .out = 128, .in = BINS, .width = 3, .stride = 1, .pad = 1, .bias = PYTREE_WANTED },
    .conv2 = { .out = 64, .in = 128, .width = 3, .stride = 2, .pad = 1, .bias = PYTREE_WANTED },
    .conv3 = { .out = 64, .in = 64, .width = 3, .stride = 2, .pad = 1, .bias = PYTREE_WANTED },
    .conv4 = { .out = SIZE, .in = 64, .width = 3, .stride = 1, .pad = 1, .bias = PYTREE_WANTED },
    .lstm_cell = { .size = SIZE, .in = SIZE },
    .final_conv = { .out = 1, .in = SIZE, .width = 1, .stride = 1, .bias = PYTREE_WANTED },
};

/* ---- The network --------------------------------------------------------------------------------------------------- */

typedef struct Memory {                   /* the state from one chunk to the next */
    float context[CONTEXT];               /* the last samples */
    float hidden[SIZE], cell[SIZE];
} Memory;

/* Compute y (out, frames) from x (in, n) with zeros around it. Returns frames. */
static int convolve(const Conv *conv, const float *x, int n, float *y)
{
    int frames = (n + 2 * conv->pad - conv->width) / conv->stride + 1;
    for (int o = 0; o < conv->out; o++) {
        for (int t = 0; t < frames; t++) {
            float sum = conv->bias != NULL ? conv->bias[o] : 0;
            for (int i = 0; i < conv->in; i++) {
                const float *weight = conv->weight + (o * conv->in + i) * conv->width;
                for (int k = 0; k < conv->width; k++) {
                    int at = t * conv->stride + k - conv->pad;
                    if (at >= 0 && at < n) { sum += weight[k] * x[i * n + at]; }
                }
            }
            y[o * frames + t] = sum;
        }
    }
    return frames;
}

static void relu(float *x, int n)
{
    for (int i = 0; i < n; i++) { x[i] = fmaxf(x[i], 0); }
}

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

static void lstm_step(const LSTM *lstm, const float *x, float *hidden, float *cell)
{
    float gates[4][SIZE];
    for (int g = 0; g < 4 * SIZE; g++) {
        const float *w = lstm->weight_ih + g * SIZE, *u = lstm->weight_hh + g * SIZE;
        float sum = lstm->bias_ih[g] + lstm->bias_hh[g];
        for (int i = 0; i < SIZE; i++) { sum += w[i] * x[i] + u[i] * hidden[i]; }
        gates[g / SIZE][g % SIZE] = sum;
    }
    for (int i = 0; i < SIZE; i++) {
        cell[i] = sigmoid(gates[1][i]) * cell[i] + sigmoid(gates[0][i]) * tanhf(gates[2][i]);
        hidden[i] = sigmoid(gates[3][i]) * tanhf(cell[i]);
    }
}

/* Return the probability of speech in a chunk of samples between -1 and 1. */
static float probability(const SileroVAD *model, Memory *memory, const float *chunk)
{
    enum { MIRRORED = 64, N = CONTEXT + CHUNK + MIRRORED };
    float samples[N], a[2 * BINS * FRAMES], b[2 * BINS * FRAMES], score;

    memcpy(samples, memory->context, sizeof memory->context);
    memcpy(samples + CONTEXT, chunk, CHUNK * sizeof *chunk);
    for (int i = 0; i < MIRRORED; i++) { samples[N - MIRRORED + i] = samples[N - MIRRORED - 2 - i]; }
    memcpy(memory->context, chunk + CHUNK - CONTEXT, sizeof memory->context);

    int n = convolve(&model->stft_conv, samples, N, a);
    for (int i = 0; i < BINS * n; i++) { b[i] = sqrtf(a[i] * a[i] + a[BINS * n + i] * a[BINS * n + i]); }
    n = convolve(&model->conv1, b, n, a);
    relu(a, model->conv1.out * n);
    n = convolve(&model->conv2, a, n, b);
    relu(b, model->conv2.out * n);
    n = convolve(&model->conv3, b, n, a);
    relu(a, model->conv3.out * n);
    n = convolve(&model->conv4, a, n, b);                  /* one frame is left */
    relu(b, model->conv4.out * n);

    lstm_step(&model->lstm_cell, b, memory->hidden, memory->cell);
    memcpy(a, memory->hidden, sizeof memory->hidden);
    relu(a, SIZE);
    convolve(&model->final_conv, a, 1, &score);
    return sigmoid(score);
}

/* ---- Recordings: 16 kHz, mono, 16 bits ------------------------------------------------------------------------------ */

typedef struct Wav {
    const char *path;
    FILE *file;
    unsigned long left;                   /* bytes of samples left to read */
} Wav;

static unsigned long little_endian(const unsigned char *bytes, int n)
{
    unsigned long value = 0;
    while (n-- > 0) { value = value << 8 | bytes[n]; }
    return value;
}

static pytree_status wav_read(Wav *wav, void *bytes, size_t n, const char *what, pytree_error *err)
{
    size_t got = fread(bytes, 1, n, wav->file);
    return got == n ? PYTREE_OK
                    : pytree_fail(err, PYTREE_IO, wav->path, "expected %zu bytes of %s, got %zu: %s", n, what, got,
                                  ferror(wav->file) ? strerror(errno) : "the file is truncated");
}

/* Open a file and find its samples. */
static pytree_status wav_open(Wav *wav, const char *path, pytree_error *err)
{
    unsigned char head[12], format[16] = { 0 };
    *wav = (Wav){ .path = path, .file = fopen(path, "rb") };
    if (wav->file == NULL) { return pytree_fail(err, PYTREE_IO, path, "expected a WAV file, got: %s", strerror(errno)); }
    if (wav_read(wav, head, 12, "header", err) != PYTREE_OK) { return PYTREE_IO; }
    if (memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0) {
        return pytree_fail(err, PYTREE_SYNTAX, path, "expected a WAV file, which begins with RIFF and WAVE, got another");
    }
    for (;;) {                            /* a chunk: four letters, a length, that many bytes rounded up to even */
        if (wav_read(wav, head, 8, "a chunk's header", err) != PYTREE_OK) { return PYTREE_IO; }
        unsigned long size = little_endian(head + 4, 4), skip = size + size % 2;
        if (memcmp(head, "data", 4) == 0) { wav->left = size; break; }
        if (memcmp(head, "fmt ", 4) == 0 && size >= sizeof format) {
            if (wav_read(wav, format, sizeof format, "format", err) != PYTREE_OK) { return PYTREE_IO; }
            skip -= sizeof format;
        }
        if (skip > LONG_MAX || fseek(wav->file, (long)skip, SEEK_CUR) != 0) {
            return pytree_fail(err, PYTREE_IO, path, "expected to skip %lu bytes, got: %s", skip, strerror(errno));
        }
    }
    unsigned long kind = little_endian(format, 2), channels = little_endian(format + 2, 2);
    unsigned long rate = little_endian(format + 4, 4), bits = little_endian(format + 14, 2);
    if (kind != 1 || channels != 1 || rate != RATE || bits != 16) {
        return pytree_fail(err, PYTREE_VALUE, path,
                           "expected PCM of 1 channel, %d Hz and 16 bits, got format %lu of %lu channels, %lu Hz and %lu bits",
                           RATE, kind, channels, rate, bits);
    }
    return PYTREE_OK;
}

/* Read the next chunk; the last one is padded with silence. */
static pytree_status wav_chunk(Wav *wav, float *chunk, int *n, pytree_error *err)
{
    unsigned char bytes[2 * CHUNK] = { 0 };
    size_t size = wav->left / 2 < CHUNK ? wav->left / 2 * 2 : sizeof bytes;
    pytree_status status = wav_read(wav, bytes, size, "samples", err);
    for (int i = 0; i < CHUNK; i++) {
        long sample = (long)little_endian(bytes + 2 * i, 2);
        chunk[i] = (float)(sample < 32768 ? sample : sample - 65536) / 32768;
    }
    wav->left -= size;
    *n = (int)size / 2;
    return status;
}

/* ---- From probabilities to stretches of speech, by the rule of the package's get_speech_timestamps ------------------- */

typedef struct Speech {
    long start, pause;                    /* where speech began, and where it may have ended; -1: unknown */
} Speech;

static void print_speech(long start, long end, long total)
{
    enum { SHORTEST = RATE / 4, MARGIN = 3 * RATE / 100 };
    if (end - start > SHORTEST) {
        start = start > MARGIN ? start - MARGIN : 0;
        end = total - end > MARGIN ? end + MARGIN : total;
        printf("speech %7.3f to %7.3f s\n", (double)start / RATE, (double)end / RATE);
    }
}

/* Process the probability of the chunk at `at`. */
static void follow(Speech *speech, float probability, long at, long total)
{
    enum { PAUSE = RATE / 10 };           /* shorter pauses are part of the speech */
    if (probability >= 0.5f) {
        speech->start = speech->start < 0 ? at : speech->start;
        speech->pause = -1;
    } else if (probability < 0.35f && speech->start >= 0) {
        speech->pause = speech->pause < 0 ? at : speech->pause;
        if (at - speech->pause >= PAUSE) {
            print_speech(speech->start, speech->pause, total);
            speech->start = speech->pause = -1;
        }
    }
}

/* ---- The program --------------------------------------------------------------------------------------------------- */

static pytree_status find_speech(const SileroVAD *model, const char *path, bool all, pytree_error *err)
{
    Wav wav;
    Memory memory = { .context = { 0 } };
    Speech speech = { -1, -1 };
    float chunk[CHUNK];
    pytree_status status = wav_open(&wav, path, err);
    long at = 0, total = (long)(wav.left / 2);
    for (int n; status == PYTREE_OK && at < total; at += n) {
        status = wav_chunk(&wav, chunk, &n, err);
        if (status != PYTREE_OK) { break; }
        float p = probability(model, &memory, chunk);
        if (all) { printf("%7.3f s  %.6f\n", (double)at / RATE, (double)p); }
        follow(&speech, p, at, total);
    }
    if (status == PYTREE_OK && speech.start >= 0) { print_speech(speech.start, total, total); }
    if (wav.file != NULL) { fclose(wav.file); }
    return status;
}

int main(int argc, char **argv)
{
    const char *weights = "silero_vad_16k.safetensors", *recording = NULL;
    bool all = false, understood = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--probs") == 0) { all = true; }
        else if (strcmp(argv[i], "--model") == 0 && i + 1 < argc) { weights = argv[++i]; }
        else if (recording == NULL && argv[i][0] != '-') { recording = argv[i]; }
        else { understood = false; }
    }
    if (recording == NULL || !understood) {
        fprintf(stderr, "usage: silero_vad [--model silero_vad_16k.safetensors] [--probs] recording.wav\n");
        return EXIT_FAILURE;
    }

    SileroVAD model = sizes;
    pytree_error err = { 0 };
    if (pytree_allocate(PYTREE(&model), NULL, &err) == PYTREE_OK) {
        if (pytree_load_safetensors(weights, PYTREE(&model), NULL, &err) == PYTREE_OK) {
            find_speech(&model, recording, all, &err);
        }
        pytree_free(PYTREE(&model));
    }
    if (fflush(stdout) != 0) { pytree_fail(&err, PYTREE_IO, "standard output", "expected it to take the results"); }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
