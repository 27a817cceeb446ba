import type { JsonObject } from "@toolwright/engine";
import { canonicalJson } from "@toolwright/engine/ports";
import { compileOutput } from "@toolwright/engine/schema";
import { callResults } from "@toolwright/engine/subjects";
import { z } from "zod";

const runningCall = z.object({ status: z.literal("running"), callId: z.string(), run: z.string().describe("Path of its run") });
const progress = z.object({ done: z.number(), total: z.number().optional(), message: z.string().optional() });

/** What the door itself says of calls, beside how they end. */
const ofTheDoor = {
  RunningCall: runningCall.describe("A call that runs on"),
  StartedCall: z.object({ callId: z.string() }).describe("That the call runs; the data of the event `started`"),
  CancellingCall: runningCall.extend({ status: z.literal("cancelling") }).describe("A call that ran on and was told to end"),
  Progress: progress.describe("How far a call is, in units of the tool's choice; the data of the event `progress`"),
  LogLine: z
    .object({ level: z.enum(["debug", "info", "warn", "error"]), message: z.string() })
    .describe("What a tool says of its work; the data of the event `log`"),
  OutputChunk: z.object({ text: z.string() }).describe("What a call wrote; the data of the event `output`"),
};

const named = z.registry<{ readonly id: string }>();
for (const [id, schema] of Object.entries<z.ZodType>({ ...callResults, ...ofTheDoor })) named.add(schema, { id });

export const schemasAt = "#/components/schemas/";

/** The results of calls as JSON Schemas, by their names in the document. */
export function resultSchemas(): Readonly<Record<string, JsonObject>> {
  const { schemas } = z.toJSONSchema(named, {
    io: "output",
    uri: (id) => `${schemasAt}${id}`,
    override: ({ jsonSchema }) => {
      // A later version may add members: clients read those that they know.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema as unknown as JsonObject]),
  );
}

/** Characters of a schema that is worth a reference. */
const leastShared = 300;
let names: ReadonlyMap<string, string> | undefined;

/** Under which name the document has what an operation says in full: the result of a call, or a part of one. */
export function findShared({ description: _, ...schema }: JsonObject): string | undefined {
  if (schema.properties === undefined && schema.anyOf === undefined) return undefined;
  names ??= new Map(Object.entries(callResults).flatMap(([name, each]) => namedBy(name, each)));
  return names.get(canonicalJson(schema));
}

/** As it stands in the schema of an operation. */
function namedBy(name: string, schema: z.ZodType): [string, string][] {
  const { properties } = compileOutput(z.object({ of: schema }), { tool: name }).json as {
    readonly properties: { readonly of: JsonObject };
  };
  const { description: _, ...rest } = properties.of;
  const text = canonicalJson(rest);
  return text.length < leastShared ? [] : [[text, name]];
}
