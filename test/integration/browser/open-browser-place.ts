import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserOptions, browserCapability, browserTools } from "@toolwright/browser";
import { browserSubjects } from "@toolwright/browser/subjects";
import { type CallResult, createEngine, type Principal } from "@toolwright/engine";
import type { OperationName, OperationTypes } from "@toolwright/engine/operations";
import { policyDocument } from "@toolwright/engine/policy";
import { createRandomIds, MANAGE_SESSIONS, type SecretStore, silentLogger, systemClock } from "@toolwright/engine/ports";
import { createBwrapDriver, filesCapability, takeBoundSecret } from "@toolwright/sandbox";

export const chromium = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"].find((path) => existsSync(path));

const probed = await createBwrapDriver({ warm: 0, innerSandbox: true }).probe();
/** Why no browser can be opened here, or undefined. */
export const whyNoBrowser =
  chromium === undefined
    ? "there is no Chromium; node scripts/setup.mjs --test says how to get one"
    : probed.available
      ? undefined
      : probed.detail;
/** For the names of tests. */
export const browserWords = whyNoBrowser === undefined ? "" : ` (left out: ${whyNoBrowser})`;

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface PlaceOptions extends Partial<Pick<BrowserOptions, "clock" | "chromium">> {
  readonly policy?: object;
  readonly secrets?: SecretStore;
  /** In place of one public address for every name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const publicAddress = "93.184.216.34";

/** Pages of names that are public and end at one loopback server, in a real browser in a real sandbox. */
export async function openBrowserPlace(answer: Answer, options: PlaceOptions = {}) {
  const server: Server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const workspace = mkdtempSync(join(tmpdir(), "toolwright-browser-test-"));
  /** Each socket that was opened for the browser: name, address and port. */
  const dialled: string[] = [];
  const driver = createBwrapDriver({
    ...{ warm: 0, innerSandbox: true, readable: ["/etc/fonts"] },
    egress: {
      resolve: options.resolve ?? (async () => [publicAddress]),
      async connect(target) {
        dialled.push(`${target.host} ${target.address}:${target.port}`);
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        return socket;
      },
    },
  });
  const { secrets, clock = systemClock } = options;
  const browser = browserCapability({
    ...{ clock, ids: createRandomIds(), logger: silentLogger, driver: async () => driver, problem: () => undefined },
    chromium: options.chromium ?? (() => chromium),
    takeSecret: async (name, url, site) => (await takeBoundSecret(name, url, { site, secrets })).value,
  });
  const document = policyDocument.parse({ version: 1, autonomy: "full", ...options.policy });
  const engine = createEngine({
    tools: browserTools,
    capabilities: [browser, filesCapability({ workspaceOf: () => workspace })],
    policy: [{ tier: "platform", document }],
    administration: { browsers: browser.inspector },
    subjects: [browserSubjects],
    ...(secrets && { secrets }),
  });
  const principalOf = (tenant: string, permissions: readonly string[], id = "u"): Principal => ({
    ...{ tenant, actor: { kind: "user", id }, door: "cli", permissions },
  });
  return {
    ...{ server, port, dialled, engine, browser, workspace },
    scope: (session = "s", tenant = "t") => engine.scope(principalOf(tenant, ["browser.tenant.read", "browser.tenant.act"]), { session }),
    /** Operations as somebody of a tenant who has these permissions and no session of `scope`. */
    operateOf:
      (tenant: string, permissions: readonly string[] = [MANAGE_SESSIONS]) =>
      <Name extends OperationName>(name: Name, input: OperationTypes[Name]["input"]) =>
        engine.operate(principalOf(tenant, permissions, "another"), name, input),
    async close() {
      await engine.close();
      await driver.close();
      server.closeAllConnections();
      server.close();
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

export type Place = Awaited<ReturnType<typeof openBrowserPlace>>;

export interface Shown {
  readonly url: string;
  readonly title: string;
  readonly snapshot: string;
  readonly snapshotId: string;
  readonly changed: string;
  readonly dialog: string | null;
  readonly more: readonly { readonly part: number; readonly what: string }[];
  readonly matches: readonly string[];
}

/** Calls a tool that has to end well. */
export async function call(scope: ReturnType<Place["scope"]>, tool: string, input: object): Promise<Shown> {
  const result = await scope.invokeNamed(`browser_${tool}`, input);
  if (result.status !== "done") throw new Error(JSON.stringify(result.status === "failed" ? result.error : result));
  return result.output as unknown as Shown;
}

/** What a call that did not end well says. */
export function problemOf(result: CallResult): { readonly code: string; readonly message: string } {
  if (result.status !== "failed") throw new Error(`It was ${result.status}.`);
  return { code: result.error.toolCode ?? result.error.code, message: result.error.message };
}

/** Ref of the first element that a line shows so. */
export function refOf(snapshot: string, words: string): string {
  const line = snapshot.split("\n").find((each) => each.includes(words));
  const ref = /\[ref=(\w+)\]/.exec(line ?? "")?.[1];
  if (ref === undefined) throw new Error(`Nothing is shown as ${words}:\n${snapshot}`);
  return ref;
}

export function html(response: ServerResponse, body: string): void {
  response.setHeader("content-type", "text/html; charset=utf-8").end(body);
}
