import { Button } from "@mantine/core";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { visibleText } from "../../api/client.ts";
import { type Answer, queries, reading } from "../../api/queries.ts";
import type { EditorHandle } from "../../editor/code-editor.tsx";
import { writeText } from "../../editor/document-text.ts";
import type { Vocabulary } from "../../editor/suggest.ts";
import { When } from "../../parts/when.tsx";
import { ApplyDialog } from "./apply-dialog.tsx";
import { Conflict } from "./conflict.tsx";
import { type Draft, keepDraft, readDraft, toDraft } from "./draft.ts";
import { Marks } from "./marks.tsx";
import classes from "./policy-page.module.css";
import { RuleTests } from "./rule-tests.tsx";
import { useChecked } from "./use-checked.ts";
import { WhatWouldChange } from "./what-would-change.tsx";

// Loaded once the page is there: an editor is more than all else on it.
const CodeEditor = lazy(async () => ({ default: (await import("../../editor/code-editor.tsx")).CodeEditor }));

interface PolicyDeskProps {
  readonly current: Answer<"policy.current">;
  readonly me: Answer<"principals.current">;
}

const example = "tools:\n  deny: [http_request]\nrates:\n  act: 20/h";

/** Where a policy is written, checked, tried and put in force. */
export function PolicyDesk({ current, me }: PolicyDeskProps) {
  const { draft, keep, isKept } = useDraft(current, me);
  const inForce = useMemo(() => writeText(current.document), [current]);
  const text = draft?.text ?? inForce;
  const checked = useChecked(text);
  const handle = useRef<EditorHandle>(null);
  const [isApplying, setApplying] = useState(false);
  const { document } = checked;
  const isStale = draft !== undefined && draft.read !== current.revision;
  const isChanged = document !== undefined && JSON.stringify(document) !== JSON.stringify(current.document);
  return (
    <>
      <p className={classes.line}>
        <InForce current={current} /> A tenant's policy narrows what the platform's allows; it cannot allow more.
      </p>
      {isStale && <Conflict current={current} draft={draft} keep={keep} />}
      <Suspense fallback={<div role="status" aria-label="Loading" className={classes.loading} />}>
        <CodeEditor
          label={`Policy of ${current.tenant}, as YAML`}
          describedBy="policy-keys"
          value={text}
          onChange={(next) => keep(toDraft(next, draft, current))}
          marks={useMemo(() => ({ of: checked.of, list: checked.marks }), [checked.of, checked.marks])}
          vocabulary={readVocabulary}
          placeholder={example}
          handle={handle}
        />
      </Suspense>
      <p id="policy-keys" className="dim small">
        Tab leaves the editor. Ctrl Space completes, Ctrl ] moves lines in.
      </p>
      {!isKept && <p className="dim small">Your browser keeps nothing here, so a reload loses this text.</p>}
      {checked.hasComments && <p className={classes.notice}>Comments are not kept. Give a command rule a comment: member instead.</p>}
      <Marks checked={checked} goTo={(offset) => handle.current?.goTo(offset)} />
      <RuleTests rules={checked.rules} />
      <WhatWouldChange document={checked.isFit ? document : undefined} />
      <div className={classes.foot}>
        <span className="dim small">{draft === undefined ? "No changes." : "Your changes are not in force yet."}</span>
        <span className={classes.acts}>
          {draft !== undefined && (
            <Button variant="default" onClick={() => keep(undefined)}>
              Discard changes
            </Button>
          )}
          <Button disabled={!checked.isFit || !isChanged || isStale} onClick={() => setApplying(true)}>
            Review and apply
          </Button>
        </span>
      </div>
      {isApplying && document && draft && (
        <ApplyDialog {...{ current, document }} read={draft.read} done={() => keep(undefined)} close={() => setApplying(false)} />
      )}
    </>
  );
}

/** What is typed, kept for this person and tenant. */
function useDraft({ tenant }: Answer<"policy.current">, { actor }: Answer<"principals.current">) {
  const owner = useMemo(() => ({ tenant, person: actor.id }), [tenant, actor.id]);
  const [draft, setDraft] = useState<Draft | undefined>(() => readDraft(owner));
  const [isKept, setKept] = useState(true);
  const keep = useCallback(
    (next: Draft | undefined) => {
      setDraft(next);
      setKept(keepDraft(owner, next));
    },
    [owner],
  );
  return { draft, keep, isKept };
}

/** Where the schema takes names of tools or groups. */
const isHandle = (pattern: string) => pattern.startsWith("^(?:group:)?");

async function readVocabulary(): Promise<Vocabulary> {
  const [{ schema }, { items }] = await Promise.all([
    queries.ensureQueryData(reading("policy.schema", {})),
    queries.ensureQueryData(reading("tools.list", { decisions: true })),
  ]);
  const names = [...new Set(items.flatMap(({ name, group }) => [name, `group:${group}`]))].sort();
  return { schema, namesFor: (pattern) => (isHandle(pattern) ? names : []) };
}

function InForce({ current: { revision, author, at, note, tenant } }: Pick<PolicyDeskProps, "current">) {
  if (revision === 0 || at === undefined) return <>The tenant {tenant} has no policy of its own.</>;
  return (
    <>
      Revision {revision} of {tenant} is in force, by {author?.id}, <When at={at} />: {visibleText(note ?? "")}.
    </>
  );
}
