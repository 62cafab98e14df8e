// Pages that keep up by themselves: a stream of names that changed, and what to do when it ends.
import { element, token } from "/assets/common.js";

// Milliseconds. The server says something every ten seconds.
const WAIT = { first: 1000, longest: 10000, silent: 30000 };

const connection = document.getElementById("connection");

/** Say how it stands with the server, in words and for the style. */
export function say(state, text) {
  document.body.dataset.connection = state;
  if (connection.textContent !== text) connection.textContent = text;
}

/** Read lines of the stream until it ends. EventSource cannot send a token, so it is a plain request. */
async function listen(changed, opened) {
  const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
  const stop = new AbortController();
  document.addEventListener("visibilitychange", () => document.hidden && stop.abort(), { signal: stop.signal });
  let timer = setTimeout(() => stop.abort(), WAIT.silent);
  const answer = await fetch("/v1/stream", { headers, signal: stop.signal });
  if (answer.status === 401 || answer.status === 403) return "refused";
  if (!answer.ok) return "gone";
  opened();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return "gone";
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), WAIT.silent);
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) changed(JSON.parse(line.slice(6)).changed);
  }
}

/** Until somebody looks. A browser has few connections to a server, and those of hidden tabs would use them up. */
async function looked() {
  while (document.hidden) {
    say("asleep", "Asleep: it goes on when you look");
    await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
  }
}

/** Call `refresh` now, and with the names of experiments whenever some changed; begin again when the server is back. */
export async function live(refresh) {
  let again = false;
  const show = (names) => refresh(names).catch((error) => { if (!(error instanceof TypeError)) throw error; });
  for (let wait = WAIT.first; ;) {
    let ended = "gone";
    await looked();
    try {
      ended = await listen(show, () => {
        wait = WAIT.first;
        say("live", "Live");
        if (again) show(null);
      });
    } catch { /* it is gone, or has been silent for too long */ }
    if (ended === "refused") return say("refused", "A token is needed");
    again = true;
    if (document.hidden) continue;
    say("gone", "The server is gone. Trying again…");
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(2 * wait, WAIT.longest);
  }
}

/** A form for the token, in the header: it is kept for this tab, and sent with every request. */
export function tokenForm() {
  const field = element("input", { type: "password", id: "token", autocomplete: "off", value: token.get() });
  const form = element("form", { class: "token" }, element("label", { for: "token" }, "Token"), field,
    element("button", {}, "Use"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    token.set(field.value.trim());
    location.reload();
  });
  document.querySelector("header.top").append(form);
}

/** What to show instead of content when it cannot be had. */
export function trouble(error) {
  const gone = error instanceof TypeError;
  const title = gone ? "The server cannot be reached" : error.status === 404 ? "Not here" : "This did not work";
  const hint = gone ? "The page shows itself as soon as it is back."
    : error.status === 401 || error.status === 403 ? "Type a token in the field at the top of the page." : "";
  return element("div", { class: "card trouble", role: "alert" }, element("h2", {}, title),
    element("p", { class: "bad" }, gone ? "" : error.message), element("p", {}, hint));
}

const OPENED = "details > summary[data-key]";

/** Replace children. What had the focus gets it back, and what was opened stays open: by `data-key`. */
export function replace(parent, ...children) {
  const key = document.activeElement?.dataset?.key;
  const inside = key !== undefined && parent.contains(document.activeElement);
  const opened = [...parent.querySelectorAll(OPENED)].filter((each) => each.parentElement.open);
  const keys = new Set(opened.map((each) => each.dataset.key));
  parent.replaceChildren(...children.flat());
  for (const each of parent.querySelectorAll(OPENED)) each.parentElement.open ||= keys.has(each.dataset.key);
  if (inside) [...parent.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus();
}
