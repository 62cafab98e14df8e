// Start, pause, stop, a new version: what an admin may do.
import { api, element } from "/assets/common.js";

const STEPS = { start: "Start", pause: "Pause", stop: "Stop" };
const POSSIBLE = { draft: ["start", "stop"], running: ["pause", "stop"], paused: ["start", "stop"], stopped: [] };

export function buttons(name, path, done) {
  const said = element("p", { role: "status", id: "said" });
  const sure = element("dialog", { "aria-labelledby": "sure-title" });
  const button = (step, text) => element("button",
    { class: step === "start" ? "primary" : null, onclick: () => (step === "stop" ? ask() : go(step)) }, text);
  const made = Object.fromEntries(Object.entries(STEPS).map(([step, text]) => [step, button(step, text)]));

  async function go(step) {
    said.className = "";
    said.textContent = "…";
    try {
      const { state } = await api(`${path}/${step}`, undefined, "POST");
      said.textContent = `It is ${state} now.`;
      await done();
    } catch (error) {
      said.className = "bad";
      said.textContent = error instanceof TypeError ? "The server is gone: nothing was changed." : error.message;
    }
  }

  /** A stopped experiment does not start again. */
  function ask() {
    const close = () => sure.close();
    sure.replaceChildren(element("h2", { id: "sure-title" }, `Stop ${name}?`),
      element("p", {}, "From then on everybody gets the winner, and it cannot be started again."),
      element("div", { class: "bar" },
        element("button", { class: "primary", onclick: () => { close(); go("stop"); } }, "Stop it"),
        element("button", { onclick: close }, "Leave it")));
    sure.showModal();
  }

  const link = element("a", { class: "button", href: `/new?of=${encodeURIComponent(name)}` }, "New version");
  const vote = element("a", { class: "button", href: `/vote/${encodeURIComponent(name)}`, hidden: true }, "Vote");
  const bar = element("div", { class: "bar", role: "group", "aria-label": "Change it" }, Object.values(made), link, vote);
  return {
    box: element("div", {}, bar, said, sure),
    show(seen) {
      vote.hidden = !seen.contents;
      for (const [step, button] of Object.entries(made)) button.disabled = !POSSIBLE[seen.state].includes(step);
    },
  };
}
