// The studio's side of the bookmarklet: takes addresses from the page that opened this window, asks the
// service, and hands the languages back to that page only.

const told = document.getElementById("told");
const counts = document.getElementById("counts");

async function answer(event) {
  if (event.source !== window.opener || !Array.isArray(event.data?.urls)) return;
  const urls = event.data.urls.filter((url) => typeof url === "string").slice(0, 20000);
  told.textContent = `Looking at ${urls.length} links …`;
  const response = await fetch("/v1/detect/batch", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ urls }),
  });
  const found = await response.json();
  if (!response.ok) { told.textContent = found.error.message; return; }
  event.source.postMessage({ language: found.language, probability: found.probability }, event.origin);
  const groups = new Map();
  for (const code of found.language) groups.set(code, (groups.get(code) ?? 0) + 1);
  told.textContent = `${urls.length} links of ${new URL(event.origin).host} have their badges.`;
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
