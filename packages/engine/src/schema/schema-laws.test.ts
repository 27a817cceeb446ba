import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { isPlainObject, type JsonObject } from "../contract/json.ts";
import { compileInput } from "./compile-schema.ts";
import { fitsSchema } from "./fits-schema.ts";
import { parseInput } from "./parse-input.ts";
import { compileJsonSchemaForTarget, schemaTargets } from "./targets/compile-for-target.ts";

/** A schema with the values it accepts, and the same values as a careless model may write them. */
interface Sample {
  readonly schema: z.ZodType;
  readonly value: fc.Arbitrary<unknown>;
  /** Undefined where text is a value of its own, so nothing may be read from it. */
  readonly careless?: (value: never) => unknown;
}

const leaves: readonly Sample[] = [
  { schema: z.string().max(20), value: fc.string({ maxLength: 20 }) },
  { schema: z.int().describe("A count."), value: fc.integer(), careless: String },
  { schema: z.number(), value: fc.integer({ min: -1e6, max: 1e6 }).map((units) => units / 8), careless: String },
  { schema: z.boolean(), value: fc.boolean(), careless: String },
  { schema: z.enum(["red", "green"]), value: fc.constantFrom("red", "green") },
  { schema: z.union([z.int(), z.array(z.string())]), value: fc.oneof(fc.integer(), fc.array(fc.string())) },
  { schema: z.string().nullable(), value: fc.option(fc.string()) },
];

const { sample } = fc.letrec<{ sample: Sample; list: Sample; record: Sample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constantFrom(...leaves), tie("list"), tie("record")),
  list: tie("sample").map(listOf),
  record: fc
    .dictionary(fc.constantFrom("a", "b", "path", "start_line"), fc.tuple(tie("sample"), fc.boolean()), { maxKeys: 4 })
    .map(recordOf),
}));
const record = fc
  .dictionary(fc.constantFrom("a", "b", "path", "start_line"), fc.tuple(sample, fc.boolean()), { maxKeys: 4 })
  .map((members) => recordOf(members as Record<string, [Sample, boolean]>));

function listOf(item: Sample): Sample {
  return {
    schema: z.array(item.schema),
    value: fc.array(item.value, { maxLength: 3 }),
    careless: (values: unknown[]) => JSON.stringify(values.map((value) => blur(item, value))),
  };
}

function recordOf(members: Record<string, [Sample, boolean]>): Sample {
  const entries = Object.entries(members);
  const shape = Object.fromEntries(entries.map(([name, [{ schema }, required]]) => [name, required ? schema : schema.optional()]));
  const values = Object.fromEntries(entries.map(([name, [{ value }]]) => [name, value]));
  const requiredKeys = entries.filter(([, [, required]]) => required).map(([name]) => name);
  const careless = (value: Record<string, unknown>) =>
    Object.fromEntries(entries.map(([name, [member]]) => [name, Object.hasOwn(value, name) ? blur(member, value[name]) : absent(member)]));
  return { schema: z.object(shape), value: fc.record(values, { requiredKeys, noNullPrototype: true }), careless };
}

const blur = ({ careless }: Sample, value: unknown) => (careless ? careless(value as never) : value);
const absent = ({ schema }: Sample) => (schema.safeParse(null).success ? undefined : null);

const compile = (schema: z.ZodType) => compileInput(schema as z.ZodObject, { tool: "t" });
const drawn = record.chain((made) => made.value.map((value) => ({ made, value })));
const accepts = (json: JsonObject, value: unknown) => z.fromJSONSchema(json as never).safeParse(value).success;

test("law: what the schema accepts parses without repairs to the same value", () => {
  fc.assert(
    fc.property(drawn, ({ made, value }) => {
      expect(parseInput(compile(made.schema), value)).toEqual({ ok: true, value: made.schema.parse(value), repairs: [] });
    }),
    { numRuns: 60 },
  );
});

test("law: a carelessly written value is repaired to the value that was meant, and every repair is said (pain #23)", () => {
  fc.assert(
    fc.property(drawn, ({ made, value }) => {
      const careless = blur(made, value);
      const parsed = parseInput(compile(made.schema), careless);
      expect(parsed).toMatchObject({ ok: true });
      if (!parsed.ok) return;
      expect(JSON.parse(JSON.stringify(parsed.value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(parsed.repairs.length > 0).toBe(JSON.stringify(careless) !== JSON.stringify(parsed.value));
      expect(made.schema.safeParse(parsed.value).success).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("law: any JSON either parses to what the schema accepts or is refused with places, and nothing throws", () => {
  fc.assert(
    fc.property(record, fc.oneof(fc.jsonValue(), fc.anything()), ({ schema }, value) => {
      const parsed = parseInput(compile(schema), value);
      if (parsed.ok) expect(schema.safeParse(parsed.value).success).toBe(true);
      else expect(parsed.issues.length).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test("law: the JSON Schema accepts whatever the schema accepts, and refuses members without a name", () => {
  fc.assert(
    fc.property(drawn, ({ made, value }) => {
      const { json } = compile(made.schema);
      expect(accepts(json, value)).toBe(true);
      expect(accepts(json, { ...(value as object), other: 1 })).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test("law: a flattened union accepts whatever the union accepts (pain #9)", () => {
  const union = fc
    .tuple(record, record)
    .chain(([first, second]) =>
      fc.record({ schema: fc.constant(z.union([first.schema, second.schema])), value: fc.oneof(first.value, second.value) }),
    );
  fc.assert(
    fc.property(union, ({ schema, value }) => {
      const { json, parse } = compile(schema);
      expect(json).toMatchObject({ type: "object" });
      expect(json).not.toHaveProperty("anyOf");
      expect(parse(value).ok).toBe(true);
      expect(accepts(json, value)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("law: compiling is deterministic, key order included, for every target", () => {
  fc.assert(
    fc.property(record, ({ schema }) => {
      const [first, second] = [compile(schema).json, compile(schema).json];
      expect(JSON.stringify(first)).toBe(JSON.stringify(second));
      for (const target of schemaTargets)
        expect(JSON.stringify(compileJsonSchemaForTarget(first, target))).toBe(JSON.stringify(compileJsonSchemaForTarget(second, target)));
    }),
    { numRuns: 30 },
  );
});

test("law: each target's schema accepts what the schema accepts, written for it, and it is read back", () => {
  fc.assert(
    fc.property(drawn, ({ made, value }) => {
      const { json } = compile(made.schema);
      for (const target of schemaTargets) {
        const { schema, writeInput, readInput } = compileJsonSchemaForTarget(json, target);
        const written = writeInput(value);
        expect(fitsSchema(schema, written)).toBe(true);
        expect(readInput(written)).toEqual(target === "openai-strict" ? leaveOutNulls(json, value) : value);
      }
    }),
    { numRuns: 60 },
  );
});

/** Strict mode says null and absent alike. */
function leaveOutNulls(json: JsonObject, value: unknown): unknown {
  if (Array.isArray(value)) return isPlainObject(json.items) ? value.map((item) => leaveOutNulls(json.items as JsonObject, item)) : value;
  if (!isPlainObject(value) || !isPlainObject(json.properties)) return value;
  const properties = json.properties as Readonly<Record<string, JsonObject>>;
  const required = (json.required ?? []) as readonly string[];
  const said = Object.entries(value).filter(([name, member]) => member !== null || required.includes(name));
  return Object.fromEntries(said.map(([name, member]) => [name, leaveOutNulls(properties[name] ?? {}, member)]));
}
