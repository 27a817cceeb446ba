import { useCallback, useEffect, useRef, useState } from "react";
import { api, type CallResult, RequestError } from "../../api/client.ts";
import { askWhoIsThere, queries } from "../../api/queries.ts";
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
  readonly result?: CallResult | undefined;
  /** Of a request that nothing ran of. */
  readonly error?: unknown;
}

const idle: RunState = { status: "idle", output: "" };
const mostOutput = 200_000;

interface Attempt {
  readonly input: Json;
  /** One call for one press, however often it has to be sent. */
  readonly key: string;
}

/** Runs the tool and keeps what it says. `retry` sends the same press again: what ran already answers, and does not run again. */
export function useRun(tool: string, onEnd: (result: CallResult) => void) {
  const [state, setState] = useState(idle);
  const attempt = useRef<Attempt>(undefined);
  const stopper = useRef<AbortController>(undefined);
  const send = useCallback(
    async (wanted: Attempt) => {
      attempt.current = wanted;
      const stop = new AbortController();
      stopper.current = stop;
      setState({ status: "running", output: "" });
      try {
        for await (const event of api().stream(tool, wanted.input, { idempotencyKey: wanted.key, signal: stop.signal })) {
          if (event.event === "progress") setState((now) => ({ ...now, progress: event.data as RunState["progress"] }));
          else if (event.event === "output") setState((now) => ({ ...now, ...appendOutput(now, event.data.text) }));
          else end(event.data);
        }
      } catch (error) {
        askWhoIsThere(error);
        if (stop.signal.aborted)
          setState((now) => ({ ...now, status: "ended", error: new Error("Cancelled. What the tool had done by then is done.") }));
        else if (isLost(error)) setState((now) => ({ ...now, status: "lost", error }));
        else if (error instanceof RequestError && error.result) end(error.result);
        else setState((now) => ({ ...now, status: "ended", error }));
      } finally {
        void queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(runs|approvals|events|usage)\./.test(String(name)) });
      }
      function end(result: CallResult) {
        setState((now) => ({ ...now, status: "ended", progress: undefined, result, error: undefined }));
        onEnd(result);
      }
    },
    [tool, onEnd],
  );
  const retry = useCallback(() => attempt.current && void send(attempt.current), [send]);
  useServerIsBack(state.status === "lost", retry);
  return {
    state,
    run: useCallback((input: Json) => void send({ input, key: crypto.randomUUID() }), [send]),
    retry,
    cancel: useCallback(() => stopper.current?.abort(), []),
    /** An approved call that waited. */
    resume: useCallback(
      async (approvalId: string) => {
        setState({ status: "running", output: "" });
        try {
          const result = await api().resume(approvalId);
          setState({ status: "ended", output: "", result });
          onEnd(result);
        } catch (error) {
          const result = error instanceof RequestError ? error.result : undefined;
          setState({ status: isLost(error) ? "lost" : "ended", output: "", result, ...(!result && { error }) });
        }
      },
      [onEnd],
    ),
  };
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
