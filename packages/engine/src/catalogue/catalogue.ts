import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { CapabilityName } from "../ports/capability.ts";
import type { CodeMark } from "../ports/module-source.ts";
import { type AnyTool, isToolDefinition } from "../tool/define-tool.ts";
import { describeProvider, type Weights } from "../tool/effects.ts";
import { presentTool, type RegisteredSpecs, readFormSpec, readViewSpec } from "./check-presentation.ts";
import { markInput, neutralContext } from "./compile-parts.ts";
import { type CompiledTool, compileTool, type Origin } from "./compile-tool.ts";
import { joinParts } from "./join-parts.ts";

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
