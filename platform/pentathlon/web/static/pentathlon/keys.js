// Keys of the replay viewer, which do what its buttons do.

const KEYS = {
  ArrowLeft: "back",
  k: "back",
  ArrowRight: "forward",
  j: "forward",
  ArrowUp: "turn-back",
  ArrowDown: "turn-forward",
  Home: "first",
  End: "last",
  " ": "play",
  ",": "slower",
  ".": "faster",
  v: "view",
  n: "mark-forward",
  p: "mark-back",
  c: "copy",
};

const STORED = "viewer-keys";
const help = document.querySelector("[data-help]");
const goto = document.querySelector("[data-goto]");
const wanted = help.querySelector("[data-keys-on]");
wanted.checked = localStorage.getItem(STORED) !== "off";
wanted.addEventListener("change", () => {
  localStorage.setItem(STORED, wanted.checked ? "on" : "off");
});

document.querySelectorAll("[data-open-help]").forEach((button) => {
  button.addEventListener("click", () => help.showModal());
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !wanted.checked || isBusy()) return;
  if (event.key === "?") return open(event, help);
  if (event.key.toLowerCase() === "g") return open(event, goto);
  const what = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!what || (event.key === " " && document.activeElement.matches("button, summary"))) return;
  event.preventDefault();
  press(what);
});

function open(event, dialog) {
  event.preventDefault();
  dialog.showModal();
}

function press(what) {
  const viewer = document.querySelector("[data-viewer]");
  viewer.dispatchEvent(new CustomEvent("pentathlon:do", { detail: what }));
}

/** Whether a field has the focus or a dialog is open, so that the keys belong to it. */
function isBusy() {
  return document.activeElement.matches("input, select, textarea, dialog *") || help.open;
}
