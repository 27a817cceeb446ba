import type { CallResult, InvokeOptions, Progress } from "@toolwright/engine";

/** A call on its way: how far it is, and the end of what it printed. */
export interface RunningCall {
  readonly status: "running";
  readonly progress?: Progress;
  /** The last 16,384 characters. */
  readonly text: string;
}

/** The output of a tool in the SDK: preliminary while the call runs, then its result. */
export type ToolOutput = RunningCall | CallResult;

const shownText = 16_384;

/** Gives what is known of a running call each time it is asked and something is new, and its result as the last value. Never throws. */
export async function* streamCall(invoke: (options: InvokeOptions) => Promise<CallResult>): AsyncGenerator<ToolOutput> {
  let running: RunningCall = { status: "running", text: "" };
  let isNew = false;
  let result: CallResult | undefined;
  let wake = () => {};
  const report = (change: Partial<RunningCall>) => {
    running = { ...running, ...change };
    isNew = true;
    wake();
  };
  const ended = invoke({
    onProgress: (progress) => report({ progress }),
    onOutput: (text) => report({ text: `${running.text}${text}`.slice(-shownText) }),
  }).then((ending) => {
    result = ending;
    wake();
  });
  while (!result) {
    const heard = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (isNew) {
      isNew = false;
      yield running;
    } else await Promise.race([ended, heard]);
  }
  yield result;
}
