// The last lists and duels, and one of them step by step.
import { api, element, number } from "/assets/common.js";
import { replace } from "/assets/live.js";
import { time, wide } from "/assets/words.js";

const FIRST = 10; // that are shown at once

export function recent(path) {
  const rows = element("tbody"), story = element("div", { id: "story", "aria-live": "polite" });
  const empty = element("p", { class: "quiet" }, "None yet.");
  const heads = ["When", "What", "Arms", "Query", "Clicks", "Outcome", "Step by step"];
  const scroller = wide("Recent impressions", element("table", {}, element("caption", {}, `The last ${FIRST}`),
    element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text)))), rows));
  const box = element("section", { class: "card" }, element("h2", {}, "Recent impressions"), empty, scroller, story);

  async function tell(id) {
    try {
      story.replaceChildren(steps(await api(`${path}/explain?id=${encodeURIComponent(id)}`)));
    } catch (error) {
      story.replaceChildren(element("p", { class: "bad" }, error.message));
    }
  }

  async function refresh() {
    const { impressions } = await api(`${path}/impressions`);
    empty.hidden = impressions.length > 0;
    scroller.hidden = !impressions.length;
    replace(rows, impressions.slice(0, FIRST).map(row));
  }

  function row(each) {
    const attributes = { class: "small", "data-key": each.id, "aria-label": `explain ${each.id}` };
    const button = element("button", { ...attributes, onclick: () => tell(each.id) }, "Explain");
    const texts = [time(each.at), each.what + (each.open ? " (open)" : ""), each.arms.join(", "), each.query,
      number(each.clicks), each.outcome === null ? "–" : number(each.outcome, 2), button];
    return element("tr", {}, texts.map((text) => element("td", {}, text)));
  }

  return { box, refresh };
}

/** Lists in, list shown, clicks, credit, outcome, update. */
function steps(told) {
  const slot = (each) => element("li", { class: each.actions.length ? "clicked" : null },
    each.document, each.team ? element("span", { class: "quiet" }, ` by ${each.team}`) : null,
    each.actions.length ? ` ← ${each.actions.join(", ")}` : null);
  const said = (text) => element("p", {}, text);
  const parts = [
    ["What came in", told.lists.length ? element("div", { class: "columns" }, told.lists.map(listIn))
      : said(chosen(told))],
    ["What was shown", told.shown.length ? element("ol", { class: "slots" }, told.shown.map(slot))
      : said(told.arms.join(" beside "))],
    ["Clicks", said(clicked(told))],
    ["Credit", said(told.credit.map(({ name, credit }) => `${name} ${number(credit, 2)}`).join(", ") || "None.")],
    ["Outcome", said(outcome(told))],
    ["Update", said(told.learnt)],
  ];
  const title = `${told.what} ${told.id}${told.query ? `, “${told.query}”` : ""}`;
  return element("div", { class: "card" }, element("h3", {}, title), element("ol", { class: "steps" },
    parts.map(([name, body]) => element("li", {}, element("strong", {}, name), body))));
}

const listIn = ({ name, documents }) => element("div", {}, element("strong", {}, name),
  element("ol", { class: "slots" }, documents.map((text) => element("li", {}, text))));

const chosen = ({ arms }) =>
  (arms.length ? `The policy chose ${arms.join(" and ")}.` : "Documents with their features.");

function clicked({ what, shown }) {
  if (what === "duel") return "None: it was told directly.";
  const found = shown.filter((each) => each.actions.length);
  return found.map((each) => `${each.document} (${each.actions.join(", ")})`).join("; ") || "Nobody clicked.";
}

function outcome({ what, outcome: value, arms }) {
  if (what === "ranking") return "This is no duel: the learner takes the clicks as they are.";
  if (value === null) return "This is no duel: what each earned is compared.";
  return `${number(value, 2)} (1: ${arms[0]} wins, 0: ${arms[1] ?? arms[0]} wins)`;
}
