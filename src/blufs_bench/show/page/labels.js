"use strict";

// Names next to dots, so that no name covers another name or a dot.
const pen = document.createElement("canvas").getContext("2d");
const textWidth = (text, weight = 400) => {
  pen.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
};
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Where a name can stand around (x, y): beside, above and below, ever farther away.
const placesAround = function* (x, y, radius, wide) {
  for (const r of [radius + 4, 15, 24, 36, 50, 66, 84]) {
    for (const [dx, dy] of [[1, 0], [-1, 0], [0.7, -0.8], [0.7, 0.8], [-0.7, -0.8], [-0.7, 0.8], [0, -1], [0, 1]]) {
      const left = x + r * dx - (dx < 0 ? wide : dx === 0 ? wide / 2 : 0);
      const middle = y + r * dy * (dx === 0 ? 1.4 : 1);
      yield { box: [left - 1, middle - 7, left + wide + 1, middle + 7], r };
    }
  }
};

// A line as small boxes that names keep clear of: points are its corners.
const boxesAlong = (points) =>
  points.slice(1).flatMap(([x, y], i) => {
    const [fromX, fromY] = points[i];
    const count = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / 6));
    return Array.from({ length: count + 1 }, (_, k) => [fromX + ((x - fromX) * k) / count, fromY + ((y - fromY) * k) / count])
      .map(([cx, cy]) => [cx - 2, cy - 2, cx + 2, cy + 2]);
  });

// points: [{x, y, radius, text, bold}], the most important first; taken: boxes that must stay free.
const placeNames = (points, taken, [left, top, right, bottom]) => {
  const filled = [...taken, ...points.map(({ x, y, radius }) => [x - radius, y - radius, x + radius, y + radius])];
  const inside = (b) => b[0] >= left && b[1] >= top && b[2] <= right && b[3] <= bottom;
  return points.map((point) => {
    const wide = textWidth(point.text, point.bold ? 700 : 400);
    for (const place of placesAround(point.x, point.y, point.radius, wide)) {
      if (inside(place.box) && filled.every((other) => !overlap(place.box, other))) {
        filled.push(place.box);
        return { ...point, ...place };
      }
    }
    return { ...point, box: null };
  });
};

const drawName = (picture, { x, y, text, bold, box, r }) => {
  if (!box) return;
  if (r > 20) {
    const [nearX, nearY] = [Math.min(Math.max(x, box[0]), box[2]), (box[1] + box[3]) / 2];
    picture.append(svg("line", { x1: x, y1: y, x2: nearX, y2: nearY, class: "leader" }));
  }
  picture.append(svg("text", { x: box[0] + 1, y: box[3] - 3, class: bold ? "study" : "" }, text));
};
