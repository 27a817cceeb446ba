import type { Json, JsonObject, Tools } from "@toolwright/engine";

type ToolShape = ReturnType<Tools["find"]>[number];

/** Levels of a type that are written out; what is below is `unknown`. */
const mostLevels = 6;
const longestComment = 200;

/** A tool as a declaration of TypeScript, which models read with fewest tokens: what it takes, with what is said of each member, and what it gives. */
export function declareTool({ name, description, input, output }: ToolShape): string {
  const takes = new TypeWriter(input, true).write();
  const gives = new TypeWriter(output, false).write();
  return `/** ${inLine(description)} */\ntools.${name}(input: ${takes}): Promise<${gives}>`;
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const inLine = (text: string) => text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ");
/** The first sentence says what a tool or a member is for. */
const firstOf = (text: string) =>
  inLine(text)
    .split(/(?<=[.!?]) /, 1)[0]
    ?.slice(0, longestComment) ?? "";

class TypeWriter {
  readonly #root: JsonObject;
  readonly #hasComments: boolean;

  constructor(root: JsonObject, hasComments: boolean) {
    this.#root = root;
    this.#hasComments = hasComments;
  }

  write(schema: Json | undefined = this.#root, level = 0): string {
    if (!isObject(schema) || level > mostLevels) return "unknown";
    if (typeof schema.$ref === "string") return this.write(this.#resolve(schema.$ref), level + 1);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices)) return [...new Set(choices.map((choice) => this.write(choice, level)))].join(" | ");
    if (Array.isArray(schema.type)) return schema.type.map((type) => this.write({ ...schema, type }, level)).join(" | ");
    return this.#ofKind(schema, level);
  }

  #ofKind(schema: JsonObject, level: number): string {
    switch (schema.type) {
      case "object":
        return this.#object(schema, level);
      case "array": {
        const item = this.write(schema.items, level + 1);
        return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
      }
      case "integer":
        return "number";
      case "string":
      case "number":
      case "boolean":
      case "null":
        return schema.type;
      default:
        return "unknown";
    }
  }

  #object({ properties, required, additionalProperties }: JsonObject, level: number): string {
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
      const said =
        this.#hasComments && isObject(schema) && typeof schema.description === "string" ? ` /* ${firstOf(schema.description)} */` : "";
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      return `${key}${needed.has(name) ? "" : "?"}: ${this.write(schema, level + 1)}${said}`;
    });
    if (isObject(additionalProperties)) members.push(`[key: string]: ${this.write(additionalProperties, level + 1)}`);
    return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
  }

  #resolve(reference: string): Json | undefined {
    if (!reference.startsWith("#/")) return undefined;
    return reference
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<Json | undefined>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), this.#root);
  }
}
