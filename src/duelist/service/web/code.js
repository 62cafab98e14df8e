// The lines of code that send traffic to an experiment.
import { element } from "/assets/common.js";

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const text = (value) => JSON.stringify(value);
const nest = (value) => JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");

/** Rankings for an example: each arm has the same documents, in another order. */
const rankings = (arms) => Object.fromEntries(arms.slice(0, 20).map((arm, place) =>
  [arm, [0, 1, 2, 3].map((at) => `d${1 + ((at + place) % 4)}`)]));

/** Documents for an example, with as many features as there are. */
function documents({ features }) {
  const length = typeof features === "number" ? features : features.length;
  return ["d1", "d2", "d3"].map((id, place) => [id, Array.from({ length }, (_, at) => (place + at) % 3)]);
}

function python(definition, origin) {
  const head = [
    "from duelist.client import Client",
    "",
    `client = Client(${text(origin)})  # token="..." where tokens are on`,
    `experiment = client[${text(definition.name)}]`,
  ];
  if (definition.kind === "arms") {
    return [
      ...head,
      'asked = experiment.ask(user="ann")',
      "print(asked.left, asked.right)  # show both, and see which one she prefers",
      "experiment.tell(asked.id, winner=asked.left)",
    ];
  }
  const shown = definition.kind === "weights"
    ? [`documents = ${nest(documents(definition))}  # ids and features`,
      'page = experiment.rank(documents, user="ann", query="jazz")']
    : [`rankings = ${nest(rankings(definition.arms))}`,
      'page = experiment.interleave(rankings, user="ann", query="jazz")'];
  return [...head, ...shown, "print(page.ranking)  # show this list",
    "experiment.click(page.id, document=page.ranking[0])"];
}

/** What is sent, and what is sent afterwards. */
function requests(definition) {
  if (definition.kind === "arms") return ["ask", { user: "ann" }, "tell", { outcome: 1 }];
  const visitor = { user: "ann", query: "jazz" };
  const list = definition.kind === "weights"
    ? ["rank", { ...visitor, documents: documents(definition).map(([id, features]) => ({ id, features })) }]
    : ["interleave", { ...visitor, rankings: rankings(definition.arms) }];
  return [...list, "events", { position: 0 }];
}

function curl(definition, origin) {
  const [verb, body, then, answer] = requests(definition);
  const post = (path, given) => [
    `curl -s ${shell(origin + path)} -H 'Content-Type: application/json' \\`,
    `  -d ${shell(JSON.stringify(given))}`,
  ];
  const one = `/v1/experiments/${definition.name}`;
  const next = then === "tell" ? post(`${one}/tell`, { id: "ID", ...answer })
    : post("/v1/events", { impression: "ID", ...answer });
  return ["# where tokens are on: -H 'Authorization: Bearer TOKEN'", ...post(`${one}/${verb}`, body),
    "# ID is the id of that answer", ...next];
}

function javascript(definition, origin) {
  const [verb, body, then, answer] = requests(definition);
  const one = `/v1/experiments/${definition.name}`;
  const key = then === "tell" ? "id" : "impression";
  return [
    `const post = async (path, body) => (await fetch(${text(origin)} + path, {`,
    '  method: "POST", body: JSON.stringify(body),',
    '  headers: { "Content-Type": "application/json" },  // Authorization: "Bearer TOKEN" where tokens are on',
    "})).json();",
    `const shown = await post(${text(`${one}/${verb}`)}, ${nest(body)});`,
    "console.log(shown);",
    `await post(${text(then === "tell" ? `${one}/tell` : "/v1/events")}, { ${key}: shown.id, ...${nest(answer)} });`,
  ];
}

export function code(definition) {
  const parts = [["Python", python], ["curl", curl], ["JavaScript", javascript]];
  return element("div", { class: "card" }, element("h2", {}, "Send it traffic"), parts.map(([name, make]) =>
    element("details", { open: name === "Python", "data-code": name }, element("summary", {}, name),
      element("pre", { tabindex: "0" }, make(definition, location.origin).join("\n")))));
}
