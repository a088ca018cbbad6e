// The window of the bookmarklet: takes URLs from the page that opened it, asks the visitor, and returns the languages
// to that page only.

const status = document.getElementById("status");
const counts = document.getElementById("counts");
const ask = document.getElementById("ask");
let waiting = null;

async function languagesOf(urls) {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ urls }) };
  const response = await fetch("/v1/detect/batch", request).catch(() => null);
  if (!response) throw new Error("The studio does not answer: is it still running?");
  const found = await response.json().catch(() => null);
  if (response.ok && found) return found;
  throw new Error(found?.detail ?? `The studio sent no usable answer (status ${response.status}).`);
}

function receive(event) {
  if (event.source !== window.opener || !Array.isArray(event.data?.urls)) return;
  const urls = event.data.urls.filter((url) => typeof url === "string").slice(0, 20000);
  waiting = { urls, origin: event.origin, source: event.source };
  const host = event.origin === "null" ? "a page from a file" : new URL(event.origin).host;
  status.textContent = `${host} asks for the languages of ${urls.length} links. Allow it only if you chose the bookmark yourself.`;
  ask.hidden = false;
  document.getElementById("allow").focus();
}

async function answer() {
  const { urls, origin, source } = waiting;
  ask.hidden = true;
  status.textContent = `Predicting ${urls.length} links …`;
  let found;
  try {
    found = await languagesOf(urls);
  } catch (error) {
    status.textContent = error.message;
    return;
  }
  // A page from a file has no origin to name; the answer holds only what it sent.
  source.postMessage({ language: found.language, probability: found.probability }, origin === "null" ? "*" : origin);
  const groups = new Map();
  for (const code of found.language) groups.set(code, (groups.get(code) ?? 0) + 1);
  status.textContent = `${urls.length} links of ${origin === "null" ? "the page" : new URL(origin).host} have their badges.`;
  counts.replaceChildren(...[...groups].sort((a, b) => b[1] - a[1]).map(([code, n]) => {
    const row = document.createElement("li");
    row.append(code === "und" ? "not sure" : code, ": ", String(n));
    return row;
  }));
}

document.getElementById("allow").addEventListener("click", answer);
document.getElementById("deny").addEventListener("click", () => window.close());
if (window.opener) {
  addEventListener("message", receive);
  window.opener.postMessage("ready", "*");
} else {
  status.textContent = "The bookmarklet opens this window.";
}
