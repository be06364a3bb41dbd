// Small comforts of every page; nothing here is needed to use one.

const TOAST_MS = 8000;

/** Show what works only with a script, in the page and in parts that are renewed later. */
function showButtons() {
  for (const button of document.querySelectorAll("[data-copy], [data-dismiss]")) button.hidden = false;
}

showButtons();
document.addEventListener("pentathlon:renewed", showButtons);

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    say("Copied.");
  }
  event.target.closest("[data-dismiss]")?.closest(".toast").remove();
  closeMenus(event.target);
});

// A form is sent once: its buttons rest until the next page, or until somebody comes back to this one.
// They rest only after the form's fields were gathered, since the pressed button is one of them.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.getAttribute("method") !== "post" || event.defaultPrevented) return;
  if ("sent" in form.dataset) return event.preventDefault();
  form.dataset.sent = "";
  setTimeout(() => rest(form, true));
});

addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    rest(form, false);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey) search(event);
  if (event.key !== "Escape") return;
  const open = document.querySelector("details[data-menu][open]");
  closeMenus(null);
  open?.querySelector("summary").focus();
});

document.querySelectorAll("[data-toast]").forEach(fade);

// Navigations scroll sideways on phones: bring the current page's entry into view. After
// `scrollIntoView` the first Tab would go on from there, past the link to the content.
for (const current of document.querySelectorAll(":is(header nav, .in-line) [aria-current]")) {
  const [entry, nav] = [current, current.closest("nav")].map((each) => each.getBoundingClientRect());
  current.closest("nav").scrollLeft += entry.left - nav.left - (nav.width - entry.width) / 2;
}

document.addEventListener("pentathlon:renewed", () => {
  for (const button of document.querySelectorAll("[data-dismiss]")) button.hidden = false;
});

/** Show a sentence for a while and let screen readers say it. */
function say(sentence) {
  document.querySelectorAll("[data-toast]").forEach((old) => old.remove());
  const toast = document.createElement("p");
  toast.className = "toast";
  toast.setAttribute("role", "status");
  toast.dataset.toast = "";
  document.body.append(toast);
  toast.textContent = sentence;
  fade(toast);
}

document.addEventListener("pentathlon:say", (event) => say(event.detail));

/** Let the buttons of a form rest, or work again. */
function rest(form, isResting) {
  for (const button of form.querySelectorAll("button:not([type=button])")) button.disabled = isResting;
}

/** Put the cursor into the search field, unless somebody types elsewhere. */
function search(event) {
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  event.preventDefault();
  const field = document.querySelector("[data-search]");
  if (!field) return;
  if (field.offsetParent) field.focus();
  else field.form.requestSubmit();
}

function fade(toast) {
  setTimeout(() => toast.remove(), TOAST_MS);
}

function closeMenus(target) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(target)) menu.open = false;
  }
}
