// The bookmarklet. It runs in a foreign page, so it asks through a window of the studio: the page's own
// policy may forbid requests, but a window can always be opened and written to.

function onPage(studio) {
  const links = [...document.querySelectorAll("a[href^='http']")].filter((a) => typeof a.href === "string" && !a.dataset.linksight);
  const bridge = window.open(studio + "/links/bridge", "linksight", "width=380,height=520");
  if (!bridge) return alert("linksight: the window was blocked; allow it and try again");
  const hear = (event) => {
    if (event.origin !== studio || event.source !== bridge) return;
    if (event.data === "ready") {
      bridge.postMessage({ urls: links.map((a) => a.href).slice(0, 20000) }, studio);
    } else if (event.data && event.data.language) {
      removeEventListener("message", hear);
      links.forEach((a, i) => {
        const code = event.data.language[i];
        if (!code) return;
        const badge = document.createElement("span");
        badge.textContent = code === "und" ? "?" : code;
        badge.title = "linksight: " + code + ", " + Math.round(event.data.probability[i] * 100) + " %";
        badge.style.cssText = "font:600 11px/1.4 sans-serif;background:" + (code === "und" ? "#888" : "#1d5fd1") + ";color:#fff;border-radius:3px;padding:0 4px;margin:0 3px;display:inline-block";
        a.dataset.linksight = code;
        a.append(badge);
      });
    }
  };
  addEventListener("message", hear);
}

export function bookmarklet(studio) {
  const code = onPage.toString().replace(/\s+/g, " ");
  return "javascript:" + encodeURIComponent("(" + code + ")(" + JSON.stringify(studio) + ")");
}
