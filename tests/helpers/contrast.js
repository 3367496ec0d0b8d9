// Texts whose contrast with their ground is below what WCAG 2 (AA) asks for: [text, ratio, colours].
const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgba = (color) => {
  probe.clearRect(0, 0, 1, 1);
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const groundOf = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const color = rgba(getComputedStyle(e).backgroundColor);
    if (color[3] === 255) return color;
  }
  return rgba(getComputedStyle(document.body).backgroundColor);
};
const found = [];
let count = 0;
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).join("");
  if (!own || !element.checkVisibility() || element.closest("script, style, option, svg title")) continue;
  const style = getComputedStyle(element);
  const [text, ground] = [rgba(element.closest("svg") ? style.fill : style.color), groundOf(element)];
  const [light, dark] = [luminance(text), luminance(ground)].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  count += 1;
  if (ratio < (isLarge ? 3 : 4.5)) found.push([own.slice(0, 40), Number(ratio.toFixed(2)), text.join(), ground.join()]);
}
return [count, found];
