"use strict";

// Data of one shape, or picked by the reader: their methods are compared here, in the page, as the
// groups that stand in it already were.
const SHAPES = {
  wide: ["Fewer samples than features", (d) => d.samples < d.features],
  tall: ["More than ten samples per feature", (d) => d.samples > 10 * d.features],
  sparse: ["Sparse", (d) => d.sparse],
};
const shapeMembers = Object.fromEntries(
  Object.entries(SHAPES)
    .map(([key, [, has]]) => [key, data.members.all.filter((d) => has(data.datasets[d]))])
    .filter(([, names]) => names.length && names.length < data.members.all.length));
for (const key of Object.keys(shapeMembers)) OPTIONS.domain[key] = SHAPES[key][0];
if (data.members.all.length > 1) OPTIONS.domain.own = "Picked datasets";

// Scores closer than this are ties.
const tidy = (value) => Math.round(value * 1e10) / 1e10;
const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), half = (sorted.length - 1) / 2;
  return sorted.length ? (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2 : null;
};

// Mulberry32, so that the same datasets give the same interval.
const drawing = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
// 95 % bootstrap interval of the mean of every list, one number for each dataset; all have the same
// draws. The datasets of a study are drawn together.
const studiesOf = (names) => [...new Set(names.map((d) => data.datasets[d].study))];
const intervals = (lists, names) => {
  const studies = studiesOf(names), n = studies.length;
  if (n < 2) return lists.map(() => [null, null]);
  const rows = studies.map((study) => names.flatMap((d, i) => (data.datasets[d].study === study ? [i] : [])));
  const next = drawing(n);
  const draws = Array.from({ length: 2000 }, () => Array.from({ length: n }, () => rows[Math.floor(next() * n)]).flat());
  return lists.map((values) => {
    const means = draws.map((draw) => draw.reduce((sum, i) => sum + values[i], 0) / draw.length).sort((a, b) => a - b);
    return [means[50], means[1949]];
  });
};

// Places of numbers, the largest first: the best place of ties, or their mean.
const placesOf = (values, ofTies) => values.map((v) => {
  const above = values.filter((w) => w > v).length;
  return above + (ofTies === "mean" ? (values.filter((w) => w === v).length + 1) / 2 : 1);
});

const madeViews = new Map();
const compare = (names, metric) => {
  const key = JSON.stringify([metric, state.choice, state.score, state.domain, names]);
  if (!madeViews.has(key)) madeViews.set(key, newView(names, metric));
  return madeViews.get(key);
};

const newView = (names, metric) => {
  const { random, all } = data.special;
  const cells = data.cells[metric]?.[state.choice]?.[state.score] ?? {};
  let rows = names.filter((d) => Object.keys(cells[d] ?? {}).length);
  let methods = Object.keys(data.methods);
  const hasRandom = rows.some((d) => random in cells[d]);
  // As in the groups that are given: a gap counts as random features, or leaves the dataset out.
  if (hasRandom) rows = rows.filter((d) => random in cells[d]);
  else {
    methods = methods.filter((m) => 2 * rows.filter((d) => !(m in cells[d])).length <= rows.length);
    rows = rows.filter((d) => methods.every((m) => m in cells[d]));
  }
  if (!rows.length) return undefined;
  const scores = Object.fromEntries(methods.map((m) => [m, rows.map((d) => cells[d][m] ?? cells[d][random])]));
  const ranked = methods.filter((m) => m !== all);
  const place = placesOf(ranked.map((m) => tidy(mean(scores[m]))));
  const ranks = rows.map((_, i) => placesOf(ranked.map((m) => tidy(scores[m][i])), "mean"));
  const best = rows.map((_, i) => Math.max(...ranked.map((m) => scores[m][i])));
  const gains = Object.fromEntries(methods.map((m) => [m, hasRandom ? scores[m].map((v, i) => 100 * (v - scores[random][i])) : []]));
  const spans = hasRandom ? intervals(methods.map((m) => gains[m]), rows) : [];
  const records = methods.map((m, i) => {
    const position = ranked.indexOf(m);
    const signs = gains[m].map((g) => Math.sign(tidy(g)));
    const count = (sign) => signs.filter((s) => s === sign).length;
    const gained = hasRandom && m !== random;
    return { method: m, mean: mean(scores[m]), place: position < 0 ? null : place[position],
      gain: gained ? mean(gains[m]) : null, low: gained ? spans[i][0] : null, high: gained ? spans[i][1] : null,
      wins: gained ? count(1) : null, ties: gained ? count(0) : null, losses: gained ? count(-1) : null,
      rank: position < 0 ? null : mean(ranks.map((r) => r[position])),
      n_imputed: rows.filter((d) => !(m in cells[d])).length,
      seconds: median(names.map((d) => data.seconds[d]?.[m]).filter((s) => s !== undefined)),
      behind: position < 0 ? null : 100 * mean(rows.map((_, j) => best[j] - scores[m][j])) };
  }).sort((a, b) => b.mean - a.mean);
  const controls = hasRandom ? controlsOf(rows, metric, cells, records) : {};
  const order = records.map((r) => r.method);
  const whole = data.views[metric]?.[state.choice]?.[state.score]?.all;
  const alike = whole?.cd && whole.rows.filter((row) => row[data.columns.indexOf("rank")] !== null).length === ranked.length;
  const view = {
    hasRandom, n: rows.length, methods: order, bayes: {}, note: hasRandom ? "" : whole?.note ?? "",
    leftOut: [...names.filter((d) => !rows.includes(d)), ...Object.keys(data.methods).filter((m) => !methods.includes(m))],
    rows: records.map((r) => data.columns.map((name) => r[name] ?? null)), controls,
    // The quantile in the critical difference depends on the number of methods alone.
    cd: alike && studiesOf(rows).length > 1 ? whole.cd * Math.sqrt(whole.studies / studiesOf(rows).length) : null,
    pairs: rows.length > 1 ? pairsOf(order.filter((m) => ranked.includes(m)), order, scores) : { methods: [], values: [] },
  };
  return { ...view, answer: answerOf(view, records, metric), caveats: caveatsOf(rows.length) };
};

// Every method's share of the way from random features to those chosen by the labels, over the
// datasets with room; and these themselves, beside the methods.
const controlsOf = (rows, metric, cells, records) => {
  const rooms = data.rooms[metric]?.[state.choice]?.[state.score] ?? {};
  const [control] = Object.keys(data.controls);
  if (!control || !rows.some((d) => d in rooms)) return {};
  const { random } = data.special;
  const wide = rows.filter((d) => rooms[d]?.[1]);
  const whole = wide.reduce((sum, d) => sum + rooms[d][0], 0);
  const share = (gainOf) => (wide.length ? wide.reduce((sum, d) => sum + gainOf(d), 0) / whole : null);
  for (const r of records) r.share = share((d) => 100 * ((cells[d][r.method] ?? cells[d][random]) - cells[d][random]));
  const gains = rows.map((d) => rooms[d]?.[0] ?? 0);
  const [[low, high]] = intervals([gains], rows);
  const count = (sign) => gains.filter((g) => Math.sign(tidy(g)) === sign).length;
  const row = { mean: mean(rows.map((d, i) => cells[d][random] + gains[i] / 100)), gain: mean(gains), low, high,
    wins: count(1), ties: count(0), losses: count(-1), share: share((d) => rooms[d][0]),
    n_imputed: rows.filter((d) => !(d in rooms)).length };
  return { [control]: data.columns.map((name) => row[name] ?? null) };
};

// Differences, wins and losses of every pair; tests are made for the given groups only.
const pairsOf = (names, order, scores) => ({
  methods: names.map((m) => order.indexOf(m)),
  values: names.flatMap((a, i) => names.slice(i + 1).flatMap((b) => {
    const gaps = scores[a].map((v, k) => tidy(100 * (v - scores[b][k])));
    return [mean(gaps), gaps.filter((g) => g > 0).length, gaps.filter((g) => g < 0).length, null];
  })),
});

const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);
const datasetsText = (n) => `${n} dataset${n === 1 ? "" : "s"}`;
const answerOf = (view, records, metric) => {
  const placed = records.filter((r) => r.place !== null);
  const methods = placed.filter((r) => r.method !== data.special.random);
  if (!methods.length) return "No method has a score to compare here.";
  const first = methods.filter((r) => r.place === methods[0].place);
  const many = first.length > 1;
  const names = listed(first.map((r) => titleOf(r.method)));
  const score = `${many ? "their" : "its"} ${state.score === "area" ? "mean " : ""}${data.metrics[metric][1]}`;
  const [{ gain, wins, low, high }] = first;
  const doubt = view.n > 3 && low <= 0 && high >= 0 ? ", which may be chance" : "";
  const worth = view.hasRandom
    ? `${score} is ${Math.abs(gain).toFixed(1)} points ${gain < 0 ? "below" : "above"} that of random features${doubt}, better on ${wins} of ${view.n}`
    : `${score} is ${(100 * first[0].mean).toFixed(1)} %`;
  const where = `${OPTIONS.choice[state.choice]}, ${datasetsText(view.n)} ${state.domain === "own" ? "picked here" : `of the group “${OPTIONS.domain[state.domain]}”`}`;
  const random = placed.find((r) => r.method === data.special.random);
  if (random && random.place <= first[0].place) {
    return `${where}: no method is better than random features. Best of them: ${names}; ${worth}.`;
  }
  if (placed.length < 2) return `${where}: ${names} is the only method; ${worth}.`;
  const study = methods.find((r) => r.method === data.special.study);
  const rest = study && !first.includes(study)
    ? `; ${titleOf(study.method)} has place ${study.place} with ${view.hasRandom ? signed(study.gain) : `${(100 * study.mean).toFixed(1)} %`}` : "";
  return `${where}: ${names} ${many ? "come" : "comes"} first; ${worth}${rest}.`;
};
const caveatsOf = (n) => [
  ...(n < 4 ? [`Of only ${datasetsText(n)}: another one may turn the order around.`] : []),
  ...(state.domain === "own" ? ["Data that are picked with the results in sight prove nothing: some choice makes almost any method first."] : []),
];

// The picker: a box for every dataset, by kind.
const pickOf = (names) => change({ domain: "own", pick: data.members.all.filter((d) => names.has(d)).join(",") });
const toggle = (names, isOn) => {
  const picked = new Set(datasetsOf());
  for (const name of names) if (isOn) picked.add(name); else picked.delete(name);
  if (picked.size) pickOf(picked);
  else showPicker();
};
const box = (text, names, more) => html("label", {},
  html("input", { type: "checkbox", "data-names": names.join(","), onchange: (event) => toggle(names, event.target.checked) }),
  html("span", {}, text), more ?? null);
const buildPicker = () => {
  const kinds = Object.keys(data.members).filter((key) => !["all", "unseen"].includes(key));
  const groups = kinds.length ? kinds.map((key) => [data.domains[key], data.members[key]]) : [];
  const others = Object.entries(shapeMembers).map(([key, names]) => [SHAPES[key][0], names]);
  const size = (d) => html("small", {}, `${d.samples} × ${d.features}`);
  const single = (names) => names.map((d) => box(data.datasets[d].title, [d], size(data.datasets[d])));
  byId("boxes").replaceChildren(
    html("div", { class: "wholes" }, box("All datasets", data.members.all), ...others.map(([title, names]) => box(title, names))),
    ...(groups.length ? groups : [["", data.members.all]]).map(([title, names]) =>
      html("div", { class: "kind" }, title ? html("strong", {}, box(title, names)) : null, ...single(names))));
};
const showPicker = () => {
  const picked = new Set(datasetsOf());
  for (const input of byId("boxes").querySelectorAll("input")) {
    const names = input.dataset.names.split(",");
    const count = names.filter((d) => picked.has(d)).length;
    input.checked = count === names.length;
    input.indeterminate = count > 0 && count < names.length;
  }
  byId("picked").textContent = `${[...picked].filter((d) => data.members.all.includes(d)).length} of ${datasetsText(data.members.all.length)}: places, means and pictures are of these.`;
};
