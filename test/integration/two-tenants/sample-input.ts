import type { Json, JsonObject } from "@toolwright/engine";

type Schema = Readonly<Record<string, unknown>>;

const propertiesOf = ({ properties = {} }: Schema) => Object.entries(properties as Readonly<Record<string, Schema>>);

/** What each text of a sample is, by the name of its member. */
export type TextOf = (member: string) => string;

interface Sampling {
  readonly text: TextOf;
  /** What a number is, by the name of its member; its least one where this is undefined. */
  readonly number?: (member: string) => number | undefined;
  /** Only members that the schema requires. */
  readonly isShort?: boolean;
}

/** An input that fits a schema as far as its types say, the first branch of each choice. */
export function sampleOf(schema: Schema, sampling: Sampling, member = ""): Json {
  const [branch] = (schema.oneOf ?? schema.anyOf ?? []) as readonly Schema[];
  if (branch) return sampleOf(branch, sampling, member);
  if ("const" in schema) return schema.const as Json;
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json;
  switch ([schema.type].flat()[0]) {
    case "string":
      return sampling.text(member);
    case "integer":
    case "number":
      return sampling.number?.(member) ?? Math.max((schema.minimum as number | undefined) ?? 1, 1);
    case "boolean":
      return true;
    case "array":
      return [sampleOf((schema.items ?? {}) as Schema, sampling, member)];
    default:
      return sampleObject(schema, sampling);
  }
}

export function sampleObject(schema: Schema, sampling: Sampling): JsonObject {
  const required = new Set((schema.required ?? []) as readonly string[]);
  const wanted = propertiesOf(schema).filter(([name]) => !sampling.isShort || required.has(name));
  return Object.fromEntries(wanted.map(([name, each]) => [name, sampleOf(each, sampling, name)]));
}

/** The members that hold texts, at any depth, by name; a schema of a text is that of `member`. */
export function textMembersOf(schema: Schema, member = ""): readonly string[] {
  const found = new Set<string>();
  const text: TextOf = (name) => {
    found.add(name);
    return "";
  };
  sampleOf(schema, { text }, member);
  return [...found];
}

/** Inputs that hold `text`: in all their texts, and in each alone, with the members that are required or with all. */
export function* inputsWith(schema: Schema, text: string): Generator<JsonObject> {
  yield sampleObject(schema, { text: () => text });
  for (const wanted of textMembersOf(schema)) {
    const one: TextOf = (member) => (member === wanted ? text : "x");
    yield sampleObject(schema, { text: one });
    const short = sampleObject(schema, { text: one, isShort: true });
    yield JSON.stringify(short).includes(JSON.stringify(text)) ? short : { ...short, [wanted]: text };
  }
}

/** Inputs in which one number at a time is `value`, with the members that are required or with all. */
export function* inputsWithNumber(schema: Schema, value: number): Generator<JsonObject> {
  const members = new Set<string>();
  sampleObject(schema, { text: () => "", number: (member) => void members.add(member) });
  for (const wanted of members) {
    const number = (member: string) => (member === wanted ? value : undefined);
    for (const isShort of [false, true]) {
      const input = sampleObject(schema, { text: () => "x", number, isShort });
      yield wanted in ((schema.properties ?? {}) as object) ? { ...input, [wanted]: value } : input;
    }
  }
}
