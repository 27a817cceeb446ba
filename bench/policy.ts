import { analyseLine } from "@toolwright/commands";
import { defaultPolicy, type PolicyTier, type Principal } from "@toolwright/engine";
import { compilePolicy } from "@toolwright/engine/policy";
import { parse } from "unbash";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const principal: Principal = { tenant: "bench", actor: { kind: "agent", id: "bench" }, permissions: [], door: "mcp" };
const exec = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const machine = { sandbox: { available: true, detail: "bench" } };
const short = "git status --short";
const long =
  'git log --oneline -n 20 --author="Ann Example" -- packages/engine/src && rg -n "defineTool" packages/engine/src | head -n 40 && ls -la packages && cat packages/engine/package.json | wc -l && git diff --stat HEAD~1';

/** 1,000 command rules over three tiers. */
function thousandRules(): PolicyTier[] {
  const rules = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ pattern: `${prefix}${index} run *`, effect: "ask" as const }));
  const tier = (name: PolicyTier["tier"], count: number): PolicyTier => ({
    tier: name,
    document: { version: 1, commands: { mode: "allowlist", rules: rules(name, count) } },
  });
  return [{ tier: "platform", document: { ...defaultPolicy, ...tier("platform", 400).document } }, tier("tenant", 300), tier("agent", 300)];
}

/** Deciding a call under 1,000 rules in three tiers, and analysing a line of 200 characters, beside the parser alone. */
export async function measure(): Promise<readonly Row[]> {
  const large = compilePolicy(thousandRules());
  const small = compilePolicy([{ tier: "platform", document: defaultPolicy }]);
  const decide = (policy: typeof large, command: string) => policy.decide(exec, [{ kind: "command", command }], machine, principal);
  if (decide(small, long).effect !== "allow") throw new Error(`The line to analyse is not allowed: ${decide(small, long).reason}`);
  const times = await timeRounds({
    decide: () => decide(large, short),
    parseShort: () => parse(short),
    analyse: () => analyseLine(long),
    decideLong: () => decide(small, long),
    parseLong: () => parse(long),
  });
  type Side = keyof typeof times;
  const row = (name: string, [ours, peer]: readonly [Side, Side], most?: number): Row => {
    const median50 = median(times[ours]) / 1000;
    return {
      name,
      ours: median50,
      peer: median(times[peer]) / 1000,
      peerName: "unbash alone",
      ratio: medianRatio(times[ours], times[peer]),
      unit: "µs p50",
      target: most === undefined ? "none" : `at most ${most} µs`,
      holds: most === undefined || median50 <= most,
    };
  };
  return [
    row("decide, 1,000 rules in 3 tiers", ["decide", "parseShort"], 20),
    row(`parse and analyse ${long.length} characters`, ["analyse", "parseLong"], 60),
    row(`decide ${long.length} characters, 6 commands`, ["decideLong", "parseLong"]),
  ];
}
