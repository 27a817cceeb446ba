import { analyseLine, baseName, compilePattern, findProgram, resolveArgv, runsCode, suggestPattern } from "@toolwright/commands";
import { judgeUrl, parseHostRule } from "@toolwright/commands/targets";
import type { Reach } from "../../contract/decision.ts";
import type { GrantPredicate } from "../../ports/grant-store.ts";
import { coverCall, findUngrantable, type GrantableCall } from "./grant-coverage.ts";
import { readPlainPath } from "./grant-reach.ts";

/** The narrowest predicates that let the same call through next time, or why there are none. */
type ProposedAllows = { readonly ok: true; readonly allows: readonly GrantPredicate[] } | { readonly ok: false; readonly reason: string };

export function proposeAllows(call: GrantableCall): ProposedAllows {
  const ungrantable = findUngrantable(call);
  if (ungrantable !== undefined) return { ok: false, reason: ungrantable };
  if (call.reaches.length === 0) return { ok: true, allows: [{ kind: "input", digest: call.digest }] };
  const allows: GrantPredicate[] = [];
  for (const reach of call.reaches) {
    const proposed = proposeFor(reach, call);
    if (typeof proposed === "string") return { ok: false, reason: proposed };
    allows.push(...proposed);
  }
  const distinct = [...new Map(allows.map((predicate) => [JSON.stringify(predicate), predicate])).values()];
  const refusal = refuseAllows(distinct, { namesReaches: call.reaches.length > 0 });
  if (refusal !== undefined) return { ok: false, reason: refusal };
  // What is offered is judged as it will be judged later: nothing is saved that would not have let this call through.
  const covered = coverCall(
    call,
    distinct.map((predicate) => ({ allows: predicate, by: "proposal" })),
  );
  return covered ? { ok: true, allows: distinct } : { ok: false, reason: "no narrow rule would cover this call" };
}

function proposeFor(reach: Reach, call: GrantableCall): readonly GrantPredicate[] | string {
  switch (reach.kind) {
    case "path": {
      const prefix = readPlainPath(reach.path);
      return prefix === undefined ? "its path is not a plain one" : [{ kind: "path", prefix, access: reach.access }];
    }
    case "request": {
      const judged = judgeUrl(reach.url, { deny: [] });
      if (!judged.ok) return judged.reason;
      const name = judged.host.includes(":") ? `[${judged.host}]` : judged.host;
      const host = judged.url.port === "" ? name : `${name}:${judged.port}`;
      const { method, credential } = reach;
      return [{ kind: "request", host, method: method.toUpperCase(), ...(credential !== undefined && { credential }) }];
    }
    case "command":
      return proposeForCommand(reach.command, call);
  }
}

function proposeForCommand(line: string, { decision }: GrantableCall): readonly GrantPredicate[] | string {
  const analysis = analyseLine(line);
  if (!analysis.ok) return `a command with substitutions, variables or other parts that are not judged is not remembered`;
  const asking = new Set(
    decision.findings.flatMap(({ effect, layer, subject }) => (effect === "ask" && layer === "command" ? subject : [])),
  );
  const wholeIsAsked = decision.findings.some(({ effect, layer }) => effect === "ask" && layer === "tool");
  const allows: GrantPredicate[] = [];
  for (const command of analysis.commands) {
    if (!wholeIsAsked && !asking.has(command.source)) continue;
    const argv = resolveArgv(command.argv);
    const pattern = suggestPattern(argv);
    const refusal = pattern === undefined ? "it cannot be written as a rule" : refusePattern(pattern);
    if (pattern === undefined || refusal !== undefined) return `${JSON.stringify(command.source)} is not remembered: ${refusal}`;
    allows.push({ kind: "command", pattern });
  }
  return allows;
}

/** Predicates of one grant: each of them is compared with every later call of its holder. */
const mostPredicates = 200;

/** Why nobody may be granted these predicates (R-AP-9); undefined when they may be granted. */
export function refuseAllows(allows: readonly GrantPredicate[], tool: { readonly namesReaches: boolean }): string | undefined {
  if (allows.length === 0) return "the grant would allow nothing";
  if (allows.length > mostPredicates) return `the grant would allow more than ${mostPredicates} things; give several grants`;
  return allows.map((predicate) => refusePredicate(predicate, tool)).find((reason) => reason !== undefined);
}

/** Characters of each text of a predicate: the longest path of Linux. Every later call is compared with it. */
const mostCharacters = 4_096;

/** Why a predicate must not be remembered, whoever asks for it (R-AP-9); undefined when it may. */
function refusePredicate(predicate: GrantPredicate, tool: { readonly namesReaches: boolean }): string | undefined {
  const long = Object.entries(predicate).find(([, text]) => text !== undefined && text.length > mostCharacters);
  if (long) return `its ${long[0]} has more than ${mostCharacters} characters; write a shorter one`;
  switch (predicate.kind) {
    case "command":
      return refusePattern(predicate.pattern);
    case "path":
      return readPlainPath(predicate.prefix) === undefined ? `${JSON.stringify(predicate.prefix)} is not a plain path` : undefined;
    case "request": {
      const host = parseHostRule(predicate.host);
      if (!host || host.host === "*") return `${JSON.stringify(predicate.host)} names no host; write api.example.org or *.example.org`;
      return /^[A-Za-z]+$/.test(predicate.method) ? undefined : `${JSON.stringify(predicate.method)} is not a method`;
    }
    case "input":
      if (!/^[0-9a-f]{64}$/.test(predicate.digest)) return "an input is remembered by its digest, 64 hexadecimal digits";
      return tool.namesReaches ? "the tool names what it reaches; allow the command, path or request" : undefined;
  }
}

function refusePattern(pattern: string): string | undefined {
  const compiled = compilePattern(pattern);
  if (!compiled) return "it names no program; begin with one, without a wildcard";
  if (/[$`]/.test(pattern)) return "it holds a variable or substitution, which means something else each time";
  const name = baseName(compiled.program);
  const mayRunCode = findProgram(compiled.program)?.interpreter === true || runsCode(name);
  return mayRunCode ? `${name} runs code from its arguments or from a file, which may be another next time` : undefined;
}
