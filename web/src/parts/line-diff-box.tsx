import { diffLines } from "diff";
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
  const lines = linesOf(before, after);
  const isNear = (at: number) => lines.slice(Math.max(0, at - near), at + near + 1).some(({ sign }) => sign !== " ");
  if (lines.every(({ sign }) => sign === " ")) return <p className="dim">Nothing differs.</p>;
  return (
    <ScrollBox className={classes.diff} label={label}>
      {lines.map(({ sign, text, key }, at) =>
        isNear(at) ? (
          <Line key={key} sign={sign} text={text} />
        ) : isNear(at - 1) || at === 0 ? (
          <div key={key} className={classes.gap}>
            …
          </div>
        ) : null,
      )}
    </ScrollBox>
  );
}

type Sign = "+" | "-" | " ";

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

function linesOf(before: string, after: string): readonly { readonly sign: Sign; readonly text: string; readonly key: string }[] {
  let line = 0;
  return diffLines(ended(before), ended(after)).flatMap(({ value, added, removed }) => {
    const sign: Sign = added ? "+" : removed ? "-" : " ";
    const texts = value.split("\n").slice(0, -1);
    return texts.map((text) => ({ sign, text, key: `${line++}` }));
  });
}

/** A last line without its end would differ from the same line before another one. */
const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
