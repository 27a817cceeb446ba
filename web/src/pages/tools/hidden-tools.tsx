import type { Item } from "../../api/queries.ts";
import { WhyOpener } from "../../why/why-button.tsx";
import classes from "./tools-page.module.css";

interface HiddenToolsProps {
  readonly tools: readonly Item<"tools.survey">[];
  readonly isOpen: boolean;
  readonly onToggle: (open: boolean) => void;
  readonly explain: (tool: string) => void;
}

/** Tools that are not offered, each with what hides it. */
export function HiddenTools({ tools, isOpen, onToggle, explain }: HiddenToolsProps) {
  return (
    <section aria-label="Hidden tools" className={classes.hidden}>
      <button type="button" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
        {tools.length} hidden · {isOpen ? "close" : "why"}
      </button>
      {isOpen && (
        <ul className={classes.rows}>
          {tools.map(({ tool, state, reason }) => (
            <li key={tool.name} className={classes.item}>
              <div className={classes.row}>
                <span className={classes.name}>{tool.name}</span>
                <span className={classes.line}>
                  <strong>{state}</strong> {reason}
                </span>
                <span className={classes.group}>{tool.group}</span>
              </div>
              <WhyOpener name={tool.name} onOpen={explain} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
