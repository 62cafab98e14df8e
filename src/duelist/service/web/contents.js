// A content as elements: made here one by one, of a few tags. What is written in it stays text.
import { element } from "/assets/common.js";

const TAGS = new Set(["p", "blockquote", "ul", "ol", "li", "em", "strong", "s", "hr", "br", "table", "thead", "tbody", "tr",
  "th", "td", "h3", "h4", "h5", "h6", "code", "pre", "a"]);
const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** The address if it leads somewhere harmless. */
function safe(address) {
  try { return SCHEMES.has(new URL(address).protocol) ? address : null; } catch { return null; }
}

function made(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const children = (node.children || []).map(made);
  if (!TAGS.has(node.tag)) return element("span", {}, ...children);
  return node.tag === "a" ? link(node.href, children) : element(node.tag, {}, ...children);
}

function link(address, children) {
  const href = safe(address);
  return href ? element("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children) : element("span", {}, ...children);
}

/** What a View of the API looks like. One that is longer than its room can be scrolled by keys too. */
export function shown(view) {
  const box = (children, more = "") => element("div", { class: `shown ${more}`, tabindex: "0", role: "group" }, ...children);
  if (view.nodes) return box(view.nodes.map(made));
  if (view.image) { // its text is for those who cannot see it: beside it, it might say whose it is
    const alt = view.text || "An image without a description";
    const image = element("img", { src: view.image, alt, referrerpolicy: "no-referrer" });
    image.addEventListener("error", () => image.replaceWith("This image cannot be loaded."));
    return box([image]);
  }
  if (view.link) return box([link(view.link, [view.text || view.link])]);
  return box([view.text || ""], "plain");
}
