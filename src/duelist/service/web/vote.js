// Voting: a question, an answer, the next question. What was answered is kept until the service has it.
import { Refused, api, element, number, token } from "/assets/common.js";
import { boardTable } from "/assets/board.js";
import { shown } from "/assets/contents.js";

const name = decodeURIComponent(location.pathname.split("/").pop());
const path = `/v1/experiments/${encodeURIComponent(name)}`;
const [title, said, content, progress] = ["title", "said", "content", "progress"].map((id) => document.getElementById(id));
const RETRY = 1000; // milliseconds between tries while the service is away
const OUTCOMES = { left: 1, tie: 0.5, right: 0 };
const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie", t: "tie", s: "skip" };

let current = null; // the question on the screen
let focused = ""; // the button that answered the last one: whoever goes by keys finds it again
let busy = true; // nothing is answered while something is under way

// What this browser knows: who votes, the key of the question that is open, and an answer that is on its way.
const kept = {
  fallback: {}, // where a browser keeps nothing, it lasts as long as the page
  read(key) {
    try { return localStorage.getItem(key) ?? this.fallback[key]; } catch { return this.fallback[key]; }
  },
  write(key, text) {
    this.fallback[key] = text;
    try { localStorage.setItem(key, text); } catch { /* it lasts as long as the page */ }
  },
};

/** Text that nobody else has; not randomUUID, which is for https alone. */
const secret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

function voter() {
  if (!kept.read("duelist-voter")) kept.write("duelist-voter", secret());
  return kept.read("duelist-voter");
}

const place = `duelist-vote:${name}`;
const standing = () => ({ key: "", votes: 0, pending: null, ...JSON.parse(kept.read(place) || "{}") });
const note = (change) => kept.write(place, JSON.stringify({ ...standing(), ...change }));

/** Try until the service answers; while it is away, say so. What it refuses is the caller's. */
async function patiently(send) {
  for (;;) {
    try {
      const answer = await send();
      if (said.dataset.away) tell("");
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.status !== 503 && error.status !== 429) throw error;
      tell("The service does not answer. Nothing is lost: it is tried again every second.", true);
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}

function tell(text, away = false) {
  said.textContent = text;
  said.className = away ? "bad" : "quiet";
  said.dataset.away = away ? "yes" : "";
}

async function next() {
  busy = true;
  content.setAttribute("aria-busy", "true");
  try {
    await deliver();
    if (!standing().key) note({ key: secret() });
    const { key } = standing(); // the same again after a reload, and in another tab
    show({ key, ...await patiently(() => api(`${path}/question`, { user: voter(), key })) });
  } catch (error) {
    refuse(error);
  }
}

/** Send an answer that is on its way, also one of before a reload: the service counts it once. */
async function deliver() {
  const { pending } = standing();
  if (!pending) return;
  try {
    const { told } = await patiently(() => api(`${path}/tell`, { id: pending.id, outcome: pending.outcome }));
    if (!told) tell("That question had waited too long, and this vote was not counted.");
    else if (pending.key === standing().key) note({ votes: standing().votes + 1 }); // or another tab has
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    tell("The questions have changed, and this vote was not counted."); // of an older version
  }
  note({ pending: null });
  done(pending);
}

/** This question is over; another tab may have gone on to the next one. */
const done = ({ key }) => key === standing().key && note({ key: "" });

function answer(which) {
  if (busy || !current) return;
  busy = true;
  focused = document.activeElement?.id || "";
  tell("");
  if (which === "skip") done(current);
  else note({ pending: { id: current.id, key: current.key, outcome: OUTCOMES[which] } });
  for (const button of content.querySelectorAll("button")) button.disabled = true;
  next();
}

// What is on the screen.

function put(heading, ...children) {
  title.textContent = heading;
  content.replaceChildren(...children);
  content.dataset.question = current?.id ?? "";
  content.removeAttribute("aria-busy");
  document.title = `${heading} · ${name}`;
}

function show(asked) {
  current = asked.id ? asked : null;
  const mine = standing().votes;
  const all = Math.max(mine, asked.votes);
  progress.textContent = all ? `${number(mine)} of ${number(all)} votes are yours` : "No votes yet";
  if (!current) return rest(asked);
  const prompt = asked.prompt && element("section", { class: "card prompt", "aria-label": "Prompt" }, shown(asked.prompt));
  put("Which one is better?",
    ...(prompt ? [prompt] : []),
    element("div", { class: "sides" }, side("left", "Left", "←", asked.left), side("right", "Right", "→", asked.right)),
    element("div", { class: "between" }, choice("tie", "Equally good", "t"), choice("skip", "Skip", "s")));
  document.getElementById(focused || "main")?.focus({ preventScroll: true });
  busy = false;
}

const choice = (which, text, key) =>
  element("button", { type: "button", id: which, onclick: (event) => event.detail < 2 && answer(which) }, // not the second
    text, element("kbd", { "aria-hidden": "true" }, key)); // click of a double one, which is on the next question

function side(which, text, key, view) {
  return element("section", { class: "card side", "aria-labelledby": `${which}-head` },
    element("h2", { id: `${which}-head` }, text), shown(view), choice(which, `${text} is better`, key));
}

const RESTS = {
  stopped: ["The vote is over", "Thank you. This is what it came to."],
  done: ["You have judged all there is", "Thank you. This is what is known so far; others may still vote."],
  paused: ["The vote is paused", "Come back later: it goes on where it was."],
  outside: ["You are not asked", "This vote is among others; thank you for looking in."],
};

/** Nothing is asked. The leaderboard is shown to those who cannot be swayed by it any more. */
async function rest(asked) {
  const [heading, text] = asked.certain && asked.why === "done" ? ["It is certain", RESTS.stopped[1]] : RESTS[asked.why];
  put(heading, element("p", {}, text));
  if (asked.why !== "stopped" && asked.why !== "done") return again();
  const board = await patiently(() => api(`${path}/board`));
  content.append(boardTable(board));
  return asked.why === "done" ? again() : undefined;
}

const again = () => content.append(element("button", { type: "button", onclick: next }, "Look again"));

function refuse(error) {
  current = null;
  if (error instanceof Refused && (error.status === 401 || error.status === 403)) return askToken(error);
  const draft = error instanceof Refused && error.status === 409;
  put(draft ? "Nothing to vote on yet" : "This cannot be voted on",
    element("p", { role: "alert", class: draft ? "" : "bad" }, String(error.message)));
  return again();
}

function askToken(error) {
  const field = element("input", { id: "token", type: "password", autocomplete: "off", required: true });
  const form = element("form", { class: "token", onsubmit: (event) => {
    event.preventDefault();
    token.set(field.value.trim());
    next();
  } }, element("label", { for: "token" }, "Token (role write)"), field, " ",
  element("button", { class: "primary" }, "Vote"));
  put("A token, please", element("p", {}, "Whoever invited you can give you one."),
    ...(token.get() ? [element("p", { class: "bad", role: "alert" }, error.message)] : []), form);
  field.focus();
}

const scrolls = (box) => box && box.scrollHeight > box.clientHeight;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("input")) return;
  const which = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!which || busy || !current || (event.key === "ArrowDown" && scrolls(event.target.closest(".shown")))) return;
  event.preventDefault(); // an arrow would scroll
  answer(which);
});

next();
