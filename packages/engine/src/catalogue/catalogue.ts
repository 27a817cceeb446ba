import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { CodeMark } from "../ports/module-source.ts";
import type { CodeTools } from "../ports/tenant-tools.ts";
import type { AnyTool } from "../tool/define-tool.ts";
import { isToolDefinition } from "../tool/define-tool.ts";
import { type CompiledTool, compileTool, type Origin } from "./compiled-tool.ts";
import { joinParts } from "./join-parts.ts";
import { judgeTenantTools } from "./judge-tenant-tools.ts";

/** All tools at one moment, in the order of their names. */
export interface Snapshot extends CodeTools {
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
  readonly warn: (message: string) => void;
}

/** The tools that a process knows. Readers take the snapshot; writers replace it whole. */
export class Catalogue {
  readonly #options: CatalogueOptions;
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot = makeSnapshot([]);
  #leftOut: readonly CompiledTool[] = [];

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
    return compileTool(definition, origin, code);
  }

  /** Adds tools and drops those that `drop` names, in one step. Throws `duplicate_tool` and changes nothing when a name would be taken twice. */
  replace(added: readonly CompiledTool[], drop: (tool: CompiledTool) => boolean): void {
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
    const looksTheSame = next.revision === this.#snapshot.revision;
    // Also then: an equal definition may stand for other code, when a file that it imports changed.
    this.#snapshot = next;
    if (looksTheSame) return;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after each change; returns how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
  const find = (name: string) => byName.get(name);
  return { tools, revision: digest(tools.map((tool) => tool.hash)), leftOut, find, ...judgeTenantTools(find) };
}
