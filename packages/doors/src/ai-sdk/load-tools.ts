import type { ToolView } from "@toolwright/engine";
import { estimateTokens } from "@toolwright/engine/schema";
import { type ModelMessage, toolSearch } from "ai";
import { partsOf } from "./call-site.ts";
import type { CompiledTool } from "./make-tool.ts";
import { rankTools } from "./rank-tools.ts";

/** What one tool costs in each request, and whether it is in them. */
export interface ToolCost {
  readonly name: string;
  /** About as many as a model reads. */
  readonly tokens: number;
  /** `always`, `used` and `found` stay, whatever the budget; `deferred` waits until a search finds it. */
  readonly state: "budget" | "always" | "used" | "found" | "deferred";
}

interface LoadOptions {
  /** Tokens that definitions may take of each request. */
  readonly budget: number;
  readonly always: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/** Providers refuse a request with more tools. */
const mostTools = 127;

/** Decides which tools every request holds; the rest waits for a search. What a conversation found or used stays, in the order in which it came. */
export class LoadedTools {
  /** Names in the order of the requests: the SDK reads it for each step, so a found tool comes last and leaves the cached beginning as it is. */
  readonly order: string[];
  /** Name of the tool that searches; it does not hide a tool of that name. */
  readonly searchName: string;
  readonly #states = new Map<string, ToolCost["state"]>();
  readonly #tools: ReadonlyMap<string, CompiledTool>;
  readonly #onFound: (name: string) => void;

  constructor(tools: readonly CompiledTool[], { budget, always, messages }: LoadOptions, onFound: (name: string) => void) {
    this.#tools = new Map(tools.map((tool) => [tool.view.name, tool]));
    this.#onFound = onFound;
    this.searchName = freeName("tool_search", this.#tools);
    const fixed = new Set(always);
    let room = budget - tools.filter(({ view }) => fixed.has(view.name)).reduce((sum, tool) => sum + tokensOf(tool), 0);
    for (const tool of tools) {
      const { name } = tool.view;
      const tokens = tokensOf(tool);
      if (fixed.has(name)) this.#states.set(name, "always");
      else if (tokens <= room && this.#states.size < mostTools) {
        this.#states.set(name, "budget");
        room -= tokens;
      }
    }
    // First, so that what is found comes after all that was there.
    this.order = this.areAllLoaded ? [] : [this.searchName];
    this.order.push(...this.#states.keys());
    for (const name of usedIn(messages)) this.#add(name, "used");
  }

  isLoaded(name: string): boolean {
    return this.#states.has(name);
  }

  get areAllLoaded(): boolean {
    return this.#states.size === this.#tools.size;
  }

  /** What each tool costs, in the order of the catalogue. */
  why(): readonly ToolCost[] {
    return Array.from(this.#tools, ([name, tool]) => ({ name, tokens: tokensOf(tool), state: this.#states.get(name) ?? "deferred" }));
  }

  /** The SDK's tool that finds and loads what is deferred. */
  makeSearch(maxResults = 5) {
    return toolSearch({
      maxResults,
      search: ({ query, tools }) => {
        const views = tools.flatMap(({ name }): ToolView[] => {
          const tool = this.#tools.get(name);
          return tool && !this.isLoaded(name) ? [tool.view] : [];
        });
        const found = rankTools(query, views)
          .slice(0, maxResults)
          .map(({ name }) => name);
        for (const name of found) this.#add(name, "found");
        return found;
      },
    });
  }

  #add(name: string, state: "used" | "found"): void {
    if (!this.#tools.has(name) || this.#states.has(name)) return;
    this.#states.set(name, state);
    this.order.push(name);
    this.#onFound(name);
  }
}

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted;
}

function tokensOf({ offered: { tokens }, view }: CompiledTool): number {
  return estimateTokens(view.name) + tokens.description + tokens.schema + tokens.examples;
}

/** Tools that a conversation called, and those that its searches found. */
function* usedIn(messages: readonly ModelMessage[]): Iterable<string> {
  for (const message of messages) {
    for (const { toolName } of partsOf(message, "tool-call")) yield toolName;
    for (const { output } of partsOf(message, "tool-result")) if (output.type === "json") yield* namesFound(output.value);
  }
}

/** The SDK writes what a search found as `{ tools: [{ name }] }`. */
function namesFound(value: unknown): string[] {
  if (typeof value !== "object" || value === null || !("tools" in value) || !Array.isArray(value.tools)) return [];
  return value.tools.flatMap((tool: unknown) =>
    typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string" ? [tool.name] : [],
  );
}
