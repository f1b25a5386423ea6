/* reduce_shared.h: shared by test_reduce.c and test_reduce_numbers.c. */
#ifndef REDUCE_SHARED_H
#define REDUCE_SHARED_H

#include "support.h"
#include <float.h>
#include <math.h>

/* ---- Left and balanced ------------------------------------------------------------------------------------------------- */

/* jax.tree_util.tree_reduce_associative of that many leaves. */
static const struct {
    size_t n;
    const char *text;
} balanced[] = {
    { 1, "a" },
    { 2, "(ab)" },
    { 3, "(a(bc))" },
    { 4, "((ab)(cd))" },
    { 5, "((ab)(c(de)))" },
    { 6, "((a(bc))(d(ef)))" },
    { 7, "((a(bc))((de)(fg)))" },
    { 8, "(((ab)(cd))((ef)(gh)))" },
    { 9, "(((ab)(cd))((ef)(g(hi))))" },
    { 10, "(((ab)(c(de)))((fg)(h(ij))))" },
    { 11, "(((ab)(c(de)))((f(gh))(i(jk))))" },
    { 12, "(((a(bc))(d(ef)))((g(hi))(j(kl))))" },
    { 13, "(((a(bc))(d(ef)))((g(hi))((jk)(lm))))" },
    { 14, "(((a(bc))((de)(fg)))((h(ij))((kl)(mn))))" },
    { 15, "(((a(bc))((de)(fg)))(((hi)(jk))((lm)(no))))" },
    { 16, "((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))" },
    { 17, "((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(o(pq)))))" },
    { 31, "((((a(bc))((de)(fg)))(((hi)(jk))((lm)(no))))((((pq)(rs))((tu)(vw)))(((xy)(za1))((b1c1)(d1e1)))))" },
    { 32, "(((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1f1)))))" },
    { 33, "(((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1(f1g1))))))" },
    { 64, "((((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))((((qr)(st))((uv)(wx)))(((yz)(a1b1))((c1d1)(e1f1)))))"
          "(((((g1h1)(i1j1))((k1l1)(m1n1)))(((o1p1)(q1r1))((s1t1)(u1v1))))((((w1x1)(y1z1))((a2b2)(c2d2)))(((e2f2)(g2h2))"
          "((i2j2)(k2l2))))))" },
    { 100, "((((((a(bc))(d(ef)))((g(hi))(j(kl))))(((m(no))(p(qr)))((s(tu))((vw)(xy)))))((((z(a1b1))(c1(d1e1)))((f1(g1h1))"
           "(i1(j1k1))))(((l1(m1n1))(o1(p1q1)))((r1(s1t1))((u1v1)(w1x1))))))(((((y1(z1a2))(b2(c2d2)))((e2(f2g2))(h2(i2j2))))"
           "(((k2(l2m2))(n2(o2p2)))((q2(r2s2))((t2u2)(v2w2)))))((((x2(y2z2))(a3(b3c3)))((d3(e3f3))(g3(h3i3))))(((j3(k3l3))"
           "(m3(n3o3)))((p3(q3r3))((s3t3)(u3v3)))))))" },
};

#endif
