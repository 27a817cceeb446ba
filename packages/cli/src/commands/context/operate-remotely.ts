import type { Client, RequestError } from "@toolwright/doors/rest/client";
import { type CallResult, errorCodes, type InvokeOptions, type JsonObject } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import type { Operate } from "./operate.ts";

export interface RemoteOptions {
  readonly server?: string;
  readonly tenant?: string;
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The server that --server names, as it answers whoever the key in TOOLWRIGHT_KEY stands for. */
export interface RemoteServer {
  readonly operate: Operate;
  /** Resolves with the ending of the call, whichever it is. */
  call(name: string, input: JsonObject, options: InvokeOptions): Promise<CallResult>;
  /** Runs an approved call, once. Resolves as `call` does. */
  resume(approvalId: string): Promise<CallResult>;
  /** The bytes of an artifact, as they come. */
  artifact(id: string): Promise<Response>;
}

export const operateRemotely = (io: Pick<Io, "env" | "signal">, options: RemoteOptions): Operate => openServer(io, options).operate;

export function openServer({ env, signal }: Pick<Io, "env" | "signal">, options: RemoteOptions): RemoteServer {
  const url = readServer(options);
  const use = async <Result>(ask: (client: Client) => Promise<Result>, endOf?: (error: RequestError) => Result | undefined) => {
    const { createClient, RequestError } = await import("@toolwright/doors/rest/client");
    try {
      return await ask(createClient({ url, key: env.TOOLWRIGHT_KEY }));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const ending = endOf?.(error);
      if (ending === undefined) throw explain(error);
      return ending;
    }
  };
  return {
    operate: (name, input) => use((client) => client.operate(name, input, { signal })),
    call: (name, input, given) => use((client) => callOn(client, name, { input, given }), resultOf),
    artifact: (id) => use((client) => client.artifact(id, { signal })),
    resume: (approvalId) => use<CallResult>((client) => client.resume(approvalId, { signal }), resultOf),
  };
}

/** A problem of a call holds its result. */
const resultOf = ({ result }: RequestError) => result;

interface RemoteCall {
  readonly input: JsonObject;
  readonly given: InvokeOptions;
}

async function callOn(client: Client, name: string, { input, given }: RemoteCall): Promise<CallResult> {
  const { signal, idempotencyKey, onProgress, onOutput } = given;
  for await (const { event, data } of client.stream(name, input, { signal, idempotencyKey })) {
    if (event === "result") return data;
    if (event === "progress") onProgress?.(data);
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
