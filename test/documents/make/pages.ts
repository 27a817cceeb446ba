import type { Text } from "./text.ts";

const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** What a page of HTML holds, one thing each. */
const features: Readonly<Record<string, (say: () => string, text: Text) => string>> = {
  headings: (say) => [1, 2, 3].map((level) => `<h${level}>${say()}</h${level}><p>${say()}</p>`).join("\n"),
  lists: (say) =>
    `<ul><li>${say()}<ol start=4><li>${say()}</li><li>${say()}</li></ol></li></ul><dl><dt>${say()}</dt><dd>${say()}</dd></dl>`,
  tables: (say) =>
    `<table><caption>${say()}</caption><thead><tr><th>${say()}</th><th>${say()}</th></tr></thead><tbody><tr><td>${say()}</td><td>${say()}</td></tr></tbody></table>`,
  "merged cells": (say) =>
    `<table border=1><tr><th rowspan=2>${say()}</th><th colspan=2>${say()}</th></tr><tr><td>${say()}</td><td>${say()}</td></tr><tr><td colspan=3>${say()}</td></tr></table>`,
  "tables within tables": (say) => `<table><tr><td>${say()}<table><tr><td>${say()}</td></tr></table></td><td>${say()}</td></tr></table>`,
  links: (say) => `<p>${say()} <a href="https://example.com/a_(b)">${say()}</a>, <a href="#x">${say()}</a></p>`,
  looks: (say) =>
    `<p><b>${say()}</b> <i>${say()}</i> <b>un</b>able <s>${say()}</s> <sup>${say()}</sup> <mark>${say()}</mark> CO<sub>2</sub></p>`,
  code: (say) => `<pre><code>if (a &lt; b) {\n  ${say()}\n}</code></pre><p><code>${say()}</code> <kbd>${say()}</kbd></p>`,
  quotes: (say) => `<blockquote><p>${say()}</p><cite>${say()}</cite></blockquote><p><q>${say()}</q></p>`,
  "parts of a page": (say) =>
    `<header>${say()}</header><nav><a href=/x>${say()}</a></nav><aside>${say()}</aside><section>${say()}</section><footer>${say()}</footer>`,
  forms: (say) =>
    `<form><fieldset><legend>${say()}</legend><label>${say()} <input></label><textarea>${say()}</textarea><button>${say()}</button></fieldset></form>`,
  details: (say) => `<details><summary>${say()}</summary><p>${say()}</p></details>`,
  figures: (say) => `<figure><p>${say()}</p><figcaption>${say()}</figcaption></figure>`,
  ruby: (say) => `<p><ruby>\u6771\u4eac<rp>(</rp><rt>Tokyo</rt><rp>)</rp></ruby> ${say()}</p>`,
  entities: (say) => `<p>&copy; &auml;rger&nbsp;${say()} &#x41;&#66; &hellip; caf&eacute;&shy;teria &amp;amp; &lt;tag&gt;</p>`,
  "other scripts": (say, text) => `<p lang=he dir=rtl>${text.foreign()}</p><p>${text.foreign()} ${say()}</p>`,
  scripts: (say) => `<script>var a = "${"x".repeat(20)}";</script><style>p { color: red }</style><p>${say()}</p><!-- nothing -->`,
  "open tags": (say) => `<p>${say()}<p>${say()}<ul><li>${say()}<li>${say()}</ul><b>${say()}<i>${say()}</b></i>`,
  "line breaks": (say) => `<p>${say()}<br>${say()}<hr>${say()}<wbr>${say()}</p>`,
  "text in drawings": (say) => `<svg width=200 height=20><text x=0 y=10>${say()}</text></svg><p>${say()}</p>`,
};

export const pageFeatures = Object.keys(features);

/** A page of HTML with these things. */
export function makePage(text: Text, things: readonly string[]): string {
  const say = () => escapeText(text.int(0, 2) === 0 ? text.plain(3) : text.sentence());
  const body = things.map((thing) => features[thing]?.(say, text) ?? "");
  return `<!doctype html>\n<html><head><meta charset="utf-8"><title>${text.title()}</title></head>\n<body>\n<p>${say()}</p>\n${body.join("\n")}\n<p>${say()}</p>\n</body></html>\n`;
}
