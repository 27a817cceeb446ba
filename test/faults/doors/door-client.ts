/** What a client was told of one call. */
export interface Told {
  readonly callId: string;
  readonly status: string;
  /** The answer itself said that the log may not show it. */
  readonly isUnrecorded: boolean;
}

export interface Ask {
  readonly tool: string;
  readonly key: string;
  readonly idempotencyKey?: string | undefined;
}

/** One client of one door. Each of its calls is answered or rejects, as where the server was killed; it is then opened anew. */
export interface DoorClient {
  call(ask: Ask): Promise<Told>;
  close(): Promise<void>;
  /** Kills the process that serves this client alone, where there is one. */
  kill?(): void;
}

export interface Door {
  readonly name: string;
  open(): Promise<DoorClient>;
}

/** Milliseconds after which a client gives a call up: in the older era it waits that long for the answer of a server that is gone. */
export const answerMs = 8_000;

/** As the product says it of a call, through MCP and on the command line. */
export function readTold(said: unknown): Told {
  const {
    callId,
    status,
    anomalies = [],
  } = (said ?? {}) as { callId?: unknown; status?: unknown; anomalies?: readonly { kind: string }[] };
  if (typeof callId !== "string" || typeof status !== "string") throw new Error(`This says nothing of a call: ${JSON.stringify(said)}`);
  return { callId, status, isUnrecorded: anomalies.some(({ kind }) => kind === "not_recorded") };
}
