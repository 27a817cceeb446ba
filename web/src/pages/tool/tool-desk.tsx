import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Answer, type Item, queries } from "../../api/queries.ts";
import { takeOver } from "../../app/handed-over.ts";
import { useUrl } from "../../app/use-url.ts";
import type { InputIssue } from "../../form/error-schema.ts";
import { partsOf } from "../../form/error-schema.ts";
import { firstInput } from "../../form/first-input.ts";
import { type FormPlan, planForm } from "../../form/form-plan.ts";
import { isLarge, sizeOf, wordsOfSize } from "../../form/input-size.ts";
import type { Json, JsonSchema } from "../../form/json-schema.ts";
import { ToolForm } from "../../form/tool-form.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { DecisionLine } from "./decision-line.tsx";
import { keepDraft, readDraft } from "./drafts.ts";
import { Examples } from "./examples.tsx";
import { JsonView } from "./json-view.tsx";
import { RunFoot } from "./run-foot.tsx";
import { RunOutcome } from "./run-outcome.tsx";
import { ToolHistory } from "./tool-history.tsx";
import classes from "./tool-page.module.css";
import { useRun } from "./use-run.ts";
import { useWhy, whyOf } from "./use-why.ts";

interface ToolDeskProps {
  readonly tool: Item<"tools.list">;
  readonly me: Answer<"principals.current">;
}

const tabs = [
  { name: "form", title: "Form" },
  { name: "json", title: "JSON" },
  { name: "history", title: "History" },
] as const;

/** Where an input is made, judged and run. */
export function ToolDesk({ tool, me }: ToolDeskProps) {
  const [url, change] = useUrl();
  const isEmbedded = url.embed === "1";
  const tab = (!isEmbedded && tabs.find(({ name }) => name === url.tab)?.name) || "form";
  const plan = useMemo(
    () => planForm(tool.inputSchema as JsonSchema, { spec: tool.presentation.form, isEmbedded }),
    [tool.inputSchema, tool.presentation.form, isEmbedded],
  );
  const owner = useMemo(() => ({ tenant: me.tenant, person: me.actor.id, tool: tool.name }), [me, tool.name]);
  const [input, setInput] = useState<Json>(() => withoutUnseen(readDraft(owner) ?? firstInput(plan), plan));
  const [wasTried, setTried] = useState(false);
  const [isKept, setKept] = useState(true);
  const { why, error: whyError } = useWhy(tool.name, input);
  const onCall = useCallback((call: string) => change({ call }, { replace: true }), [change]);
  const { state, run, retry, cancel, resume, leave } = useRun(tool.name, { callId: url.call, onCall });
  const issues = useMemo(() => (why?.issues ?? []).filter((issue) => wasTried || holds(input, issue)), [why, wasTried, input]);
  const desk = useRef<HTMLDivElement>(null);
  const edit = useCallback(
    (next: Json) => {
      setInput(next);
      setKept(keepDraft(owner, next, tool));
    },
    [owner, tool],
  );
  const press = useCallback(async () => {
    setTried(true);
    // Of what stands there now: what was said last may be of an input before it. A server that does not say is asked by the call itself.
    const now = isLarge(input) ? undefined : await queries.fetchQuery(whyOf(tool.name, input)).catch(() => undefined);
    if (now?.explanation.misfit === undefined) return run(input);
    requestAnimationFrame(() => desk.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  }, [tool.name, input, run]);
  useEffect(() => {
    const given = takeOver(tool.name);
    if (given === undefined) return;
    // A draft that somebody left here is kept, and there again after a reload.
    setInput(given);
    void run(given);
  }, [tool.name, run]);
  useRunKey(() => void press(), state.status !== "running");
  const fill = (next: Json) => {
    edit(withoutUnseen(next, plan));
    if (tab === "history") change({ tab: undefined });
  };
  return (
    <div ref={desk} className={classes.desk}>
      {!isEmbedded && <Tabs tabs={tabs} chosen={tab} choose={(name) => change({ tab: name })} />}
      <div className={classes.inputs}>
        {tab === "history" ? (
          <ToolHistory tool={tool} onRerun={fill} />
        ) : (
          <>
            <Examples tool={tool} owner={owner} input={input} fill={fill} />
            {tab === "form" ? (
              <ToolForm plan={plan} input={input} issues={issues} onChange={edit} />
            ) : (
              <JsonView key={state.status} input={input} onChange={edit} />
            )}
            {!isKept && <p className="dim small">Your browser does not keep this input, so a reload loses it.</p>}
            <RunFoot state={state} run={() => void press()} retry={retry} cancel={cancel} clear={() => edit(firstInput(plan))}>
              <WhatHappens tool={tool.name} input={input} why={why} isFailed={Boolean(whyError)} />
            </RunFoot>
          </>
        )}
      </div>
      <RunOutcome state={state} tool={tool} callId={url.call} resume={resume} leave={leave} />
    </div>
  );
}

/** Of a draft, an example or another run, what this form sends. */
function withoutUnseen(input: Json, { unseen }: FormPlan): Json {
  if (unseen.length === 0 || typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !unseen.includes(name)));
}

interface WhatHappensProps {
  readonly tool: string;
  readonly input: Json;
  readonly why: ReturnType<typeof useWhy>["why"];
  readonly isFailed: boolean;
}

function WhatHappens({ tool, input, why, isFailed }: WhatHappensProps) {
  if (isLarge(input)) return <p>{`This input has ${wordsOfSize(sizeOf(input))}: Run asks what happens with it.`}</p>;
  if (isFailed) return <p role="alert">The server does not say what would happen. Run asks it again.</p>;
  return <DecisionLine why={why} tool={tool} input={input} />;
}

/** A mistake in what somebody filled is said at once, one in what is still empty when they press Run. */
function holds(input: Json, { path }: InputIssue): boolean {
  let at: unknown = input;
  for (const name of partsOf(path)) at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  return at !== undefined && path !== "";
}

function useRunKey(press: () => void, isFree: boolean): void {
  const latest = useRef({ press, isFree });
  latest.current = { press, isFree };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || !latest.current.isFree) return;
      event.preventDefault();
      latest.current.press();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
