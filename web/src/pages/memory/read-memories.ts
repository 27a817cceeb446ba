import type { Item, OperationTypes } from "../../api/queries.ts";

type Imported = OperationTypes["memories.import"]["input"]["items"];

/** Of a file that an export has written: lines of JSON, or one list. Versions are counted anew where they are saved. */
export function readMemories(text: string): Imported {
  const trimmed = text.trim();
  try {
    const items: Item<"memories.list">[] = trimmed.startsWith("[")
      ? JSON.parse(trimmed)
      : trimmed
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map((line) => JSON.parse(line));
    return items.map(({ version: _, createdAt: __, ...item }) => ({ ...item, sources: [...(item.sources ?? [])] }));
  } catch {
    throw new Error("The file holds no lines of JSON. Choose one that Export has written.");
  }
}
