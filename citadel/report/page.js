"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const words = document.getElementById("words");
const chosen = all(".filters select");
const sure = document.getElementById("sure");

function filter() {
  const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const least = Number(sure.value);
  let shown = 0;
  for (const section of all("section")) {
    let here = 0;
    for (const one of all("details.operation", section)) {
      const told = { ...section.dataset, ...one.dataset };
      const fits = chosen.every((select) => !select.value || told[select.name] === select.value)
        && Number(told.confidence) >= least
        && asked.every((word) => told.text.includes(word));
      one.hidden = !fits;
      here += fits;
    }
    section.hidden = !here && all("details.operation", section).length > 0;
    shown += here;
  }
  document.getElementById("shown").textContent = `${shown} shown`;
}

async function copy(button) {
  const code = button.closest(".copied").querySelector("pre").dataset.code;
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = "copied";
  } catch {
    button.textContent = "cannot copy here";
  }
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

for (const one of [words, sure, ...chosen]) one.addEventListener("input", filter);
document.addEventListener("click", (event) => {
  if (event.target.matches("button.copy")) copy(event.target);
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    words.focus();
  } else if (event.key === "Escape" && typing) {
    event.target.blur();
  } else if ((event.key === "j" || event.key === "k") && !typing) {
    const open = all("details.operation:not([hidden]) > summary").filter((one) => !one.closest("section[hidden]"));
    const place = open.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
    open[Math.max(0, Math.min(place, open.length - 1))]?.focus();
  }
});
let opened = [];
addEventListener("beforeprint", () => {
  opened = all("details.operation:not([open])");
  for (const one of opened) one.open = true;
});
addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
filter();
