// The studio's side of the bookmarklet: takes addresses from the page that opened this window, asks the
// service, and hands the languages back to that page only.

const told = document.getElementById("told");
const counts = document.getElementById("counts");

async function languagesOf(urls) {
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ urls }) };
  const response = await fetch("/v1/detect/batch", asked).catch(() => null);
  if (!response) throw new Error("The studio does not answer: is it still running?");
  const found = await response.json().catch(() => null);
  if (response.ok && found) return found;
  throw new Error(found?.error?.message ?? `The studio gave no answer that can be used (status ${response.status}).`);
}

async function answer(event) {
  if (event.source !== window.opener || !Array.isArray(event.data?.urls)) return;
  const urls = event.data.urls.filter((url) => typeof url === "string").slice(0, 20000);
  told.textContent = `Looking at ${urls.length} links …`;
  let found;
  try {
    found = await languagesOf(urls);
  } catch (error) {
    told.textContent = error.message;
    return;
  }
  // A page from a file has no origin that could be named; what goes back is of its own links.
  const origin = event.origin === "null" ? "*" : event.origin;
  event.source.postMessage({ language: found.language, probability: found.probability }, origin);
  const groups = new Map();
  for (const code of found.language) groups.set(code, (groups.get(code) ?? 0) + 1);
  const host = origin === "*" ? "the page" : new URL(origin).host;
  told.textContent = `${urls.length} links of ${host} have their badges.`;
  counts.replaceChildren(...[...groups].sort((a, b) => b[1] - a[1]).map(([code, n]) => {
    const row = document.createElement("li");
    row.append(code === "und" ? "not sure" : code, ": ", String(n));
    return row;
  }));
}

if (window.opener) {
  addEventListener("message", answer);
  window.opener.postMessage("ready", "*");
} else {
  told.textContent = "This window is opened by the bookmarklet.";
}
