import type { Json, JsonObject } from "../../contract/json.ts";

/** What one target can say. A target is one such value; the compiler asks it and never asks for a name. */
export interface Dialect {
  /** The documents that this follows. */
  readonly sources: readonly TargetSource[];
  /** Keywords that pass as they are; the compiler handles those that nest or need rewriting. `any`: the whole of JSON Schema 2020-12. */
  readonly keywords: ReadonlySet<string> | "any";
  /** Whether a supported keyword's value is supported too. */
  readonly accepts?: (keyword: string, value: Json, node: JsonObject) => boolean;
  readonly root: RootRules;
  /** Whether a schema whose author names its dialect passes whole: its definitions, and what `root` refuses otherwise. */
  readonly passesDeclared?: boolean;
  /** Names of tools that the target accepts. Another name gets an alias. */
  readonly toolNames: RegExp;
  /** Names of members that the target accepts. Another name gets an alias, which `readInput` takes back. */
  readonly memberNames?: RegExp;
  /** True where the target can hold a model to the schema. */
  readonly strictMode: boolean;
  /** Every object must say `additionalProperties: false`, and so names all its members. */
  readonly closedObjects: boolean;
  /** Every member must be required; what was optional becomes nullable, and `readInput` leaves the null out again. */
  readonly allRequired: boolean;
  /** What a list of types may hold: any of them, or one type and null. */
  readonly typeLists: "any" | "null";
  /** Whether an enum may hold null. Where it may not, null is a branch of `anyOf`. */
  readonly nullInEnum: boolean;
  /** Whether an object below the top may have no members. */
  readonly emptyObjects: boolean;
  /** Objects of a union must not begin with the same member. */
  readonly distinctLeads: boolean;
  /** Where examples of inputs go: into the description, or into a field of the target's own. */
  readonly examples: "description" | "field";
  /** Where a schema may refer to itself: anywhere, nowhere, or only below a member that is not required. */
  readonly recursion: "anywhere" | "nowhere" | "optional";
  /** Whether a list says `items` beside `prefixItems`, too: some readers refuse a list without. */
  readonly tuplesHaveItems?: boolean;
  /** Sizes beyond which strict mode refuses a schema. */
  readonly limits: SizeLimits;
}

/** A document that a target follows. */
export interface TargetSource {
  readonly url: string;
  /** The day on which it was read; absent where the rules were taken from the others of the list and from earlier work. */
  readonly read?: string;
  /** What the target takes from it. */
  readonly says: string;
}

interface RootRules {
  /**
   * What becomes of a union at the top: `keep` sends it, `flatten` merges the branches into one object, `wrap` makes it the only member of an object, which
   * `readInput` takes off again.
   */
  readonly union: "keep" | "flatten" | "wrap";
  /** Keywords that the target refuses at the top and takes below it. */
  readonly refuses: ReadonlySet<string>;
}

export interface SizeLimits {
  /** Members of all objects. */
  readonly properties?: number;
  /** Objects within objects. */
  readonly depth?: number;
  readonly enumValues?: number;
  /** Characters in the names of members and definitions and in the values of `enum` and `const`. */
  readonly characters?: number;
  /** Characters in one enum of more than 250 texts. */
  readonly longEnum?: number;
  readonly optionalMembers?: number;
  /** Members with `anyOf` or a type list. */
  readonly unionMembers?: number;
}

/** What every provider takes as the name of a tool. */
export const providerNames = /^[a-zA-Z0-9_-]{1,64}$/;

/** False for word boundaries, which constrained decoding does not know; what else it does not know is not portable either. */
export function isPlainPattern(pattern: Json): boolean {
  return !/\\[bB]/.test(String(pattern));
}
