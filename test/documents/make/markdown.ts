import type { Text } from "./text.ts";

/** What Markdown holds that pandoc turns into other formats, one thing each. */
const features: Readonly<Record<string, (text: Text) => string>> = {
  headings: (text) => `# ${text.title()}\n\n${text.plain(8)}\n\n## ${text.title()}\n\n${text.plain(5)}`,
  lists: (text) =>
    `1. ${text.plain(4)}\n2. ${text.plain(4)}\n\n    a. ${text.plain(3)}\n    b. ${text.plain(3)}\n\n* ${text.plain(3)}\n    * ${text.plain(3)}\n\n- [x] ${text.plain(2)}\n- [ ] ${text.plain(2)}`,
  definitions: (text) => `${text.title()}\n\n:   ${text.plain(6)}\n\n    ${text.plain(6)}`,
  tables: (text) =>
    `| ${text.mark()} | ${text.mark()} |\n|:--|--:|\n| ${text.plain(2)} | ${text.int(10, 999)} |\n| ${text.plain(2)} | **${text.mark()}** |\n\n: ${text.plain(3)}`,
  "tables of blocks": (text) =>
    `+-------------------------------+-------------------------------+\n| ${text.mark().padEnd(29)} | ${text.mark().padEnd(29)} |\n+===============================+===============================+\n| - ${text.mark().padEnd(27)} | ${text.mark().padEnd(29)} |\n| - ${text.mark().padEnd(27)} | ${text.mark().padEnd(29)} |\n+-------------------------------+-------------------------------+`,
  footnotes: (text) => {
    const mark = text.mark();
    return `${text.plain(4)}[^${mark}] ${text.plain(3)} and ^[${text.plain(5)}]\n\n[^${mark}]: ${text.plain(6)}\n\n    ${text.plain(6)}`;
  },
  formulas: (text) =>
    `${text.plain(3)} $\\frac{a + b}{c_1} = \\sqrt{x^2} \\sum_{i=1}^{n} \\alpha$ ${text.plain(2)}\n\n$$\\int_0^1 \\sin(x)\\,dx$$`,
  looks: (text) => `*${text.plain(2)}* **${text.plain(2)}** ~~${text.plain(2)}~~ H~2~O 10^6^ [${text.plain(2)}]{.smallcaps} **un**able`,
  code: (text) => `\`\`\`python\ndef ${text.mark()}(a, b):\n    return "${text.plain(2)}"\n\`\`\`\n\nInline \`${text.mark()} = 1\`.`,
  quotes: (text) => `> ${text.plain(8)}\n>\n> > ${text.plain(4)}`,
  links: (text) =>
    `[${text.plain(3)}](https://example.com/a_b "${text.title()}") <https://example.com/${text.mark()}> [${text.plain(2)}](#x)`,
  "line blocks": (text) => `| ${text.plain(4)}\n|    ${text.plain(4)}\n| ${text.plain(2)}`,
  "other scripts": (text) => `${text.foreign()}\n\n${text.foreign()} ${text.mark()}`,
  characters: (text) => `"${text.plain(2)}" -- ${text.plain(2)} --- it's... caf\u00e9 \\* \\_ 5\u00a0km`,
};

export const markdownFeatures = Object.keys(features);

/** Markdown with these things. */
export function makeMarkdown(text: Text, things: readonly string[]): string {
  const parts = things.map((thing) => features[thing]?.(text) ?? "");
  return `---\ntitle: ${text.title()}\nauthor: Ann Example\n---\n\n${text.plain(10)}\n\n${parts.join("\n\n")}\n\n${text.plain(10)}\n`;
}
