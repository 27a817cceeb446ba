import type { Finding } from "../contract/decision.ts";
import { type Effects, type ToolWeight, weighEffects } from "../tool/effects.ts";
import type { PolicyDocument } from "./document/policy-document.ts";

/** What the policy may know of a tool. */
export interface ToolFacts {
  readonly name: string;
  readonly group: string;
  readonly effects: Effects;
  readonly approval: "auto" | "always_ask";
  /** What the effects come to with the capabilities of this process. Default: with those of the engine alone. */
  readonly weight?: ToolWeight;
}

export const weightOf = ({ weight, effects }: ToolFacts): ToolWeight => weight ?? weighEffects(effects);

/** Names and `group:` handles of one list, each with its place in the document. */
type Handles = ReadonlyMap<string, string>;

/** One tier's word on tools. */
export interface ToolSettings {
  readonly allow: Handles | undefined;
  readonly deny: Handles;
  readonly ask: Handles;
  readonly where: string;
}

export function compileTools(tools: NonNullable<PolicyDocument["tools"]>, where: string): ToolSettings {
  const handles = (list: readonly string[] | undefined, name: string): Handles =>
    new Map((list ?? []).map((handle, index) => [handle, `${where}.${name}[${index}]`]));
  return {
    allow: tools.allow && handles(tools.allow, "allow"),
    deny: handles(tools.deny, "deny"),
    ask: handles(tools.ask, "ask"),
    where,
  };
}

const layer = "tool";

/** What one tier's lists say of a tool; nothing when they do not name it. */
export function judgeToolLists(tool: ToolFacts, settings: ToolSettings): readonly Finding[] {
  const findings: Finding[] = [];
  const find = (handles: Handles) => handles.get(tool.name) ?? handles.get(`group:${tool.group}`);
  const denied = find(settings.deny);
  if (denied) {
    findings.push({
      effect: "deny",
      layer,
      rule: denied,
      reason: `The tool ${tool.name} is on the deny list.`,
      remedy: "Take it off that list; deny wins over allow.",
    });
  }
  if (settings.allow) {
    const allowed = find(settings.allow);
    const reason = `The tool ${tool.name} is ${allowed ? "" : "not "}on the allow list.`;
    const remedy = `Add ${tool.name} or group:${tool.group} to ${settings.where}.allow.`;
    findings.push(
      allowed
        ? { effect: "allow", layer, rule: allowed, reason }
        : { effect: "deny", layer, rule: `${settings.where}.allow`, reason, remedy },
    );
  }
  const asked = find(settings.ask);
  if (asked)
    findings.push({
      effect: "ask",
      layer,
      rule: asked,
      reason: `The policy asks before each call of ${tool.name}.`,
      remedy: "Approve this call, or take the tool off that list.",
    });
  return findings;
}

/** What autonomy and the tool's own effects say; always at least one finding. */
export function judgeToolEffects(tool: ToolFacts, autonomy: NonNullable<PolicyDocument["autonomy"]>, where: string): readonly Finding[] {
  const { changes } = weightOf(tool);
  const findings: Finding[] = [];
  if (autonomy === "read_only" && changes) {
    const remedy = "Set autonomy to supervised.";
    findings.push({
      effect: "deny",
      layer,
      rule: where,
      reason: `The tool ${tool.name} can change something, and autonomy is read_only.`,
      remedy,
    });
  }
  if (tool.approval === "always_ask") {
    findings.push({
      effect: "ask",
      layer,
      rule: "default.always_ask",
      reason: `The tool ${tool.name} asks before each call.`,
      remedy: "Approve this call.",
    });
  }
  if (autonomy === "supervised" && tool.effects.destructive === true) {
    const remedy = "Approve this call, or set autonomy to full.";
    findings.push({
      effect: "ask",
      layer,
      rule: "default.supervised.destructive",
      reason: `What ${tool.name} does cannot be undone.`,
      risk: "medium",
      remedy,
    });
  }
  if (findings.length === 0) {
    const rule = changes ? `default.${autonomy}` : "default.reads";
    findings.push({
      effect: "allow",
      layer,
      rule,
      reason: changes ? `Nothing restricts the tool ${tool.name}.` : `The tool ${tool.name} changes nothing.`,
    });
  }
  return findings;
}
