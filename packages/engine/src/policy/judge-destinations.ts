import { type Destination, findLineDestinations, type InnerCommand, type LineAnalysis, type NamedFile } from "@toolwright/commands";
import { judgeTarget, showTarget } from "@toolwright/commands/targets";
import type { Finding } from "../contract/decision.ts";
import type { NetworkRules, SandboxRules } from "../ports/policy-rules.ts";
import { judgePath } from "./resource-layer.ts";

export interface NetworkSettings {
  readonly network: NetworkRules;
  readonly sandbox: Pick<SandboxRules, "network">;
}

type PathSettings = Parameters<typeof judgePath>[1];

/** What the network rules say of the destinations of a line, and the path rules of the files that its network options name. */
export function judgeDestinations(
  analysis: LineAnalysis,
  settings: NetworkSettings & PathSettings,
  workdir: string | null | undefined,
): readonly Finding[] {
  if (!analysis.ok) return [];
  return findLineDestinations(analysis.commands).flatMap(({ command, reached: { destinations, files } }) => {
    return [
      ...destinations.map((destination) => judgeDestination(destination, command, settings)),
      ...files.flatMap(({ path, access }) => judgeFile(placeBelow(workdir, path), access, { command, settings })),
    ];
  });
}

/** A path that is not plain asks: the tool for files takes none such, and where the program finds it is not certain. */
function judgeFile(
  path: string,
  access: NamedFile["access"],
  { command, settings }: { readonly command: InnerCommand; readonly settings: PathSettings },
): readonly Finding[] {
  const finding = judgePath({ kind: "path", path, access }, settings);
  if (finding.effect === "allow") return [];
  const asks = finding.effect === "ask" || (finding.rule === "default.paths" && settings.autonomy !== "read_only");
  return [
    {
      ...finding,
      subject: command.source,
      ...(asks && { effect: "ask", grantable: false, remedy: "Approve this call, or name a path inside the workspace." }),
    },
  ];
}

function placeBelow(workdir: string | null | undefined, path: string): string {
  return !workdir || /^[/~]/.test(path) ? path : `${workdir.replace(/\/+$/, "")}/${path}`;
}

const noWay = "It would not get out anyway: the sandbox has no network.";

function judgeDestination(destination: Destination, command: InnerCommand, settings: NetworkSettings): Finding {
  return destination.named ? judgeNamed(destination, command, settings) : judgeUnnamed(destination.why, command, settings);
}

function judgeNamed(
  destination: Extract<Destination, { named: true }>,
  { source }: InnerCommand,
  { network, sandbox }: NetworkSettings,
): Finding {
  const base = { layer: "resource", subject: source } as const;
  const shown = showTarget(destination);
  const closed = sandbox.network === "none";
  const also = closed ? ` ${noWay}` : "";
  const refusal = judgeTarget(destination, network);
  if (!refusal) return { ...base, effect: "allow", rule: "network", reason: `The network rules open ${shown}.${also}`, risk: "low" };
  const reason = `It reaches ${shown}: ${refusal.problem}.${also}`;
  if (refusal.by !== "ports") {
    const remedy =
      refusal.by === "deny" ? "Use another destination, or remove that rule." : `Add ${JSON.stringify(shown)} to network.allow.`;
    return { ...base, effect: "deny", rule: `network.${refusal.by}`, reason, risk: "medium", remedy };
  }
  const effect = ({ none: "allow", filtered: "deny", host: "ask" } as const)[sandbox.network];
  return {
    ...base,
    effect,
    ...(effect === "ask" && { grantable: false }),
    rule: "default.network.ports",
    reason,
    risk: "medium",
    remedy: `Add ${JSON.stringify(shown)} to network.allow, with every other host that shall be reached.`,
  };
}

/**
 * The command layer's finding, as a grant for this very command may stand for the person who is asked. Without a rule on hosts there is
 * none that it could break; without a network nobody need be asked twice.
 */
function judgeUnnamed(why: string, { source }: InnerCommand, { network, sandbox }: NetworkSettings): Finding {
  const base = { layer: "command", subject: source, rule: "default.network.unnamed" } as const;
  const reason = `Where it reaches cannot be told from its words: ${why}.`;
  if (sandbox.network === "none") return { ...base, effect: "allow", reason: `${reason} ${noWay}` };
  if (!network.allow && network.deny.length === 0)
    return { ...base, effect: "allow", reason: `${reason} No network rule restricts hosts.` };
  return {
    ...base,
    effect: "ask",
    risk: "medium",
    reason: `${reason} So it cannot be compared with the network rules.`,
    remedy: "Write the destination out, without what sends it elsewhere, or approve this call.",
  };
}
