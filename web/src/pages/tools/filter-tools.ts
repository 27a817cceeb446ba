import type { Item } from "../../api/queries.ts";

/** A tool of the list, and for operators one that waits for secrets or for something else to be set up. */
export type ListedTool = Item<"tools.list"> & { readonly lacks?: Lacking };

/** What a tool lacks that is offered to nobody yet. */
export type Lacking = Pick<Item<"tools.survey">, "missingSecrets" | "reason">;

export interface Filters {
  readonly q?: string | undefined;
  readonly group?: string | undefined;
  readonly origin?: string | undefined;
  readonly kind?: string | undefined;
  readonly category?: string | undefined;
  readonly permission?: string | undefined;
  readonly decision?: string | undefined;
}

const readers: Readonly<Record<Exclude<keyof Filters, "q">, (tool: ListedTool) => string | undefined>> = {
  group: (tool) => tool.group,
  origin: (tool) => tool.origin.kind,
  kind: kindOf,
  category: (tool) => tool.presentation.category,
  permission: (tool) => tool.permission,
  decision: ({ lacks, decision }) => (lacks ? "misconfigured" : decision && decisionWords[decision.effect]),
};

const decisionWords = { allow: "runs", ask: "asks", deny: "blocked" } as const;

/** What the most of its effects does. */
export function kindOf({ hints }: Pick<ListedTool, "hints">): "reads" | "changes" | "destroys" {
  return hints.readOnlyHint ? "reads" : hints.destructiveHint ? "destroys" : "changes";
}

/** The values that tools have of one kind, in order. */
export function choicesOf(tools: readonly ListedTool[], name: Exclude<keyof Filters, "q">): string[] {
  return [...new Set(tools.map(readers[name]).filter((value) => value !== undefined))].sort();
}

/** The first sentence of a description. */
export function oneLine({ description }: Pick<ListedTool, "description">): string {
  const [line = ""] = description.split("\n");
  const [sentence = line] = /^.*?[.!?](?=\s|$)/.exec(line) ?? [];
  return sentence;
}

/** Tools that have every word, those whose name has it first. */
export function filterTools(tools: readonly ListedTool[], filters: Filters): readonly ListedTool[] {
  const words = (filters.q ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const kept = tools.filter((tool) => fits(tool, filters));
  if (words.length === 0) return kept;
  return kept
    .map((tool) => ({ tool, rank: rankOf(tool, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function fits(tool: ListedTool, filters: Filters): boolean {
  return Object.entries(readers).every(([name, read]) => {
    const wanted = filters[name as keyof typeof readers];
    return wanted === undefined || read(tool) === wanted;
  });
}

/** 0 when a word is nowhere. */
function rankOf({ name, title, group, description }: ListedTool, words: readonly string[]): number {
  let rank = 0;
  for (const word of words) {
    const each = name.toLowerCase().startsWith(word)
      ? 8
      : name.toLowerCase().includes(word)
        ? 4
        : title.toLowerCase().includes(word)
          ? 3
          : `${group} ${description}`.toLowerCase().includes(word)
            ? 1
            : 0;
    if (each === 0) return 0;
    rank += each;
  }
  return rank;
}
