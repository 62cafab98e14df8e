// The list of experiments.
import { api, element, number } from "/assets/common.js";

const content = document.getElementById("content");

async function show() {
  const { experiments } = await api("/v1/experiments");
  const rows = experiments.map((each) =>
    element("tr", {},
      element("td", {}, each.name), element("td", {}, each.kind), element("td", {}, each.state),
      element("td", {}, each.best ?? ""), element("td", { class: "number" }, number(each.events))));
  const heads = ["Experiment", "Kind", "State", "Leader", "Events"].map((text) => element("th", { scope: "col" }, text));
  content.replaceChildren(experiments.length
    ? element("div", { class: "wide" }, element("table", {}, element("thead", {}, element("tr", {}, heads)),
      element("tbody", {}, rows)))
    : element("p", {}, "There is no experiment yet."));
  content.removeAttribute("aria-busy");
}

show().catch((error) => content.replaceChildren(element("p", { class: "bad", role: "alert" }, String(error.message))));
