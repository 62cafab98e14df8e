// The list of experiments: found by words, chosen by boxes, compared on a page.
import { api, element, number } from "/assets/common.js";
import { live, tokenForm, trouble } from "/assets/live.js";
import { badge, chance, healthWord, time, way, wide } from "/assets/words.js";

const HEADS = [
  "Compare", "Experiment", "State", "Leader", "Chance of being best", "Way to a verdict", "Shown", "Health",
  "Last event",
];
const content = document.getElementById("content");
const rows = new Map(); // by name: the row, its box, and what it shows
const body = element("tbody");
const words = element("input", { type: "search", id: "words", oninput: filter });
const button = element("button", { class: "primary", onclick: compare, disabled: true }, "Compare");
const total = element("p", { class: "quiet", role: "status" });
const list = element("div", {},
  element("div", { class: "bar" }, element("label", { for: "words" }, "Find"), words, button),
  total,
  wide("Experiments",
    element("table", { class: "list" }, element("caption", { class: "hidden" }, "All experiments"),
      element("thead", {}, element("tr", {}, HEADS.map((text) => element("th", { scope: "col" }, text)))), body)));

function cells(each) {
  return [
    element("th", { scope: "row" }, element("a", { href: `/experiments/${each.name}` }, each.name),
      element("span", { class: "quiet" }, ` ${each.kind}, version ${each.version}`)),
    cell("State", badge(each.state)),
    cell("Leader", each.best ?? "–", each.certain ? element("strong", { class: "good" }, " certain") : null),
    cell("Chance of being best", chance(each.chance)),
    cell("Way to a verdict", way(each.way)),
    cell("Shown", number(each.shown)),
    cell("Health", healthWord(each.healthy)),
    cell("Last event", time(each.at)),
  ];
}

/** On a phone there is no head above the cells: each says what it is. */
const cell = (head, ...children) => element("td", { "data-head": head }, children);

function show(each) {
  const text = JSON.stringify(each);
  let known = rows.get(each.name);
  if (!known) {
    const box = element("input", { type: "checkbox", "aria-label": `compare ${each.name}`, onchange: choose });
    known = { box, row: element("tr", { "data-name": each.name }), text: "" };
    rows.set(each.name, known);
    body.append(known.row);
  }
  if (known.text === text) return;
  const focused = known.row.contains(document.activeElement) && document.activeElement.tagName === "A";
  known.text = text;
  if (known.row.firstChild) while (known.row.children.length > 1) known.row.lastChild.remove();
  else known.row.append(element("td", {}, known.box));
  known.row.append(...cells(each));
  if (focused) known.row.querySelector("a").focus();
}

const chosen = () => [...rows].filter(([, { box }]) => box.checked).map(([name]) => name);

function choose() {
  button.disabled = chosen().length < 2;
  button.textContent = chosen().length ? `Compare ${chosen().length}` : "Compare";
}

function compare() {
  location.href = `/compare?names=${chosen().map(encodeURIComponent).join(",")}`;
}

function filter() {
  const wanted = words.value.toLowerCase();
  for (const { row, text } of rows.values()) row.hidden = !text.toLowerCase().includes(wanted);
  count();
}

function count() {
  const seen = [...rows.values()].filter(({ row }) => !row.hidden).length;
  const all = `${number(rows.size)} experiments`;
  total.textContent = seen === rows.size ? all : `${number(seen)} of ${all}`;
}

const nothing = () => element("div", { class: "card" }, element("h2", {}, "There is no experiment yet."),
  element("p", {}, "An experiment shows people two of several things and learns which they prefer."),
  element("a", { class: "button", href: "/new" }, "Make the first one"));

async function refresh() {
  try {
    const { experiments } = await api("/v1/experiments");
    experiments.forEach(show);
    if (!experiments.length) content.replaceChildren(nothing());
    else if (!list.isConnected) content.replaceChildren(list);
    if (words.value) filter();
    else count();
  } catch (error) {
    if (!list.isConnected) content.replaceChildren(trouble(error));
    throw error;
  } finally {
    content.removeAttribute("aria-busy");
  }
}

tokenForm();
refresh().catch(() => {});
live(refresh);
