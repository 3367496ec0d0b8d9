"use strict";

// Pictures of the view: score against time, curves, the matrix of pairs and the heat map.
const N_COLORS = 9;
// Neighbours among the colours have another dash each: the colour-blind tell them apart by it. As many
// dashes as have no factor in common with the colours: no pair comes twice before 36 methods.
const DASHES = [null, "7 3", "2 2 8 2", "12 3 2 3"];
// More columns than this have their names upright, so that all fit on the screen.
const MANY = 13;
const plain = (method) => method !== data.special.random && method !== data.special.all;
const others = Object.keys(data.methods).filter((method) => plain(method) && method !== data.special.study);
const colorOf = (method) => {
  if (method === data.special.study) return "var(--ink)";
  return plain(method) ? `var(--c${others.indexOf(method) % N_COLORS})` : "var(--soft)";
};
const dashOf = (method) => {
  if (method === data.special.all) return "9 5";
  if (method === data.special.random) return "2 3";
  if (method === data.special.study) return null;
  return DASHES[others.indexOf(method) % DASHES.length];
};

const extent = (values, margin = 0.06) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
};
const ticks = (low, high, count = 7) => {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9; t += step) found.push(t);
  return found;
};

// Axes with a grid; returns the element and the two scales.
const axes = (box, { x, y, xTitle, yTitle, xTicks, label, least = 280 }) => {
  const width = Math.max(300, box.clientWidth);
  const height = Math.min(420, Math.max(least, width * 0.5));
  const [left, right, top, bottom] = [48, 14, 10, 44];
  const toX = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const toY = (v) => height - bottom - ((v - y[0]) / (y[1] - y[0] || 1)) * (height - top - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (const t of ticks(...y)) {
    picture.append(svg("line", { x1: left, x2: width - right, y1: toY(t), y2: toY(t), class: "grid" }),
      svg("text", { x: left - 6, y: toY(t) + 4, "text-anchor": "end" }, String(Number(t.toPrecision(6)))));
  }
  for (const [value, text] of xTicks) {
    picture.append(svg("line", { x1: toX(value), x2: toX(value), y1: top, y2: height - bottom, class: "grid" }),
      svg("text", { x: toX(value), y: height - bottom + 16, "text-anchor": "middle" }, text));
  }
  picture.append(
    svg("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, xTitle),
    svg("text", { transform: `translate(12 ${height / 2}) rotate(-90)`, "text-anchor": "middle" }, yTitle));
  return { picture, toX, toY, width, left, right, inside: [left, top, width - right, height - bottom] };
};

// Powers of ten on a logarithmic axis; 2 and 5 between them where there is room.
const timeTicks = (low, high) => {
  const steps = high - low > 3 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(low); power <= high; power += 1) {
    for (const step of steps) {
      const at = power + Math.log10(step);
      if (at >= low && at <= high) found.push([at, String(Number((step * 10 ** power).toPrecision(1)))]);
    }
  }
  return found;
};

// A line across the picture with its name above or below, where nothing is in its way; returns the
// boxes of both.
const flatLine = (frame, value, method, taken = []) => {
  const y = frame.toY(value);
  const [start, end] = [frame.left + 4, frame.width - frame.right];
  const wide = textWidth(titleOf(method));
  const lefts = [1, 0, 0.75, 0.5, 0.25].map((part) => start + part * (end - wide - start));
  const boxes = [-16, 3].flatMap((dy) => lefts.map((left) => [left, y + dy, left + wide, y + dy + 14]));
  const isFree = (box) => taken.every((other) => !overlap(box, other));
  const box = boxes.find(isFree) ?? boxes[0];
  frame.picture.append(
    svg("line", { x1: frame.left, x2: end, y1: y, y2: y, stroke: "var(--soft)", "stroke-width": 1.5,
      "stroke-dasharray": dashOf(method) }),
    svg("text", { x: box[0], y: box[3] - 3, class: "quiet" }, titleOf(method)));
  return [box, ...boxesAlong([[frame.left, y], [end, y]])];
};

const showTime = () => {
  const box = byId("picture-time");
  const view = viewOf();
  const scored = (view ? view.methods : []).map((method) => ({ method, ...record(view, method) }))
    .filter((p) => p.mean !== null);
  const timed = scored.filter((p) => plain(p.method) && p.seconds > 0);
  if (!timed.length) return box.replaceChildren("No method has both a score and a time here.");
  const x = extent(timed.map((p) => Math.log10(p.seconds)), 0.15);
  if (x[1] - x[0] < 0.5) { x[0] -= 0.5; x[1] += 0.5; }
  const frame = axes(box, {
    x, y: extent(scored.map((p) => 100 * p.mean), 0.12),
    xTitle: "seconds of a selection, default setting", yTitle: `${data.metrics[state.metric][1]} in %`,
    xTicks: timeTicks(...x), least: Math.max(280, 20 * timed.length),
    label: `Score against time: ${timed.map((p) => `${titleOf(p.method)} ${(100 * p.mean).toFixed(1)} % in ${secondsText(p.seconds)} s`).join("; ")}`,
  });
  const front = [];
  for (const p of [...timed].sort((a, b) => a.seconds - b.seconds || b.mean - a.mean)) {
    if (!front.length || p.mean > front.at(-1).mean) front.push(p);
  }
  const at = (p) => [frame.toX(Math.log10(p.seconds)), frame.toY(100 * p.mean)];
  const dots = timed.map(at).map(([cx, cy]) => [cx - 9, cy - 9, cx + 9, cy + 9]);
  const flat = scored.filter((p) => !plain(p.method))
    .reduce((taken, p) => [...taken, ...flatLine(frame, 100 * p.mean, p.method, [...dots, ...taken])], []);
  frame.picture.append(svg("polyline", { points: front.map((p) => at(p).join(",")).join(" "), class: "front" }));
  const drawn = [...flat, ...boxesAlong(front.map(at))];
  const names = [...timed].sort((a, b) => (b.method === data.special.study) - (a.method === data.special.study)
    || front.includes(b) - front.includes(a));
  const points = names.map((p) => ({ x: at(p)[0], y: at(p)[1],
    radius: (p.method === data.special.study ? 7 : 5) + (front.includes(p) ? 4 : 0), text: titleOf(p.method), bold: p.method === data.special.study, p }));
  for (const { p, x: cx, y: cy, radius } of points) {
    if (front.includes(p)) frame.picture.append(svg("circle", { cx, cy, r: radius - 1, class: "ring" }));
    frame.picture.append(svg("circle", { cx, cy, r: p.method === data.special.study ? 7 : 5, fill: colorOf(p.method), class: "dot" },
      svg("title", {}, `${titleOf(p.method)}: ${(100 * p.mean).toFixed(1)} %, ${secondsText(p.seconds)} s`)));
  }
  for (const named of placeNames(points, drawn, frame.inside)) drawName(frame.picture, named);
  box.replaceChildren(frame.picture);
};

// Mean curve over the datasets of the view at the s that all of them have; where these are less than
// two, over those that share their s, if they are most. As in the leaderboard, a method without a
// score on some dataset counts as random features there.
const knownCurves = () => data.curves[state.metric]?.[state.choice] ?? {};
const datasetsWithCurves = () => datasetsOf().filter((d) => d in knownCurves());
const sizesOf = (dataset) => {
  const points = Object.entries(knownCurves()[dataset]).flatMap(([m, p]) => (m === data.special.all ? [] : p));
  return [...new Set(points.map(([s]) => s))].sort((a, b) => a - b);
};
const datasetsOfMean = () => {
  const names = datasetsWithCurves();
  if (!names.length) return [];
  const shared = names.map(sizesOf).reduce((some, s) => some.filter((k) => s.includes(k)));
  const alike = Object.values(Object.groupBy(names, (d) => sizesOf(d).join()));
  const most = alike.reduce((a, b) => (b.length > a.length ? b : a));
  return shared.length < 2 && 2 * most.length > names.length ? most : names;
};
const hasGaps = (method) => datasetsOfMean().some((d) => !(method in knownCurves()[d]));
const curvesOf = (dataset) => {
  const known = knownCurves();
  const names = dataset ? [dataset] : datasetsOfMean();
  const found = {};
  for (const method of Object.keys(data.methods)) {
    const instead = !dataset && plain(method) ? data.special.random : method;
    const curves = names.map((d) => known[d]?.[method] ?? known[d]?.[instead]).filter(Boolean);
    if (!curves.length || curves.length < names.length || !names.some((d) => method in known[d])) continue;
    if (method === data.special.all) {
      const mean = (i) => curves.reduce((sum, c) => sum + (c[0][i] ?? 0), 0) / curves.length;
      found[method] = [[null, mean(1), mean(2)]];
      continue;
    }
    const shared = curves[0].map(([s]) => s).filter((s) => curves.every((c) => c.some(([t]) => t === s)));
    found[method] = shared.map((s) => {
      const points = curves.map((c) => c.find(([t]) => t === s));
      return [s, ...[1, 2].map((i) => points.reduce((sum, p) => sum + (p[i] ?? 0), 0) / points.length)];
    });
  }
  return Object.fromEntries(Object.entries(found).filter(([, points]) => points.length));
};

const drawCurves = (box, dataset) => {
  const curves = curvesOf(dataset);
  const lines = Object.entries(curves).filter(([m, p]) => m !== data.special.all && p[0][0] !== null);
  const s = [...new Set(lines.flatMap(([, points]) => points.map(([k]) => k)))].sort((a, b) => a - b);
  if (s.length < 2) {
    box.replaceChildren("No curve: a single number of features, or no scores.");
    return;
  }
  const all = curves[data.special.all]?.[0];
  const banded = [all ? [all] : [], curves[data.special.random] ?? []].flat();
  const values = [
    ...lines.flatMap(([, points]) => points.map(([, v]) => 100 * v)),
    ...banded.flatMap(([, v, d]) => [100 * (v - (d ?? 0)), 100 * (v + (d ?? 0))]),
  ];
  const every = Math.ceil(s.length / 10);
  const frame = axes(box, {
    x: [s[0], s.at(-1)], y: extent(values),
    xTitle: "number of features s", yTitle: `${data.metrics[state.metric][1]} in %`,
    xTicks: s.filter((_, i) => i % every === 0).map((k) => [k, String(k)]),
    label: `Score against s: ${lines.map(([m, p]) => `${titleOf(m)} ${(100 * p[0][1]).toFixed(1)} to ${(100 * p.at(-1)[1]).toFixed(1)} %`).join("; ")}`,
  });
  const band = (points, method) => {
    const edge = (sign) => points.map(([k, v, d]) => `${frame.toX(k)},${frame.toY(100 * (v + sign * (d ?? 0)))}`);
    frame.picture.append(svg("polygon", { points: [...edge(1), ...edge(-1).reverse()].join(" "), class: "band" },
      svg("title", {}, `${titleOf(method)}: mean ± standard deviation`)));
  };
  if (all) {
    band([[s[0], all[1], all[2]], [s.at(-1), all[1], all[2]]], data.special.all);
    const drawn = lines.flatMap(([, points]) => boxesAlong(points.map(([k, v]) => [frame.toX(k), frame.toY(100 * v)])));
    flatLine(frame, 100 * all[1], data.special.all, drawn);
  }
  if (curves[data.special.random]) band(curves[data.special.random], data.special.random);
  for (const [method, points] of lines) {
    frame.picture.append(svg("polyline", {
      points: points.map(([k, v]) => `${frame.toX(k)},${frame.toY(100 * v)}`).join(" "), fill: "none",
      "data-method": method, stroke: colorOf(method), "stroke-width": method === data.special.study ? 3.5 : 1.8,
      "stroke-dasharray": dashOf(method) }, svg("title", {}, titleOf(method))));
  }
  // The pointer or the keyboard on a name brings its line out.
  const light = (method) => frame.picture.querySelectorAll("polyline[data-method]").forEach((line) =>
    line.classList.toggle("dimmed", method !== null && line.dataset.method !== method));
  const counted = dataset ? [] : lines.map(([method]) => method).filter(hasGaps);
  const legend = html("ul", { class: "keys" }, ...lines.map(([method]) => {
    const name = methodButton(method);
    for (const event of ["pointerenter", "focus"]) name.addEventListener(event, () => light(method));
    for (const event of ["pointerleave", "blur"]) name.addEventListener(event, () => light(null));
    return html("li", {}, swatch(method), html("span", {}, name, counted.includes(method) ? "*" : ""));
  }));
  const note = counted.length ? "* Counts as random features on datasets where it has no score." : "";
  box.replaceChildren(frame.picture, legend, html("p", { class: "quiet" }, note));
};
const swatch = (method) =>
  svg("svg", { width: 26, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: colorOf(method), "stroke-dasharray": dashOf(method),
      "stroke-width": method === data.special.study ? 3.5 : 2 }));

const showCurves = () => {
  const select = byId("select-curve");
  const names = datasetsWithCurves();
  const meant = datasetsOfMean().length;
  const hasMean = meant > 1 && Object.values(curvesOf("")).some((points) => points.length > 1);
  const over = meant < names.length ? `${meant} of ${datasetsText(names.length)}` : "the datasets";
  const mean = hasMean ? [html("option", { value: "" }, `Mean over ${over}`)] : [];
  select.replaceChildren(...mean, ...names.map((d) => html("option", { value: d }, data.datasets[d].title)));
  select.value = names.includes(state.curve) ? state.curve : hasMean ? "" : names[0];
  select.closest("label").hidden = select.options.length < 2;
  drawCurves(byId("picture-curves"), select.value);
};

// Blue for better, orange for worse, as strong as the difference.
const shade = (value, limit) => {
  const strength = Math.min(1, Math.abs(value) / (limit || 1));
  return `--shade: ${Math.round(45 * strength)}%; --tint: var(${value >= 0 ? "--good" : "--bad"})`;
};

const showPairs = () => {
  const box = byId("picture-pairs");
  const view = viewOf();
  const order = view ? view.pairs.methods : [];
  if (order.length < 2) return box.replaceChildren(view && view.n < 2 ? "Pairs of methods are compared over at least two datasets." : "No two methods to compare here.");
  const found = new Map();
  let next = 0;
  let limit = 0;
  order.forEach((a, i) => order.slice(i + 1).forEach((b) => {
    const [difference, wins, losses, p] = view.pairs.values.slice(next, next + 4);
    next += 4;
    limit = Math.max(limit, Math.abs(difference));
    found.set(`${a} ${b}`, [difference, wins, view.n - wins - losses, losses, p]);
    found.set(`${b} ${a}`, [-difference, losses, view.n - wins - losses, wins, p]);
  }));
  const cell = (a, b) => {
    const pair = found.get(`${a} ${b}`);
    if (!pair) return html("td", {}, "–");
    const [difference, wins, ties, losses, p] = pair;
    const distinct = p !== null && p < data.significanceLevel;
    return html("td", { style: shade(difference, limit), class: distinct ? "shaded distinct" : "shaded",
      title: `${titleOf(view.methods[a])} less ${titleOf(view.methods[b])}: p = ${p === null ? "not defined" : p}` },
      signed(difference), html("br"), html("small", {}, `${wins}/${ties}/${losses}`));
  };
  box.replaceChildren(grid("Every method against every other", ["", ...order.map((b) => titleOf(view.methods[b]))],
    order.map((a) => [methodButton(view.methods[a]), ...order.map((b) => cell(a, b))])));
};

const grid = (label, titles, rows) =>
  html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    html("table", { class: titles.length > MANY ? "grid many" : "grid" },
      html("thead", {}, html("tr", {}, ...titles.map((t) => html("th", { scope: "col" }, html("span", {}, t))))),
      html("tbody", {}, ...rows.map(([first, ...cells]) => html("tr", {}, html("th", { scope: "row" }, first), ...cells)))));

const cellsOf = (dataset) => data.cells[state.metric]?.[state.choice]?.[state.score]?.[dataset] ?? {};
const gainOn = (dataset, method) => {
  const cells = cellsOf(dataset);
  if (cells[method] === undefined) return null;
  const random = cells[data.special.random];
  const others = Object.entries(cells).filter(([m]) => m !== data.special.all).map(([, v]) => v);
  const reference = random ?? others.reduce((sum, v) => sum + v, 0) / others.length;
  return 100 * (cells[method] - reference);
};

// What the heat map shows: gains, or how far a method is behind the best of a dataset.
const HEATS = { gain: "above random features", behind: "behind the best method of each dataset" };
const showHeat = () => {
  const box = byId("picture-heat");
  const view = viewOf();
  const names = datasetsOf().filter((d) => Object.keys(cellsOf(d)).length);
  if (!view || !names.length) return box.replaceChildren("No scores here.");
  const isBehind = state.heat === "behind";
  const options = { ...HEATS, ...(view.hasRandom ? {} : { gain: "above the mean of the methods" }) };
  byId("select-heat").replaceChildren(...Object.entries(options).map(([value, title]) => html("option", { value }, title)));
  byId("select-heat").value = isBehind ? "behind" : "gain";
  const pointsOf = (d, m) => {
    const best = Math.max(...ranked(cellsOf(d)).map(([, v]) => v));
    return isBehind && cellsOf(d)[m] !== undefined ? 100 * (cellsOf(d)[m] - best) : gainOn(d, m);
  };
  const points = names.flatMap((d) => view.methods.map((m) => Math.abs(pointsOf(d, m) ?? 0)));
  const limit = Math.min(25, Math.max(...points));
  const cell = (dataset, method) => {
    const value = pointsOf(dataset, method);
    const why = data.problems[dataset]?.[method];
    if (value === null) return html("td", { title: why ?? "no score" }, "–");
    return html("td", { class: "shaded", style: shade(value, limit),
      title: `${titleOf(method)} on ${data.datasets[dataset].title}: ${(100 * cellsOf(dataset)[method]).toFixed(1)} %` },
      isBehind && value === 0 ? "best" : signed(value));
  };
  const header = view.methods.map((method) => methodButton(method));
  box.replaceChildren(grid("Datasets and methods", ["Dataset", ...header],
    names.map((d) => [datasetButton(d), ...view.methods.map((m) => cell(d, m))])));
};

const showPictures = () => {
  showTime();
  showCurves();
  showRanks();
  showPairs();
  showHeat();
};
