// Before the page is drawn: the chosen theme, and the mark that scripts run.
document.documentElement.classList.add("js");
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that stores nothing.
}
