import type { CapabilityProvider, Principal } from "@toolwright/engine";
import {
  type Clock,
  digest,
  type ForeignMark,
  type ForeignMarks,
  type MemoryOwner,
  type MemoryStore,
  trustOf,
} from "@toolwright/engine/ports";

type Concern = NonNullable<CapabilityProvider["concern"]>;
type ConcernedCall = Parameters<Concern>[0];
type Concerns = Awaited<ReturnType<Concern>>;

interface MemorySite {
  readonly principal: Principal;
  readonly session: string;
  readonly owner: MemoryOwner;
  readonly store: MemoryStore;
  readonly foreign: ForeignMarks;
  readonly clock: Clock;
}

/** Later sessions go by core memories, so a session that has read foreign content asks before it touches one. */
export async function concernOf({ tool, input, declared }: ConcernedCall, site: MemorySite): Promise<Concerns> {
  if (declared !== "write") return [];
  try {
    const { marks } = await trustOf(site.principal, site.session, site.foreign);
    if (marks.length === 0 || !(await touchesCore(input, site))) return [];
    return [toConcern(tool, input, placesOf(marks))];
  } catch {
    // Nobody knows what the session has read: a person decides.
    return [toConcern(tool, input, "unknown")];
  }
}

/** It writes a core memory, or changes or removes one that is there. */
async function touchesCore(input: unknown, { store, owner, clock }: MemorySite): Promise<boolean> {
  const { category, key } = (input ?? {}) as { readonly category?: unknown; readonly key?: unknown };
  if (category === "core") return true;
  return typeof key === "string" && (await store.get(owner, key, clock.now()))?.memory.category === "core";
}

const toConcern = (tool: string, input: unknown, places: string) => ({
  rule: "default.memory.foreign",
  risk: "medium" as const,
  reason: `The session has read content from elsewhere (${places}), and ${tool} changes a core memory, which later sessions go by.`,
  subject: digest(input as never),
  remedy: "Approve this call, or save a memory of the category daily.",
});

function placesOf(marks: readonly ForeignMark[]): string {
  const [first] = marks;
  const shown = first && `${first.kind}${first.place === undefined ? "" : `: ${first.place}`}`;
  return marks.length > 1 ? `${shown}, ${marks.length - 1} more` : `${shown}`;
}
