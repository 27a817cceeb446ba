import { briefTexts, jsonShapes, parsedTexts, type Size } from "./shapes.ts";

/** Characters of the largest text whose schema names no bound: with it, a body stays below the 4 MiB that the doors take. */
const longestText = 3_400_000;
const longestList = 100_000;

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** One member of an input, grown in one way. */
export interface GrownInput {
  /** The member and how it grows, such as `items[] (numbered)`. */
  readonly shape: string;
  at(size: Size): object;
}

interface Growing {
  /** Characters that a text may have: one that travels in an address is short. */
  readonly most?: number | undefined;
  /** Names of members whose text the product reads as a language. */
  readonly parsed?: readonly string[] | undefined;
}

/** Every text, list and free JSON of an input, grown one at a time. */
export function growInput(base: object, schema: Schema, { most = longestText, parsed = [] }: Growing = {}): readonly GrownInput[] {
  const grown: GrownInput[] = [];
  visit(base, [schema], []);
  return grown;

  function visit(value: unknown, schemas: readonly Schema[], path: Path): void {
    if (typeof value === "string") growText(schemas, path);
    else if (Array.isArray(value)) {
      growList(value, schemas, path);
      for (const [index, item] of value.entries()) visit(item, schemas.flatMap(itemsOf), [...path, index]);
    } else if (typeof value === "object" && value !== null) {
      if (path.length > 0 && schemas.some(takesAnyMember)) growJson(path);
      for (const [name, member] of Object.entries(value))
        visit(
          member,
          schemas.flatMap((each) => memberOf(each, name)),
          [...path, name],
        );
    }
  }

  function add(path: Path, how: string, write: (size: Size) => unknown): void {
    grown.push({ shape: `${nameOf(path)}: ${how}`, at: (size) => replaceAt(base, path, write(size)) as object });
  }

  function growText(schemas: readonly Schema[], path: Path): void {
    const branches = schemas.flatMap(branchesOf);
    if (branches.some((each) => "const" in each || "enum" in each)) return;
    const bounds = branches.map(({ maxLength }) => maxLength).filter((bound) => typeof bound === "number");
    const length = Math.min(most, ...(bounds.length > 0 ? [Math.max(...bounds)] : []));
    for (const { name, write } of parsed.includes(String(path.at(-1))) ? parsedTexts : briefTexts)
      add(path, name, (size) => write(Math.floor((length * size) / 8)));
  }

  function growList(items: readonly unknown[], schemas: readonly Schema[], path: Path): void {
    const bounds = schemas.flatMap(branchesOf).map(({ maxItems }) => maxItems);
    const bound = bounds.find((each) => typeof each === "number") ?? (most < longestText ? most / 20 : longestList);
    const [first] = items;
    add(path, "equal items", (size) => Array.from({ length: Math.floor((bound * size) / 8) }, () => first));
    add(path, "numbered items", (size) => Array.from({ length: Math.floor((bound * size) / 8) }, (_, index) => number(first, index)));
  }

  function growJson(path: Path): void {
    if (most < longestText) return;
    for (const { name, count, write } of jsonShapes) add(path, name, (size) => write(Math.ceil((count * size) / 8)));
    for (const { name, write } of briefTexts) add(path, name, (size) => ({ text: write(Math.floor((longestText * size) / 8)) }));
  }
}

const nameOf = (path: Path) =>
  path
    .map((step) => (typeof step === "number" ? "[]" : step))
    .join(".")
    .replaceAll(".[]", "[]");

/** An item like the first one that no other is equal to. */
function number(item: unknown, index: number): unknown {
  if (typeof item === "string") return `${item}${index}`;
  if (typeof item !== "object" || item === null) return item;
  const [name, value] = Object.entries(item).find(([key, member]) => key !== "kind" && typeof member === "string") ?? [];
  return name === undefined ? item : { ...item, [name]: `${value}${index}` };
}

function replaceAt(value: unknown, [step, ...rest]: Path, wanted: unknown): unknown {
  if (step === undefined) return wanted;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaceAt(item, rest, wanted) : item));
  const members = value as Readonly<Record<string, unknown>>;
  return { ...members, [step]: replaceAt(members[step], rest, wanted) };
}

/** A schema and the ones that it chooses among. */
function branchesOf(schema: Schema): readonly Schema[] {
  const choices = ["anyOf", "oneOf", "allOf"].flatMap((name) => (schema[name] ?? []) as readonly Schema[]);
  return [schema, ...choices.flatMap(branchesOf)];
}

const propertiesOf = (schema: Schema) => (schema.properties ?? {}) as Readonly<Record<string, Schema>>;

function memberOf(schema: Schema, name: string): readonly Schema[] {
  return branchesOf(schema).flatMap((each) => {
    const member = propertiesOf(each)[name];
    return member === undefined ? [] : [member];
  });
}

function itemsOf(schema: Schema): readonly Schema[] {
  return branchesOf(schema).flatMap(({ items }) => (items === undefined ? [] : [items as Schema]));
}

/** True for what holds any JSON: its members have no schemas of their own. */
function takesAnyMember(schema: Schema): boolean {
  return branchesOf(schema).some(
    (each) =>
      !("properties" in each) &&
      !("enum" in each) &&
      !("const" in each) &&
      !("anyOf" in each) &&
      (each.type === undefined || each.type === "object"),
  );
}

/** Members that a schema takes and a base does not name, below lists and choices too where the base goes there. */
export function missingMembers(base: object, schema: Schema): readonly string[] {
  return branchesOf(schema).flatMap((each) =>
    Object.entries(propertiesOf(each)).flatMap(([name, member]) => (name in base || !canGrow(member) ? [] : [name])),
  );
}

/** True for texts without a fixed choice, lists, and objects. */
function canGrow(schema: Schema): boolean {
  return branchesOf(schema).some(({ type, enum: fixed, const: one }) => {
    const types = [type].flat();
    return fixed === undefined && one === undefined && ["string", "array", "object"].some((each) => types.includes(each));
  });
}
