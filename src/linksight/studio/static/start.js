// The start page: a URL is answered while it is typed; the field grows with a list.

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });
const DELAY_MS = 200;

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function percent(share) {
  return share > 0.9995 ? ">99.9 %" : `${(share * 100).toFixed(1)} %`;
}

function show(output, url, found) {
  const isKnown = found.language !== "und";
  const badge = element("span", `badge ${isKnown ? "" : "hue-none"}`, isKnown ? found.language : "?");
  const name = element("b", "", isKnown ? names.of(found.language) : "Not sure enough");
  const chance = element("span", "", isKnown ? percent(found.probability) : `most likely ${names.of(found.candidates[0].language)}, ${percent(found.probability)}`);
  const why = element("a", "", "Why?");
  why.href = `/inspect?${new URLSearchParams({ url })}`;
  output.replaceChildren(badge, " ", name, " ", chance, " ", why);
}

export function startPage(part) {
  const form = part.querySelector("form[data-start]");
  if (!form) return;
  const field = form.querySelector("textarea");
  const output = form.querySelector("[data-answer]");
  let timer = 0;
  let number = 0;
  const ask = async () => {
    const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    field.rows = Math.min(Math.max(lines.length + 1, 2), 12);
    const mine = ++number;
    if (lines.length !== 1 || !lines[0].includes(".")) {
      output.replaceChildren(...(lines.length > 1 ? [`${lines.length} URLs: “Show languages” makes a list`] : []));
      return;
    }
    const languages = form.querySelector("[name=languages]")?.value ?? "";
    const rates = form.querySelector("[name=rates]")?.value ?? "";
    const answer = await fetch(`/v1/detect?${new URLSearchParams({ url: lines[0], languages, rates })}`).catch(() => null);
    const found = await answer?.json().catch(() => null);
    if (mine !== number) return;
    if (answer?.ok && found) show(output, lines[0], found);
    else output.textContent = found?.detail ?? "";
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY_MS);
  });
  for (const link of form.querySelectorAll("[data-example]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      field.value = link.dataset.example;
      field.focus();
      ask();
    });
  }
}
