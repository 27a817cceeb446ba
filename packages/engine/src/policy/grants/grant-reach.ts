import { analyseLine, type CommandSettings, compileRule, indexRules, judgeCommands } from "@toolwright/commands";
import { judgePathText, judgeUrl } from "@toolwright/commands/targets";
import type { Reach } from "../../contract/decision.ts";
import type { GrantPredicate } from "../../ports/grant-store.ts";
import { requestText } from "../request-text.ts";

/** A predicate and whose it is. */
export interface Allowance {
  readonly allows: GrantPredicate;
  readonly by: string;
}

/** One part of a call, as findings name it, and what covers it. */
export interface CoveredPart {
  readonly layer: "command" | "resource";
  readonly subject: string;
  readonly covered: boolean;
  /** Undefined when nothing covers it, or when it does nothing and needs no cover. */
  readonly by: string | undefined;
  /** True for the folder that a command runs in: named, but not itself what the call is for. */
  readonly aside?: boolean;
}

type Kind<Name extends GrantPredicate["kind"]> = Extract<GrantPredicate, { kind: Name }>;
type ReachOf<Name extends Reach["kind"]> = Extract<Reach, { kind: Name }>;

/** Which parts of a reach the allowances cover. */
export function coverReach(reach: Reach, allowances: readonly Allowance[]): readonly CoveredPart[] {
  switch (reach.kind) {
    case "path":
      return [coverPath(reach, allowances)];
    case "request": {
      const found = allowances.find(({ allows }) => allows.kind === "request" && isRequestWithin(reach, allows));
      return [{ layer: "resource", subject: requestText(reach), covered: found !== undefined, by: found?.by }];
    }
    case "command": {
      const folder = coverPath({ kind: "path", path: reach.workdir || ".", access: "read" }, allowances);
      return [{ ...folder, aside: true }, ...coverCommand(reach, allowances)];
    }
  }
}

function coverPath(reach: ReachOf<"path">, allowances: readonly Allowance[]): CoveredPart {
  const found = allowances.find(({ allows }) => allows.kind === "path" && isPathWithin(reach, allows));
  return { layer: "resource", subject: reach.path, covered: found !== undefined, by: found?.by };
}

/** The rules of the command layer, with the patterns as the only ones that allow: what they object to, no pattern covers. */
function coverCommand(reach: ReachOf<"command">, allowances: readonly Allowance[]): readonly CoveredPart[] {
  const rules = allowances.flatMap(({ allows, by }) => {
    const rule = allows.kind === "command" ? compileRule(allows.pattern, "allow", by) : undefined;
    return rule ? [{ ...rule, inFolderOnly: true }] : [];
  });
  const settings: CommandSettings = {
    mode: "allowlist",
    blockHighRisk: true,
    approveMediumRisk: true,
    rules: indexRules(rules),
    where: "grant",
  };
  const owners = new Set(rules.map(({ where }) => where));
  return judgeCommands(analyseLine(reach.command, reach), settings, { ...reach, autonomy: "supervised" }).map(
    ({ effect, rule, subject }) => ({
      layer: "command",
      subject: subject ?? reach.command,
      covered: effect === "allow",
      by: effect === "allow" && owners.has(rule) ? rule : undefined,
    }),
  );
}

/** By text: where a path really lies is judged again where it is opened. */
export function isPathWithin(reach: ReachOf<"path">, { prefix, access }: Kind<"path">): boolean {
  const path = readPlainPath(reach.path);
  const folder = readPlainPath(prefix);
  if (path === undefined || folder === undefined || reach.access !== access) return false;
  if (folder === ".") return !path.startsWith("/");
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Without a slash at its end; undefined when the text is refused or climbs. */
export function readPlainPath(text: string): string | undefined {
  const judged = judgePathText(text);
  if (!judged.ok || judged.path.split("/").includes("..")) return undefined;
  return judged.path.replace(/(?<=[^/])\/+$|(?<=^\/)\/+$/, "");
}

function isRequestWithin(reach: ReachOf<"request">, { host, method, credential }: Kind<"request">): boolean {
  if (reach.credential !== credential) return false;
  return reach.method.toUpperCase() === method.toUpperCase() && judgeUrl(reach.url, { allow: [host], deny: [] }).ok;
}
