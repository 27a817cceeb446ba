import type { Item } from "../../api/queries.ts";
import { type Field, textOf, type Values } from "../../parts/form-values.ts";

type Limits = NonNullable<Item<"agents.list">["limits"]>;

/** What a turn of an agent may take, with what holds where nothing is said. */
const limits: readonly (Required<Pick<Field, "label" | "help" | "placeholder">> & { readonly name: keyof Limits })[] = [
  { name: "steps", label: "Requests to the model", help: "In one turn. The last one is without tools, to answer.", placeholder: "15" },
  { name: "tokens", label: "Tokens of a turn", help: "In and out, with its sub-agents.", placeholder: "200,000" },
  { name: "cost", label: "Cost of a turn", help: "US dollars, with its sub-agents. It needs a model with a price.", placeholder: "none" },
  { name: "window", label: "Window", help: "Tokens of one request: what is longer is shortened.", placeholder: "what the model takes" },
  { name: "callsPerStep", label: "Calls of an answer", help: "The others do not run.", placeholder: "16" },
  { name: "callsAtOnce", label: "Calls at once", help: "The others wait.", placeholder: "8" },
  { name: "subAgents", label: "Sub-agents", help: "That one turn may begin.", placeholder: "8" },
  { name: "subAgentsAtOnce", label: "Sub-agents at once", help: "The others wait.", placeholder: "4" },
  { name: "tokensADay", label: "Tokens a day", help: "Of the turns that begin on one day in UTC.", placeholder: "none" },
  { name: "costADay", label: "Cost a day", help: "US dollars of those turns. It needs a model with a price.", placeholder: "none" },
];

export function limitFields(said: Limits = {}): readonly Field[] {
  return limits.map((limit) => ({ ...limit, kind: "number", group: "Limits", optional: true, value: String(said[limit.name] ?? "") }));
}

/** All that there are: what the form does not name is usual again. */
export const limitNames = limits.map(({ name }) => name);

/** An empty field takes back what was said. */
export function limitsOf(values: Values): Limits {
  return Object.fromEntries(
    limits.flatMap(({ name }) => {
      const text = textOf(values, name);
      return text === "" ? [] : [[name, Number(text)]];
    }),
  );
}
