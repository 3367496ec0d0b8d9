"use strict";

// The view: what the selectors say, kept in the address bar, shown by the leaderboard.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// An element of HTML, or of SVG, with attributes and children.
const make = (space) => (tag, attributes = {}, ...children) => {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const html = make("");
const svg = make("http://www.w3.org/2000/svg");

const SELECTORS = ["metric", "choice", "domain", "score"];
const OPTIONS = {
  metric: Object.fromEntries(Object.entries(data.metrics).map(([key, [title]]) => [key, title])),
  choice: data.choices,
  domain: { ...data.domains },
  score: data.scores,
};
const FIRST = JSON.parse(byId("data").dataset.first || "null");
let state = { ...FIRST };

const viewOf = (metric = state.metric, domain = state.domain) =>
  domain in data.members ? data.views[metric]?.[state.choice]?.[state.score]?.[domain]
    : compare(datasetsOf(domain), metric);
const record = (view, method) => {
  const values = view?.controls[method] ?? view?.rows[view.methods.indexOf(method)];
  return values ? Object.fromEntries(data.columns.map((name, i) => [name, values[i]])) : null;
};
const titleOf = (method) => (data.methods[method] ?? data.controls[method])?.title ?? method;
const datasetsOf = (domain = state.domain) => {
  if (domain === "all") return Object.keys(data.datasets);
  return domain === "own" ? state.pick.split(",") : data.members[domain] ?? shapeMembers[domain];
};

// Numbers as the static table writes them.
const signed = (value, digits = 1) => (value < 0 ? "" : "+") + value.toFixed(digits);
const fixed = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const secondsText = (value) => {
  if (value === null || value === undefined) return "–";
  if (value >= 10) return value.toFixed(0);
  if (value >= 1) return value.toFixed(1);
  return value >= 0.01 ? value.toFixed(2) : "<0.01";
};
const gainText = (row) => {
  const star = row.n_imputed ? "*" : "";
  const interval = row.low === null ? "" : ` [${signed(row.low)}, ${signed(row.high)}]`;
  return `${signed(row.gain)}${star}${interval}`;
};

// The address bar: #metric=nmi&choice=blind..., so that a link restores the view.
// #paper is a place and leaves the view as it is; no hash at all is the view that the page opens with.
const readHash = () => {
  const text = location.hash.slice(1);
  if (text && !text.includes("=")) return false;
  const wanted = Object.fromEntries(new URLSearchParams(text));
  state = { ...FIRST };
  for (const name of SELECTORS) if (Object.hasOwn(OPTIONS[name], wanted[name])) state[name] = wanted[name];
  const pick = (wanted.pick ?? "").split(",").filter((d) => data.members.all.includes(d));
  if (pick.length) state.pick = pick.join(",");
  else if (state.domain === "own") state.domain = FIRST.domain;
  if (Object.hasOwn(data.datasets, wanted.dataset)) state.dataset = wanted.dataset;
  if (Object.hasOwn(data.methods, wanted.method)) state.method = wanted.method;
  if (Object.hasOwn(data.datasets, wanted.curve)) state.curve = wanted.curve;
  if (Object.hasOwn(HEATS, wanted.heat)) state.heat = wanted.heat;
  if (byId(wanted.at ?? "")) state.at = wanted.at;
  return true;
};
const change = (patch) => {
  const next = { ...state, ...patch };
  for (const [name, value] of Object.entries(next)) if (!value) delete next[name];
  location.hash = new URLSearchParams(next).toString();
};

// A link to a place in the page keeps the view that the address bar holds.
const keepView = (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || !location.hash.includes("=")) return;
  event.preventDefault();
  const at = decodeURIComponent(link.hash.slice(1));
  goTo(at);
  change({ at });
};

const metricsShown = () => Object.keys(data.metrics).filter((metric) => metric in data.views);

// Gains with their intervals on one scale that holds all of them and zero, in percent of the width.
const whiskersOf = (view) => {
  const rows = [...view.methods, ...Object.keys(view.controls)].map((method) => record(view, method)).filter((row) => row.gain !== null);
  const ends = [0, ...rows.flatMap((row) => [row.low ?? row.gain, row.high ?? row.gain])];
  const least = Math.min(...ends), width = Math.max(...ends) - least || 1;
  const at = (value) => (100 * (value - least)) / width;
  return (row) => html("span", { class: "whisker", "aria-hidden": "true" },
    html("s", { style: `left:${at(0)}%` }),
    html("i", { style: `left:${at(row.low ?? row.gain)}%;right:${100 - at(row.high ?? row.gain)}%` }),
    html("b", { style: `left:${at(row.gain)}%` }));
};

const leaderboardRows = (view) =>
  [...view.methods, ...Object.keys(view.controls)].map((method) => {
    const row = record(view, method);
    const isRandom = method === data.special.random;
    const cells = [
      [fixed(row.place, 0), row.place],
      [titleOf(method), null],
    ];
    if (view.hasRandom) cells.push(isRandom ? ["0", 0] : [gainText(row), row.gain]);
    for (const metric of metricsShown()) {
      const mean = record(viewOf(metric), method)?.mean ?? null;
      cells.push([fixed(mean === null ? null : 100 * mean, 1), mean]);
    }
    if (view.hasRandom) {
      const shown = row.wins === null ? "–" : `${row.wins} / ${row.ties} / ${row.losses}`;
      cells.push([shown, row.wins]);
    }
    cells.push([fixed(row.behind, 1), row.behind]);
    if (hasShares(view)) cells.push([row.share === null ? "–" : `${(100 * row.share).toFixed(0)} %`, row.share]);
    for (const column of Object.values(data.extras)) {
      cells.push([fixed(column[method], 2), column[method] ?? null]);
    }
    cells.push([secondsText(row.seconds), row.seconds]);
    cells.push([(data.methods[method] ?? data.controls[method]).verified?.[0] ?? "–", null]);
    return { method, cells };
  });

const hasShares = (view) => Object.keys(view.controls).length > 0;
const leaderboardTitles = (view) => [
  "Place",
  "Method",
  ...(view.hasRandom ? ["Gain over random"] : []),
  ...metricsShown().map((metric) => data.metrics[metric][1]),
  ...(view.hasRandom ? ["W / T / L"] : []),
  "Behind best",
  ...(hasShares(view) ? ["To supervised"] : []),
  ...Object.keys(data.extras),
  "Seconds",
  "Code",
];

const methodButton = (method) =>
  html("button", { type: "button", class: "drill", onclick: () => change({ method, dataset: "" }) },
    titleOf(method));
const datasetButton = (dataset) =>
  html("button", { type: "button", class: "drill", onclick: () => change({ dataset, method: "" }) },
    data.datasets[dataset].title);

const showLeaderboard = () => {
  const table = byId("leaderboard");
  const view = viewOf();
  byId("answer").textContent = view ? view.answer : "No scores for this combination.";
  byId("caveats").textContent = view ? view.caveats.join(" ") : "";
  byId("caveats").hidden = !byId("caveats").textContent;
  const titles = view ? leaderboardTitles(view) : ["Place", "Method"];
  const rows = view ? leaderboardRows(view) : [];
  const whisker = view && view.hasRandom ? whiskersOf(view) : null;
  const header = table.tHead.rows[0];
  header.replaceChildren(...titles.map((title) => html("th", { scope: "col" }, title)));
  addSorting(table);
  table.tBodies[0].replaceChildren(
    ...rows.map(({ method, cells }) =>
      html("tr", { "data-method": method, class: method === data.special.study ? "study" : method in data.controls ? "control" : null },
        ...cells.map(([text, value], i) =>
          html(i === 1 ? "th" : "td",
            { scope: i === 1 ? "row" : null, "data-value": value, "data-label": titles[i] },
            i === 1 && method in data.methods ? methodButton(method) : text,
            i === 2 && whisker && method !== data.special.random ? whisker(record(view, method)) : null)))));
  byId("board-note").textContent = view ? boardNote(view) : "";
  showMatrix(view);
  showDownloads(view, titles, rows);
};

// On which data? Gains by kind of data, or by dataset where all are of one kind.
const matrixRows = (view) => {
  const inside = new Set(datasetsOf());
  const kinds = Object.keys(data.members).filter((key) => !["all", "unseen"].includes(key));
  const isWhole = state.domain === "all" || kinds.includes(state.domain);
  const rows = kinds.map((key) => {
    const names = isWhole ? data.members[key] : data.members[key].filter((d) => inside.has(d));
    const part = names.length === data.members[key].length ? viewOf(state.metric, key) : names.length && compare(names, state.metric);
    const name = html("button", { type: "button", class: "drill", onclick: () => change({ domain: key }) }, data.domains[key]);
    return part && [html("span", {}, name, ` (${names.length})`), (m) => record(part, m)?.gain ?? null, key];
  }).filter(Boolean);
  const single = kinds.length ? [] : datasetsOf().filter((d) => data.special.random in cellsOf(d));
  const random = (d) => cellsOf(d)[data.special.random];
  return [...rows, ...(single.length > data.matrix.rows ? [] : single).map((d) =>
    [datasetButton(d), (m) => 100 * ((cellsOf(d)[m] ?? random(d)) - random(d)), d])];
};
const showMatrix = (view) => {
  const rows = view?.hasRandom ? matrixRows(view) : [];
  const methods = (view?.methods ?? []).filter((m) => m !== data.special.random
    && (m === data.special.study || record(view, m).place <= data.matrix.leading)
    && rows.some(([, gain]) => gain(m) !== null));
  if (rows.length < 2 || !methods.length) return byId("matrix").replaceChildren();
  const limit = Math.min(25, Math.max(1, ...rows.flatMap(([, gain]) => methods.map((m) => Math.abs(gain(m) ?? 0)))));
  const cell = (gain) => (gain === null ? html("td", {}, "–")
    : html("td", { class: "shaded", style: shade(gain, limit) }, signed(gain)));
  const table = grid("Gains by kind of data", ["", ...methods.map(methodButton)],
    rows.map(([name, gain]) => [name, ...methods.map((m) => cell(gain(m)))]));
  rows.forEach(([, , key], i) => table.querySelector("tbody").rows[i].classList.toggle("study", key === state.domain));
  byId("matrix").replaceChildren(html("p", { class: "quiet" }, "On which data? Points above random features."), table);
};

const boardNote = (view) => {
  const starred = view.rows.some((row) => row[data.columns.indexOf("n_imputed")]);
  const left = view.leftOut.map((name) => data.datasets[name]?.title ?? titleOf(name));
  return [
    starred ? "* Counts as random features on datasets where it has no score." : "",
    left.length ? `Not compared, for want of scores: ${left.join(", ")}.` : "",
    view.note ? `${view.note}.` : "",
  ].filter(Boolean).join(" ");
};

// The table on the screen as files: numbers as numbers, and no text that a spreadsheet would run.
const quoted = (text) => {
  const safe = /^ *[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const asCsv = (view, titles, rows) => {
  const parts = view?.hasRandom ? ["low", "high", "wins", "ties", "losses"] : [];
  const kept = titles.map((title, i) => i).filter((i) => titles[i] !== "W / T / L");
  const lines = rows.map(({ method, cells }) => {
    const row = record(view, method);
    const numbers = kept.map((i) => (i === 1 || titles[i] === "Code" ? quoted(cells[i][0]) : cells[i][1] ?? ""));
    return [...numbers, ...parts.map((name) => row[name] ?? "")];
  });
  return [[...kept.map((i) => quoted(titles[i])), ...parts], ...lines].map((line) => line.join(",")).join("\n") + "\n";
};
const latex = (text) => text.replace(/[&%$#_{}]/g, "\\$&").replaceAll("<", "$<$").replaceAll("–", "--");
const showDownloads = (view, titles, rows) => {
  const lines = [titles, ...rows.map(({ cells }) => cells.map(([text]) => text))];
  const csv = asCsv(view, titles, rows);
  const body = lines.map((line) => `${line.map(latex).join(" & ")} \\\\`);
  body.splice(1, 0, "\\midrule");
  const tex = ["% needs \\usepackage{booktabs}", `\\begin{tabular}{rl${"r".repeat(titles.length - 2)}}`,
    "\\toprule", ...body, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  byId("board-csv").href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`;
  byId("board-tex").href = `data:text/plain;charset=utf-8,${encodeURIComponent(tex)}`;
};

const buildSelectors = () => {
  for (const name of SELECTORS) {
    const select = byId(`select-${name}`);
    const options = Object.entries(OPTIONS[name]);
    select.replaceChildren(...options.map(([value, title]) => html("option", { value }, title)));
    select.closest("label").hidden = options.length < 2;
    select.addEventListener("change", () => {
      if (select.value === "own") byId("picker").showPopover();
      change({ pick: datasetsOf().join(","), [name]: select.value });
    });
  }
  byId("selectors").hidden = false;
};

// A dialogue that opens or closes leaves the tables as they are: the focus returns to its button.
let shown = "";
const show = () => {
  const wanted = JSON.stringify([...SELECTORS, "pick", "curve", "heat"].map((name) => state[name]));
  if (wanted !== shown) {
    shown = wanted;
    for (const name of SELECTORS) byId(`select-${name}`).value = state[name];
    showLeaderboard();
    showPicker();
    showPictures();
  }
  showDetail();
};
