import { Button } from "@mantine/core";
import { visibleText } from "../../api/client.ts";
import type { Answer } from "../../api/queries.ts";
import { writeText } from "../../editor/document-text.ts";
import { LineDiff } from "../../parts/line-diff.tsx";
import type { Draft } from "./draft.ts";
import classes from "./policy-page.module.css";

interface ConflictProps {
  readonly current: Answer<"policy.current">;
  readonly draft: Draft;
  readonly keep: (draft: Draft | undefined) => void;
}

/** Somebody else put a revision in force since the text was begun. */
export function Conflict({ current: { revision, author, note, document }, draft: { read, text }, keep }: ConflictProps) {
  return (
    <div role="alert" className={classes.conflict}>
      <p>
        {author?.id} put revision {revision} in force{note && ` (${visibleText(note)})`}, and you began with revision {read}. Your text is
        kept. What it says differently from revision {revision}:
      </p>
      <LineDiff label={`Your text against revision ${revision}`} before={writeText(document)} after={text} />
      <div className={classes.bar}>
        <Button size="xs" onClick={() => keep({ read: revision, text })}>
          Keep my text, in place of revision {revision}
        </Button>
        <Button size="xs" variant="default" onClick={() => keep(undefined)}>
          Take revision {revision}
        </Button>
      </div>
    </div>
  );
}
