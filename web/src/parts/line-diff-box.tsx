import { linesOfDiff, type Sign } from "./diff-lines.ts";
import classes from "./line-diff-box.module.css";
import { ScrollBox } from "./scroll-box.tsx";

export interface LineDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

const near = 3;

/** What a text says differently, line by line; of what stayed, the lines around it. */
export function LineDiffBox({ label, before, after }: LineDiffProps) {
  const lines = linesOfDiff(before, after).map((line, at) => ({ ...line, at }));
  const isNear = (at: number) => lines.slice(Math.max(0, at - near), at + near + 1).some(({ sign }) => sign !== " ");
  if (lines.every(({ sign }) => sign === " ")) return <p className="dim">Nothing differs.</p>;
  return (
    <ScrollBox className={classes.diff} label={label}>
      {lines.map(({ sign, text, at }) =>
        isNear(at) ? (
          <Line key={at} sign={sign} text={text} />
        ) : isNear(at - 1) || at === 0 ? (
          <div key={at} className={classes.gap}>
            …
          </div>
        ) : null,
      )}
    </ScrollBox>
  );
}

function Line({ sign, text }: { readonly sign: Sign; readonly text: string }) {
  const words = { "+": "added: ", "-": "removed: ", " ": "" }[sign];
  const Tag = ({ "+": "ins", "-": "del", " ": "div" } as const)[sign];
  return (
    <Tag className={classes.line}>
      <span aria-hidden className={classes.sign}>
        {sign}
      </span>
      <span className="hidden-visually">{words}</span>
      <span>{text}</span>
    </Tag>
  );
}
