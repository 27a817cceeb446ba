import { useCallback, useEffect, useRef, useState } from "react";
import { api, type CallEvent, type CallResult, RequestError } from "../../api/client.ts";
import { askWhoIsThere, queries, reading } from "../../api/queries.ts";
import { readServerFacts } from "../../app/use-server-facts.ts";
import type { Json } from "../../form/json-schema.ts";

export interface RunState {
  readonly status: "idle" | "running" | "lost" | "ended";
  readonly progress?:
    | { readonly done?: number | undefined; readonly total?: number | undefined; readonly message?: string | undefined }
    | undefined;
  /** What the tool wrote so far, and how many characters of its beginning are left out because it is long. */
  readonly output: string;
  readonly leftOut?: number | undefined;
  readonly isCancelling?: boolean;
  /** It ran before the page was opened: the log tells of it. */
  readonly isTaken?: boolean;
  readonly result?: CallResult | undefined;
  /** Of a request that nothing ran of, or of one to cancel. */
  readonly error?: unknown;
}

const idle: RunState = { status: "idle", output: "" };
const running: RunState = { status: "running", output: "" };
const mostOutput = 200_000;

interface Attempt {
  readonly input: Json;
  /** One call for one press, however often it has to be sent. */
  readonly key: string;
}

interface RunOptions {
  /** Of the address: a call that was made before the page was opened, and may run still. */
  readonly callId: string | undefined;
  /** Hears the id of a call when it runs, and when it has ended. */
  readonly onCall: (callId: string) => void;
}

/**
 * Runs the tool and keeps what it says. The call runs on when the page is left, and a page whose address names it takes it up again. `retry` sends
 * the same press again: what ran already answers, and does not run again.
 */
export function useRun(tool: string, { callId, onCall }: RunOptions) {
  const [state, setState] = useState(idle);
  const attempt = useRef<Attempt>(undefined);
  const leaving = useRef(new AbortController());
  const { call, cancel } = useCancel(setState, callId);
  const hear = useCallback(
    async (events: AsyncIterable<CallEvent>) => {
      const { signal } = leaving.current;
      setState(running);
      try {
        for await (const { event, data } of events) {
          if (event === "started") {
            call.current.id = data.callId;
            onCall(data.callId);
            if (call.current.isCancelling) void cancel();
          } else if (event === "progress") setState((now) => ({ ...now, progress: data as RunState["progress"] }));
          else if (event === "output") setState((now) => ({ ...now, ...appendOutput(now, data.text) }));
          else if (event === "result") end(data);
        }
      } catch (error) {
        if (signal.aborted) return;
        askWhoIsThere(error);
        if (isLost(error)) setState((now) => ({ ...now, status: "lost", error }));
        else if (error instanceof RequestError && error.result) end(error.result);
        else setState((now) => ({ ...now, status: "ended", error }));
      } finally {
        void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(runs|approvals|events|usage)\./.test(String(name)) });
      }
      function end(result: CallResult) {
        setState((now) => ({ ...now, status: "ended", progress: undefined, result, error: undefined }));
        onCall(result.callId);
      }
    },
    [onCall, call, cancel],
  );
  const send = useCallback(
    ({ input, key }: Attempt) =>
      void hear(api().stream(tool, input, { idempotencyKey: key, runsOn: true, signal: leaving.current.signal })),
    [tool, hear],
  );
  const retry = useCallback(() => attempt.current && send(attempt.current), [send]);
  useServerIsBack(state.status === "lost", retry);
  const opened = useRef(callId);
  useEffect(() => {
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    const isFree = () => attempt.current === undefined;
    if (opened.current !== undefined) void takeUp(opened.current, { isFree, setState, signal });
    return () => leaving.current.abort();
  }, []);
  return {
    state,
    run: useCallback(
      (input: Json) => {
        attempt.current = { input, key: crypto.randomUUID() };
        call.current = {};
        send(attempt.current);
      },
      [call, send],
    ),
    retry,
    cancel,
    /** Forgets it: the log tells of the call. */
    leave: useCallback(() => setState(idle), []),
    /** A call that waited and was answered. */
    resume: useCallback(
      (approvalId: string) => {
        call.current = {};
        void hear(api().streamResumed(approvalId, { runsOn: true, signal: leaving.current.signal }));
      },
      [call, hear],
    ),
  };
}

type SetState = (change: (now: RunState) => RunState) => void;

/** The call that runs in the page. One that is cancelled before it has an id is as soon as it has. */
function useCancel(setState: SetState, opened: string | undefined) {
  const call = useRef<{ id?: string | undefined; isCancelling?: boolean }>({ id: opened });
  const cancel = useCallback(async () => {
    call.current.isCancelling = true;
    setState((now) => ({ ...now, isCancelling: true, error: undefined }));
    const { id } = call.current;
    const refuse = (error: unknown) => setState((now) => (now.status === "running" ? { ...now, isCancelling: false, error } : now));
    if (id !== undefined) await api().cancel(id).catch(refuse);
  }, [setState]);
  return { call, cancel };
}

interface TakingUp {
  /** False where another call runs in the page by now. */
  readonly isFree: () => boolean;
  readonly setState: SetState;
  readonly signal: AbortSignal;
}

/** Follows a call that runs, as the log has it, until its run tells how it ended. One that has ended is left alone. */
async function takeUp(id: string, { isFree, setState, signal }: TakingUp): Promise<void> {
  const read = () => queries.fetchQuery({ ...reading("runs.get", { id }), staleTime: 0 });
  try {
    const run = await read();
    if (run.status !== "running" || signal.aborted || !isFree()) return;
    setState(() => ({ ...running, isTaken: true }));
    for await (const { event } of api().follow("events.list", { session: run.session, call: id }, { signal })) {
      const { type, data } = event;
      if (typeof data.text === "string") setState((now) => ({ ...now, ...appendOutput(now, String(data.text)) }));
      if (/^tool\.(completed|failed|cancelled|denied)$/.test(type)) break;
    }
    await read();
  } catch (error) {
    // The run says of itself what it can.
    askWhoIsThere(error);
  }
  if (!signal.aborted) setState(() => idle);
}

/** Milliseconds before a server that does not answer is asked again. */
const againMs = 2_000;

/** Hears once that a server answers which did not. */
function useServerIsBack(isLost: boolean, onBack: () => void): void {
  useEffect(() => {
    if (!isLost) return;
    let isAsking = false;
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      const isBack = await readServerFacts().then(
        () => true,
        () => false,
      );
      isAsking = false;
      if (!isBack) return;
      clearInterval(timer);
      onBack();
    }, againMs);
    return () => clearInterval(timer);
  }, [isLost, onBack]);
}

function appendOutput({ output, leftOut = 0 }: RunState, text: string): Pick<RunState, "output" | "leftOut"> {
  const all = output + text;
  return { output: all.slice(-mostOutput), leftOut: leftOut + Math.max(0, all.length - mostOutput) };
}

/** Nobody knows whether it runs: the same press can be sent again. */
function isLost(error: unknown): boolean {
  return !(error instanceof RequestError) || error.code === "connection_failed";
}
