import type { CompiledSchema } from "../schema/compiled-schema.ts";
import { toPointer } from "../schema/json-pointer.ts";
import { readSensitive } from "../schema/sensitive.ts";
import type { AnyTool, SchemaContext } from "../tool/define-tool.ts";
import type { ToolPresentation } from "../tool/presentation.ts";

type CompileInput = (context: SchemaContext) => CompiledSchema;

/** The input schemas of a tool, in which what its form shows as a password is sensitive, too, and so are other names of sensitive members. */
export function markInput(input: CompileInput, { aliases = {} }: Pick<AnyTool, "aliases">, { form }: ToolPresentation): CompileInput {
  const passwords = Object.entries(form?.fields ?? {}).flatMap(([name, { widget }]) => (widget === "password" ? [name] : []));
  const others = Object.entries(aliases);
  if (passwords.length === 0 && others.length === 0) return input;
  const marked = new WeakMap<CompiledSchema, CompiledSchema>();
  return (context) => {
    const schema = input(context);
    const known = marked.get(schema) ?? mark(schema, { passwords, others });
    marked.set(schema, known);
    return known;
  };
}

interface Names {
  readonly passwords: readonly string[];
  /** Each with the member that it stands for. */
  readonly others: readonly (readonly [other: string, member: string])[];
}

function mark(schema: CompiledSchema, { passwords, others }: Names): CompiledSchema {
  const isSensitive = (name: string) => passwords.includes(name) || schema.sensitive?.covers(toPointer([name])) === true;
  const marked = new Set([...passwords, ...others.flatMap(([other, member]) => (isSensitive(member) ? [other] : []))]);
  const sensitive = marked.size === 0 ? undefined : readSensitive(schema.union ?? schema.json, marked);
  return sensitive ? { ...schema, sensitive } : schema;
}
