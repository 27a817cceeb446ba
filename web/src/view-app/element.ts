type Attributes = Readonly<Record<string, string | number>>;
type Child = Node | string;

/** An element; what is text stays text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
export function shape(name: keyof SVGElementTagNameMap, attributes: Attributes = {}, children: readonly Child[] = []): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

export function dim(text: string): HTMLElement {
  return element("p", { class: "dim" }, [text]);
}

function fill<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}
