import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { ToolFacts } from "../policy/compile-policy.ts";
import type { CapabilityName } from "../ports/capability.ts";
import type { CodeMark } from "../ports/module-source.ts";
import { type AnyTool, isToolDefinition } from "../tool/define-tool.ts";
import {
  capabilitiesOf,
  describeProvider,
  type EffectHints,
  type Effects,
  hintsOf,
  type ToolWeight,
  type Weights,
  weighEffects,
} from "../tool/effects.ts";
import { presentTool, type RegisteredSpecs, readFormSpec, readViewSpec } from "./check-presentation.ts";
import { compileParts, markInput, neutralContext, type SchemaParts, wasChecked } from "./compile-parts.ts";

/** All tools at one moment, in the order of their names. */
export interface Snapshot {
  readonly tools: readonly CompiledTool[];
  /** Digest of all definition hashes: equal for equal catalogues. */
  readonly revision: string;
  /** Names of tools that are left out because this process lacks something that they need: they are not gone. */
  readonly leftOut: readonly string[];
  find(name: string): CompiledTool | undefined;
}

export interface CatalogueOptions {
  /** Names of environment variables that are set. */
  readonly environment: ReadonlySet<string>;
  /** Those that every call of this process has. */
  readonly capabilities: ReadonlySet<string>;
  readonly warn: (message: string) => void;
  /** How the capabilities of this process weigh. Default: those of the engine alone. */
  readonly weights?: Weights;
}

/** The tools that a process knows. Readers take the snapshot; writers replace it whole. */
export class Catalogue {
  readonly #options: CatalogueOptions;
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot = makeSnapshot([]);
  #leftOut: readonly CompiledTool[] = [];
  readonly #specs = new Map<string, RegisteredSpecs>();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Adds definitions, all or none. Throws on the first that is not well formed or whose name is taken. */
  register(definitions: readonly AnyTool[], origin: Origin): void {
    const added = definitions.map((definition) => this.compile(definition, origin));
    this.replace(added, () => false);
  }

  /** Checks one definition without adding it. */
  compile(definition: unknown, origin: Origin, code?: readonly CodeMark[]): CompiledTool {
    if (!isToolDefinition(definition)) {
      throw new ToolwrightError(
        "definition_invalid",
        `${origin.source}: the default export is not a tool. Write \`export default defineTool({...})\`.`,
      );
    }
    const tool = compileTool(definition, origin, { code, weights: this.#options.weights, registered: this.#specs.get(definition.name) });
    for (const name of tool.capabilities) this.#requireProvider(tool, name);
    return tool;
  }

  /** How forms show `tool:NAME`, which may come later. Throws `definition_invalid` and changes nothing where the spec does not go with the tool. */
  registerFormSpec(key: string, spec: unknown): void {
    const [name, form] = readFormSpec(key, spec);
    this.#registerSpecs(name, { ...this.#specs.get(name), form });
  }

  /** How people read the output of `tool:NAME`, which may come later. Throws as `registerFormSpec` does. */
  registerViewSpec(key: string, spec: unknown): void {
    const [name, view] = readViewSpec(key, spec);
    this.#registerSpecs(name, { ...this.#specs.get(name), view });
  }

  #registerSpecs(name: string, registered: RegisteredSpecs): void {
    const tool = this.#snapshot.find(name);
    if (tool) {
      const { definition, output } = tool;
      const presentation = presentTool(definition, { input: tool.input(neutralContext).json, output: output.json, registered });
      const input = markInput(tool.input, definition, presentation);
      this.replace([{ ...tool, presentation, input }], (each) => each.name === name);
    }
    this.#specs.set(name, registered);
  }

  /** Adds tools and drops those that `drop` names, in one step. Throws `duplicate_tool` and changes nothing when a name would be taken twice. */
  replace(added: readonly CompiledTool[], drop: (tool: CompiledTool) => boolean): void {
    if (added.length === 0 && ![...this.#snapshot.tools, ...this.#leftOut].some(drop)) return;
    const kept = new Map(this.#snapshot.tools.filter((tool) => !drop(tool)).map((tool) => [tool.name, tool]));
    for (const tool of added) {
      const other = kept.get(tool.name);
      if (other) {
        throw new ToolwrightError(
          "duplicate_tool",
          `${tool.origin.source}: the name "${tool.name}" is taken by ${other.origin.source}. Rename one of them.`,
        );
      }
      if (this.#hasEnvironment(tool)) kept.set(tool.name, tool);
    }
    this.#leftOut = [...this.#leftOut.filter((tool) => !drop(tool)), ...added.filter(({ name }) => !kept.has(name))];
    const leftOut = this.#leftOut.map(({ name }) => name);
    const next = makeSnapshot([...kept.values()], leftOut);
    const before = this.#snapshot;
    // Also when it looks the same: an equal definition may stand for other code, when a file that it imports changed.
    this.#snapshot = next;
    if (this.#listeners.size === 0 || isSame(next, before)) return;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after each change; returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #requireProvider({ name: tool }: CompiledTool, name: CapabilityName): void {
    if (this.#options.capabilities.has(name)) return;
    throw new ToolwrightError(
      "definition_invalid",
      `${tool} declares effects.${name}, and no capability provides ${name}. Add ${describeProvider(name)} to capabilities.`,
    );
  }

  #hasEnvironment(tool: CompiledTool): boolean {
    const missing = (tool.definition.requiredEnv ?? []).filter((name) => !this.#options.environment.has(name));
    if (missing.length === 0) return true;
    this.#options.warn(`Tool "${tool.name}" (${tool.origin.source}) is left out: set ${missing.join(", ")} to have it.`);
    return false;
  }
}

/** Sorts the tools in place. */
export function makeSnapshot(unordered: CompiledTool[], leftOut: readonly string[] = []): Snapshot {
  const tools = joinParts(unordered.sort((a, b) => (a.name < b.name ? -1 : 1)));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let revision: string | undefined;
  return {
    tools,
    get revision() {
      revision ??= digest(tools.map((tool) => tool.hash));
      return revision;
    },
    leftOut,
    find: (name) => byName.get(name),
  };
}

/** As equal revisions say, without asking for them where the tools are the same. */
function isSame(one: Snapshot, other: Snapshot): boolean {
  if (one.tools.length !== other.tools.length) return false;
  return one.tools.every((tool, place) => tool === other.tools[place] || tool.hash === other.tools[place]?.hash);
}

/** Where a definition came from. */
export interface Origin {
  readonly kind: "builtin" | "pack" | "embedder" | "tenant";
  /** The file, or the name that the embedder gave. */
  readonly source: string;
  /** Digest of what it executes, where that is not the text of its `run`: the stored definition of a tenant's tool. */
  readonly executes?: string;
}

/** A definition that passed every check, with everything that is worked out once. */
export interface CompiledTool extends SchemaParts {
  readonly definition: AnyTool;
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly effects: Effects;
  readonly hints: EffectHints;
  readonly capabilities: readonly CapabilityName[];
  /** True when it can change something, here or elsewhere. */
  readonly changes: boolean;
  readonly facts: ToolFacts & { readonly weight: ToolWeight };
  readonly origin: Origin;
  /** The files and packages that it is made of, where its source can say. */
  readonly code: readonly CodeMark[];
}

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/;

/** The files and packages of a definition, and how the capabilities of this process weigh. */
export interface CompileOptions {
  readonly code?: readonly CodeMark[] | undefined;
  readonly weights?: Weights | undefined;
  readonly registered?: RegisteredSpecs | undefined;
}

/** Checks a definition and works out what every call needs. Throws `definition_invalid` or `schema_refused`, of one that was checked before only when its schemas are first asked for. */
export function compileTool(definition: AnyTool, origin: Origin, { code = [], weights, registered }: CompileOptions = {}): CompiledTool {
  const effects = definition.effects ?? {};
  const weight = weighEffects(effects, weights);
  checkShape(definition, origin, weight);
  const { name } = definition;
  const group = definition.group ?? "custom";
  const approval = definition.approval ?? "auto";
  const tool = {
    definition,
    name,
    title: definition.title ?? titleFrom(name),
    group,
    effects,
    hints: hintsOf(effects, weight),
    capabilities: capabilitiesOf(effects),
    changes: weight.changes,
    facts: { name, group, effects, approval, weight },
    origin,
    code,
  };
  const compile = () => compileParts(definition, { origin, code, registered });
  if (!wasChecked(definition)) return { ...tool, ...compile() };
  let made: SchemaParts | undefined;
  const parts = () => {
    made ??= compile();
    return made;
  };
  return {
    ...tool,
    get output() {
      return parts().output;
    },
    get presentation() {
      return parts().presentation;
    },
    get hash() {
      return parts().hash;
    },
    get body() {
      return parts().body;
    },
    input: (context) => parts().input(context),
  };
}

function checkShape(definition: AnyTool, origin: Origin, weight: ToolWeight): void {
  const refuse = (problem: string) => {
    throw new ToolwrightError("definition_invalid", `${origin.source}: ${problem}`);
  };
  if (typeof definition.name !== "string" || !namePattern.test(definition.name)) {
    refuse(`the name ${JSON.stringify(definition.name)} is not allowed. Use a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-".`);
  }
  if (typeof definition.description !== "string" || definition.description.trim() === "") {
    refuse(`tool "${definition.name}" has no description. Say when to use it and when not: a model reads nothing else.`);
  }
  if (hasHiddenCharacters(definition.description) || hasHiddenCharacters(definition.title ?? "")) {
    refuse(`tool "${definition.name}" has invisible or direction-changing characters in its title or description. Remove them.`);
  }
  if (typeof definition.run !== "function") refuse(`tool "${definition.name}" has no run function.`);
  checkParts(definition, weight, refuse);
  if (definition.output === undefined) refuse(`tool "${definition.name}" has no output schema. Add \`output: z.object({...})\`.`);
  if (definition.input === undefined)
    refuse(`tool "${definition.name}" has no input schema. Add \`input: z.object({})\` when it takes nothing.`);
}

const partPattern = /^((group:)?[a-z][a-z0-9_-]{0,63}|\*)$/;

function checkParts({ name, effects = {} }: AnyTool, { changes }: ToolWeight, refuse: (problem: string) => void): void {
  const { tools } = effects;
  if (tools === undefined) return;
  if (!Array.isArray(tools) || !tools.every((part) => typeof part === "string" && partPattern.test(part)))
    refuse(
      `tool "${name}" has the effect tools with ${JSON.stringify(tools)}. List names of tools and groups: ["file_read", "group:net"], ["*"] for every tool, or [] to wait alone.`,
    );
  if (changes && effects.idempotent !== true)
    refuse(
      `tool "${name}" calls other tools and changes something itself. When a part waits for a person its handler runs again from the start: make that harmless and say \`idempotent: true\`, or move the change into a tool that it calls.`,
    );
}

/** Zero-width, bidirectional and tag characters: text that a person cannot see but a model reads. */
export function hasHiddenCharacters(text: string): boolean {
  return /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/u.test(text) || /[\u{e0000}-\u{e007f}]/u.test(text);
}

function titleFrom(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** True when a handle names the tool, its group, or every tool. */
export function namesTool(handles: readonly string[], { name, group }: Pick<CompiledTool, "name" | "group">): boolean {
  return handles.includes(name) || handles.includes(`group:${group}`) || handles.includes("*");
}

/** Tools that call others, with the hints of all that they may call: whoever is shown the tool is told what it comes to. */
export function joinParts(tools: readonly CompiledTool[]): readonly CompiledTool[] {
  if (!tools.some(({ effects }) => effects.tools)) return tools;
  return tools.map((tool) => {
    const reached = new Set<CompiledTool>();
    const isWhole = collect(tool, tools, reached);
    return tool.effects.tools ? joinHints(tool, [...reached], isWhole) : tool;
  });
}

/** False where a tool is named that is not there: it may be anything once it is. */
function collect(tool: CompiledTool, tools: readonly CompiledTool[], reached: Set<CompiledTool>): boolean {
  const handles = tool.effects.tools ?? [];
  let isWhole = handles.every((handle) => handle === "*" || handle.startsWith("group:") || tools.some(({ name }) => name === handle));
  for (const part of tools) {
    if (!namesTool(handles, part) || reached.has(part)) continue;
    reached.add(part);
    isWhole = collect(part, tools, reached) && isWhole;
  }
  return isWhole;
}

function joinHints(tool: CompiledTool, parts: readonly CompiledTool[], isWhole: boolean): CompiledTool {
  const own = [tool, ...parts].map(({ effects, facts }) => hintsOf(effects, facts.weight));
  const changes = !isWhole || own.some(({ readOnlyHint }) => !readOnlyHint);
  const hints: EffectHints = {
    readOnlyHint: !changes,
    destructiveHint: !isWhole || own.some(({ destructiveHint }) => destructiveHint),
    idempotentHint: isWhole && own.every(({ idempotentHint }) => idempotentHint),
    openWorldHint: !isWhole || own.some(({ openWorldHint }) => openWorldHint),
  };
  // To copy the values would be to ask for the schemas.
  const members = Object.getOwnPropertyDescriptors(tool);
  return Object.create(Object.prototype, {
    ...members,
    hints: { ...members.hints, value: hints },
    changes: { ...members.changes, value: changes },
  });
}
