"use strict";

// From a row to its use: the code of a method with the reader's s and c, and the chosen features.
const asPython = (value) => {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
};
const codeOf = ({ module, class: name, count, clusters }, setting, s, c) => {
  const given = { ...(count ? { [count]: s } : {}), ...(clusters && c ? { n_clusters: c } : {}), ...setting };
  const call = Object.entries(given).map(([key, value]) => `${key}=${asPython(value)}`).join(", ");
  return [`from ${module} import ${name}`, "", "# X: one row per sample, one column per feature",
    `selector = ${name}(${call})`, "X_selected = selector.fit_transform(X)",
    "chosen = selector.get_support(indices=True)", ""].join("\n");
};

// The first s features of a selection, best first; what a method ranks is stored once, at the largest s.
const chosenSizes = (dataset, method) => (data.selected[dataset]?.[method] ?? []).map(([s]) => s);
const chosenAt = (dataset, method, s) => {
  const rows = data.selected[dataset]?.[method] ?? [];
  const row = rows.find(([k]) => k === s);
  return row ? row[1] ?? rows.at(-1)[1].slice(0, s) : null;
};
const nameOf = (dataset, feature) => data.names[dataset]?.[feature] ?? String(feature);
const featuresCsv = (dataset, methods, s) => {
  const rows = methods.flatMap((m) => (chosenAt(dataset, m, s) ?? []).map((f, i) =>
    [quoted(titleOf(m)), s, i + 1, f, quoted(data.names[dataset]?.[f] ?? `feature ${f}`)]));
  return [["method", "s", "rank", "column", "name"], ...rows].map((row) => row.join(",")).join("\n") + "\n";
};
const csvLink = (dataset, methods, s, text) =>
  html("a", { download: `${dataset}-${methods.length > 1 ? "features" : methods[0]}-${s}.csv`,
    href: `data:text/csv;charset=utf-8,${encodeURIComponent(featuresCsv(dataset, methods, s))}` }, text);

const picking = (label, options, onchange) => {
  const select = html("select", { onchange }, ...options.map(([value, title]) => html("option", { value }, title)));
  return [html("label", {}, `${label} `, select), select];
};

// The whole section of a method: data, s and c to pick, the code to copy, its features as a file.
const useOf = (method) => {
  const { use } = data.methods[method];
  const known = datasetsOf().filter((d) => chosenSizes(d, method).length);
  if (!use?.class && !known.length) return [];
  const code = html("code"), file = html("span");
  const [forData, dataset] = picking("Data", known.map((d) => [d, data.datasets[d].title]), () => fresh());
  const count = html("input", { type: "number", min: 1, oninput: () => write() });
  const clusters = html("input", { type: "number", min: 2, oninput: () => write() });
  const write = () => {
    const rule = state.choice === "blind" ? "blind" : "default";
    const setting = JSON.parse(data.settings[method]?.[rule]?.[dataset.value] ?? Object.values(data.settings[method]?.[rule] ?? {})[0] ?? "{}");
    if (use?.class) code.textContent = codeOf(use, setting, Number(count.value), Number(clusters.value));
    const sizes = chosenSizes(dataset.value, method), s = Number(count.value);
    file.replaceChildren(sizes.includes(s) ? csvLink(dataset.value, [method], s, `The ${s} features of ${data.datasets[dataset.value].title} as CSV`)
      : sizes.length ? `Features were chosen for s = ${sizes.join(", ")}.` : "");
  };
  const fresh = () => {
    const sizes = chosenSizes(dataset.value, method);
    count.value = sizes[Math.floor((sizes.length - 1) / 2)] ?? 20;
    clusters.value = data.datasets[dataset.value]?.clusters ?? "";
    write();
  };
  const copy = html("button", { type: "button", class: "plain", onclick: async () => {
    // Where a page may not use the clipboard, the code is marked, ready to be copied by hand.
    getSelection().selectAllChildren(code);
    try { await navigator.clipboard.writeText(code.textContent); copy.textContent = "Copied"; } catch { copy.textContent = "Marked: copy it"; }
  } }, "Copy");
  fresh();
  return [html("h3", {}, "Use it"),
    html("form", { class: "use", onsubmit: (event) => event.preventDefault() }, known.length ? forData : null,
      html("label", {}, "s (features) ", count), use?.clusters ? html("label", {}, "c (clusters) ", clusters) : null, use?.class ? copy : null),
    use?.class ? html("pre", { tabindex: 0, class: "python" }, code) : null,
    html("p", { class: "files" }, file),
    use?.page ? html("p", { class: "files" }, "More: ", html("a", { href: `${data.pages}/${use.page}` }, `the page of ${titleOf(method)}`)) : null,
  ].filter(Boolean);
};
