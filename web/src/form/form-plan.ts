import type { Item } from "../api/queries.ts";
import { wordsOfName } from "../parts/words-of-name.ts";
import type { Group } from "./form-layout.ts";
import type { Json, JsonSchema } from "./json-schema.ts";
import { resolve } from "./resolve.ts";

/** How the form of a tool shows its members, beside what the schema says. */
export type FormSpec = NonNullable<Item<"tools.list">["presentation"]["form"]>;
type Field = NonNullable<FormSpec["fields"]>[string];

type Ui = { readonly [name: string]: unknown };

/** A schema that rjsf shows well, and how it shows each part. */
export interface FormPlan {
  readonly schema: JsonSchema;
  readonly ui: Ui;
  /** Members that are out of sight until a person asks for them. */
  readonly more: readonly string[];
  readonly groups: readonly Group[];
  /** Members that this form neither shows nor sends. */
  readonly unseen: readonly string[];
}

const deepest = 8;
/** Text that may be longer than this gets several lines. */
const longText = 200;

/** What kinds of members the form shows as JSON, each with why. */
const whyJson = {
  any: "This field takes any JSON.",
  names: "The names in this object are yours to choose, so it is JSON here.",
  shape: "The form has no field for this shape, so it is JSON here.",
  depth: "This lies too deep for a form, so it is JSON here.",
} as const;

interface At {
  readonly root: JsonSchema;
  /** References that lead here: one that comes again is a shape without an end. */
  readonly through: readonly string[];
  readonly depth: number;
}

interface Part {
  readonly schema: JsonSchema;
  readonly ui: Ui;
}

interface PlanOptions {
  readonly spec?: FormSpec | undefined;
  /** A form inside another page leaves out what configures the tool. */
  readonly isEmbedded?: boolean;
}

/** Plans the form of an input schema. */
export function planForm(schema: JsonSchema, { spec, isEmbedded = false }: PlanOptions = {}): FormPlan {
  const { order = [], groups = [], more = [], fields = {}, internal = [], embed } = spec ?? { version: 1 };
  const unseen = [...internal, ...(isEmbedded ? (embed?.hide ?? []) : [])];
  const planned = planObject(withoutMembers(schema, unseen), { root: schema, through: [], depth: 0 });
  const members = Object.entries(planned.schema.properties ?? {}).map(([name, member]) => {
    const part = { schema: member, ui: (planned.ui[name] ?? {}) as Ui };
    return [name, Object.hasOwn(fields, name) ? withField(part, fields[name] as Field) : part] as const;
  });
  const names = new Set(members.map(([name]) => name));
  const first = [...new Set([...order, ...groups.flatMap((group) => group.fields)])].filter((name) => names.has(name));
  return {
    schema: { ...planned.schema, properties: Object.fromEntries(members.map(([name, part]) => [name, part.schema])) },
    ui: {
      ...Object.fromEntries(members.map(([name, part]) => [name, part.ui])),
      ...(first.length > 0 && { "ui:order": [...first, "*"] }),
    },
    more: more.filter((name) => names.has(name)),
    groups,
    unseen,
  };
}

function withoutMembers(schema: JsonSchema, hidden: readonly string[]): JsonSchema {
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) => !hidden.includes(name));
  return hidden.length === 0 ? schema : { ...schema, properties: Object.fromEntries(entries) };
}

function withField({ schema, ui }: Part, field: Field): Part {
  const { label, help, placeholder, widget } = field;
  // What may be null has a part of its own inside.
  const inner = ui.inner as Part | undefined;
  const ours = widget === undefined || ui["ui:field"] ? undefined : widgetOfHint(widget, schema);
  return {
    schema: { ...schema, ...(label !== undefined && { title: label }), ...(help !== undefined && { description: help }) },
    ui: {
      ...ui,
      ...(inner && { inner: withField(inner, field) }),
      ...(placeholder !== undefined && { "ui:placeholder": placeholder }),
      ...(ours && { "ui:widget": ours }),
    },
  };
}

function widgetOfHint(widget: string, { type }: JsonSchema): string | undefined {
  if (type !== "string") return undefined;
  return { textarea: "long", code: "code", password: "hidden-text", file: "document", text: "line" }[widget];
}

function planPart(given: JsonSchema | boolean, at: At): Part {
  if (typeof given === "boolean") return asJson({}, "any");
  const { $ref, ...beside } = given;
  if ($ref !== undefined) {
    const target = at.through.includes($ref) ? undefined : resolve($ref, at.root);
    if (!target) return asJson(beside, "depth");
    return planPart({ ...target, ...beside }, { ...at, through: [...at.through, $ref] });
  }
  if (at.depth > deepest) return asJson(given, "depth");
  const nullable = withoutNull(given);
  if (!nullable) return planKind(given, at);
  const inner = planKind(nullable, at);
  return { schema: { title: given.title, description: given.description, default: given.default }, ui: { "ui:field": "nullable", inner } };
}

function planKind(schema: JsonSchema, at: At): Part {
  const { type, enum: choices, oneOf, anyOf, allOf, not, prefixItems } = schema;
  if ("const" in schema) return { schema: { ...schema, default: schema.const as Json }, ui: { "ui:widget": "constant" } };
  const branches = oneOf ?? anyOf;
  if (allOf?.length === 1 && !branches) return planPart({ ...schema, allOf: undefined, ...(allOf[0] as JsonSchema) }, at);
  if (allOf || not || prefixItems || "if" in schema) return asJson(schema, "shape");
  if (branches) return planUnion(schema, branches, at);
  if (choices)
    return choices.every((choice) => typeof choice !== "object") ? { schema, ui: { "ui:widget": "choice" } } : asJson(schema, "shape");
  if (type === "object") return planObject(schema, at);
  if (type === "array") return planList(schema, at);
  if (type === "string") return { schema, ui: { "ui:widget": widgetOfText(schema) } };
  if (type === "number" || type === "integer") return { schema, ui: { "ui:widget": "figure" } };
  if (type === "boolean") return { schema, ui: { "ui:widget": "yes-no" } };
  return asJson(schema, type === undefined ? "any" : "shape");
}

function widgetOfText({ format, maxLength, writeOnly, contentEncoding }: JsonSchema): string {
  if (writeOnly || format === "password") return "hidden-text";
  if (contentEncoding === "base64" || format === "byte" || format === "binary") return "document";
  if (format === "date") return "day";
  if (format === "date-time") return "moment";
  return maxLength === undefined || maxLength > longText ? "growing" : "line";
}

function planObject(schema: JsonSchema, at: At): Part {
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0 && at.depth > 0) return asJson(schema, schema.additionalProperties === false ? "shape" : "names");
  const parts = entries.map(([name, member]) => [name, planPart(member, { ...at, depth: at.depth + 1 })] as const);
  const properties = Object.fromEntries(
    parts.map(([name, { schema: member }]) => [name, { ...member, title: member.title ?? wordsOfName(name) }]),
  );
  // Other names are the JSON view's.
  const { additionalProperties: _, patternProperties: __, $defs: ___, ...rest } = schema;
  return { schema: { ...rest, type: "object", properties }, ui: Object.fromEntries(parts.map(([name, part]) => [name, part.ui])) };
}

function planList(schema: JsonSchema, at: At): Part {
  const { items } = schema;
  if (items === undefined || typeof items === "boolean") return asJson(schema, "any");
  const item = planPart(items, { ...at, depth: at.depth + 1 });
  // Each of a few words once: they are ticked.
  if (item.ui["ui:widget"] === "choice")
    return { schema: { ...schema, items: item.schema, uniqueItems: true }, ui: { "ui:widget": "choices" } };
  return { schema: { ...schema, items: item.schema }, ui: { items: item.ui } };
}

function planUnion(schema: JsonSchema, branches: readonly (JsonSchema | boolean)[], at: At): Part {
  const parts = branches.map((branch) => planPart(branch, { ...at, depth: at.depth + 1 }));
  const named = parts.map((part, index) => ({ schema: { ...part.schema, title: titleOf(part.schema, index) }, ui: asBranch(part) }));
  const { anyOf: _, oneOf: __, ...rest } = schema;
  return { schema: { ...rest, oneOf: named.map((part) => part.schema) }, ui: { oneOf: named.map((part) => part.ui) } };
}

/** Its name and its marks are said by the choice above it. */
function asBranch({ schema, ui }: Part): Ui {
  const marks = Object.entries(schema.properties ?? {}).filter(([, member]) => "const" in member);
  return { ...ui, ...Object.fromEntries(marks.map(([name]) => [name, { "ui:widget": "hidden" }])), "ui:options": { isBranch: true } };
}

/** Its own title, else what tells it from the others. */
function titleOf({ title, properties = {}, type, format }: JsonSchema, index: number): string {
  const [mark] = Object.values(properties).flatMap((member) =>
    typeof member === "object" && "const" in member ? [String(member.const)] : [],
  );
  return title ?? mark ?? [format ?? type ?? "", index + 1].join(" ").trim();
}

function asJson({ title, description, default: usual }: JsonSchema, why: keyof typeof whyJson): Part {
  const said = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
  };
  return { schema: said, ui: { "ui:field": "json", why: whyJson[why] } };
}

/** The schema of what is there when it is not null; undefined where null is nothing that the schema takes. */
function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  const { type, anyOf, oneOf } = schema;
  const isNull = (branch: JsonSchema | boolean) => typeof branch === "object" && branch.type === "null";
  const branches = anyOf ?? oneOf;
  if (branches?.some(isNull)) {
    const others = branches.filter((branch) => !isNull(branch));
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const [only] = others;
    return others.length === 1 && typeof only === "object" ? { ...only, ...rest } : { ...rest, anyOf: others };
  }
  if (!Array.isArray(type) || !type.includes("null")) return undefined;
  const types = type.filter((each) => each !== "null");
  const { enum: choices } = schema;
  return { ...schema, type: types.length === 1 ? types[0] : types, ...(choices && { enum: choices.filter((choice) => choice !== null) }) };
}
