import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

interface ServerPoolOptions {
  /** Milliseconds that a caller waits for a connection at most. */
  readonly acquireTimeoutMs: number;
  /** Milliseconds without an answer after which a connection is cut; more than any statement may take. */
  readonly answerTimeoutMs: number;
  readonly warn: (message: string) => void;
}

/** A connection that is lent out. */
export interface ServerClient {
  /** `name`: one under which the connection keeps the statement. */
  query(text: string, values?: readonly unknown[], name?: string): Promise<pg.QueryResult>;
  /** `destroy`: nobody else gets it. */
  release(destroy?: boolean): void;
}

/** Connections to a server that may refuse, break or fall silent. */
export interface ServerPool {
  connect(): Promise<ServerClient>;
  end(): Promise<void>;
  /** Cuts every connection: what waits for an answer fails now, and later callers get new ones. */
  cut(): void;
}

/** The server has no connection left, or is starting: both pass. */
const passing = /^(53300|57P03)$/;
const betweenTriesMs = 100;

export function createServerPool(config: pg.PoolConfig, { acquireTimeoutMs, answerTimeoutMs, warn }: ServerPoolOptions): ServerPool {
  const pool = new pg.Pool({ ...config, connectionTimeoutMillis: acquireTimeoutMs });
  const connected = new Set<pg.PoolClient>();
  // A connection that breaks while idle is dropped by the pool; without a listener its error would end the process.
  pool.on("error", (error) => warn(`A connection to PostgreSQL was lost: ${error.message}`));
  pool.on("connect", (client) => {
    connected.add(client);
    // One that breaks while it is lent out tells its borrower by the query that fails; without a listener that, too, would end the process.
    client.on("error", () => {});
    client.on("end", () => connected.delete(client));
  });
  return {
    async connect() {
      for (const deadline = performance.now() + acquireTimeoutMs; ; await wait(betweenTriesMs)) {
        try {
          return lend(await pool.connect(), answerTimeoutMs);
        } catch (error) {
          if (!passing.test(String((error as { readonly code?: unknown }).code)) || performance.now() > deadline) throw error;
        }
      }
    },
    cut: () => connected.forEach(cutOff),
    end: () => pool.end(),
  };
}

function lend(client: pg.PoolClient, answerTimeoutMs: number): ServerClient {
  const query: ServerClient["query"] = async (text, values = [], name) => {
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      cutOff(client);
    }, answerTimeoutMs);
    try {
      return await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
    } catch (error) {
      if (!isSilent) throw error;
      throw Object.assign(new Error(`PostgreSQL did not answer within ${answerTimeoutMs} ms.`, { cause: error }), { code: "ETIMEDOUT" });
    } finally {
      clearTimeout(timer);
    }
  };
  return { query, release: (destroy) => client.release(destroy) };
}

/** With a query under way it destroys the socket, and does not wait for the other side. */
function cutOff(client: pg.PoolClient): void {
  void (client as pg.PoolClient & Pick<pg.Client, "end">).end();
}
