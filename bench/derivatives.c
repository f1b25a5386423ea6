/* derivatives.c: what derivatives of traced functions cost, beside the same by hand: a gradient of a perceptron, tracing, and
 * the way back through a scan.
 *
 *     derivatives [--samples 25]             JSON lines (rows.h), of which transforms_peer.py makes a table
 *
 * Compile with -O3 -march=native and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/derive.h"

#include "rows.h"

/* ---- A perceptron 64-128-10 on 32 rows: relu, mean squared error --------------------------------------------------------- */

enum { ROWS = 32, IN = 64, HIDDEN = 128, OUT = 10 };

typedef struct Perceptron { float w1[IN][HIDDEN], b1[HIDDEN], w2[HIDDEN][OUT], b2[OUT]; } Perceptron;

#define PYTREE_STRUCT Perceptron
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w1) PYTREE_FIELD(DATA, b1) PYTREE_FIELD(DATA, w2) PYTREE_FIELD(DATA, b2)
#include "pytree_registry.h"

static Perceptron net, gradient, gradient_by_hand;
static float input[ROWS][IN], target[ROWS][OUT], hidden[ROWS][HIDDEN], error[ROWS][OUT], back[ROWS][HIDDEN], loss;

#define V(p) pytree_value_of(tr, p)
static pytree_status perceptron(void *context, pytree_trace *tr)           /* (Perceptron, x, y) -> loss */
{
    const Perceptron *p = tr->arg[0];
    const pytree_value h = pytree_op_relu(tr, pytree_op_linear(tr, V(tr->arg[1]), V(p->w1), V(p->b1)));
    const pytree_value e = pytree_op_sub(tr, pytree_op_linear(tr, h, V(p->w2), V(p->b2)), V(tr->arg[2]));
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_mean(tr, pytree_op_square(tr, e))));
}

/* The loops that one writes: all of them go along rows, so that the compiler makes vectors of them. */
static uint64_t perceptron_by_hand(void)
{
    Perceptron *const g = &gradient_by_hand;
    float sum = 0;
    memset(g, 0, sizeof *g);
    for (int r = 0; r < ROWS; r++) {
        for (int j = 0; j < HIDDEN; j++) { hidden[r][j] = net.b1[j]; }
        for (int i = 0; i < IN; i++) {
            for (int j = 0; j < HIDDEN; j++) { hidden[r][j] += input[r][i] * net.w1[i][j]; }
        }
        for (int j = 0; j < HIDDEN; j++) { hidden[r][j] = hidden[r][j] > 0 ? hidden[r][j] : 0; }
        for (int k = 0; k < OUT; k++) { error[r][k] = net.b2[k] - target[r][k]; }
        for (int j = 0; j < HIDDEN; j++) {
            for (int k = 0; k < OUT; k++) { error[r][k] += hidden[r][j] * net.w2[j][k]; }
        }
        for (int k = 0; k < OUT; k++) {
            sum += error[r][k] * error[r][k];
            error[r][k] *= 2.0f / (ROWS * OUT);
            g->b2[k] += error[r][k];
        }
        for (int j = 0; j < HIDDEN; j++) {
            float d = 0;
            for (int k = 0; k < OUT; k++) {
                g->w2[j][k] += hidden[r][j] * error[r][k];
                d += net.w2[j][k] * error[r][k];
            }
            back[r][j] = hidden[r][j] > 0 ? d : 0;
        }
        for (int j = 0; j < HIDDEN; j++) { g->b1[j] += back[r][j]; }
        for (int i = 0; i < IN; i++) {
            for (int j = 0; j < HIDDEN; j++) { g->w1[i][j] += input[r][i] * back[r][j]; }
        }
    }
    loss = sum / (ROWS * OUT);
    return loss > 0;
}

/* Both must compute the same. */
static void assert_same(const float *x, const float *y, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabsf(x[i] - y[i]) <= 1e-5f + 1e-3f * fabsf(y[i]))) {
            fprintf(stderr, "%s: expected %g as by hand, got %g at %zu\n", what, (double)y[i], (double)x[i], i);
            exit(1);
        }
    }
}

static void perceptron_rows(void)
{
    const pytree_fn *f = PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(perceptron));
    const pytree args[3] = { PYTREE(&net), PYTREE_ARRAY(input[0], ROWS, IN), PYTREE_ARRAY(target[0], ROWS, OUT) };
    const pytree out = PYTREE_TUPLE(PYTREE(&loss), PYTREE(&gradient));
    pytree_program *program = pytree_program_new(f, 3, args, NULL, NULL);
    const double n = (double)pytree_program_count(program);
    double hand, ns;
    pytree_program_free(program);
    NANOSECONDS(hand, 1, perceptron_by_hand());
    prepared_row("value and gradient: perceptron 64-128-10, 32 rows", "call", 1, hand, 1.15 * hand, f, 3, args, out);
    assert_same(&gradient.w1[0][0], &gradient_by_hand.w1[0][0], sizeof net / sizeof(float), "gradient");
    NANOSECONDS(ns, n, (pytree_prepared_free(must_prepare(f, 3, args, out)), 1));
    row("its trace, pullback and plan", "operation", ns, NAN, 3000, SIZE_MAX);
}

/* ---- A recurrent network: 100 steps, a state of 16 rows of 64, tanh ------------------------------------------------------ */

enum { STEPS = 100, BATCH = 16, WIDE = 64 };
static float weight[WIDE][WIDE], first[BATCH][WIDE], xs[STEPS][BATCH][WIDE], end[BATCH][WIDE], end_weight[WIDE][WIDE],
    ct[BATCH][WIDE], ct_weight[WIDE][WIDE], d_weight[WIDE][WIDE], d_first[BATCH][WIDE], d_xs[STEPS][BATCH][WIDE],
    states[STEPS + 1][BATCH][WIDE], hand_weight[WIDE][WIDE], hand_first[BATCH][WIDE];

static pytree_status recur(void *context, pytree_trace *tr)                /* ((w, h), x) -> ((w, tanh(h w + x)), None) */
{
    const pytree_value w = pytree_value_at(tr, tr->tree[0], 0), h = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value next = pytree_op_tanh(tr, pytree_op_add(tr, pytree_op_matmul(tr, h, w), V(tr->arg[1])));
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_V(w), PYTREE_V(next)), PYTREE_NONE));
}

static uint64_t forward_by_hand(void)
{
    memcpy(states[0], first, sizeof first);
    for (int t = 0; t < STEPS; t++) {
        for (int r = 0; r < BATCH; r++) {
            float *const to = states[t + 1][r];
            memcpy(to, xs[t][r], sizeof xs[t][r]);
            for (int i = 0; i < WIDE; i++) {
                for (int j = 0; j < WIDE; j++) { to[j] += states[t][r][i] * weight[i][j]; }
            }
            for (int j = 0; j < WIDE; j++) { to[j] = tanhf(to[j]); }
        }
    }
    return states[STEPS][0][0] > 0;
}

static uint64_t backward_by_hand(void)
{
    static float transposed[WIDE][WIDE];                       /* so that both products go along rows */
    (void)forward_by_hand();
    for (int i = 0; i < WIDE; i++) {
        for (int j = 0; j < WIDE; j++) { transposed[j][i] = weight[i][j]; }
    }
    memset(hand_weight, 0, sizeof hand_weight);
    memcpy(hand_first, ct, sizeof ct);
    for (int t = STEPS; t-- != 0;) {
        for (int r = 0; r < BATCH; r++) {
            float *const g = d_xs[t][r];
            for (int j = 0; j < WIDE; j++) { g[j] = hand_first[r][j] * (1 - states[t + 1][r][j] * states[t + 1][r][j]); }
            memset(hand_first[r], 0, sizeof hand_first[r]);
            for (int i = 0; i < WIDE; i++) {
                for (int j = 0; j < WIDE; j++) { hand_weight[i][j] += states[t][r][i] * g[j]; }
                for (int j = 0; j < WIDE; j++) { hand_first[r][j] += g[i] * transposed[i][j]; }
            }
        }
    }
    return hand_first[0][0] > 0;
}

/* Bytes that the way back takes for so many steps. */
static size_t back_bytes(const pytree_fn *scan, size_t steps, pytree carry, pytree wanted, pytree last, pytree d_carry)
{
    const size_t before = allocated;
    const pytree inputs = PYTREE_ARRAY(xs[0][0], steps, BATCH, WIDE), d_inputs = PYTREE_ARRAY(d_xs[0][0], steps, BATCH, WIDE);
    pytree_prepared_free(must_prepare(PYTREE_VJP(scan), 2, (pytree[2]){ PYTREE_TUPLE(carry, inputs), wanted },
                                      PYTREE_TUPLE(last, PYTREE_TUPLE(d_carry, d_inputs))));
    return allocated - before;
}

/* What a step adds to the memory of the way back, beside the state that changes (the weights are in the carry, too). */
static void memory_row(const pytree_fn *scan, pytree carry, pytree wanted, pytree last, pytree d_carry)
{
    const size_t many = back_bytes(scan, STEPS, carry, wanted, last, d_carry);
    const size_t few = back_bytes(scan, STEPS / 2, carry, wanted, last, d_carry);
    row("memory of that vjp for each step, in states of 4096 bytes", "step",
        (double)(many - few) / (double)(STEPS / 2 * sizeof first), NAN, 1, SIZE_MAX);
}

static void recurrent_rows(void)
{
    const pytree_fn *scan = PYTREE_SCAN(PYTREE_TRACED(recur));
    const pytree w = PYTREE_ARRAY(weight[0], WIDE, WIDE), h = PYTREE_ARRAY(first[0], BATCH, WIDE);
    const pytree inputs = PYTREE_ARRAY(xs[0][0], STEPS, BATCH, WIDE), carry = PYTREE_TUPLE(w, h);
    const pytree last = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_ARRAY(end_weight[0], WIDE, WIDE), PYTREE_ARRAY(end[0], BATCH, WIDE)),
                                     PYTREE_NONE);
    const pytree wanted = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_ARRAY(ct_weight[0], WIDE, WIDE), PYTREE_ARRAY(ct[0], BATCH, WIDE)),
                                       PYTREE_NONE);
    const pytree found = PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_ARRAY(d_weight[0], WIDE, WIDE),
                                                   PYTREE_ARRAY(d_first[0], BATCH, WIDE)),
                                      PYTREE_ARRAY(d_xs[0][0], STEPS, BATCH, WIDE));
    double hand, forward;
    NANOSECONDS(hand, STEPS, forward_by_hand());
    forward = prepared_row("scan: recurrent network, 16 rows of 64", "step", STEPS, hand, NAN, scan, 2,
                           (pytree[2]){ carry, inputs }, last);
    NANOSECONDS(hand, STEPS, backward_by_hand());
    prepared_row("vjp of that scan (at most 3 times the scan)", "step", STEPS, hand, 3 * forward, PYTREE_VJP(scan), 2,
                 (pytree[2]){ PYTREE_TUPLE(carry, inputs), wanted }, PYTREE_TUPLE(last, found));
    assert_same(end[0], states[STEPS][0], BATCH * WIDE, "scan");
    assert_same(d_weight[0], hand_weight[0], WIDE * WIDE, "vjp of scan");
    assert_same(d_first[0], hand_first[0], BATCH * WIDE, "vjp of scan");
    memory_row(scan, carry, wanted, last, PYTREE_TUPLE(PYTREE_ARRAY(d_weight[0], WIDE, WIDE),
                                                       PYTREE_ARRAY(d_first[0], BATCH, WIDE)));
}

int main(int argc, char **argv)
{
    uint32_t seed = 1;
    /* The weights of the network keep gradients at their size: numbers too small to be normal would be slow. */
    const struct { float *at; size_t bytes; float size; } parts[] = {
        { &net.w1[0][0], sizeof net, 0.3f }, { input[0], sizeof input, 0.3f }, { target[0], sizeof target, 0.3f },
        { weight[0], sizeof weight, 0.5f }, { first[0], sizeof first, 0.3f }, { xs[0][0], sizeof xs, 0.3f },
        { ct[0], sizeof ct, 0.3f },
    };
    if (argc == 3 && strcmp(argv[1], "--samples") == 0) { samples = strtoul(argv[2], NULL, 10); }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        for (size_t i = 0; i < parts[k].bytes / sizeof(float); i++) {
            seed = 1664525 * seed + 1013904223;
            parts[k].at[i] = ((float)(seed >> 8) / (1 << 24) - 0.5f) * parts[k].size;
        }
    }
    perceptron_rows();
    recurrent_rows();
    return 0;
}
