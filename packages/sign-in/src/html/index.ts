export { documentPolicy, type Scheme, writeDocument } from "./document.ts";
export { html, type Markup } from "./html.ts";
