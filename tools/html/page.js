// The script of a page of pytree/html.h. tools/html_page.py puts it into pytree/impl/html_page.h.
//
// The data: {title, diff, rows, shared}. A row is {d, k, m, a, b, e}: depth, key, mark of a difference ("+", "-", "!"), the two
// sides, errors. A side is a node {n, f, r}: type, static fields, role; or a leaf {y, s, z, q, v, x, h, r}: element type, shape,
// elements, bytes, values, statistics, heat map, role. Rows come in the order of a walk. Nothing here recurses, and only the rows
// in sight are elements of the page.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const rows = data.rows, count = rows.length;
const HEIGHT = 24, TALLEST = 2e7, STEP = 16, DEEPEST = 24, SMALL = 300;
const $ = (id) => document.getElementById(id);
const tree = $("tree"), space = $("space"), view = $("window"), details = $("details"), search = $("search");

// ---- The tree as arrays

const parent = new Int32Array(count), end = new Int32Array(count), position = new Int32Array(count), children = new Int32Array(count);
const leaves = new Float64Array(count), elements = new Float64Array(count), bytes = new Float64Array(count);
const marks = new Int32Array(count);     // in the row and below it
let open = new Uint8Array(count);
const value = (i) => rows[i].a || rows[i].b;
const key = (i) => rows[i].k || "";

(function index() {
    const stack = [];
    for (let i = 0; i < count; i++) {
        while (stack.length > rows[i].d) { end[stack.pop()] = i; }
        parent[i] = stack.length ? stack[stack.length - 1] : -1;
        if (parent[i] >= 0) { position[i] = ++children[parent[i]]; }
        stack.push(i);
    }
    while (stack.length) { end[stack.pop()] = count; }
    for (let i = count - 1; i >= 0; i--) {
        const leaf = value(i);
        if (leaf.y !== undefined) {
            leaves[i] += 1;
            elements[i] += leaf.z || 0;
            bytes[i] += leaf.q || 0;
        }
        marks[i] += rows[i].m ? 1 : 0;
        if (parent[i] < 0) { continue; }
        leaves[parent[i]] += leaves[i];
        elements[parent[i]] += elements[i];
        bytes[parent[i]] += bytes[i];
        marks[parent[i]] += marks[i];
    }
})();

function pathOf(i) {
    const keys = [];
    for (; i > 0; i = parent[i]) { keys.push(key(i)); }
    return keys.reverse().join("");
}

// The row at a path, -1 if there is none: a row's path is known to begin the text if its parent's is.
function rowAt(path) {
    const begun = [0];
    if (path === "") { return 0; }
    for (let i = 1; i < count; i++) {
        const at = begun[rows[i].d - 1];
        const fits = at >= 0 && path.startsWith(key(i), at);
        begun[rows[i].d] = fits ? at + key(i).length : -1;
        if (fits && begun[rows[i].d] === path.length) { return i; }
    }
    return -1;
}

// ---- Numbers and words

const grouped = (n) => n.toLocaleString("en-US");
const plural = (n, word) => grouped(n) + " " + (n === 1 ? word : word === "leaf" ? "leaves" : word + "s");
const short = (v) => String(Number(v.toPrecision(6)));
function sized(n) {
    let unit = 0;
    for (; n >= 1000 && unit < 4; unit++) { n /= 1000; }
    return (unit ? n.toFixed(1) : n) + " " + ["B", "KB", "MB", "GB", "TB"][unit];
}
const valuesOf = (side) => side.n !== undefined ? (side.f || []).map((f) => f[0] + "=" + f[1]).join(", ") : side.v || "";
const typeOf = (side) => side.n !== undefined ? side.n : side.y + (side.s !== undefined ? "[" + side.s + "]" : "");

function make(tag, properties, ...inside) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside);
    return made;
}

// ---- Search

let hits = null, kept = null, before = null;     // rows found; rows to show; what was open before the search

// Steps of a pattern; null if the text is none.
function stepsOf(text) {
    const steps = [], part = /\*\*|\.\*|\[\*\]|\*|\.[^.[\]'"*\\\s]+|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]|\[(?:-?\d+|<flat index \d+>)\]/y;
    while (part.lastIndex < text.length) {
        const found = part.exec(text);
        if (found === null) { return null; }
        steps.push(found[1] ? { quoted: unquoted(found[1]) } : { text: found[0] });
    }
    return steps.length > 30 ? null : steps;
}

function unquoted(text) {
    const named = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b", f: "\f", v: "\v" };
    return text.slice(1, -1).replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs, (all, x, u, long, one) => {
        const code = parseInt(x || u || long, 16);
        return one !== undefined ? named[one] || one : code <= 0x10ffff ? String.fromCodePoint(code) : all;
    });
}

function fits(step, text) {
    if (step.quoted !== undefined) { return /^\[['"]/.test(text) && unquoted(text.slice(1, -1)) === step.quoted; }
    return step.text === "*" || step.text === text || (step.text === ".*" && text[0] === ".") || (step.text === "[*]" && text[0] === "[");
}

// Finds the paths that match, all at once: the places in the pattern that a row's path may have reached follow from its parent's.
function findPattern(steps) {
    const found = new Uint8Array(count), reached = [];
    const passing = (places) => {
        steps.forEach((step, k) => { if (step.text === "**" && places >> k & 1) { places |= 2 << k; } });
        return places;
    };
    for (let i = 0; i < count; i++) {
        const d = rows[i].d;
        let places = 0;
        if (d === 0) { places = 1; }
        for (let k = 0, from = d ? reached[d - 1] : 0; from >> k; k++) {
            if (!(from >> k & 1) || k === steps.length) { continue; }
            if (steps[k].text === "**") { places |= 1 << k; } else if (fits(steps[k], key(i))) { places |= 2 << k; }
        }
        reached[d] = passing(places);
        found[i] = reached[d] >> steps.length & 1;
    }
    return found;
}

// Finds the paths that contain a text. Of a path only the end is needed in which an occurrence may have begun.
function findText(text) {
    const found = new Uint8Array(count), ends = [];
    text = text.toLowerCase();
    for (let i = 0; i < count; i++) {
        const d = rows[i].d, path = (d ? ends[d - 1] : "") + key(i).toLowerCase();
        found[i] = (d && found[parent[i]]) || path.includes(text) ? 1 : 0;
        ends[d] = path.slice(Math.max(0, path.length - text.length + 1));
    }
    return found;
}

function find(text) {
    const steps = text.includes("*") ? stepsOf(text) : null;
    if (hits === null) { before = open; }
    hits = kept = null;
    if (text === "") {
        open = before;
        $("found").textContent = "";
    } else if (text.includes("*") && steps === null) {
        open = before.slice();
        $("found").textContent = "not a pattern";
        hits = kept = new Uint8Array(count);
    } else {
        hits = steps ? findPattern(steps) : findText(text);
        kept = hits.slice();
        open = new Uint8Array(count);
        let below = 0, n = 0;
        for (let i = 0; i < count; i++) {
            if (hits[i]) { below = Math.max(below, end[i]); }
            if (i < below) { kept[i] = 1; }
            if (hits[i] && value(i).y !== undefined) { n++; }
        }
        for (let i = count - 1; i > 0; i--) {
            if (kept[i]) { kept[parent[i]] = 1; }
            if (hits[i] || open[i]) { open[parent[i]] = 1; }
        }
        $("found").textContent = plural(n, "leaf") + " of " + grouped(leaves[0]);
    }
    list();
    if (hits !== null) { tree.scrollTop = 0; }
    draw();
}

// ---- Rows in sight

let shown = [], chosen = 0;

function list() {
    shown = [];
    for (let i = 0; i < count;) {
        const out = kept !== null && !kept[i];
        if (!out) { shown.push(i); }
        i = !out && open[i] ? i + 1 : end[i];
    }
    space.style.height = Math.min(shown.length * HEIGHT, TALLEST) + "px";
}

// Where a row is among those shown; where it would be, if it is not.
function placeOf(i) {
    let low = 0, high = shown.length;
    while (low < high) {
        const middle = low + high >> 1;
        if (shown[middle] < i) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// Pixels of all rows that lie above the first one in sight; the space may be lower than they are together.
const hidden = () => Math.max(1, shown.length * HEIGHT - tree.clientHeight);
const scrollable = () => Math.max(1, Math.min(shown.length * HEIGHT, TALLEST) - tree.clientHeight);

function rowElement(i) {
    const row = rows[i], side = value(i), node = side.n !== undefined, folded = !open[i];
    const state = { "+": "added", "-": "removed", "!": "changed" }[row.m] || (marks[i] ? "inside" : "");
    const made = make("div", { className: "row " + state + (hits !== null && hits[i] ? " hit" : ""), id: "row" + i });
    const deep = row.d > DEEPEST ? row.d + " " : "";
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", row.d + 1);
    made.setAttribute("aria-posinset", position[i] || 1);
    made.setAttribute("aria-setsize", parent[i] < 0 ? 1 : children[parent[i]]);
    made.setAttribute("aria-selected", i === chosen);
    if (children[i]) { made.setAttribute("aria-expanded", !folded); }
    const name = make("span", { className: "key" }, make("span", { className: "fold" }, children[i] ? folded ? "\u25b8" : "\u25be" : ""),
                      make("span", { className: "depth" }, deep), i === 0 ? "root" : key(i));
    name.style.marginLeft = STEP * Math.min(row.d, DEEPEST) + "px";
    const both = (say) => row.a && row.b && say(row.a) !== say(row.b) ? say(row.a) + " \u2192 " + say(row.b) : say(side);
    made.append(
        name, make("span", { className: "type" }, both(typeOf)), make("span", { className: "values" }, both(valuesOf)),
        make("span", { className: "sum" }, node ? plural(leaves[i], "leaf") + ", " + sized(bytes[i])
             : side.q === undefined ? "" : sized(side.q)));
    if (data.diff) { made.prepend(make("span", { className: "mark" }, row.m || (marks[i] ? "\u00b7" : ""))); }
    return made;
}

function draw() {
    const top = tree.scrollTop / scrollable() * hidden();
    const first = Math.max(0, Math.floor(top / HEIGHT) - 4);
    const last = Math.min(shown.length, first + Math.ceil(tree.clientHeight / HEIGHT) + 8);
    view.style.transform = "translateY(" + (tree.scrollTop - (top - first * HEIGHT)) + "px)";
    view.replaceChildren(...shown.slice(first, last).map(rowElement));
    if ($("row" + chosen)) { tree.setAttribute("aria-activedescendant", "row" + chosen); }
    else { tree.removeAttribute("aria-activedescendant"); }
}

function intoSight(i) {
    const ratio = scrollable() / hidden(), top = placeOf(i) * HEIGHT, above = tree.scrollTop / ratio;
    if (top < above) { tree.scrollTop = top * ratio; }
    else if (top + HEIGHT > above + tree.clientHeight) { tree.scrollTop = (top + HEIGHT - tree.clientHeight) * ratio; }
}

function choose(i, note) {
    const path = pathOf(i);
    chosen = i;
    intoSight(i);
    draw();
    tell(i);
    if (note) { history.replaceState(null, "", path.length < 2000 ? "#at=" + encodeURIComponent(path) : "#"); }
}

// Unfolds what is above a row, ends a search that hides it, and chooses it.
function reveal(i) {
    if (kept !== null && !kept[i]) {
        search.value = "";
        find("");
    }
    for (let above = parent[i]; above >= 0; above = parent[above]) { open[above] = 1; }
    list();
    choose(i, true);
}

function turn(i, unfold) {
    if (!children[i]) { return; }
    open[i] = unfold ? 1 : 0;
    list();
    if (placeOf(chosen) === shown.length || shown[placeOf(chosen)] !== chosen) { choose(i, true); } else { draw(); }
}

function turnAll(unfold) {
    open = new Uint8Array(count).fill(unfold ? 1 : 0);
    list();
    choose(unfold ? chosen : 0, false);
}

// ---- Details

function table(lines) {
    return make("table", {}, ...lines.filter((line) => line[1] !== undefined).map((line) =>
        make("tr", {}, make("th", { scope: "row" }, line[0]), ...line.slice(1).map((cell) => make("td", {}, cell)))));
}

// The number at a part of the way from one to another, whose difference may be infinite.
const between = (low, high, part) => low * (1 - part) + high * part;

function histogram(x) {
    const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), n = x.bars.length;
    const most = Math.max(...x.bars), min = Number(x.min), max = Number(x.max);
    svg.setAttribute("viewBox", "0 0 " + n + " 100");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Histogram from " + x.min + " to " + x.max + ", mean " + short(x.mean));
    x.bars.forEach((bar, k) => {
        const rect = document.createElementNS(ns, "rect"), said = document.createElementNS(ns, "title");
        const tall = bar ? Math.max(1, 100 * bar / most) : 0;
        for (const [name, v] of [["x", k + 0.05], ["width", 0.9], ["y", 100 - tall], ["height", tall]]) { rect.setAttribute(name, v); }
        said.textContent = grouped(bar) + (isNaN(min) ? "" : " from " + short(between(min, max, k / n)) + " to "
            + short(between(min, max, (k + 1) / n)));
        rect.append(said);
        svg.append(rect);
    });
    return [make("h3", {}, "Histogram"), svg,
            make("div", { className: "ends" }, make("span", {}, x.min), make("span", {}, x.max))];
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const AROUND = [[33, 102, 172], [146, 197, 222], [247, 247, 247], [244, 165, 130], [178, 24, 43]];

function colour(h, level) {
    const around = h.low < 0 && h.high > 0, most = Math.max(-h.low, h.high), v = between(h.low, h.high, level / 63);
    const at = 4 * (around ? (v / most + 1) / 2 : level / 63), k = Math.min(3, Math.floor(at)), stops = around ? AROUND : SCALE;
    return [0, 1, 2].map((c) => stops[k][c] + (stops[k + 1][c] - stops[k][c]) * (at - k));
}

// The leading indices of a slice: "[3,0,:,:]".
function sliceName(shape, number) {
    const index = [];
    for (let axis = shape.length - 3; axis >= 0; axis--) {
        index.unshift(number % shape[axis]);
        number = Math.floor(number / shape[axis]);
    }
    return "[" + [...index, ":", ":"].join(",") + "]";
}

function heatMap(title, h, text) {
    const shape = text.split(",").map(Number), [high, wide] = h.size;
    const canvas = make("canvas", { width: wide, height: high, className: "heat" }), context = canvas.getContext("2d");
    const said = make("output", {}, "\u00a0"), ends = h.low === undefined ? [] : [make("span", {}, short(h.low)), make("span", {}, short(h.high))];
    const lengths = shape.length > 1 ? shape.slice(-2) : [1, shape[0]];
    let slice = 0;
    const levelAt = (row, column) => DIGITS.indexOf(h.cells[(slice * high + row) * wide + column]);
    const paint = () => {
        const image = context.createImageData(wide, high);
        for (let k = 0; k < high * wide; k++) {
            const level = levelAt(Math.floor(k / wide), k % wide);
            image.data.set(level < 0 ? [255, 0, 255, 255] : [...colour(h, level), 255], 4 * k);
        }
        context.putImageData(image, 0, 0);
    };
    const range = (k, n, length) => {
        const first = Math.floor(k * length / n), last = Math.floor((k + 1) * length / n) - 1;
        return first === last ? String(first) : first + "\u2013" + last;
    };
    canvas.style.aspectRatio = wide + "/" + Math.max(high, wide / 12);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", title + " of " + high + " by " + wide + " cells");
    canvas.addEventListener("pointermove", (event) => {
        const box = canvas.getBoundingClientRect();
        const column = Math.min(wide - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * wide)));
        const row = Math.min(high - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * high)));
        const level = levelAt(row, column);
        said.textContent = "[" + (shape.length > 1 ? range(row, high, lengths[0]) + ", " : "") + range(column, wide, lengths[1]) + "]  "
            + (level < 0 ? "not finite" : "about " + short(between(h.low, h.high, level / 63)));
    });
    paint();
    const parts = [make("h3", {}, title)];
    if (h.slices.length > 1) {
        const pick = make("select", { ariaLabel: "Slice" }, ...h.slices.map((number, k) =>
            make("option", { value: k }, sliceName(shape, number))));
        pick.addEventListener("change", () => { slice = Number(pick.value); paint(); });
        parts.push(pick);
    }
    return [...parts, canvas, make("div", { className: "ends" }, ...ends), make("p", {}, said)];
}

function tellLeaf(side) {
    const x = side.x || {}, parts = [];
    if (side.v !== undefined) { parts.push(make("h3", {}, "Values"), make("p", { className: "path" }, side.v)); }
    if (side.x) {
        parts.push(make("h3", {}, x.step ? "Statistics of every " + x.step + "th element" : "Statistics"), table([
            ["min", x.min], ["max", x.max], ["mean", x.mean === undefined ? undefined : short(x.mean)],
            ["std", x.mean === undefined ? undefined : short(x.half * Math.sqrt(x.var) * 2)],
            ["NaN", x.nan && grouped(x.nan)], ["infinite", x.inf && grouped(x.inf)]]));
        if (x.nan || x.inf) { parts[parts.length - 1].classList.add("bad"); }
        if (x.bars) { parts.push(...histogram(x)); }
    }
    if (side.h) { parts.push(...heatMap("Heat map", side.h, side.s)); }
    return parts;
}

function tellNode(i, side) {
    const parts = side.f ? [make("h3", {}, "Static fields"), table(side.f)] : [], types = new Map();
    for (let k = i; k < end[i]; k++) {
        const leaf = value(k);
        if (leaf.z === undefined) { continue; }
        const sum = types.get(leaf.y) || [0, 0, 0];
        types.set(leaf.y, [sum[0] + 1, sum[1] + leaf.z, sum[2] + leaf.q]);
    }
    if (types.size) {
        parts.push(make("h3", {}, "By element type"), table([...types].sort().map(([name, sum]) =>
            [name, plural(sum[0], "leaf"), plural(sum[1], "element"), sized(sum[2])])));
    }
    return parts;
}

// Links to the other rows that show the same memory.
function tellShared(i) {
    const links = [];
    for (const group of [...data.shared.a.groups, ...data.shared.b.groups]) {
        if (!group.includes(i)) { continue; }
        for (const other of group) {
            if (other === i) { continue; }
            const path = pathOf(other), link = make("a", { href: "#at=" + encodeURIComponent(path) }, path || "root");
            link.addEventListener("click", (event) => { event.preventDefault(); reveal(other); });
            links.push(make("p", {}, link));
        }
    }
    return links.length ? [make("h3", {}, "The same memory"), ...links.slice(0, 200)] : [];
}

function tellErrors(e, shape) {
    return [make("h3", {}, "Difference"), table([
        ["elements that differ", grouped(e.differing)], ["not finite", e.not_finite && grouped(e.not_finite)],
        ["first", e.first === undefined ? undefined : e.from + " \u2192 " + e.to + " at element " + grouped(e.first)],
        ["largest |a \u2212 b|", short(e.absolute) + " at element " + grouped(e.absolute_at)],
        ["largest relative", short(e.relative) + " at element " + grouped(e.relative_at)]]),
            ...(e.h ? heatMap("b \u2212 a", e.h, shape) : [])];
}

function tell(i) {
    const row = rows[i], word = { "+": "added", "-": "removed", "!": "changed" }[row.m], parts = [], path = pathOf(i);
    const sides = row.a && row.b ? [["a", row.a], ["b", row.b]] : [["", value(i)]];
    parts.push(make("h2", { className: "path" }, path.length > 4000 ? path.slice(0, 2000) + " ... " + path.slice(-2000) : path || "root"));
    if (word) { parts.push(make("p", { className: word }, make("span", { className: "key" }, word))); }
    if (row.e) { parts.push(...tellErrors(row.e, row.a.s)); }
    for (const [name, side] of sides) {
        if (name) { parts.push(make("h3", {}, name)); }
        parts.push(make("p", { className: "type" }, typeOf(side)), table([
            ["elements", side.z === undefined ? undefined : grouped(side.z)], ["bytes", side.q === undefined ? undefined : grouped(side.q)],
            ["leaves below", side.n === undefined ? undefined : grouped(leaves[i])],
            ["elements below", side.n === undefined ? undefined : grouped(elements[i])],
            ["bytes below", side.n === undefined ? undefined : grouped(bytes[i])], ["role", side.r]]));
        parts.push(...(side.n !== undefined ? tellNode(i, side) : tellLeaf(side)));
    }
    details.replaceChildren(...parts, ...tellShared(i));
}

// ---- Keys, buttons, the address

// The next row for which `wanted` holds, or the one before; chosen round the ends.
function step(wanted, by) {
    for (let k = 1, i = chosen; k <= count; k++) {
        i = (i + by + count) % count;
        if (wanted(i)) { reveal(i); return; }
    }
}
const stepOn = (by) => hits !== null ? step((i) => hits[i], by) : step((i) => rows[i].m, by);

const KEYS = {
    ArrowDown: () => shown[Math.min(placeOf(chosen) + 1, shown.length - 1)],
    ArrowUp: () => shown[Math.max(placeOf(chosen) - 1, 0)],
    PageDown: () => shown[Math.min(placeOf(chosen) + Math.floor(tree.clientHeight / HEIGHT), shown.length - 1)],
    PageUp: () => shown[Math.max(placeOf(chosen) - Math.floor(tree.clientHeight / HEIGHT), 0)],
    Home: () => shown[0],
    End: () => shown[shown.length - 1],
    ArrowRight: () => {
        if (children[chosen] && open[chosen]) { return shown[placeOf(chosen) + 1]; }
        turn(chosen, true);
    },
    ArrowLeft: () => {
        if (!children[chosen] || !open[chosen]) { return Math.max(parent[chosen], 0); }
        turn(chosen, false);
    },
    Enter: () => turn(chosen, !open[chosen]),
    " ": () => turn(chosen, !open[chosen]),
    n: () => stepOn(1),
    N: () => stepOn(-1)
};

tree.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey || !shown.length) { return; }
    event.preventDefault();
    const to = KEYS[event.key]();
    if (to !== undefined && to !== chosen) { choose(to, true); }
});
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== search) {
        event.preventDefault();
        search.focus();
    }
});
search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        if (event.key === "Escape") { search.value = ""; find(""); } else if (hits !== null && !hits[chosen]) { stepOn(1); }
        tree.focus();
    }
});
tree.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row) { return; }
    const i = Number(row.id.slice(3));
    choose(i, true);
    if (event.target.closest(".fold")) { turn(i, !open[i]); }
});
tree.addEventListener("dblclick", (event) => {
    const row = event.target.closest(".row");
    if (row) { turn(Number(row.id.slice(3)), !open[Number(row.id.slice(3))]); }
});
search.addEventListener("input", () => find(search.value));
tree.addEventListener("scroll", () => requestAnimationFrame(draw));
addEventListener("resize", draw);
$("unfold").addEventListener("click", () => turnAll(true));
$("fold").addEventListener("click", () => turnAll(false));
$("next").addEventListener("click", () => step((i) => rows[i].m, 1));

// #at=PATH chooses a row, #search=TEXT searches; both together: #search=TEXT&at=PATH.
function follow() {
    const asked = new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
    if (asked.has("search")) { search.value = asked.get("search"); find(search.value); }
    const i = asked.has("at") ? rowAt(asked.get("at")) : -1;
    if (i >= 0) { reveal(i); }
    return i >= 0;
}
addEventListener("hashchange", follow);

(function begin() {
    const total = data.shared.a.bytes, level = [];
    let most = 1;
    document.title = $("title").textContent = data.title;
    $("totals").textContent = plural(leaves[0], "leaf") + ", " + plural(elements[0], "element") + ", " + sized(bytes[0])
        + (!data.diff && total < bytes[0] ? " (" + sized(total) + " in memory: some is shared)" : "")
        + (data.diff ? ", " + (marks[0] ? plural(marks[0], "difference") : "no differences") : "");
    $("next").hidden = !data.diff || !marks[0];
    for (let i = 0; i < count; i++) { level[rows[i].d] = (level[rows[i].d] || 0) + 1; }
    for (let d = 0, sum = 0; d < level.length && (sum += level[d]) <= SMALL; d++) { most = Math.max(d, 1); }
    for (let i = 0; i < count; i++) { open[i] = rows[i].d < most || (data.diff && rows[i].m === undefined && marks[i] && marks[0] < SMALL) ? 1 : 0; }
    list();
    draw();
    if (follow()) { return; }
    if (data.diff && marks[0]) { chosen = -1; step((i) => rows[i].m, 1); } else { choose(0, false); }
})();
