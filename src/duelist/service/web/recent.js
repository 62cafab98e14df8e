// The last lists and duels, and one of them step by step.
import { api, element, number } from "/assets/common.js";
import { replace } from "/assets/live.js";
import { time } from "/assets/words.js";

const FIRST = 10; // that are shown at once

export function recent(path) {
  const rows = element("tbody"), story = element("div", { id: "story", "aria-live": "polite" });
  const empty = element("p", { class: "quiet" }, "None yet.");
  const scroller = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Recent impressions" },
    element("table", {}, element("caption", {}, `The last ${FIRST}`), element("thead", {}, element("tr", {},
      ["When", "What", "Arms", "Query", "Clicks", "Outcome", "Step by step"].map((text) => element("th", { scope: "col" }, text)))), rows));
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
    replace(rows, impressions.slice(0, FIRST).map((each) => element("tr", {},
      element("td", {}, time(each.at)), element("td", {}, each.what, each.open ? " (open)" : ""), element("td", {}, each.arms.join(", ")),
      element("td", {}, each.query), element("td", { class: "number" }, number(each.clicks)), element("td", {}, each.outcome === null ? "–" : number(each.outcome, 2)),
      element("td", {}, element("button", { class: "small", "data-key": each.id, "aria-label": `explain ${each.id}`, onclick: () => tell(each.id) }, "Explain")))));
  }

  return { box, refresh };
}

/** Lists in, list shown, clicks, credit, outcome, update. */
function steps(told) {
  const slot = (each) => element("li", { class: each.actions.length ? "clicked" : null },
    each.document, each.team ? element("span", { class: "quiet" }, ` by ${each.team}`) : null,
    each.actions.length ? ` ← ${each.actions.join(", ")}` : null);
  const clicks = told.shown.filter((each) => each.actions.length);
  const parts = [
    ["What came in", told.lists.length ? element("div", { class: "columns" }, told.lists.map(({ name, documents }) =>
      element("div", {}, element("strong", {}, name), element("ol", { class: "slots" }, documents.map((text) => element("li", {}, text)))))) : element("p", {}, told.arms.length ? `The policy chose ${told.arms.join(" and ")}.` : "Documents with their features.")],
    ["What was shown", told.shown.length ? element("ol", { class: "slots" }, told.shown.map(slot)) : element("p", {}, told.arms.join(" beside "))],
    ["Clicks", element("p", {}, told.what === "duel" ? "None: it was told directly." : clicks.length ? clicks.map((each) => `${each.document} (${each.actions.join(", ")})`).join("; ") : "Nobody clicked.")],
    ["Credit", element("p", {}, told.credit.length ? told.credit.map(({ name, credit }) => `${name} ${number(credit, 2)}`).join(", ") : "None is counted here.")],
    ["Outcome", element("p", {}, told.outcome === null ? "This is no duel: what each earned is compared." : `${number(told.outcome, 2)} (1: ${told.arms[0] ?? "the left"} wins, 0: ${told.arms[1] ?? "the right"} wins)`)],
    ["Update", element("p", {}, told.learnt)],
  ];
  return element("div", { class: "card" }, element("h3", {}, `${told.what} ${told.id}${told.query ? `, “${told.query}”` : ""}`),
    element("ol", { class: "steps" }, parts.map(([title, body]) => element("li", {}, element("strong", {}, title), body))));
}
