// Forms are sent in the background: an error appears in the form, which keeps every value and file.

function showError(form, text) {
  let box = form.querySelector("[data-error]");
  if (!box) {
    box = document.createElement("p");
    box.className = "problem";
    box.dataset.error = "";
    box.setAttribute("role", "alert");
    box.tabIndex = -1;
    form.prepend(box);
  }
  box.hidden = !text;
  box.textContent = text;
  if (text) box.focus();
}

function setBusy(form, submitter, busy) {
  form.toggleAttribute("aria-busy", busy);
  for (const button of form.querySelectorAll("button")) button.disabled = busy;
  if (submitter) submitter.classList.toggle("busy", busy);
}

// A token of the studio that runs now: a form may be older than the studio.
async function freshToken() {
  const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return "";
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("input[name=csrf]")?.value ?? "";
}

// Not form.action: that is the button of this name where a form has one.
function addressOf(form) {
  return new URL(form.getAttribute("action") ?? "", location.href);
}

async function post(form, body) {
  const answer = await fetch(addressOf(form), { method: "POST", body });
  return { answer, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
}

function showPage(page, form, enhance) {
  const fresh = document.importNode(page.querySelector("main"), true);
  document.querySelector("main").replaceWith(fresh);
  document.title = page.title;
  enhance(fresh);
  const place = addressOf(form).hash;
  const result = place && fresh.querySelector(place);
  if (result) {
    result.tabIndex = -1;
    result.focus({ preventScroll: true });
    result.scrollIntoView();
  }
}

async function send(form, submitter, enhance) {
  showError(form, "");
  const body = new FormData(form, submitter); // before its buttons are disabled
  setBusy(form, submitter, true);
  try {
    let { answer, page } = await post(form, body);
    const token = answer.status === 403 ? await freshToken() : "";
    const field = form.querySelector("input[name=csrf]");
    if (token && field && token !== field.value) {
      document.querySelectorAll("input[name=csrf]").forEach((one) => { one.value = token; });
      body.set("csrf", token);
      ({ answer, page } = await post(form, body));
    }
    if (answer.ok && answer.redirected) return location.assign(answer.url);
    if (answer.ok) return showPage(page, form, enhance);
    showError(form, page.querySelector("[data-problem]")?.textContent ?? `The studio refused this (status ${answer.status}).`);
  } catch {
    showError(form, "The studio does not answer, or refused the file: is it still running, and is the file within the limits?");
  }
  setBusy(form, submitter, false);
}

function acceptDrops(form) {
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

export function enhanceForms(part, enhance) {
  part.querySelectorAll("form[data-drop]").forEach(acceptDrops);
  for (const form of part.querySelectorAll("form[method=post]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.confirm && !confirm(form.dataset.confirm)) return event.preventDefault();
      event.preventDefault();
      if (!form.hasAttribute("aria-busy")) send(form, event.submitter ?? form.querySelector("button"), enhance);
    });
  }
}

// The browser may show a page from its cache, with a busy form or an old token.
addEventListener("pageshow", async (event) => {
  document.querySelectorAll("form[aria-busy]").forEach((form) => setBusy(form, form.querySelector(".busy"), false));
  const fields = document.querySelectorAll("input[name=csrf]");
  const came = performance.getEntriesByType("navigation")[0]?.type;
  if (!fields.length || (!event.persisted && came !== "back_forward")) return;
  const token = await freshToken();
  if (token) fields.forEach((field) => { field.value = token; });
});
