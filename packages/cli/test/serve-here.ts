import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import type { Io } from "../src/io.ts";
import { runProgram } from "../src/program.ts";
import { Browser } from "./browser.ts";
import { createTestIo } from "./test-io.ts";

export interface ServedHere {
  /** Folder in which it and its commands run. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Origin of the server. */
  readonly url: string;
  /** What the server said when it was ready. */
  readonly greeting: string;
  /** All that the server and the commands said beside their answers. */
  said(): string;
  /** Runs a command on the same store; resolves with what it printed. */
  run(...argv: string[]): Promise<string>;
  /** A browser in which a new person of the tenant is signed in. */
  person(email: string, options?: { readonly role?: string; readonly tenant?: string }): Promise<Browser>;
  stop(): Promise<void>;
}

export const password = "correct horse battery";
/** Of the password, made once: to make it takes a tenth of a second by design. */
const hashed =
  "179b7c1fa99f9189de3b6ec0ad3ea285:450951e785665bf7ae2481c2b2fc00f13484057861ea7cf8eba46c3e0d3a82d6ae78077c1f1d02e892646ceacb3f6e0fea9d140c468ca35df563b2203d1ed0fe";

interface Account {
  readonly email: string;
  readonly role: string;
  readonly tenant: string;
}

/** What somebody has who was asked in and took the link. */
async function addAccount(store: Store, { email, role, tenant }: Account): Promise<void> {
  const identity = store.openIdentity();
  const { token } = await identity.inviteMember(tenant, { email, role, by: "test" });
  const user = `usr_${randomUUID()}`;
  await store.database.asSystem(async (query) => {
    await query.insertInto("toolwright.users").values({ id: user, name: "A person", email }).execute();
    const account = { id: `acc_${randomUUID()}`, account_id: user, provider_id: "credential", user_id: user };
    await query
      .insertInto("toolwright.auth_accounts")
      .values({ ...account, password: hashed, updated_at: new Date() })
      .execute();
  });
  await identity.acceptInvitations({ user, email }, token);
}

/** `toolwright serve` in this process, on a folder of its own and a free port; its store is on the server of the test run, which takes less than an embedded one. */
export async function serveHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  kind: "embedded" | "server" = "server",
): Promise<ServedHere> {
  const database = kind === "server" && env.DATABASE_URL === undefined ? await createServerDatabase() : undefined;
  const root = await mkdtemp(join(tmpdir(), "toolwright-serve-"));
  const stop = new AbortController();
  const said: string[] = [];
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const all = { HOME: root, TOOLWRIGHT_STATE: join(root, "state"), ...(database && { DATABASE_URL: database.url }), ...env };
  const io = (given: Partial<Io>) =>
    createTestIo(root, {
      ...given,
      env: all,
      err: (text) => void said.push(text),
    }).io;
  /** For what tests need to be there: to open it for each takes longer than what is done with it. */
  let store: Promise<Store> | undefined;
  let greeting = "";
  const serving = runProgram(
    ["serve", "--port", "0", ...argv],
    io({
      out(text) {
        greeting += text;
        ready();
      },
      signal: stop.signal,
    }),
  );
  await Promise.race([isReady, serving.then((code) => Promise.reject(new Error(`serve ended with ${code}: ${said.join("")}`)))]);
  const url = /MCP +(http\S+)\/mcp/.exec(greeting)?.[1] ?? "";
  const run = async (...command: string[]) => {
    let printed = "";
    const code = await runProgram(
      command,
      io({
        out(text) {
          printed += text;
        },
      }),
    );
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${said.at(-1)}`);
    return printed.trim();
  };
  return {
    root,
    env: all,
    url,
    greeting,
    said: () => said.join(""),
    run,
    async person(email, { role = "member", tenant = "default" } = {}) {
      store ??= openStore({ url: all.DATABASE_URL, folder: join(all.TOOLWRIGHT_STATE, "store"), process: "test", holder: "a test" });
      await addAccount(await store, { email, role, tenant });
      const browser = new Browser();
      await browser.post(`${url}/auth/sign-in`, { email, password });
      if (browser.cookies.size === 0) throw new Error(`${email} was not let in.`);
      return browser;
    },
    async stop() {
      await (await store)?.close();
      stop.abort();
      await serving;
      await rm(root, { recursive: true, force: true });
      await database?.drop();
    },
  };
}
