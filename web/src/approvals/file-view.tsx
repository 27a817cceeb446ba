import { useMemo } from "react";
import { visibleText } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { compareTexts, endsLikeWindows, type Hunk } from "../parts/compare-texts.ts";
import { HunkList } from "../parts/hunk-list.tsx";

/** What would change in a file, against the file as it is now. */
export function FileView({
  item: { before, after, problem },
}: {
  readonly item: Extract<Item<"approvals.preview">, { readonly kind: "file" }>;
}) {
  const hunks = useMemo(() => compareTexts(before, after), [before, after]);
  if (problem !== undefined) return <p>{visibleText(problem)}</p>;
  return (
    <>
      <p className="dim small">{fateOf({ before, after }, hunks)}</p>
      <HunkList hunks={hunks} write={visibleText} isWindows={endsLikeWindows(before, after)} />
    </>
  );
}

function fateOf({ before, after }: { before: string | undefined; after: string | undefined }, hunks: readonly Hunk[]): string {
  if (before === after) return before === undefined ? "There is no such file." : "It stays as it is.";
  const count = (kind: Hunk["kind"]) => hunks.filter((hunk) => hunk.kind === kind).reduce((sum, { lines }) => sum + lines.length, 0);
  const [added, removed] = [count("added"), count("removed")];
  if (before === undefined) return `New file, ${added} ${added === 1 ? "line" : "lines"}`;
  if (after === undefined) return `The file goes, with its ${removed} ${removed === 1 ? "line" : "lines"}`;
  return `${added} added, ${removed} removed`;
}
