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

/** A package that adds a capability says once how its levels weigh. An unknown capability weighs everything. */
export function declareEffectWeight(name: CapabilityName, weigh: (declared: unknown) => EffectWeight): void {
  weights.set(name, weigh);
}

const everything: EffectWeight = { changes: true, openWorld: true };
const accessOf = (declared: unknown) =>
  typeof declared === "object" && declared !== null && "access" in declared ? declared.access : declared;

declareEffectWeight("files", (level) => ({ changes: level !== "read", openWorld: false }));
declareEffectWeight("exec", (level) => (level === "run" ? everything : { changes: level !== "watch", openWorld: false }));
declareEffectWeight("http", (level) => ({ changes: accessOf(level) !== "read", openWorld: true }));
declareEffectWeight("git", () => everything);
// What it calls is weighed with the catalogue at hand.
declareEffectWeight("tools", () => ({ changes: false, openWorld: false }));
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
