/** Names that share a reason, and the page that says what a tool does with them. */
export interface NameEntry {
  /** Lower case, parted by blanks; `*` is any text within one name, and a last `/**` a folder with everything below. */
  readonly names: string;
  /** What the file is, as one sentence. */
  readonly reason: string;
  readonly source: string;
}

/** One expression for all the names, to be put between anchors. */
export function toExpression(entries: readonly NameEntry[]): string {
  return entries
    .flatMap(({ names }) => names.split(" "))
    .map((name) => (name.endsWith("/**") ? `${toPattern(name.slice(0, -3))}(?:/.+)?` : toPattern(name)))
    .join("|");
}

function toPattern(name: string): string {
  return name.replace(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", "[^/]*");
}
