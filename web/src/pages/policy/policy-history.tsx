import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { visibleText } from "../../api/client.ts";
import { type Answer, type Item, reading, write } from "../../api/queries.ts";
import { type Members, writeText } from "../../editor/document-text.ts";
import { Failure } from "../../parts/failure.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { textOf } from "../../parts/form-values.ts";
import { LineDiff } from "../../parts/line-diff.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./policy-history.module.css";

type Version = Pick<Item<"policy.versions">, "revision" | "document">;

const none: Version = { revision: 0, document: {} };
const [few, most] = [50, 499];

/** Every version, newest first: who, when, why, and what it changed. */
export function PolicyHistory({ current }: { readonly current: Answer<"policy.current"> }) {
  const [shown, show] = useState(few);
  const [reverting, revert] = useState<Version>();
  // One more than is shown: each is compared with the one before it.
  const { data, error, refetch } = useQuery({ ...reading("policy.versions", { limit: shown + 1 }), placeholderData: keepPreviousData });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const versions = data.items.slice(0, shown);
  return (
    <>
      <ul className={classes.history} aria-label="Versions, newest first">
        {versions.map((version, at) => (
          <li key={version.revision}>
            <OneVersion version={version} before={data.items[at + 1] ?? none} />
            {version.revision === current.revision ? (
              <span className="dim small">in force</span>
            ) : (
              <Revert revision={version.revision} onClick={() => revert(version)} />
            )}
          </li>
        ))}
        {data.items.length <= shown && (
          <li>
            <span>Revision 0: no policy of its own</span>
            {current.revision === 0 ? <span className="dim small">in force</span> : <Revert revision={0} onClick={() => revert(none)} />}
          </li>
        )}
      </ul>
      {data.items.length > shown && (
        <Button variant="default" onClick={() => show(most)}>
          Show older versions
        </Button>
      )}
      {reverting && <RevertDialog current={current} to={reverting} close={() => revert(undefined)} />}
    </>
  );
}

function Revert({ revision, onClick }: { readonly revision: number; readonly onClick: () => void }) {
  return (
    <Button size="compact-sm" variant="default" onClick={onClick}>
      Revert to revision {revision}
    </Button>
  );
}

function OneVersion({ version, before }: { readonly version: Item<"policy.versions">; readonly before: Version }) {
  const [isOpen, open] = useState(false);
  const { revision, author, at, note, document } = version;
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary>
        <b>Revision {revision}</b>, {author.id}, <When at={at} />: {visibleText(note)}
      </summary>
      {isOpen && (
        <LineDiff
          label={`What revision ${revision} changed`}
          before={writeText(before.document as Members)}
          after={writeText(document as Members)}
        />
      )}
    </details>
  );
}

interface RevertDialogProps {
  readonly current: Answer<"policy.current">;
  readonly to: Version;
  readonly close: () => void;
}

function RevertDialog({ current, to: { revision, document }, close }: RevertDialogProps) {
  return (
    <FormDialog
      title={`Revert to revision ${revision}?`}
      act="Revert"
      size="xl"
      fields={[{ name: "note", label: "Why", value: `Revert to revision ${revision}` }]}
      submit={(said) => write("policy.revert", { revision, read: current.revision, note: textOf(said, "note") })}
      close={close}
    >
      <p>It becomes revision {current.revision + 1}; nothing of the history is lost. What changes:</p>
      <LineDiff label="Changes" before={writeText(current.document as Members)} after={writeText(document as Members)} />
    </FormDialog>
  );
}
