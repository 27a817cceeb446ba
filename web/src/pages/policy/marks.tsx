import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import { placeOf } from "../../editor/document-text.ts";
import { Failure } from "../../parts/failure.tsx";
import classes from "./policy-page.module.css";
import type { Checked } from "./use-checked.ts";

const kinds = {
  error: { icon: CircleAlert, word: "Error" },
  warning: { icon: TriangleAlert, word: "Warning" },
  hint: { icon: Info, word: "Hint" },
} as const;

/** What is wrong with the text, each one press from its place. */
export function Marks({
  checked: { marks, of, error, retry },
  goTo,
}: {
  readonly checked: Checked;
  readonly goTo: (offset: number) => void;
}) {
  if (error) return <Failure error={error} retry={retry} kept="The text was not checked." />;
  const errors = marks.filter(({ level }) => level === "error").length;
  const others = marks.length - errors;
  const sum = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
    ...(others > 0 ? [`${others} ${others === 1 ? "remark" : "remarks"}`] : []),
  ];
  return (
    <section className={classes.section}>
      <h2>
        <span role="status">{sum.length > 0 ? sum.join(", ") : "The text has no errors"}</span>
      </h2>
      <ul className={classes.marks}>
        {marks.map(({ level, from, message }) => {
          const { icon: Icon, word } = kinds[level];
          const { line, column } = placeOf(of, from);
          return (
            <li key={`${from} ${message}`} data-level={level}>
              <Icon size={14} aria-hidden />
              <span>
                {word}, <button type="button" onClick={() => goTo(from)}>{`line ${line}, column ${column}`}</button>: {message}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
