import type { Members } from "../../editor/document-text.ts";
import { writeText } from "../../editor/document-text.ts";
import { readKept, writeKept } from "../../parts/kept.ts";

/** What somebody typed, and the revision that they began with. */
export interface Draft {
  readonly read: number;
  readonly text: string;
}

export interface Owner {
  readonly tenant: string;
  readonly person: string;
}

const nameOf = ({ tenant, person }: Owner) => `toolwright.draft.policy.${JSON.stringify([tenant, person])}`;

/** Undefined for none, and for what is no draft any more. */
export function readDraft(owner: Owner): Draft | undefined {
  try {
    const kept = JSON.parse(readKept("local", nameOf(owner)) ?? "null") as Partial<Draft> | null;
    const isDraft = typeof kept?.text === "string" && typeof kept.read === "number";
    return isDraft ? { read: kept.read as number, text: kept.text as string } : undefined;
  } catch {
    return undefined;
  }
}

/** False where the browser keeps nothing. */
export function keepDraft(owner: Owner, draft: Draft | undefined): boolean {
  return writeKept("local", nameOf(owner), draft && JSON.stringify(draft));
}

interface Current {
  readonly revision: number;
  readonly document: Members;
}

/** What typing makes of a draft: text that says what is in force is none. */
export function toDraft(text: string, draft: Draft | undefined, { revision, document }: Current): Draft | undefined {
  const read = draft?.read ?? revision;
  return read === revision && text === writeText(document) ? undefined : { read, text };
}
