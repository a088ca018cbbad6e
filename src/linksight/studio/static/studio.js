// Entry point: theme, menu, local times, language lists, chips; forms and live parts have modules.

import { keepAlive } from "./live.js";
import { enhanceForms } from "./forms.js";
import { startPage } from "./start.js";

const root = document.documentElement;
document.getElementById("theme")?.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // A browser that stores nothing raises an error; the theme lasts for this page.
  }
});

const menu = document.getElementById("menu");
menu?.addEventListener("click", () => {
  const open = menu.getAttribute("aria-expanded") !== "true";
  menu.setAttribute("aria-expanded", String(open));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu?.getAttribute("aria-expanded") === "true") {
    menu.setAttribute("aria-expanded", "false");
    menu.focus();
  }
});

function localTimes(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    time.title = time.dateTime;
    time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
}

// A field for several languages: the suggestions continue after a comma.
function languageLists(part) {
  for (const field of part.querySelectorAll("input[data-list]")) {
    const list = field.list;
    if (!list) continue;
    const names = [...list.options].map((option) => [option.value, option.textContent]);
    field.addEventListener("input", () => {
      const before = field.value.includes(",") ? `${field.value.slice(0, field.value.lastIndexOf(",") + 1)} ` : "";
      if (list.dataset.before === before) return;
      list.dataset.before = before;
      list.replaceChildren(...names.map(([name, code]) => new Option(code, before + name)));
    });
  }
}

// A part that scrolls sideways can be reached by the keyboard.
function scrollable(part) {
  for (const box of part.querySelectorAll(".scroll:not([tabindex])")) box.tabIndex = 0;
}

function chips(part) {
  for (const group of part.querySelectorAll("[data-chips]")) {
    group.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-show]");
      if (!chosen) return;
      for (const chip of group.querySelectorAll("[data-show]")) chip.setAttribute("aria-pressed", String(chip === chosen));
      for (const one of document.querySelectorAll("[data-group]")) one.hidden = chosen.dataset.show !== "" && one.dataset.group !== chosen.dataset.show;
    });
  }
}

// The page of the API: sends the request of an operation and shows the answer.
async function sendExample(form) {
  const output = form.querySelector("[data-try-answer]");
  const request = { method: form.dataset.try };
  if (form.elements.body) Object.assign(request, { body: form.elements.body.value, headers: { "content-type": form.dataset.kind } });
  const answer = await fetch(new URL(form.elements.path.value, location.origin), request).catch(() => null);
  let text = answer ? await answer.text() : "The studio does not answer.";
  if (answer?.headers.get("content-type")?.endsWith("json") && text) text = JSON.stringify(JSON.parse(text), null, 1);
  output.hidden = false;
  output.textContent = answer ? `HTTP ${answer.status}\n${text.slice(0, 20000)}` : text;
}

function tryIt(part) {
  for (const form of part.querySelectorAll("form[data-try]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sendExample(form);
    });
  }
}

async function bookmarkletLink(part) {
  const link = part.querySelector("#bookmarklet");
  if (!link) return;
  const { bookmarklet } = await import("./bookmarklet.js");
  link.href = bookmarklet(location.origin);
  part.querySelector("#bookmarklet-text").value = link.href;
}

// Everything that a part of a page needs; also run on parts that come later.
function enhance(part) {
  localTimes(part);
  languageLists(part);
  chips(part);
  scrollable(part);
  bookmarkletLink(part);
  tryIt(part);
  enhanceForms(part, enhance);
  startPage(part);
  part.querySelectorAll("[data-live]").forEach((element) => keepAlive(element, enhance));
}
enhance(document);
