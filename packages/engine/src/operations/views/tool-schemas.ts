import { ToolwrightError } from "../../contract/errors.ts";
import type { Rendering, Settle, ViewPart } from "../shell.ts";

interface Loss {
  readonly path: string;
  readonly keyword: string;
  readonly reason: string;
  readonly goesTo: string;
}

interface Rewrite {
  readonly path: string;
  readonly form: string;
  readonly reason: string;
}

/** A definition without a target, or without a tool, cannot be printed. */
export const settleSchema: Settle = (typed) => {
  const missing = typed.name === undefined ? "a tool" : typed.target === undefined ? "a --target" : undefined;
  if (missing === undefined) return typed;
  const message = `Name ${missing}, or pass --report. For example: toolwright schema file_read --target openai-strict`;
  throw new ToolwrightError("invalid_input", message);
};

interface WrittenSchema {
  readonly target: string;
  readonly definition: unknown;
  readonly losses: readonly Loss[];
  readonly rewrites: readonly Rewrite[];
}

export const toolSchemaView: Rendering<WrittenSchema> = {
  show: ({ target, definition, losses }) => [
    { json: definition, spaces: 2 },
    ...losses.map(({ path, keyword, reason }) => ({ note: `${target} cannot say "${keyword}" at ${path || "/"}: ${reason}` })),
  ],
  json: ({ definition, losses, rewrites }) => ({ definition, losses, rewrites }),
};

interface Report {
  readonly tool: string;
  readonly target: string;
  readonly name: string;
  readonly strict: boolean;
  readonly losses: readonly Loss[];
  readonly rewrites: readonly Rewrite[];
  readonly tokens: { readonly description: number; readonly schema: number; readonly examples: number };
}

interface Source {
  readonly target: string;
  readonly url: string;
  readonly read?: string | undefined;
  readonly says: string;
}

interface Reports {
  readonly items: readonly Report[];
  readonly exampleBudget: number;
  readonly sources: readonly Source[];
}

/** What becomes of one tool's schema for a target, or for each of them; of all tools, what each costs. */
export const toolReportView: Rendering<Reports> = {
  show(answer, { input }) {
    const [first] = answer.items;
    if (input.name === undefined) return showCosts(answer);
    if (first && input.target !== undefined) return showOne(first, answer.sources);
    return [
      {
        head: ["target", "strict mode", "not said", "rewritten", "tokens"],
        rows: answer.items.map((report) => [
          ...[report.target, report.strict ? "yes" : "no"],
          ...[report.losses.length, report.rewrites.length, totalOf(report)].map(String),
        ]),
      },
    ];
  },
  json({ items, exampleBudget, sources }, { input: { name } }) {
    if (name !== undefined) {
      const targets = items.map(({ tool: _, ...report }) => ({ ...report, sources: sourcesOf(report, sources) }));
      return { tool: name, targets };
    }
    const tools = items.map((report) => ({ tool: report.tool, ...report.tokens, total: totalOf(report), losses: report.losses.length }));
    return { target: sources[0]?.target, exampleBudget, total: sumOf(items), tools };
  },
};

const totalOf = ({ tokens: { description, schema, examples } }: Report) => description + schema + examples;
const sumOf = (items: readonly Report[]) => items.reduce((sum, report) => sum + totalOf(report), 0);

const sourcesOf = ({ target: wanted }: Pick<Report, "target">, sources: readonly Source[]) =>
  sources.flatMap(({ target, ...source }) => (target === wanted ? [source] : []));

function showCosts({ items, exampleBudget, sources }: Reports): readonly ViewPart[] {
  const rows = items.map((report) => {
    const { description, schema, examples } = report.tokens;
    return [report.tool, ...[description, schema, examples, totalOf(report), report.losses.length].map(String)];
  });
  return [
    { head: ["tool", "description", "schema", "examples", "tokens", "not said"], rows },
    `About ${sumOf(items)} tokens for ${sources[0]?.target} in every request. Examples of one tool take at most ${exampleBudget}.`,
  ];
}

function showOne(report: Report, sources: readonly Source[]): readonly ViewPart[] {
  const { tool, target, name, strict, losses, rewrites } = report;
  const called = name === tool ? "" : `, as ${name}`;
  const rules = sourcesOf(report, sources).map(({ url, read, says }) => `- ${url}${read === undefined ? "" : ` (read ${read})`}: ${says}`);
  return [
    `${tool} for ${target}${called}: ${strict ? "strict mode accepts it" : "no strict mode"}.\n`,
    ...(losses.length === 0
      ? ["Nothing is lost.\n"]
      : [
          "Not said; the engine checks it on every call:",
          {
            head: ["at", "keyword", "goes to", "reason"],
            rows: losses.map(({ path, keyword, goesTo, reason }) => [path || "/", keyword, goesTo, reason]),
          },
          "",
        ]),
    ...(rewrites.length === 0
      ? []
      : [
          "Said in another form; inputs are read back:",
          { head: ["at", "form", "what"], rows: rewrites.map(({ path, form, reason }) => [path || "/", form, reason]) },
          "",
        ]),
    `Rules:\n${rules.join("\n")}`,
  ];
}
