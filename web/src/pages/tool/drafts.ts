import { isLarge } from "../../form/input-size.ts";
import type { Json } from "../../form/json-schema.ts";
import { type Described, withoutSecrets } from "../../form/without-secrets.ts";
import { readKept, writeKept } from "../../parts/kept.ts";

/** Whose it is, and for what. */
export interface Owner {
  readonly tenant: string;
  readonly person: string;
  readonly tool: string;
}

const nameOf = ({ tenant, person, tool }: Owner) => `toolwright.draft.${JSON.stringify([tenant, person, tool])}`;

/** What somebody had typed for a tool; undefined for nothing, and for what no longer is JSON. */
export function readDraft(owner: Owner): Json | undefined {
  const kept = readKept("local", nameOf(owner));
  try {
    return kept === undefined ? undefined : (JSON.parse(kept) as Json);
  } catch {
    return undefined;
  }
}

/** Keeps it for this person, tenant and tool. What is secret stays in the page, and so does what is larger than browsers keep. */
export function keepDraft(owner: Owner, input: Json, tool: Described): boolean {
  return !isLarge(input) && writeKept("local", nameOf(owner), JSON.stringify(withoutSecrets(input, tool)));
}
