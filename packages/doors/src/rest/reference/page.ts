import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { WrittenResponse } from "../../http/written-response.ts";

/** HTML in which every value is text, unless `html` made it. */
export type Html = ReturnType<typeof html>;

const style = `:root{color-scheme:light dark;--line:light-dark(#d8dbe0,#3a3f47);--soft:light-dark(#f4f5f7,#22262b);--dim:light-dark(#57606a,#a2abb5);--link:light-dark(#0550ae,#79b8ff)}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem 1rem 4rem;overflow-wrap:anywhere;background:light-dark(#fff,#16191d);color:light-dark(#1f2328,#e6e9ed)}
a{color:var(--link)}code,pre{font:14px/1.5 ui-monospace,monospace}pre{background:var(--soft);padding:.75rem 1rem;border-radius:6px;overflow:auto}
h1{font-size:1.6rem;margin:1.5rem 0 .5rem}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}h3{font-size:1rem;margin:1.5rem 0 .5rem}
.text{white-space:pre-line}.dim{color:var(--dim)}.where{font:600 14px/1.5 ui-monospace,monospace}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600;white-space:nowrap}td:first-child{white-space:nowrap}
ul{padding-left:1.2rem}ul.names{list-style:none;padding:0;columns:18rem;column-gap:2rem}ul.names li{break-inside:avoid;padding:.1rem 0}
@media(max-width:40rem){td:first-child{white-space:normal}thead{display:none}td{display:block;border:0;padding:.1rem 0}tr{display:block;border-bottom:1px solid var(--line);padding:.5rem 0}}`;

/** Nothing is loaded, framed or sent, and no script runs: only this style counts. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** A page of the reference. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Default 200. */
  readonly status?: number;
  /** Path of the reference. */
  readonly home: string;
}

export async function writePage({ title, body, status = 200, home }: Page): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<nav><a href="${home}">API reference</a> · <a href="${home}/problems">Problems</a></nav>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new WrittenResponse(page.toString(), { status, headers });
}

/** Text in which what stands between backticks is code. */
export function words(text: string): Html {
  const parts = text.split(/`([^`\n]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
