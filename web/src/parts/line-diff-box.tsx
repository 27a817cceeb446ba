import { compareTexts } from "./compare-texts.ts";
import { HunkList } from "./hunk-list.tsx";
import classes from "./line-diff-box.module.css";
import { ScrollBox } from "./scroll-box.tsx";
import { visibleLine } from "./visible-line.ts";

export interface LineDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** What a text says differently, line by line; of what stayed, the lines around it. */
export function LineDiffBox({ label, before, after }: LineDiffProps) {
  const hunks = compareTexts(ended(before), ended(after));
  if (hunks.every(({ kind }) => kind === "folded")) return <p className="dim">Nothing differs.</p>;
  return (
    <ScrollBox className={classes.diff} label={label}>
      <HunkList hunks={hunks} write={visibleLine} />
    </ScrollBox>
  );
}

/** A last line without its end would differ from the same line before another one. */
const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
