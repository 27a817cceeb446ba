/** A tool that saves pictures and names others, with texts that try to be markup and formulas. */
export const picturesTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export default defineTool({
  name: "pictures",
  description: "Saves pictures. For tests of results.",
  input: z.object({}),
  output: z.object({
    dot: z.object({ id: z.string(), name: z.string() }),
    drawing: z.string(),
    elsewhere: z.string(),
    words: z.string(),
    rows: z.array(z.object({ "<b>name": z.string(), points: z.int() })),
  }),
  presentation: {
    outputSections: [{ key: "rows", label: "never read", type: "table" }],
    view: {
      version: 1,
      blocks: [
        { block: "image", data: "/dot", alt: "A dot" },
        { block: "image", data: "/drawing", alt: "A drawing" },
        { block: "image", data: "/elsewhere", alt: "A tracker" },
        { block: "markdown", data: "/words" },
        { block: "chart", title: "<img src=x>", data: "/rows" },
        { block: "table", title: "Formulas", data: "/rows", columns: [{ name: "<b>name" }] },
      ],
    },
  },
  async run(_, { artifacts }) {
    const { id, name } = await artifacts.save({ name: "dot.png", mediaType: "image/png", content: Buffer.from(png, "base64") });
    const drawing = await artifacts.save({ name: "a.svg", mediaType: "image/svg+xml", content: "<svg xmlns='http://www.w3.org/2000/svg'/>" });
    return {
      dot: { id, name },
      drawing: drawing.id,
      elsewhere: "https://evil.example/x.png",
      words: "**Bold** <script>x</script> ![eye](https://evil.example/y.png)",
      rows: [{ "<b>name": "=1+1", points: 3 }, { "<b>name": "<i>two</i>", points: 5 }],
    };
  },
});
`;

/** A tool that nobody can use before a secret is set. */
export const secretTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "hubspot_contact",
  title: "Find or change a contact",
  group: "crm",
  description: "Finds or changes a contact in the customer database. For tests of misconfigured tools.",
  input: z.object({ email: z.string() }),
  output: z.object({}),
  effects: { http: "write", secrets: ["hubspot_api_key"] },
  run: () => ({}),
});
`;
