import type { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import { branchesOf, propertiesOf, type SchemaPath } from "./schema-node.ts";
import { isGuard, isNarrower } from "./zod-from-json.ts";

/** What a rule found at one schema: the offending member below it, if it is not the schema itself, and why it is refused. */
interface Breach {
  readonly member?: string;
  readonly problem: string;
  readonly fix: string;
}

/** A schema rule. Names are public: tools list them in `schemaExceptions`. */
export interface SchemaRule {
  readonly name: string;
  readonly side: "input" | "output" | "both";
  /** False when no exception can make sense of the schema. */
  readonly exceptable: boolean;
  readonly inJson?: (node: JsonObject, path: SchemaPath) => readonly Breach[];
  readonly inZod?: (schema: z.core.$ZodTypes, path: SchemaPath) => Breach | undefined;
}

type Def = z.core.$ZodTypes["_zod"]["def"];

const definitionOf = (schema: z.core.$ZodTypes): Def => schema._zod.def;
const one = (breach: Breach | false): readonly Breach[] => (breach ? [breach] : []);

/** A rule about kinds of Zod schemas. */
function forbidKinds(name: string, kinds: readonly string[], problem: string, fix: string): SchemaRule {
  const breach = { problem, fix };
  const isOwn = (schema: z.core.$ZodTypes) => {
    const def = definitionOf(schema);
    return !isGuard(def.type === "pipe" ? def.in : schema);
  };
  const inZod = (schema: z.core.$ZodTypes) => (kinds.includes(definitionOf(schema).type) && isOwn(schema) ? breach : undefined);
  return { name, side: "input", exceptable: true, inZod };
}

const oneObject = "Write one schema with the members and rules of all its parts: without allOf, or in Zod as a.extend(b.shape).";

export const schemaRules: readonly SchemaRule[] = [
  { name: "output_required", side: "output", exceptable: false },
  { name: "object_at_top", side: "both", exceptable: false },
  { name: "representable", side: "both", exceptable: false },
  { name: "no_async_refinement", side: "both", exceptable: false, inZod: findAsyncRefinement },
  { name: "no_inherited_name", side: "both", exceptable: false, inJson: findInheritedNames },
  {
    name: "no_tuple",
    side: "input",
    exceptable: true,
    inJson: (node) =>
      one(
        node.prefixItems !== undefined && {
          problem: "is a tuple, which providers in strict mode and forms cannot show",
          fix: "Use z.object with a name for each position.",
        },
      ),
  },
  {
    name: "no_intersection",
    side: "input",
    exceptable: true,
    inJson: (node) =>
      one(
        branchesOf(node, "allOf").some((part) => part.pattern === undefined) && {
          problem: "is an intersection, which providers in strict mode refuse",
          fix: oneObject,
        },
      ),
    inZod: (schema) =>
      isNarrower(schema)
        ? { problem: "is an intersection with a closed object, which a model would be told of as an open one", fix: oneObject }
        : undefined,
  },
  {
    name: "no_recursion",
    side: "input",
    exceptable: true,
    inJson: (node) =>
      one(
        typeof node.$ref === "string" && {
          problem: "contains itself, which Anthropic and Bedrock refuse",
          fix: "Use a flat list whose items name their parent, or nest to a fixed depth.",
        },
      ),
  },
  {
    name: "no_untyped",
    side: "input",
    exceptable: true,
    inZod: (schema, path) =>
      ["any", "unknown"].includes(definitionOf(schema).type) && path.at(-1) !== "additionalProperties"
        ? { problem: "has no type, so a model must guess", fix: "Say what it is, or take z.string() and document that it holds JSON text." }
        : undefined,
  },
  forbidKinds(
    "no_transform",
    ["pipe", "transform"],
    "changes the value, so what was approved is not what a later parse gives",
    "Take the value as it is sent and convert it inside `run`.",
  ),
  forbidKinds(
    "no_catch",
    ["catch"],
    "replaces a wrong value in silence",
    "Use .default(...) for a missing value and let a wrong one be refused.",
  ),
  {
    name: "no_coercion",
    side: "input",
    exceptable: true,
    inZod: (schema) =>
      (definitionOf(schema) as { coerce?: boolean }).coerce === true
        ? {
            problem: "coerces, which guesses (null becomes 0)",
            fix: "Use the plain type: exact numbers and booleans in text are repaired anyway.",
          }
        : undefined,
  },
];

/** Zod reads members through the prototype, so `{}` would have them. */
function findInheritedNames(node: JsonObject): readonly Breach[] {
  return propertiesOf(node)
    .filter(([name]) => name in Object.prototype)
    .map(([member]) => ({
      member,
      problem: "has a name that every JavaScript object has, so it would never be missing",
      fix: "Use another name.",
    }));
}

function findAsyncRefinement(schema: z.core.$ZodTypes): Breach | undefined {
  const checks = definitionOf(schema).checks ?? [];
  const functions = checks.flatMap((check) => [(check._zod.def as { fn?: unknown }).fn, check._zod.check]);
  return functions.some((candidate) => typeof candidate === "function" && candidate.constructor.name === "AsyncFunction")
    ? { problem: "has an asynchronous refinement, and a parse is synchronous", fix: "Make the check inside `run` and return fail(...)." }
    : undefined;
}
