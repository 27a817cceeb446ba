import type { Json } from "../../form/json-schema.ts";
import { type Described, withoutSecrets } from "../../form/without-secrets.ts";
import { readKept, writeKept } from "../../parts/kept.ts";
import type { Owner } from "./drafts.ts";

/** An input that somebody keeps for themselves. */
export interface OwnExample {
  readonly label: string;
  readonly input: Json;
}

const nameOf = ({ tenant, person, tool }: Owner) => `toolwright.examples.${JSON.stringify([tenant, person, tool])}`;

/** Those of a person for a tool, in this browser. What is none is left out. */
export function readOwnExamples(owner: Owner): readonly OwnExample[] {
  try {
    const kept: unknown = JSON.parse(readKept("local", nameOf(owner)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isExample) : [];
  } catch {
    return [];
  }
}

const isExample = (each: unknown): each is OwnExample =>
  typeof each === "object" && each !== null && "input" in each && "label" in each && typeof each.label === "string";

/** Throws where the name is taken, and where the browser keeps nothing. What is secret is left out. */
export function addOwnExample(owner: Owner, { label, input }: OwnExample, tool: Described): void {
  const all = readOwnExamples(owner);
  refuseTaken(label, all);
  keep(owner, [...all, { label, input: withoutSecrets(input, tool) }]);
}

export function renameOwnExample(owner: Owner, { from, to }: { readonly from: string; readonly to: string }): void {
  const all = readOwnExamples(owner);
  if (from !== to) refuseTaken(to, all);
  keep(
    owner,
    all.map((each) => (each.label === from ? { ...each, label: to } : each)),
  );
}

export function removeOwnExample(owner: Owner, label: string): void {
  keep(
    owner,
    readOwnExamples(owner).filter((each) => each.label !== label),
  );
}

function refuseTaken(label: string, all: readonly OwnExample[]): void {
  if (all.some((each) => each.label === label)) throw new Error(`You have an example ${label} already. Choose another name.`);
}

function keep(owner: Owner, examples: readonly OwnExample[]): void {
  if (!writeKept("local", nameOf(owner), examples.length === 0 ? undefined : JSON.stringify(examples)))
    throw new Error("Your browser keeps nothing more here, so this is not saved. Let this site store data, or remove an example.");
}
