// Judges every case of a corpus through the product's own code: `npm run corpus -- exec|paths|ssrf FILE [--json]`.
// Exit code 1 when an answer is not as listed, unless the case is tagged stretch or policy; 2 when the file cannot be read.
import { readFileSync } from "node:fs";
import { type ExecCase, explainExecCase } from "@toolwright/engine/testing";
import { judgePathCase, judgeUrlCase, type PathCase, type UrlCase } from "@toolwright/sandbox/testing";

interface Answer {
  readonly got: string;
  readonly holds: boolean;
  /** It holds by refusing what the case would have asked about. */
  readonly stricter?: boolean;
  readonly detail: string;
}

interface Corpus {
  readonly fields: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly expected: readonly string[];
  readonly judge: (one: Case) => Promise<Answer>;
}

type Case = Readonly<Record<string, unknown>> & { readonly id: string; readonly expect: string };
type Mismatch = { id: string; line: number; expected: string; got: string; why: string; detail: string; tolerated: boolean };

const isText = (value: unknown) => typeof value === "string";
const isList = (value: unknown) => Array.isArray(value);
const tagsOf = (one: Case): readonly unknown[] => (Array.isArray(one.tags) ? one.tags : []);

const corpora: ReadonlyMap<string, Corpus> = new Map<string, Corpus>([
  [
    "exec",
    {
      fields: { allow: (value) => Array.isArray(value) && value.every(isText), command: isText },
      expected: ["allow", "ask", "deny"],
      judge: async (one) => {
        const { effect, detail } = explainExecCase(one as unknown as ExecCase);
        // Whatever must not run unasked may be refused too.
        const stricter = one.expect === "ask" && effect === "deny" && !tagsOf(one).includes("stretch");
        return { got: effect, holds: effect === one.expect || stricter, stricter, detail };
      },
    },
  ],
  [
    "paths",
    {
      fields: { cat: isText, setup: isList, op: isText, path: (value) => value !== undefined, tags: isList },
      expected: ["allow", "deny", "error"],
      judge: async (one) => {
        const { pass, detail } = await judgePathCase(one as unknown as PathCase);
        return { got: pass ? one.expect : "otherwise", holds: pass, detail };
      },
    },
  ],
  [
    "ssrf",
    {
      fields: { cat: isText, url: (value) => value !== undefined },
      expected: ["allow", "deny", "error"],
      judge: async (one) => {
        const { verdict, detail } = await withVariables(one.env, () => judgeUrlCase(one as unknown as UrlCase));
        return { got: verdict, holds: verdict === one.expect, detail };
      },
    },
  ],
]);

/** Runs something with a case's variables added to the environment. */
async function withVariables<Value>(variables: unknown = {}, act: () => Promise<Value>): Promise<Value> {
  const before = Object.keys(variables as object).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await act();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

if (import.meta.main) process.exitCode = await judgeCorpus(process.argv.slice(2), console);

/** Resolves with the exit code. */
export async function judgeCorpus(args: readonly string[], output: Pick<Console, "log" | "error">): Promise<number> {
  const [kind = "", file, ...more] = args.filter((arg) => arg !== "--json");
  const corpus = corpora.get(kind);
  if (!corpus || file === undefined || more.length > 0) {
    output.error("Usage: npm run corpus -- exec|paths|ssrf FILE [--json]");
    return 2;
  }
  let cases: readonly Case[];
  try {
    cases = readCases(file, corpus);
  } catch (error) {
    output.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  const { mismatches, stricter } = await judgeAll(cases, corpus);
  const wrong = mismatches.filter(({ tolerated }) => !tolerated).length;
  const counts = { cases: cases.length, asListed: cases.length - mismatches.length, stricter, wrong, tolerated: mismatches.length - wrong };
  if (args.includes("--json")) output.log(JSON.stringify({ kind, file, ...counts, mismatches }, null, 2));
  else output.log(writeReport(mismatches, counts));
  return wrong === 0 ? 0 : 1;
}

/** Reads one case a line. Throws, with the number of the line, for one that is no case. */
function readCases(file: string, corpus: Corpus): readonly Case[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [readCase(line, corpus, `${file}:${index + 1}`)]));
}

function readCase(line: string, { fields, expected }: Corpus, place: string): Case {
  let one: unknown;
  try {
    one = JSON.parse(line);
  } catch (error) {
    throw new Error(`${place}: the line is not valid JSON (${(error as Error).message}). Write one object a line.`);
  }
  if (typeof one !== "object" || one === null || Array.isArray(one)) throw new Error(`${place}: the line is no JSON object.`);
  const record = one as Case;
  const wrong = Object.entries({ id: isText, ...fields }).find(([name, fits]) => !Object.hasOwn(record, name) || !fits(record[name]));
  if (wrong) throw new Error(`${place}: the field "${wrong[0]}" is missing or of another kind than the corpus has.`);
  if (expected.includes(record.expect)) return { ...record, line: Number(place.slice(place.lastIndexOf(":") + 1)) };
  throw new Error(`${place}: the field "expect" must be one of ${expected.join(", ")}.`);
}

async function judgeAll(cases: readonly Case[], corpus: Corpus): Promise<{ mismatches: readonly Mismatch[]; stricter: number }> {
  const mismatches: Mismatch[] = [];
  let stricter = 0;
  for (const one of cases) {
    const answer = await corpus.judge(one).catch((error: unknown): Answer => ({ got: "thrown", holds: false, detail: String(error) }));
    if (answer.stricter) stricter += 1;
    if (answer.holds) continue;
    const tolerated = tagsOf(one).some((tag) => tag === "stretch" || tag === "policy");
    const why = isText(one.why) ? (one.why as string) : "";
    mismatches.push({ id: one.id, line: one.line as number, expected: one.expect, got: answer.got, why, detail: answer.detail, tolerated });
  }
  return { mismatches, stricter };
}

function writeReport(
  mismatches: readonly Mismatch[],
  counts: { cases: number; asListed: number; stricter: number; wrong: number; tolerated: number },
): string {
  const lines = mismatches.map(({ id, line, expected, got, why, detail, tolerated }) => {
    const heading = `${tolerated ? "tolerated" : "WRONG    "}  ${id} (line ${line})  expected ${expected}, got ${got}`;
    return `${heading}\n           why: ${why}\n           detail: ${detail}`;
  });
  const refused = counts.stricter > 0 ? ` (${counts.stricter} of them refused where asking is listed)` : "";
  const sum = `${counts.cases} cases: ${counts.asListed} as listed${refused}, ${counts.wrong} wrong, ${counts.tolerated} tolerated (tagged stretch or policy).`;
  return [...lines, sum].join("\n");
}
