// Several experiments on one page.
import { api, element, number } from "/assets/common.js";
import { Figure, label, line } from "/assets/charts.js";
import { live, replace, tokenForm, trouble } from "/assets/live.js";
import { badge, chance, healthWord, percent, way } from "/assets/words.js";

const MOST = 12;
const names = (new URLSearchParams(location.search).get("names") ?? "").split(",").filter(Boolean).slice(0, MOST);
const content = document.getElementById("content");
const cards = element("div", { class: "cards" });
const charts = element("div", {});
let figures = null;

function card(each) {
  const found = each.evidence;
  const facts = [
    ["State", badge(each.state)], ["Leader", each.best ?? "–"],
    ["Chance of being best", chance(each.chance)], ["Way to a verdict", way(each.way)],
    ["Users missing, about", found && found.missing !== null ? number(found.missing) : "–"],
    ["Shown", number(each.shown)], ["Regret, about", each.regret === null ? "–" : number(each.regret, 1)],
    ["Silence", percent(each.health.silence)], ["Health", healthWord(each.health.healthy)],
  ];
  const link = element("a", { href: `/experiments/${each.name}`, "data-key": each.name }, each.name);
  return element("section", { class: "card", "aria-label": each.name }, element("h2", {}, link),
    element("dl", { class: "facts" },
      facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));
}

const END = { type: "line", x0: 0, x1: 1, xref: "paper", y0: 1, y1: 1, line: { dash: "dot", color: "#888" } };

/** A line an experiment, over what it has learnt from. */
function overLessons(figure, column, title, courses) {
  const shown = courses.filter(([, course]) => course[column].length);
  const rows = shown.flatMap(([name, course]) => course.lessons.map((at, place) => [name, at, course[column][place]]));
  const last = shown.map(([name, course]) => `${name} ${number(course[column].at(-1), 2)}`).join(", ");
  figure.draw({
    traces: shown.map(([name, course], place) =>
      ({ x: course.lessons, y: course[column], name: label(name), mode: "lines", line: line(place) })),
    layout: {
      xaxis: { title: { text: "lists and duels that are over" } },
      yaxis: { title: { text: title } },
      shapes: column === "way" ? [END] : [],
    },
    said: last ? `${title[0].toUpperCase()}${title.slice(1)} now: ${last}.` : "Nothing was shown yet.",
    heads: ["experiment", "over", column],
    rows,
    file: "compare",
  });
}

async function refresh(changed) {
  if (changed && !changed.some((name) => names.includes(name))) return;
  try {
    const path = (name) => `/v1/experiments/${encodeURIComponent(name)}`;
    const found = await Promise.all(names.map((name) => api(`${path(name)}/insight`)));
    const courses = await Promise.all(names.map(async (name) => [name, await api(`${path(name)}/history`)]));
    if (!cards.isConnected) content.replaceChildren(cards, charts);
    replace(cards, found.map(card));
    figures ??= [
      new Figure(charts, "way", "Way to a verdict", "At 1 the leader is surely preferred to every other arm."),
      new Figure(charts, "regret", "Regret"),
    ];
    overLessons(figures[0], "way", "way to a verdict", courses);
    overLessons(figures[1], "regret", "regret", courses);
  } catch (error) {
    if (!cards.isConnected) content.replaceChildren(trouble(error));
    throw error;
  } finally {
    content.removeAttribute("aria-busy");
  }
}

tokenForm();
if (names.length) {
  refresh(null).catch(() => {});
  live(refresh);
} else {
  const link = element("a", { href: "/" }, "the list");
  content.replaceChildren(element("p", {}, "Choose experiments to compare in ", link, "."));
  content.removeAttribute("aria-busy");
  live(async () => {});
}
