import type { CallEvent, Client, ClientOptions, RequestError } from "@toolwright/doors/rest/client";
import type { CallResult, InvokeOptions, JsonObject } from "@toolwright/engine";
import { errorCodes } from "@toolwright/engine/errors";
import { localHeaders, markSettings, readServerRecord } from "@toolwright/server/record";
import { type Settings, tellUnusedPolicy } from "@toolwright/server/settings";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { version } from "../../version.ts";
import type { Follow, Operate } from "./operate.ts";

export interface RemoteOptions {
  readonly server?: string;
  readonly tenant?: string;
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The server that --server names, as it answers whoever the key in TOOLWRIGHT_KEY stands for. */
export interface RemoteServer {
  readonly operate: Operate;
  readonly follow: Follow;
  /** Resolves with the ending of the call, whichever it is. */
  call(name: string, input: JsonObject, options: InvokeOptions): Promise<CallResult>;
  /** Runs an approved call, once. Resolves as `call` does. */
  resume(approvalId: string, options: InvokeOptions): Promise<CallResult>;
}

export const operateRemotely = (io: Pick<Io, "env" | "signal" | "err">, options: RemoteOptions): Operate => openServer(io, options).operate;

export const openServer = ({ env, signal, err }: Pick<Io, "env" | "signal" | "err">, options: RemoteOptions): RemoteServer =>
  serverAt({ url: readServer(options), key: env.TOOLWRIGHT_KEY }, { signal, err });

interface Local {
  readonly settings: Settings;
  readonly tenant: string | undefined;
  /** False: nobody can be asked now. Default: whoever types is there. */
  readonly interactive?: boolean;
  /** True for what needs the store alone, whatever workspace, tools and policy are. */
  readonly store?: boolean | undefined;
  /** Name of the session of what changes something. What only reads leaves none behind. */
  readonly session?: string | undefined;
}

/** The server that runs on the state folder, where one does that a command would find in its own place: with the same store, workspace, tools and policy. */
export async function findLocalServer(
  io: Pick<Io, "signal" | "embedding" | "cwd" | "err">,
  { settings, tenant, interactive = true, store = false, session }: Local,
): Promise<RemoteServer | undefined> {
  if (io.embedding) return undefined;
  const record = readServerRecord(settings.state);
  const marks = markSettings(settings);
  if (record?.socket === undefined || record.version !== version || record.marks.store !== marks.store) return undefined;
  if (!store && record.marks.places !== marks.places) return undefined;
  const { answers, unixFetch } = await import("./unix-fetch.ts");
  if (!(await answers(record.socket))) return undefined;
  const headers = {
    ...(tenant !== undefined && { [localHeaders.tenant]: tenant }),
    ...(!interactive && { [localHeaders.interactive]: "no" }),
  };
  if (!store) tellUnusedPolicy(settings, io);
  const speaking = { headers, onAnswer: store ? () => {} : tellLeftOut(io) };
  const explainLost = (cause: RequestError) =>
    new CliError(
      `The server of this machine, process ${record.process}, was lost before it answered. Look whether it happened before you try again.`,
      { exitCode: exitCodes.unavailable, cause },
    );
  return serverAt(
    { url: "http://localhost", fetch: unixFetch(record.socket, speaking) },
    { signal: io.signal, err: io.err, session, explainLost },
  );
}

/** Says once which tools the server left out, as a command that loads them does. */
function tellLeftOut({ err }: Pick<Io, "err">): (headers: Readonly<Record<string, unknown>>) => void {
  let isTold = false;
  return ({ [localHeaders.leftOut]: leftOut }) => {
    if (isTold || typeof leftOut !== "string") return;
    isTold = true;
    for (const sentence of JSON.parse(decodeURIComponent(leftOut)) as readonly string[]) err(`Left out: ${sentence}\n`);
  };
}

interface Asking extends Pick<Io, "signal" | "err"> {
  readonly session?: string | undefined;
  /** The error for a server that did not answer. Default: it says to check the address. */
  readonly explainLost?: (cause: RequestError) => Error;
}

function serverAt(at: ClientOptions, { signal, err, session, explainLost }: Asking): RemoteServer {
  const use = async <Result>(ask: (client: Client) => Promise<Result>, endOf?: (error: RequestError) => Result | undefined) => {
    const { createClient, RequestError } = await import("@toolwright/doors/rest/client");
    try {
      return await ask(createClient(at));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const ending = endOf?.(error);
      if (ending === undefined && error.code === "connection_failed" && explainLost) throw explainLost(error);
      if (ending === undefined) throw explain(error);
      return ending;
    }
  };
  const onLost = () => err("The connection to the server was lost. What happens until it is back may be missing here.\n");
  return {
    operate: (name, input) => use((client) => client.operate(name, input, { signal, session })),
    follow: (name, input) => use(async (client) => explained(client.follow(name, input as never, { signal, onLost }))),
    call: (name, input, given) => use((client) => follow(client.stream(name, input, { ...sentOf(given), session }), given), resultOf),
    resume: (approvalId, given) =>
      use((client) => follow(client.streamResumed(approvalId, { ...sentOf(given), session }), given), resultOf),
  };
}

/** The items, until they end; with an error that commands and exit codes know. */
async function* explained(items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const { RequestError } = await import("@toolwright/doors/rest/client");
  try {
    yield* items;
  } catch (error) {
    throw error instanceof RequestError ? explain(error) : error;
  }
}

/** A problem of a call holds its result. */
const resultOf = ({ result }: RequestError) => result;

const sentOf = ({ signal, idempotencyKey, showsOutput = false }: InvokeOptions) => ({ signal, idempotencyKey, wholeResult: !showsOutput });

/** Tells of a call while it runs, and resolves with its ending. */
async function follow(events: AsyncIterable<CallEvent>, { onProgress, onLog, onOutput }: InvokeOptions): Promise<CallResult> {
  for await (const { event, data } of events) {
    if (event === "result") return data;
    if (event === "progress") onProgress?.(data);
    if (event === "log") onLog?.(data.level, data.message);
    if (event === "output") onOutput?.(data.text);
  }
  throw new CliError("The server ended its answer before the call ended.", { exitCode: exitCodes.unavailable });
}

function readServer({ server = "", tenant }: RemoteOptions): string {
  if (tenant !== undefined) throw new CliError("With --server, the key in TOOLWRIGHT_KEY says which tenant it is. Leave --tenant out.");
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new CliError(`--server ${JSON.stringify(server)} is not the address of a server. Write it like https://tools.example.org.`);
  if (url.protocol === "http:" && !loopback.has(url.hostname))
    throw new CliError(`${server} is not encrypted, so anybody on the way could read the key. Use https.`);
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** What the engine there says stays as it is: commands and exit codes know it. */
function explain(error: RequestError): Error {
  const { code, message, status } = error;
  if (code === "connection_failed") return new CliError(message, { exitCode: exitCodes.unavailable, cause: error });
  if (Object.hasOwn(errorCodes, code)) return error;
  const hint = code === "unauthenticated" ? " Put an API key of the server into TOOLWRIGHT_KEY." : "";
  return new CliError(`${message}${hint}`, { exitCode: status === 403 ? exitCodes.denied : exitCodes.failed });
}
