import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Product } from "../product.ts";
import { type Ask, answerMs, type Door, type DoorClient, readTold } from "./door-client.ts";

const eras = [
  { era: "2026-07-28", mode: { pin: "2026-07-28" } },
  { era: "2025-11-25", mode: "legacy" },
] as const;

/** Milliseconds in which a process of its own starts and answers: it tells by its pipe when it is gone. */
const processAnswerMs = 90_000;

type Transport = StreamableHTTPClientTransport | StdioClientTransport;

/** The official client over HTTP, in both eras, at one of the servers each time; it says yes to every form. */
export function httpDoors(addresses: readonly string[]): readonly Door[] {
  let next = 0;
  const address = () => new URL(addresses[next++ % addresses.length] as string);
  return eras.map(({ era, mode }) => ({
    name: `http ${era}`,
    open: () => connect(new StreamableHTTPClientTransport(address()), { mode, timeout: answerMs }),
  }));
}

/** Each client has a process of its own, which may be killed as well. */
export function stdioDoors({ program, args, root, env }: Product): readonly Door[] {
  return eras.map(({ era, mode }) => ({
    name: `stdio ${era}`,
    async open() {
      const command = { command: program, args: [...args, "mcp", "--policy", "policy.yaml"], cwd: root, env: definedOf(env) };
      const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
      const client = await connect(transport, { mode, timeout: processAnswerMs });
      return { ...client, kill: () => void (transport.pid && process.kill(transport.pid, "SIGKILL")) };
    },
  }));
}

interface Connecting {
  readonly mode: (typeof eras)[number]["mode"];
  readonly timeout: number;
}

async function connect(transport: Transport, { mode, timeout }: Connecting): Promise<DoorClient> {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "faults", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { decision: "approve" } }));
  client.onerror = () => {};
  const close = () => client.close().catch(() => undefined);
  try {
    await client.connect(transport, { timeout });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async call({ tool, key, idempotencyKey }: Ask) {
      const _meta = idempotencyKey === undefined ? {} : { _meta: { "dev.toolwright/idempotency-key": idempotencyKey } };
      const answer = await client.callTool({ name: tool, arguments: { key }, ..._meta }, { timeout });
      return readTold(answer._meta?.["dev.toolwright/call"]);
    },
    close,
  };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
