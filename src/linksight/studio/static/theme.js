// Before the page is drawn: the look that the visitor chose, or every page would flash in the other one.
try {
  const kept = localStorage.getItem("theme");
  if (kept) document.documentElement.dataset.theme = kept;
} catch {
  // A browser that keeps nothing.
}
