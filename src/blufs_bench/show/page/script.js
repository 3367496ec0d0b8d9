"use strict";

// A table: sort by pressing a column's name, filter its rows by words.
const compareCells = (a, b, direction) => {
  const [x, y] = [a.dataset.value, b.dataset.value];
  if (x !== undefined && y !== undefined) return direction * (Number(x) - Number(y));
  // Cells without a number come last in both directions, unless no cell has one.
  if ((x === undefined) !== (y === undefined)) return x === undefined ? 1 : -1;
  return direction * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
};

const sortRows = (table, header, column) => {
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  // Averages and counts stay below what they sum up.
  const last = (row) => (row.classList.contains("summary") ? 1 : 0);
  const rows = [...body.rows].sort(
    (a, b) =>
      last(a) - last(b) || compareCells(a.cells[column], b.cells[column], ascending ? 1 : -1)
  );
  body.append(...rows);
};

const addSorting = (table) => {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortRows(table, header, column));
  });
};

const addFilter = (table, box, name) => {
  const row = document.createElement("div");
  row.className = "filter";
  const label = document.createElement("label");
  const input = document.createElement("input");
  const count = document.createElement("output");
  input.type = "search";
  input.setAttribute("aria-label", `Filter rows of ${name}`);
  label.append("Filter rows ", input);
  row.append(label, count);
  box.before(row);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const line of table.tBodies[0].rows) {
      const text = line.textContent.toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
      shown += line.hidden ? 0 : 1;
    }
    count.value = words.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : "";
  });
};

document.querySelectorAll(".table table").forEach((table) => {
  const name = table.closest("[data-table]").dataset.table;
  const box = document.createElement("div");
  box.className = "scroll";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Table: ${name}`);
  table.before(box);
  box.append(table);
  addSorting(table);
  if (table.tBodies[0].rows.length > 3) addFilter(table, box, name);
});

// Figures: press to enlarge.
const lightbox = document.getElementById("lightbox");
document.querySelectorAll(".zoom").forEach((button) => {
  button.addEventListener("click", () => {
    const [small, large] = [button.querySelector("img"), lightbox.querySelector("img")];
    large.src = small.src;
    large.alt = small.alt;
    lightbox.showModal();
  });
});

// A link into a closed section opens it.
const openAround = (target) => {
  const closed = target && target.closest("details");
  if (closed) closed.open = true;
};
const openTarget = () =>
  openAround(location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1))));
window.addEventListener("hashchange", openTarget);
openTarget();
// As a browser goes to a place: the next press of the tab key starts from there.
const goTo = (id) => {
  const target = document.getElementById(id);
  openAround(target);
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
};

// Light or dark: as the system says, until the button is pressed; then as it was pressed last.
// Where a page may store nothing, it asks the system again.
const remembered = (value) => {
  try {
    if (value) localStorage.setItem("theme", value);
    return localStorage.getItem("theme");
  } catch { return null; }
};
const theme = document.getElementById("theme");
const systemDark = matchMedia("(prefers-color-scheme: dark)");
if (remembered()) document.documentElement.dataset.theme = remembered();
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemDark.matches;
};
const nameTheme = () => {
  theme.textContent = isDark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
};
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  remembered(document.documentElement.dataset.theme);
  nameTheme();
});
systemDark.addEventListener("change", nameTheme);
nameTheme();
theme.hidden = false;
