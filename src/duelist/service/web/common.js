// What all pages share. Text from elsewhere becomes text nodes and nothing else: there is no innerHTML anywhere.

/** An element with attributes and children; strings become text. Functions are listeners (`onclick`). */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export const token = {
  get: () => sessionStorage.getItem("duelist-token") || "",
  set: (text) => sessionStorage.setItem("duelist-token", text),
};

/** What the API refused, in its own words. */
export class Refused extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

/** Ask the API; the answer as a value. Refused if it says no, TypeError if the server is gone. */
export async function api(path, body, method = body === undefined ? "GET" : "POST") {
  const headers = { Accept: "application/json" };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const value = await answer.json().catch(() => ({ error: { code: "malformed", message: answer.statusText } }));
  if (!answer.ok) throw new Refused(answer.status, value.error);
  return value;
}

/** 1234567 as 1,234,567; fractions with `digits`. */
export const number = (value, digits = 0) =>
  Number(value).toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
