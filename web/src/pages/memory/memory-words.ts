import { visibleText } from "../../api/client.ts";
import type { Item } from "../../api/queries.ts";

type Memory = Item<"memories.list">;

export const categoryWords: Readonly<Record<Memory["category"], string>> = {
  core: "for good",
  daily: "30 days",
  conversation: "with its conversation",
};

const trustNames: Readonly<Record<Memory["trust"], string>> = { person: "a person", agent: "an agent", foreign: "content from elsewhere" };

/** Who stands behind an entry, and for what strangers wrote, where it came from. */
export function trustWords({ trust, sources }: Pick<Memory, "trust" | "sources">): string {
  const places = trust === "foreign" ? [...new Set(sources.flatMap(({ place }) => place ?? []))] : [];
  const [first, ...others] = places.map((place) => visibleText(place));
  if (first === undefined) return trustNames[trust];
  return `${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}

/** `agent:assistant` as people say it. */
export function ownerWords(owner: string): string {
  const [kind, ...name] = owner.split(":");
  return `${kind === "user" ? "person" : kind} ${visibleText(name.join(":"))}`;
}

const longest = 120;

/** Of a text, on one line. */
export function firstLine(text: string): string {
  const line = visibleText(text.trim().split("\n", 1)[0] ?? "");
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
