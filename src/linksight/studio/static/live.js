// Live parts: an element with data-live is fetched repeatedly and replaced, until it has no data-live; data-go then
// opens the result.

function showStale(element, why, seen) {
  const note = element.querySelector("[data-stale]") ?? document.createElement("p");
  const text = `${why} What is shown is from ${seen.toLocaleTimeString()}.`;
  if (note.textContent === text) return;
  Object.assign(note, { className: "problem", textContent: text });
  note.dataset.stale = "";
  note.setAttribute("role", "alert");
  element.prepend(note);
}

function replaceBy(element, fresh) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id || document.activeElement.textContent : null;
  const places = [...element.querySelectorAll(".scroll")].map((part) => part.scrollLeft);
  const open = [...element.querySelectorAll("details")].map((part) => part.open);
  element.replaceWith(fresh);
  fresh.querySelectorAll(".scroll").forEach((part, k) => { part.scrollLeft = places[k] ?? 0; });
  fresh.querySelectorAll("details").forEach((part, k) => { part.open = open[k] ?? part.open; });
  if (focused) [...fresh.querySelectorAll("button, a, input")].find((x) => (x.id || x.textContent) === focused)?.focus();
}

export function keepAlive(element, enhance) {
  const every = Number(element.dataset.every ?? 2000);
  let wait = every;
  let seen = new Date();
  const turn = async () => {
    if (document.hidden) return setTimeout(turn, every);
    if (!element.isConnected) return;
    try {
      const answer = await fetch(element.dataset.live, { headers: { "x-part": "1" } });
      if (answer.status === 404) return location.reload(); // a job of an earlier studio: its page explains it
      if (answer.redirected) throw new Error("The studio needs its token again: reload this page.");
      if (!answer.ok) throw new Error(`The studio sends no figures (status ${answer.status}).`);
      const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = parsed.body.firstElementChild;
      replaceBy(element, fresh);
      element = fresh;
      const live = element.dataset.live;
      delete element.dataset.live; // this loop continues it
      enhance(element);
      if (live) element.dataset.live = live;
      wait = every;
      seen = new Date();
    } catch (error) {
      const why = error instanceof TypeError ? "The studio does not answer: is it still running?" : error.message;
      if (wait > every) showStale(element, why, seen); // not at the first failure: leaving a page also ends its requests
      wait = Math.min(wait * 2, 30000);
    }
    if (element.dataset.go) return location.replace(element.dataset.go);
    if (element.dataset.live) setTimeout(turn, wait);
  };
  setTimeout(turn, every);
}
