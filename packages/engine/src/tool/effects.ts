import type { CapabilityName, EffectOf } from "../ports/capability.ts";

/** What a tool may reach, and two promises about it. Policy, annotations, the approval card, the sandbox and the log read this. */
export type Effects = { readonly [Name in CapabilityName]?: EffectOf<Name> } & {
  /** What it does cannot be undone. */
  readonly destructive?: boolean;
  /** Doing it twice is the same as doing it once. */
  readonly idempotent?: boolean;
};

/** How a capability's effect levels weigh: what reads, what changes things, and what leaves this machine. */
export interface EffectWeight {
  readonly changes: boolean;
  readonly openWorld: boolean;
}

const weights = new Map<string, (declared: unknown) => EffectWeight>();
const provisions = new Map<string, Provision>();

/** Where tools get a capability from. */
interface Provision {
  /** True for one that whoever makes a call provides with it, as a door its client: engines do without. */
  readonly perCall?: boolean;
  /** The provider to add to the `capabilities` of an engine, and the package that has it. */
  readonly provider?: string;
}

/**
 * A package that adds a capability says once how its levels weigh and where it comes from. An unknown capability weighs everything, and has to
 * be among the `capabilities` of the engine.
 */
export function declareEffectWeight(name: CapabilityName, weigh: (declared: unknown) => EffectWeight, provision: Provision = {}): void {
  weights.set(name, weigh);
  provisions.set(name, provision);
}

/** What to do about a capability that the engine of a tool has not; undefined when each call brings it. */
export function explainMissing(name: CapabilityName): string | undefined {
  const { perCall, provider } = provisions.get(name) ?? {};
  return perCall ? undefined : `Add ${provider ?? `a provider named "${name}"`} to capabilities.`;
}

const everything: EffectWeight = { changes: true, openWorld: true };
const accessOf = (declared: unknown) =>
  typeof declared === "object" && declared !== null && "access" in declared ? declared.access : declared;

const inSandbox = (call: string): Provision => ({ provider: `${call} of @toolwright/sandbox` });

declareEffectWeight("files", (level) => ({ changes: level !== "read", openWorld: false }), inSandbox("filesCapability({ workspaceOf })"));
declareEffectWeight(
  "exec",
  (level) => (level === "run" ? everything : { changes: level !== "watch", openWorld: false }),
  inSandbox("execCapability({ workspaceOf, drivers })"),
);
declareEffectWeight("http", (level) => ({ changes: accessOf(level) !== "read", openWorld: true }), inSandbox("httpCapability()"));
declareEffectWeight("git", () => everything, inSandbox("gitCapability({ workspaceOf, drivers })"));
// What it calls is weighed with the catalogue at hand.
declareEffectWeight("tools", () => ({ changes: false, openWorld: false }), { perCall: true });
declareEffectWeight("secrets", () => ({ changes: false, openWorld: false }));

/** Hints in MCP's terms (ToolAnnotations, 2026-07-28), derived and never written by hand. */
export interface EffectHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Names of the capabilities that the effects declare. */
export function capabilitiesOf(effects: Effects): CapabilityName[] {
  return Object.keys(effects).filter(
    (key) => key !== "destructive" && key !== "idempotent" && effects[key as CapabilityName] !== undefined,
  ) as CapabilityName[];
}

export function weighEffects(effects: Effects): EffectWeight {
  let changes = effects.destructive === true;
  let openWorld = false;
  for (const name of capabilitiesOf(effects)) {
    const weight = weights.get(name)?.(effects[name]) ?? everything;
    changes ||= weight.changes;
    openWorld ||= weight.openWorld;
  }
  return { changes, openWorld };
}

export function hintsOf(effects: Effects): EffectHints {
  const { changes, openWorld } = weighEffects(effects);
  return {
    readOnlyHint: !changes,
    destructiveHint: effects.destructive === true || effects.exec === "run",
    idempotentHint: effects.idempotent === true || !changes,
    openWorldHint: openWorld,
  };
}
