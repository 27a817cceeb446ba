import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { ForeignContent } from "../contract/foreign.ts";
import { canonicalJson } from "../contract/json.ts";
import type { CodeMark } from "../ports/module-source.ts";
import { type CompiledSchema, compileInput, compileOutput } from "../schema/compile-schema.ts";
import { toPointer } from "../schema/json-pointer.ts";
import { readSensitive } from "../schema/sensitive.ts";
import type { AnyTool, InputSchema, SchemaContext } from "../tool/define-tool.ts";
import { checkExamples } from "../tool/examples.ts";
import type { ToolPresentation } from "../tool/presentation.ts";
import { presentTool, type RegisteredSpecs } from "./check-presentation.ts";

/** Compiled schemas that a context-built input keeps. */
const mostContexts = 256;
export const neutralContext: SchemaContext = { tenant: "default", agent: undefined, attributes: {} };

/** Everything of a compiled tool that takes its schemas. */
export interface SchemaParts {
  readonly output: CompiledSchema;
  /** With the specs that are registered for it; output sections are a view. */
  readonly presentation: ToolPresentation;
  /** Covers what a caller can see of the definition, where its code came from, that code, and what a tenant's tool executes. */
  readonly hash: string;
  /** Digest of the definition without its name and place: a tool that was only renamed keeps it. */
  readonly body: string;
  /** The input schema for this context; compiled once, unless it is built from the context. */
  input(context: SchemaContext): CompiledSchema;
}

interface Whence {
  readonly origin: { readonly source: string; readonly executes?: string };
  readonly code: readonly CodeMark[];
}

/** Compiles the schemas of a definition and what is worked out from them. Throws `definition_invalid` or `schema_refused`. */
export function compileParts(
  definition: AnyTool,
  { registered, ...whence }: Whence & { readonly registered: RegisteredSpecs | undefined },
): SchemaParts {
  const compiled = compileSchemas(definition);
  const { output } = compiled;
  const presentation = presentTool(definition, { input: compiled.input(neutralContext).json, output: output.json, registered });
  const input = markInput(compiled.input, definition, presentation);
  return { output, presentation, ...digestsOf(compiled, { definition, ...whence }), input };
}

const checked = new WeakSet<AnyTool>();
const codes = new WeakMap<AnyTool, string>();

/**
 * Says of definitions that tests of their package have compiled them: an engine compiles each when it is first asked for, and not when it
 * begins. Of what was never compiled, a mistake would come up in the middle of a call.
 * @param code - `codeDigest` of each in its source, by name, where a build has written their functions anew: the tools are the same ones.
 */
export function checkedBefore<Tools extends readonly AnyTool[]>(tools: Tools, code?: Readonly<Record<string, string>>): Tools {
  for (const tool of tools) {
    checked.add(tool);
    const known = code?.[tool.name];
    if (known !== undefined) codes.set(tool, known);
  }
  return tools;
}

/** SHA-256 of what a tool does, as text: the functions that its hash covers. */
export function codeDigest(definition: AnyTool): string {
  const { run, foreign } = definition;
  return codes.get(definition) ?? digest([String(run), foreign ? String(foreign.sources) : null]);
}

export const wasChecked = (tool: AnyTool): boolean => checked.has(tool);

type Digests = Pick<SchemaParts, "hash" | "body">;

/** Kept with what was compiled: the text that they cover is longer than all else that an engine reads of a tool. */
function digestsOf(compiled: CompiledSchemas, parts: Whence & { readonly definition: AnyTool }): Digests {
  const { origin, code } = parts;
  const place = canonicalJson([origin.source, origin.executes, code]);
  const digests = compiled.digests.get(place) ?? makeDigests(compiled, parts);
  compiled.digests.set(place, digests);
  return digests;
}

function makeDigests({ input, output }: CompiledSchemas, { definition, origin, code }: Whence & { readonly definition: AnyTool }): Digests {
  const { name, description, effects = {}, approval = "auto" } = definition;
  const schemas = [input(neutralContext).json, output.json];
  const executes = origin.executes === undefined ? [] : [origin.executes];
  const foreign = definition.foreign ? [foreignText(definition.foreign)] : [];
  const does = codeDigest(definition);
  return {
    hash: digest([
      ...[name, description, ...schemas, effects, approval, origin.source, does],
      ...executes,
      ...foreign,
      ...(code.length > 0 ? [code] : []),
    ]),
    body: digest([description, ...schemas, effects, approval, does, ...executes, ...foreign]),
  };
}

/** Equal for declarations that say the same. */
const foreignText = ({ kind, members }: ForeignContent): string => canonicalJson({ foreign: [kind, members ?? null] });

interface CompiledSchemas extends Pick<SchemaParts, "input" | "output"> {
  /** By where the definition came from. */
  readonly digests: Map<string, Digests>;
}

const compiledBefore = new WeakMap<AnyTool, CompiledSchemas>();

/** Once a process, for all of its engines: most of what an engine takes to begin. Definitions are frozen; what builds its input may build another one for the next engine. */
function compileSchemas(definition: AnyTool): CompiledSchemas {
  const before = compiledBefore.get(definition);
  if (before) return before;
  const options = { tool: definition.name, exceptions: definition.schemaExceptions ?? [] };
  const output = compileOutput(definition.output, options);
  const compiled = { output, input: inputCompiler(definition, options), digests: new Map() };
  if (typeof definition.input !== "function" && Object.isFrozen(definition)) compiledBefore.set(definition, compiled);
  return compiled;
}

function inputCompiler(
  definition: AnyTool,
  options: { tool: string; exceptions: readonly string[] },
): (context: SchemaContext) => CompiledSchema {
  const { input } = definition;
  if (typeof input !== "function") {
    const compiled = compileInput(input, options);
    checkExamples(definition, input);
    return () => compiled;
  }
  checkExamples(definition, input(neutralContext));
  const compiled = new Map<string, CompiledSchema>();
  return (context) => {
    const key = canonicalJson(context);
    let schema = compiled.get(key);
    if (!schema) {
      schema = compileInput(buildFor(input, context, options.tool), options);
      if (compiled.size >= mostContexts) compiled.clear();
      compiled.set(key, schema);
    }
    return schema;
  };
}

function buildFor(input: (context: SchemaContext) => InputSchema, context: SchemaContext, tool: string): InputSchema {
  try {
    return input(context);
  } catch (cause) {
    throw new ToolwrightError("definition_invalid", `The input schema of tool "${tool}" could not be built for this context.`, { cause });
  }
}

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
