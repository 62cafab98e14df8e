// Keeps the strip up to date, and lets its buttons work without loading the page again.
"use strict";

const strip = document.querySelector(".strip");
const controls = strip.querySelector(".controls");

function show(state) {
  for (const place of strip.querySelectorAll("[data-fact]")) {
    const text = String(state[place.dataset.fact]);
    if (place.textContent !== text) place.textContent = text;
  }
  strip.querySelector("[data-pause]").textContent = state.paused ? "Go on" : "Pause";
  strip.querySelector(".gone").hidden = true;
}

async function ask(address, more) {
  try {
    const answer = await fetch(address, { headers: { accept: "application/json" }, ...more });
    if (answer.ok) show(await answer.json());
  } catch {
    strip.querySelector(".gone").hidden = false;
  }
}

controls.addEventListener("submit", (event) => {
  event.preventDefault();
  const body = new URLSearchParams({ do: event.submitter.value });
  ask(controls.action, { method: "POST", body });
});

setInterval(() => {
  if (!document.hidden) ask("/search/state");
}, 1000);
