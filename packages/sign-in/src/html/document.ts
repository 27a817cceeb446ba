import { createHash } from "node:crypto";
import { html, type Markup } from "./html.ts";
import { style } from "./style.ts";

/** What a person chose in the console; without it a page looks as the system does. */
export type Scheme = "light" | "dark";

const styleHash = createHash("sha256").update(style).digest("base64");

/** No script at all, and no style but our own; forms may lead to the client that asked, so where they go is not restricted. */
export const documentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`;

const mark = html`<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3b4cca"/><path d="m8 10h16m-8 0v13" stroke="#fff" stroke-width="3.4" stroke-linecap="round" fill="none"/></svg>`;

interface Document {
  readonly title: string;
  /** Below the title, which is its heading. */
  readonly body: Markup;
  /** Name and port under which the server is reached. */
  readonly host: string;
  readonly scheme?: Scheme | undefined;
  readonly isWide?: boolean | undefined;
  /** More of its head. */
  readonly head?: Markup | undefined;
}

/** A page that needs no script, in the look of the console. */
export function writeDocument({ title, body, host, scheme, isWide, head }: Document): string {
  return html`<!doctype html>
<html lang="en"${scheme !== undefined && html` data-scheme="${scheme}"`}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title.startsWith("Toolwright") ? title : `${title} - Toolwright`}</title>
<style>${{ markup: style }}</style>
<body${isWide === true && html` class="wide"`}>
<header>${mark}<span>Toolwright</span><span class="server">${host}</span></header>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`.markup;
}
