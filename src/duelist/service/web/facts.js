// Health, versions and the journal of an experiment, in tables.
import { api, element, number, token } from "/assets/common.js";
import { offer } from "/assets/csv.js";
import { healthWord, percent, table, time, wide } from "/assets/words.js";

const LINES = 1000; // of the journal, in a file

export function health(seen) {
  const { problems, balance, counts, lag, silence, at, healthy } = seen.health;
  const facts = [
    ["Clicks counted", counts.counted], ["repeated", counts.repeated], ["late", counts.late],
    ["unknown", counts.unknown], ["Lists shown", counts.shown], ["open", counts.open], ["with clicks", counts.learnt],
    ["silent", counts.skipped],
    ...("drawn" in counts ? duels(counts) : []),
  ];
  return element("div", { class: "card" }, element("h2", {}, "Health ", healthWord(healthy)),
    element("ul", {}, problems.map((each) => element("li", { class: "bad" }, each))),
    element("p", {}, `Lag: ${number(lag, 1)} shown between showing one and learning from it. `,
      `Silence: ${percent(silence)} of lists without a click. Last event: ${time(at)}.`),
    wide("Where everything went", table("Where everything went", facts.map(([name]) => name),
      [facts.map(([, value]) => value)])),
    balance.length ? wide("Balance", table("Balance: every ranker must have its share",
      ["What", "Counts", "e-value", "Alarm at", "Healthy"], balance.map(balanceRow))) : null);
}

const duels = (counts) => [
  ["Duels drawn", counts.drawn], ["told", counts.told], ["told again", counts.told_again],
  ["told late", counts.told_late], ["expired", counts.expired],
];

const balanceRow = ({ name, counts, e_value, threshold, healthy }) =>
  [name, counts.map((count) => number(count)).join(" : "), number(e_value, 2), number(threshold),
    healthy ? "yes" : "no"];

export function versions(seen) {
  const rows = [...seen.versions].reverse().flatMap((each) =>
    [...each.changes].reverse().map((change) => [`version ${each.version}`, time(change.at), change.what, change.by]));
  return element("div", { class: "card" }, element("h2", {}, "Versions"),
    wide("Who changed what", table("Who changed what, the newest first", ["Version", "When", "What", "By"], rows)),
    element("details", {}, element("summary", { "data-key": "definition" }, "Definition"),
      element("pre", { tabindex: "0" }, JSON.stringify(seen.definition, null, 2))));
}

/** A link that fetches the newest events when it is pressed: a plain one could not send a token. */
export function journal(name, path) {
  const said = element("span", { role: "status" });
  const fetchLines = async () => {
    said.textContent = " Loading…";
    const { seq } = await api(`${path}/insight`);
    const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
    const answer = await fetch(`${path}/events?limit=${LINES}&after=${Math.max(0, seq - LINES)}`, { headers });
    const link = element("a", {});
    offer(link, await answer.text(), `${name}.jsonl`, "application/jsonl");
    link.click();
    said.textContent = " Saved.";
  };
  const attributes = { class: "small", "data-key": "journal", onclick: fetchLines };
  return element("p", {}, element("button", attributes, "The journal's newest events, as a file"), said);
}
