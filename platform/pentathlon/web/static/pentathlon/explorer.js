// Keys of the explorer: arrows choose the next event, Enter follows it, Backspace goes back.

const choices = [...document.querySelectorAll("[data-choice]")];
const back = document.querySelector("[data-back]");

document.querySelector("[data-keys]").hidden = false;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "ArrowDown") choose(event, 1);
  if (event.key === "ArrowUp") choose(event, -1);
  if (event.key === "Backspace" && back) follow(event, back);
});

function choose(event, step) {
  const at = choices.indexOf(document.activeElement);
  const next = choices[Math.max(0, at + step)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function follow(event, link) {
  event.preventDefault();
  link.click();
}
