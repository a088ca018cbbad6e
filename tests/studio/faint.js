// Texts whose contrast with what is behind them is below what WCAG 2 asks for (AA).
() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (colour, element) => {
    const paper = behind(element), ink = over(rgba(colour), paper);
    const [low, high] = [light(ink), light(paper)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const faint = [];
  const look = (element, colour, text, least) => {
    const found = contrast(colour, element);
    if (found < least) faint.push(`${element.tagName} ${found.toFixed(2)} ${text.trim().slice(0, 30)}`);
  };
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && style.fontWeight >= 700);
    const speaks = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (speaks && e.getBoundingClientRect().width && !e.closest(".sr, .skip"))
      look(e, e.closest("svg") ? style.fill : style.color, e.textContent, large ? 3 : 4.5);
    if (e.placeholder) look(e, getComputedStyle(e, "::placeholder").color, e.placeholder, 4.5);
  }
  return [...new Set(faint)];
}
