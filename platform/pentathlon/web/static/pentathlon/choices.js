// Finds and ticks entries of a long list of choices. Without it the list is scrolled and ticked by hand.

const LONG = 8;

class Choices {
  constructor(list) {
    this.list = list;
    this.rows = [...list.querySelectorAll(".choice")];
    this.search = document.createElement("input");
    this.search.type = "search";
    this.search.placeholder = "Find";
    this.search.setAttribute("aria-label", "Find in the list");
    this.search.addEventListener("input", () => this.filter());
    // Enter would send the form.
    this.search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    this.count = document.createElement("span");
    this.count.className = "small muted";
    this.count.setAttribute("role", "status");
    const tools = document.createElement("div");
    tools.className = "row";
    tools.append(this.search, this.button("Choose all", true), this.button("None", false), this.count);
    list.before(tools);
    list.addEventListener("change", () => this.tell());
    this.tell();
  }

  button(word, checked) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = word;
    button.addEventListener("click", () => {
      for (const row of this.shown()) row.querySelector("input").checked = checked;
      this.tell();
    });
    return button;
  }

  shown() {
    return this.rows.filter((row) => !row.hidden);
  }

  filter() {
    const wanted = this.search.value.trim().toLowerCase();
    for (const row of this.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    this.tell();
  }

  tell() {
    const chosen = this.rows.filter((row) => row.querySelector("input").checked).length;
    this.count.textContent = `${chosen} of ${this.rows.length} chosen`;
  }
}

for (const list of document.querySelectorAll(".choices")) {
  if (list.querySelectorAll("input").length >= LONG) new Choices(list);
}
