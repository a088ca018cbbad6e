// Small helps for pages that work without them: live parts, dropped files, chips, confirmation, theme.

const root = document.documentElement;
document.getElementById("theme")?.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // A browser that keeps nothing raises an error instead of saying so; the page works all the same.
  }
});

// Figures that are no longer fresh must not look as if they were; the next ones that come take the note away.
function tellStale(element, why, seen) {
  const note = element.querySelector("[data-stale]") ?? document.createElement("p");
  const text = `${why} What is shown is from ${seen.toLocaleTimeString()}.`;
  if (note.textContent === text) return;
  Object.assign(note, { className: "problem", textContent: text });
  note.dataset.stale = "";
  note.setAttribute("role", "alert");
  element.prepend(note);
}

// An element with data-live is fetched again and again and replaced by what comes, until that has no
// data-live any more; data-go then leads to the result.
function keepAlive(element) {
  const every = Number(element.dataset.every ?? 2000);
  let wait = every;
  let seen = new Date();
  const turn = async () => {
    if (document.hidden) return setTimeout(turn, every);
    try {
      const answer = await fetch(element.dataset.live, { headers: { "x-part": "1" } });
      if (answer.status === 404) return location.reload();  // a job of a studio that was started again: the page says so
      if (answer.redirected) throw new Error("The studio wants its token again: load this page anew.");
      if (!answer.ok) throw new Error(`The studio gives no figures (status ${answer.status}).`);
      const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = parsed.body.firstElementChild;
      const focused = element.contains(document.activeElement) ? document.activeElement.id || document.activeElement.textContent : null;
      const places = [...element.querySelectorAll(".scroll")].map((part) => part.scrollLeft);
      element.replaceWith(fresh);
      element = fresh;
      element.querySelectorAll(".scroll").forEach((part, k) => { part.scrollLeft = places[k] ?? 0; });
      if (focused) [...element.querySelectorAll("button, a, input")].find((x) => (x.id || x.textContent) === focused)?.focus();
      wait = every;
      seen = new Date();
    } catch (error) {
      const why = error instanceof TypeError ? "The studio does not answer: is it still running?" : error.message;
      if (wait > every) tellStale(element, why, seen);  // not at the first: a page that is left ends its questions, too
      wait = Math.min(wait * 2, 30000);
    }
    if (element.dataset.go) return location.replace(element.dataset.go);
    if (element.dataset.live) setTimeout(turn, wait);
  };
  setTimeout(turn, every);
}
document.querySelectorAll("[data-live]").forEach(keepAlive);

for (const form of document.querySelectorAll("form[data-drop]")) {
  const file = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("dragging"); });
  form.addEventListener("dragleave", () => form.classList.remove("dragging"));
  form.addEventListener("drop", (event) => {
    form.classList.remove("dragging");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

// Back to a form as it was filled in; the address alone would show an empty one.
for (const link of document.querySelectorAll("[data-back] > a:first-child")) {
  link.addEventListener("click", (event) => {
    if (history.length < 2 || !document.referrer.startsWith(location.origin)) return;
    event.preventDefault();
    history.back();
  });
}

// A form that one comes back to may be older than the studio, which then refuses it: it gets a fresh token.
addEventListener("pageshow", async (event) => {
  const stale = document.querySelectorAll("input[name=csrf]");
  const came = performance.getEntriesByType("navigation")[0]?.type;
  if (!stale.length || (!event.persisted && came !== "back_forward")) return;
  const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("input[name=csrf]")?.value;
  if (fresh) stale.forEach((field) => { field.value = fresh; });
});

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
}

for (const chips of document.querySelectorAll("[data-chips]")) {
  chips.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-show]");
    if (!chosen) return;
    for (const chip of chips.querySelectorAll("[data-show]")) chip.setAttribute("aria-pressed", String(chip === chosen));
    for (const group of document.querySelectorAll("[data-group]")) group.hidden = chosen.dataset.show !== "" && group.dataset.group !== chosen.dataset.show;
  });
}

const link = document.getElementById("bookmarklet");
if (link) {
  const { bookmarklet } = await import("./bookmarklet.js");
  link.href = bookmarklet(location.origin);
  document.getElementById("bookmarklet-text").value = link.href;
}
