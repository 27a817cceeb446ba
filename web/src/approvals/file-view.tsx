import { useMemo } from "react";
import { visibleText } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import { compareTexts, endsLikeWindows, type Hunk } from "./compare-texts.ts";
import classes from "./exact-view.module.css";

/** What would change in a file, against the file as it is now. */
export function FileView({
  item: { before, after, problem },
}: {
  readonly item: Extract<Item<"approvals.preview">, { readonly kind: "file" }>;
}) {
  const hunks = useMemo(() => compareTexts(before, after), [before, after]);
  if (problem !== undefined) return <p>{visibleText(problem)}</p>;
  const isWindows = endsLikeWindows(before, after);
  return (
    <>
      <p className="dim small">{fateOf({ before, after }, hunks)}</p>
      {hunks.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their order is what they are
        <HunkView key={index} hunk={hunk} isWindows={isWindows} />
      ))}
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

const signs = { added: "+", removed: "−", same: " " } as const;

function HunkView({ hunk: { kind, lines }, isWindows }: { readonly hunk: Hunk; readonly isWindows: boolean }) {
  if (kind === "folded")
    return (
      <p className={classes.folded}>
        {lines.length} {lines.length === 1 ? "line stays" : "lines stay"} as {lines.length === 1 ? "it is" : "they are"}
      </p>
    );
  const text = lines.map((line) => `${signs[kind]} ${exactLine(line, { isWindows, isTold: kind !== "same" })}`).join("\n");
  if (kind === "same") return <pre className={classes.same}>{text}</pre>;
  const Tag = kind === "added" ? "ins" : "del";
  return (
    <pre className={classes[kind]}>
      <Tag>{text}</Tag>
    </pre>
  );
}

/** One line with all that a screen would hide, its end included where that is a part of the change. */
function exactLine(line: string, { isWindows, isTold }: { readonly isWindows: boolean; readonly isTold: boolean }): string {
  const hasEnd = line.endsWith("\n");
  const body = line.slice(0, hasEnd ? (isWindows ? -2 : -1) : undefined);
  return `${visibleText(body)}${isTold && !hasEnd ? "<no line end>" : ""}`;
}
