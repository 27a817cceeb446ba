import { oneLine } from "../../contract/visible-text.ts";
import type { Explanation } from "../../gate/explanation.ts";
import { formatPath } from "../../policy/document/format-path.ts";
import type { PolicyVersion } from "../../ports/policy-store.ts";
import type { Rendering, ViewContext } from "../shell.ts";

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
interface TestedRule {
  readonly path: readonly (string | number)[];
  readonly pattern: string;
  readonly effect: string;
  readonly tests: readonly { readonly line: string; readonly expected: "match" | "not_match"; readonly passed: boolean }[];
  readonly problem?: string | undefined;
}

interface TestedPolicy {
  readonly items: readonly TestedRule[];
}

const failedOf = ({ items }: TestedPolicy) => items.filter(({ problem }) => problem !== undefined).length;

export const testedPolicyView: Rendering<TestedPolicy> = {
  show: (tested, { read }) => [
    ...tested.items.flatMap((rule) => describeTested(rule, placeOf(rule, read))),
    ...(tested.items.length > 0 ? [""] : []),
    `${count(tested.items.length, "rule")}, ${count(
      tested.items.reduce((sum, { tests }) => sum + tests.length, 0),
      "test",
    )}: ${count(failedOf(tested), "rule")} failed.`,
  ],
  json: (tested, { read }) => ({
    failed: failedOf(tested),
    rules: tested.items.map(({ path, ...rule }) => ({ rule: formatPath(path), ...rule, place: placeOf({ path }, read) })),
  }),
  ends: (tested) => (failedOf(tested) === 0 ? "done" : "failed"),
};

const placeOf = ({ path }: Pick<TestedRule, "path">, read: ViewContext["read"]) => read?.placeOf(path) ?? "built in";

function describeTested({ effect, pattern, tests, problem }: TestedRule, place: string): readonly string[] {
  return [
    `${place}  ${effect} ${JSON.stringify(pattern)}${tests.length === 0 ? "  has no tests" : ""}`,
    ...tests.map(({ line, expected, passed }) => `  ${passed ? "ok    " : "FAILED"}  ${expected === "match" ? "meets" : "leaves"} ${line}`),
    ...(tests.length === 0 && problem !== undefined ? [`  FAILED  ${problem}`] : []),
  ];
}

interface CheckedPolicy {
  readonly rules: number;
  readonly tests: number;
  readonly agents: readonly string[];
  readonly revision: string;
}

export const checkedPolicyView: Rendering<CheckedPolicy> = {
  show: ({ rules, tests, agents, revision }, { read }) => [
    [
      `Valid: ${read?.files.join(", ")}.`,
      `${count(rules, "rule")}, ${count(tests, "test")} passed.`,
      ...(agents.length > 0 ? [`Agents: ${agents.join(", ")}.`] : []),
      `Revision ${revision.slice(0, 12)}.`,
    ].join(" "),
  ],
  json: (checked, { read }) => ({ valid: true, files: read?.files, ...checked }),
};

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
