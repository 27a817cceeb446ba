import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { expandStage, type PathStage } from "./path-stage.ts";

/** What must be true on disk afterwards: a rule, and the path or paths that it is about; with `content` a path and its text. */
export type Aftermath = Readonly<Record<string, string | readonly string[]>>;

type Rule = (now: string, was: string | undefined) => string | undefined;

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["unchanged", (now, was) => (now === was ? undefined : "was changed")],
  ["absent", (now) => (now === nothing ? undefined : "is there")],
  ["present", (now) => (now === nothing ? "is not there" : undefined)],
  ["missing", (now) => (now === nothing ? undefined : "is there")],
  ["exists", (now) => (now === nothing ? "is not there" : undefined)],
  ["link", (now) => (now.startsWith("link ") ? undefined : "is no link any more")],
]);
const nothing = "nothing";

/** Notes what the rules will be compared with, and gives a function that names the first rule that does not hold. Throws for a rule that it does not know. */
export function watchDisk(stage: PathStage, after: Aftermath = {}): () => string | undefined {
  const checks = Object.entries(after).flatMap(([name, operand]) => {
    if (name === "content") return [checkContent(stage, operand)];
    const rule = rules.get(name);
    if (!rule) throw new Error(`The corpus has an after-rule that is not known here: ${name}`);
    return [operand].flat().map((path) => {
      const was = describe(expandStage(stage, path));
      return () => {
        const problem = rule(describe(expandStage(stage, path)), was);
        return problem && `${path} ${problem}`;
      };
    });
  });
  return () => checks.reduce<string | undefined>((problem, check) => problem ?? check(), undefined);
}

function checkContent(stage: PathStage, operand: string | readonly string[]): () => string | undefined {
  const [path, text, ...rest] = [operand].flat();
  if (path === undefined || text === undefined || rest.length > 0) throw new Error("The after-rule content takes a path and a text.");
  return () => (describe(expandStage(stage, path)) === `file ${text}` ? undefined : `${path} has other content`);
}

/** What is at a path, a link not followed, with everything below it. */
function describe(path: string): string {
  const stats: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return nothing;
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (stats.isFile()) return `file ${readFileSync(path, "utf8")}`;
  if (!stats.isDirectory()) return "other";
  return `folder ${readdirSync(path)
    .sort()
    .map((name) => JSON.stringify([name, describe(`${path}/${name}`)]))}`;
}
