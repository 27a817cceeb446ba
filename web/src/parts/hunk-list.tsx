import type { Hunk } from "./compare-texts.ts";
import classes from "./hunk-list.module.css";

interface HunkListProps {
  readonly hunks: readonly Hunk[];
  /** What is shown of one line, which has no line end: all that a screen would hide is written out. */
  readonly write: (line: string) => string;
  /** Every line ends as on Windows. */
  readonly isWindows?: boolean;
}

/** What changes between two texts, from top to bottom. */
export function HunkList({ hunks, ...how }: HunkListProps) {
  return hunks.map((hunk, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: their order is what they are
    <HunkView key={index} hunk={hunk} {...how} />
  ));
}

const signs = { added: "+", removed: "−", same: " " } as const;

function HunkView({ hunk: { kind, lines }, write, isWindows = false }: Omit<HunkListProps, "hunks"> & { readonly hunk: Hunk }) {
  if (kind === "folded")
    return (
      <p className={classes.folded}>
        {lines.length} {lines.length === 1 ? "line stays" : "lines stay"} as {lines.length === 1 ? "it is" : "they are"}
      </p>
    );
  const text = lines.map((line) => `${signs[kind]} ${exactLine(line, { write, isWindows, isTold: kind !== "same" })}`).join("\n");
  if (kind === "same") return <pre className={classes.lines}>{text}</pre>;
  const Tag = kind === "added" ? "ins" : "del";
  return (
    <pre className={`${classes.lines} ${classes[kind]}`}>
      <Tag>{text}</Tag>
    </pre>
  );
}

interface LineOptions extends Required<Pick<HunkListProps, "write" | "isWindows">> {
  readonly isTold: boolean;
}

/** One line, its end included where that is a part of the change. */
function exactLine(line: string, { write, isWindows, isTold }: LineOptions): string {
  const hasEnd = line.endsWith("\n");
  const body = line.slice(0, hasEnd ? (isWindows ? -2 : -1) : undefined);
  return `${write(body)}${isTold && !hasEnd ? "<no line end>" : ""}`;
}
