import type { CapabilityName, EffectOf, EffectWeight, Weigh } from "../ports/capability.ts";

/** What a tool may reach, and two promises about it. Policy, annotations, the approval card, the sandbox and the log read this. */
export type Effects = { readonly [Name in CapabilityName]?: EffectOf<Name> } & {
  /** What it does cannot be undone. */
  readonly destructive?: boolean;
  /** Doing it twice is the same as doing it once. */
  readonly idempotent?: boolean;
};

/** How each capability weighs, by name. One that is missing weighs everything. */
export type Weights = ReadonlyMap<string, Weigh>;

const everything: EffectWeight = { changes: true, openWorld: true };
const nothing: EffectWeight = { changes: false, openWorld: false };
const accessOf = (declared: unknown) =>
  typeof declared === "object" && declared !== null && "access" in declared ? declared.access : declared;

const weighExec: Weigh = (level) => {
  const judged = "each command that it names";
  if (level === "run") return { ...everything, destructive: true, starts: "commands", judged };
  return { ...nothing, changes: level !== "watch", ownOnly: true, judged };
};

/** The capabilities whose contracts the engine has. */
const ofEngine: Weights = new Map<string, Weigh>([
  ["files", (level) => ({ changes: level !== "read", openWorld: false, judged: "each path that it names" })],
  ["exec", weighExec],
  ["http", (level) => ({ changes: accessOf(level) !== "read", openWorld: true, judged: "each request that it makes" })],
  ["git", () => ({ ...everything, starts: "programs", judged: "the repository and the folder that it names" })],
  // What it is asked leaves as the conversations of agents do.
  ["model", () => nothing],
  // What it calls is weighed with the catalogue at hand.
  ["tools", () => nothing],
  ["secrets", () => nothing],
]);

/** Who provides a capability, as a program writes it. */
const providers: ReadonlyMap<string, string> = new Map([
  ["files", "filesCapability({ workspaceOf }) of @toolwright/sandbox"],
  ["exec", "execCapability({ workspaceOf, drivers }) of @toolwright/sandbox"],
  ["http", "httpCapability() of @toolwright/sandbox"],
  ["git", "gitCapability({ workspaceOf, drivers }) of @toolwright/sandbox"],
  ["model", "modelCapability(() => ({ models, … })) of @toolwright/agents"],
  ["client", "clientCapability of @toolwright/doors/mcp"],
]);

/** What to add to the `capabilities` of an engine that lacks one. */
export function describeProvider(name: CapabilityName): string {
  return providers.get(name) ?? `a provider named "${name}"`;
}

/** The weights of the engine's own contracts, and what the given capabilities say of theirs. */
export function weightsOf(capabilities: readonly { readonly name: string; weigh?(declared: unknown): EffectWeight }[]): Weights {
  const weights = new Map(ofEngine);
  for (const { name, weigh } of capabilities) if (weigh) weights.set(name, weigh);
  return weights;
}

/** What all effects of a tool come to. */
export interface ToolWeight {
  readonly changes: boolean;
  readonly openWorld: boolean;
  readonly destructive: boolean;
  /** It can change something outside the workspace that its own session did not begin. */
  readonly leaves: boolean;
  /** It can change something outside the workspace that its own session did not begin, beside what a capability itself asks about. */
  readonly leavesUnasked: boolean;
  /** The most that one of its effects starts. */
  readonly starts: EffectWeight["starts"];
  readonly judged: readonly string[];
}

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

/** Weighs what a tool declares; a capability that `weights` does not have weighs everything. */
export function weighEffects(effects: Effects, weights: Weights = ofEngine): ToolWeight {
  const each = capabilitiesOf(effects).map((name) => weights.get(name)?.(effects[name]) ?? everything);
  const destructive = effects.destructive === true;
  const others = each.filter(({ ownOnly }) => !ownOnly);
  const leave = (some: typeof each) => (destructive || some.some(({ changes }) => changes)) && some.some(({ openWorld }) => openWorld);
  const starts = each.map((weight) => weight.starts);
  return {
    changes: destructive || each.some(({ changes }) => changes),
    openWorld: each.some(({ openWorld }) => openWorld),
    destructive: destructive || each.some((weight) => weight.destructive),
    leaves: leave(others),
    leavesUnasked: leave(others.filter(({ concerned }) => !concerned)),
    starts: starts.find((what) => what === "commands") ?? starts.find((what) => what !== undefined),
    judged: each.flatMap(({ judged }) => judged ?? []),
  };
}

export function hintsOf(effects: Effects, { changes, destructive, openWorld }: ToolWeight = weighEffects(effects)): EffectHints {
  return {
    readOnlyHint: !changes,
    destructiveHint: destructive,
    idempotentHint: effects.idempotent === true || !changes,
    openWorldHint: openWorld,
  };
}
