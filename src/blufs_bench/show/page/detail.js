"use strict";

// One dataset or one method in a dialogue, opened from the tables and by a link.
const detail = byId("detail");

const facts = (pairs) =>
  html("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, String(value)))));
const lines = (titles, rows) =>
  html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": titles.join(", ") },
    html("table", {}, html("thead", {}, html("tr", {}, ...titles.map((t) => html("th", { scope: "col" }, t)))),
      html("tbody", {}, ...rows.map(([first, ...cells]) => html("tr", {}, html("th", { scope: "row" }, first),
        ...cells.map((text) => html("td", {}, text)))))));

// The chosen pixels on the shape of the image.
const pixels = ([height, width], order, features) => {
  const scale = Math.max(1, Math.floor(96 / Math.max(height, width)));
  const place = (f) => (order === "F" ? [Math.floor(f / height), f % height] : [f % width, Math.floor(f / width)]);
  return svg("svg", { width: width * scale, height: height * scale, class: "pixels", role: "img",
    "aria-label": `${features.length} chosen pixels of ${height} x ${width}` },
    ...features.map(place).map(([x, y]) => svg("rect", { x: x * scale, y: y * scale, width: scale, height: scale })));
};

const describeView = () =>
  `${OPTIONS.metric[state.metric]}, ${OPTIONS.choice[state.choice].toLowerCase()}, ${OPTIONS.score[state.score].toLowerCase()}`;
const ranked = (cells) =>
  Object.entries(cells).filter(([m]) => m !== data.special.all).sort((a, b) => b[1] - a[1]);

// How many pixels or names are shown; the file has all.
const MOST_PIXELS = 100, MOST_NAMES = 20;
// By method: the pixels on the shape of the image, or the first names; any s that was run.
const chosenFeatures = (name, about) => {
  const methods = Object.keys(data.selected[name]).filter((m) => m !== data.special.all);
  const sizes = [...new Set(methods.flatMap((m) => chosenSizes(name, m)))].sort((a, b) => a - b);
  if (!sizes.length) return [];
  const shown = html("div"), file = html("span");
  const draw = () => {
    const s = Number(size.value);
    const known = methods.filter((m) => chosenAt(name, m, s));
    file.replaceChildren(csvLink(name, known, s, "All as CSV"));
    const caption = (m) => [methodButton(m), " ", csvLink(name, [m], s, "CSV")];
    shown.replaceChildren(about.image?.length === 2
      ? html("div", { class: "gallery" }, ...known.map((m) => html("figure", {},
        pixels(about.image, about.order, chosenAt(name, m, s).slice(0, MOST_PIXELS)), html("figcaption", {}, ...caption(m)))))
      : lines(["Method", "Features"], known.map((m) => [html("span", {}, ...caption(m)),
        chosenAt(name, m, s).slice(0, MOST_NAMES).map((f) => nameOf(name, f)).join(", ") + (s > MOST_NAMES ? " …" : "")])));
  };
  const [label, size] = picking("s", sizes.map((s) => [s, s]), draw);
  size.value = sizes[Math.floor((sizes.length - 1) / 2)];
  draw();
  return [html("h3", {}, "Chosen features, default setting, best first"), html("p", { class: "use" }, label, file), shown];
};

const datasetDetail = (name) => {
  const about = data.datasets[name];
  const cells = cellsOf(name);
  const order = ranked(cells);
  const best = order.filter(([, v]) => v === order[0][1]).map(([m]) => titleOf(m));
  const failed = Object.entries(data.problems[name] ?? {});
  const curves = html("div", { class: "picture" });
  const verdict = about.missing ? `Not available: ${about.missing}`
    : order.length ? `Best here: ${best.join(", ")} (${describeView()}).` : "No method has a score here.";
  const parts = [
    facts([["Domain", about.domainTitle], ["Samples", about.samples], ["Features", about.features],
      ["Classes", about.classes], ["Transform", about.transform]]),
    html("p", { class: "reason" }, verdict),
    curves,
  ];
  if (order.length) {
    const rows = Object.entries(cells).sort((a, b) => b[1] - a[1]).map(([m, v]) => {
      const gain = cells[data.special.random] === undefined ? "–" : signed(gainOn(name, m));
      return [methodButton(m), (100 * v).toFixed(1), gain];
    });
    parts.push(html("h3", {}, "Methods"), lines(["Method", `${data.metrics[state.metric][1]} in %`, "Gain over random"], rows));
  }
  if (failed.length) {
    parts.push(html("h3", {}, "Without a score"), html("ul", {}, ...failed.map(([m, why]) => html("li", {}, `${titleOf(m)}: ${why}`))));
  }
  if (data.selected[name]) parts.push(...chosenFeatures(name, about));
  return { title: about.title, parts, after: () => (about.missing ? null : drawCurves(curves, name)) };
};

// A setting as people write it: alpha = 10, beta = 1.
const settingText = (setting) => {
  const values = Object.entries(JSON.parse(setting));
  return values.map(([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ")
    || "no parameters";
};

// An arXiv number or a DOI as a link; nothing is fetched until it is pressed.
const linked = (text) => text.split(/(arXiv:\d{4}\.\d{4,5}|\b10\.\d{4,9}\/[^\s,;]*[^\s,;.])/).map((part) => {
  const arxiv = part.match(/^arXiv:(\d{4}\.\d{4,5})$/);
  const doi = /^10\.\d{4,9}\//.test(part);
  const href = arxiv ? `https://arxiv.org/abs/${arxiv[1]}` : `https://doi.org/${part}`;
  return arxiv || doi ? html("a", { href, rel: "noreferrer" }, part) : part;
});

const methodDetail = (name) => {
  const row = record(viewOf(), name);
  const names = datasetsOf();
  const rows = names.filter((d) => cellsOf(d)[name] !== undefined).map((d) => {
    const place = ranked(cellsOf(d)).filter(([, v]) => v > cellsOf(d)[name]).length + 1;
    return { d, place, gain: gainOn(d, name), value: cellsOf(d)[name] };
  }).sort((a, b) => b.gain - a.gain);
  const failed = names.filter((d) => data.problems[d]?.[name]);
  const chosen = data.settings[name] ?? {};
  const defaults = [...new Set(Object.values(chosen.default ?? {}).map(settingText))];
  const { summary, papers, verified } = data.methods[name];
  const parts = [
    ...(summary ? [html("p", {}, summary)] : []),
    ...(papers ?? []).map((paper) => html("p", { class: "paper" }, "Paper: ", ...linked(paper))),
    ...(verified ? [html("p", {}, `Its code: ${verified[0]}. ${verified[1]}`)] : []),
    facts([["Place", row?.place], ["Average rank", row && row.rank !== null ? row.rank.toFixed(2) : null],
      ["Seconds", row ? secondsText(row.seconds) : null],
      ["Default setting", defaults.length ? defaults.join(" or ") : null]]),
    ...useOf(name),
    html("h3", {}, "Where it wins and where it fails"),
    html("p", { class: "quiet" }, describeView()),
    lines(["Dataset", "Place there", `${data.metrics[state.metric][1]} in %`, viewOf()?.hasRandom ? "Gain over random" : "Above the mean"],
      rows.map((r) => [datasetButton(r.d), String(r.place), (100 * r.value).toFixed(1), signed(r.gain)])),
  ];
  if (failed.length) {
    parts.push(html("h3", {}, "Without a score"),
      html("ul", {}, ...failed.map((d) => html("li", {}, `${data.datasets[d].title}: ${data.problems[d][name]}`))));
  }
  const chances = viewOf()?.bayes?.[name];
  if (chances) {
    parts.push(html("p", {}, `Chance that ${titleOf(data.special.study)} is better than it by more than a point: ${chances[0].toFixed(2)}; within a point: ${chances[1].toFixed(2)}; worse: ${chances[2].toFixed(2)}.`));
  }
  if (chosen.blind) {
    parts.push(html("h3", {}, "Settings chosen without labels"),
      lines(["Dataset", "Setting"], Object.entries(chosen.blind).map(([d, setting]) => [data.datasets[d]?.title ?? d, settingText(setting)])));
  }
  return { title: titleOf(name), parts, after: () => {} };
};

const showDetail = () => {
  const wanted = state.dataset ? datasetDetail(state.dataset) : state.method ? methodDetail(state.method) : null;
  if (!wanted) {
    if (detail.open) detail.close();
    return;
  }
  byId("detail-title").textContent = wanted.title;
  byId("detail-body").replaceChildren(...wanted.parts);
  if (!detail.open) detail.showModal();
  wanted.after();
};
detail.addEventListener("close", () => {
  if (state.dataset || state.method) change({ dataset: "", method: "" });
});

// The column of the method under study, in the tables that have one column per method.
const markColumn = (table) => {
  const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === titleOf(data.special.study));
  if (column > 0) for (const row of table.rows) row.cells[column].classList.add("mine");
};
document.querySelectorAll(".table table").forEach(markColumn);

if (FIRST) {
  buildSelectors();
  buildPicker();
  byId("select-heat").addEventListener("change", (event) => change({ heat: event.target.value }));
  byId("select-curve").addEventListener("change", (event) => change({ curve: event.target.value }));
  byId("pictures").hidden = false;
  byId("board-files").hidden = false;
  byId("to-pictures").hidden = false;
  readHash();
  show();
  if (state.at) goTo(state.at);
  document.addEventListener("click", keepView);
  window.addEventListener("hashchange", () => {
    const before = state.at;
    if (!readHash()) return;
    show();
    if (state.at && state.at !== before) goTo(state.at);
  });
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(showPictures, 150);
  });
}
