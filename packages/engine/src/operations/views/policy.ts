import { oneLine } from "../../contract/visible-text.ts";
import type { Explanation } from "../../gate/explanation.ts";
import type { PolicyVersion } from "../../ports/policy-store.ts";
import type { Rendering } from "../shell.ts";

interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Comparison {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Difference[];
}

export const policyVersionsView: Rendering<{ readonly items: readonly PolicyVersion[] }> = {
  show: ({ items }, { tenant, where }) =>
    items.length === 0
      ? [`${tenant} has no policy of its own. Make one with: toolwright policy put policy.yaml${where} --note TEXT`]
      : [{ head: ["revision", "when", "who", "why"], rows: items.map(toRow) }],
};

const toRow = ({ revision, at, author, note }: PolicyVersion) => [String(revision), new Date(at).toISOString(), author.id, note];

export const policyDiffView: Rendering<Comparison> = {
  show: ({ from, to, items }) => [
    ...items.flatMap(describeDifference),
    `From revision ${from} to ${to}: ${items.length} ${items.length === 1 ? "difference" : "differences"}.`,
  ],
  json: ({ from, to, items }) => ({ from, to, differences: items }),
};

const describeDifference = ({ path, before, after }: Difference) => [
  ...(before === undefined ? [] : [`- ${oneLine(path)}: ${oneLine(JSON.stringify(before))}`]),
  ...(after === undefined ? [] : [`+ ${oneLine(path)}: ${oneLine(JSON.stringify(after))}`]),
];

export const policySchemaView: Rendering<{ readonly schema: unknown }> = {
  show: ({ schema }) => [{ json: schema, spaces: 2 }],
  json: ({ schema }) => schema,
};

interface ExportedPolicy {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly rules: readonly { readonly rule: string; readonly grade: string; readonly reason?: string | undefined }[];
}

/** The files go to stdout, and what is lost to stderr. */
export const policyExportView: Rendering<ExportedPolicy> = {
  show({ files, rules }) {
    const [only, ...more] = files;
    return [
      { exact: files.map(({ path, text }) => (more.length === 0 ? text : `# ${path}\n${text}`)).join("\n") },
      ...(only && more.length === 0 ? [{ note: `This is ${only.path}.` }] : []),
      ...rules.map(({ rule, grade, reason }) => ({ note: `${grade.padEnd(11)}  ${rule}${reason === undefined ? "" : `: ${reason}`}` })),
    ];
  },
};

interface Explained {
  readonly explanation: Pick<Explanation, "text" | "places" | "admission" | "misfit">;
}

export const explanationView: Rendering<Explained> = {
  show: ({ explanation: { text, places = {}, admission } }) => [
    text,
    ...Object.entries(places).map(([rule, { file, line, column }]) => `${rule} is at ${file}:${line}:${column}.`),
    ...(admission?.checks ?? []).map(({ check, passed, reason }) => `${passed ? "passed" : "failed"} ${check}: ${reason}`),
  ],
  json: ({ explanation }) => explanation,
  ends: ({ explanation: { misfit } }) => (misfit === undefined ? "done" : "usage"),
};
