import { Artifacts } from "../../result/artifacts.tsx";
import classes from "./chat-page.module.css";
import type { SaidFile } from "./said-messages.ts";

interface PersonMessageProps {
  readonly text: string;
  readonly files?: readonly SaidFile[];
  /** What is to be known of it. */
  readonly note?: string;
}

export function PersonMessage({ text, files = [], note }: PersonMessageProps) {
  return (
    <div className={classes.person}>
      <h2 className="hidden-visually">Message</h2>
      {text !== "" && <p className={classes.words}>{text}</p>}
      <Artifacts artifacts={files} />
      {note !== undefined && <p className="dim small">{note}</p>}
    </div>
  );
}
