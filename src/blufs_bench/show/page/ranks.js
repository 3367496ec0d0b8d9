"use strict";

// Average ranks on an axis; a bar joins methods whose ranks differ by less than the critical difference.
const runsWithin = (ranks, limit) => {
  const runs = [];
  ranks.forEach((rank, start) => {
    let end = start;
    while (end + 1 < ranks.length && ranks[end + 1] - rank < limit) end += 1;
    if (end > start && (!runs.length || end > runs.at(-1)[1])) runs.push([start, end]);
  });
  return runs;
};

const showRanks = () => {
  const box = byId("picture-ranks");
  const view = viewOf();
  const all = (view ? view.methods : []).map((method) => ({ method, ...record(view, method) }));
  const ranked = all.filter((p) => p.rank !== null).sort((a, b) => a.rank - b.rank);
  if (ranked.length < 2) return box.replaceChildren("No two methods to rank here.");
  const label = (p) => `${titleOf(p.method)} ${p.rank.toFixed(1)}`;
  const width = Math.max(300, Math.min(1000, box.clientWidth));
  const side = Math.min(0.4 * width, Math.max(...ranked.map((p) => textWidth(label(p), 700)))) + 8;
  const low = Math.floor(ranked[0].rank), high = Math.max(low + 1, Math.ceil(ranked.at(-1).rank));
  // On a narrow screen all names stand on the left, so that the axis has room.
  const isNarrow = width < 520;
  const toX = (rank) => side + 10 + ((rank - low) / (high - low)) * (width - (isNarrow ? 1 : 2) * side - 20);
  const runs = view.cd === null ? [] : runsWithin(ranked.map((p) => p.rank), view.cd);
  const axis = 48, first = axis + 22 + 7 * runs.length;
  const half = isNarrow ? ranked.length : Math.ceil(ranked.length / 2);
  const height = first + 18 * half;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Average ranks: ${ranked.map(label).join("; ")}` });
  const line = (x1, y1, x2, y2, name) => picture.append(svg("line", { x1, y1, x2, y2, class: name }));
  line(toX(low), axis, toX(high), axis, "axis");
  const every = Math.ceil((24 * (high - low)) / (toX(high) - toX(low)));
  for (let rank = low; rank <= high; rank += 1) {
    line(toX(rank), axis - 4, toX(rank), axis, "axis");
    if ((rank - low) % every === 0) picture.append(svg("text", { x: toX(rank), y: axis - 8, "text-anchor": "middle" }, String(rank)));
  }
  if (view.cd !== null) {
    const wide = (view.cd / (high - low)) * (toX(high) - toX(low));
    if (toX(low) + wide < width) for (const [x1, y1, x2, y2] of [[0, 14, wide, 14], [0, 10, 0, 18], [wide, 10, wide, 18]]) {
      line(toX(low) + x1, y1, toX(low) + x2, y2, "axis");
    }
    picture.append(svg("text", { x: toX(low) - 8, y: 18, "text-anchor": "end" }, `CD ${view.cd.toFixed(2)}`));
  }
  runs.forEach(([start, end], i) => {
    const y = axis + 10 + 7 * i;
    line(toX(ranked[start].rank) - 3, y, toX(ranked[end].rank) + 3, y, "joined");
  });
  ranked.forEach((p, i) => {
    const isLeft = i < half;
    const y = first + 18 * (isLeft ? i : ranked.length - 1 - i);
    const x = toX(p.rank), edge = isLeft ? side : width - side;
    picture.append(svg("polyline", { points: `${x},${axis} ${x},${y} ${edge},${y}`, class: "elbow" }),
      svg("text", { x: isLeft ? edge - 4 : edge + 4, y: y + 4, "text-anchor": isLeft ? "end" : "start",
        class: p.method === data.special.study ? "study" : "" }, label(p)));
  });
  const note = view.cd === null ? "Too few methods or datasets for Nemenyi's test." :
    runs.some(([start, end]) => start === 0 && end === ranked.length - 1) ? "No two methods are told apart." : "";
  box.replaceChildren(picture, html("p", { class: "quiet" }, note));
};
