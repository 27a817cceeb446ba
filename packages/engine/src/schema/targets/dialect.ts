import type { Json, JsonObject } from "../../contract/json.ts";

/** What one provider's strict tool schemas can say. A target is one such value; the compiler asks it and never asks for a name. */
export interface Dialect {
  /** The documentation that this follows. */
  readonly source: string;
  /** Keywords that pass as they are; the compiler handles those that nest or need rewriting. `any`: the whole of JSON Schema 2020-12. */
  readonly keywords: ReadonlySet<string> | "any";
  /** Whether a supported keyword's value is supported too. */
  readonly accepts?: (keyword: string, value: Json, node: JsonObject) => boolean;
  /** Every object must say `additionalProperties: false`, and so names all its members. */
  readonly closedObjects: boolean;
  /** Every member must be required; what was optional becomes nullable, and the engine's repair leaves the null out again. */
  readonly allRequired: boolean;
  /** How null is said: in a type list, or as OpenAPI 3.0's `nullable`, beside which `anyOf` stands alone. */
  readonly nullable: "type" | "keyword";
  /** Whether an enum may hold null. Where it may not, null is a branch of `anyOf` or the keyword. */
  readonly nullInEnum: boolean;
  /** Where examples of inputs go: into the description, or into a field of the target's own. */
  readonly examples: "description" | "field";
  /** Whether a schema may refer to itself. */
  readonly recursion: boolean;
  /** Sizes beyond which the provider refuses a schema. */
  readonly limits: SizeLimits;
}

export interface SizeLimits {
  /** Members of all objects. */
  readonly properties?: number;
  /** Objects within objects. */
  readonly depth?: number;
  readonly enumValues?: number;
  readonly optionalMembers?: number;
  /** Members with `anyOf` or a type list. */
  readonly unionMembers?: number;
}

/** False for word boundaries, which constrained decoding does not know; what else it does not know is not portable either. */
export function isPlainPattern(pattern: Json): boolean {
  return !/\\[bB]/.test(String(pattern));
}
