import { readdirSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBwrapDriver, findTools } from "../drivers/bwrap.ts";
import { findSystemProgram } from "../drivers/prepare-spec.ts";
import { type DriverFixture, runToEnd, specFor, waitForOutput } from "../testing/driver/conformance-run.ts";
import { localFixture } from "../testing/driver/local-fixture.ts";
import { openScriptedWeb, type ScriptedWeb } from "../testing/scripted-web.ts";
import { testIdentity } from "../testing/test-identity.ts";

const loopback = ["127.0.0.0/8"];
/** The names of this file's web; all of them are this machine. */
const resolve = async (host: string) => (host.endsWith(".example") ? ["127.0.0.1"] : host === "inside.test" ? ["10.0.0.1"] : []);

const usable = "bwrap" in findTools(undefined);
const relays = [
  ["socat", findSystemProgram("socat") !== undefined],
  ["node", true],
] as const;

describe.each(relays.filter(([, installed]) => usable && installed))("filtered network in bwrap, relayed by %s", (relay) => {
  let web: ScriptedWeb;
  let secure: { readonly port: number; close(): void };
  let fixture: DriverFixture;

  beforeAll(async () => {
    web = await openScriptedWeb();
    const server = createSecureServer(testIdentity, (_request, response) => response.end("secret hello"));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    secure = { port: (server.address() as AddressInfo).port, close: () => server.close() };
  });
  afterAll(async () => {
    secure.close();
    await web[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    fixture = await localFixture(() => createBwrapDriver({ warm: 0, egress: { resolve, relay } }));
  });
  afterEach(() => fixture.cleanup());

  const run = async (command: string, allow: readonly string[], allowRanges: readonly string[] = loopback) => {
    const spec = { network: "filtered", networkRules: { allow, deny: [], allowRanges } } as const;
    const handle = await fixture.driver.start({
      ...{ program: { shell: command }, workspace: fixture.workspace, workdir: ".", writable: true, env: {}, limits: {} },
      ...{ protectedPaths: [], stdin: "closed", timeoutMs: 20_000, ...spec },
    });
    let output = "";
    handle.onOutput((_stream, chunk) => {
      output += Buffer.from(chunk).toString();
    });
    const { anomalies, traffic, exit } = await handle.exited;
    return { output, anomalies, traffic, exit, posture: handle.posture };
  };

  test("a permitted host is reached over HTTP, and counted", async () => {
    const { output, anomalies, traffic, posture } = await run(`curl -s http://web.example:${web.port}/page`, [`web.example:${web.port}`]);
    expect([output, anomalies, posture.network]).toEqual(["hello", [], "filtered"]);
    expect(traffic).toMatchObject([{ host: "web.example", port: web.port, allowed: 1, refused: 0 }]);
    expect(traffic?.[0]?.received).toBeGreaterThan(5);
  });

  test("a permitted host is reached through a tunnel, its certificate checked by the command", async () => {
    const url = `https://secure.example:${secure.port}/`;
    const { output, traffic } = await run(`curl -sk ${url}; curl -s ${url} || echo " refused by curl: $?"`, [
      `secure.example:${secure.port}`,
    ]);
    expect(output).toBe("secret hello refused by curl: 60\n");
    expect(traffic).toMatchObject([{ host: "secure.example", allowed: 2, refused: 0 }]);
    expect(traffic?.[0]?.sent).toBeGreaterThan(100);
  });

  test("Node reaches a permitted host too", async () => {
    const script = `fetch("http://web.example:${web.port}/").then((r) => r.text()).then(console.log)`;
    expect((await run(`node -e '${script}'`, [`web.example:${web.port}`])).output).toBe("hello\n");
  });

  test.each([
    ["over HTTP", (port: number) => `curl -s http://other.example:${port}/`],
    ["through a tunnel", (port: number) => `curl -s https://other.example:${port}/`],
  ])("a host that no rule opens is refused %s, and the result says what would open it", async (_way, command) => {
    const { anomalies, traffic } = await run(command(web.port), ["web.example"]);
    expect(anomalies).toHaveLength(1);
    expect(anomalies[0]).toMatchObject({ kind: "network_refused" });
    expect(anomalies[0]?.message).toContain(`other.example:${web.port}`);
    expect(anomalies[0]?.message).toContain(`add "other.example:${web.port}" to network.allow`);
    expect(traffic).toMatchObject([{ host: "other.example", allowed: 0, refused: 1, sent: 0, received: 0 }]);
  });

  test.each([
    ["a literal private address", "http://10.0.0.1/"],
    ["the metadata address", "http://169.254.169.254/latest/meta-data/"],
    ["an address in another notation", "http://0x7f.1/"],
    ["a name with a private address", "http://inside.test/"],
    ["a tunnel to a private address", "https://10.0.0.1/"],
  ])("R-NW-1 %s is refused even when every host is permitted", async (_what, url) => {
    const { anomalies, traffic } = await run(`curl -s --noproxy '' ${url}`, ["*"], []);
    expect(anomalies.map(({ kind }) => kind)).toEqual(["network_refused"]);
    expect(anomalies[0]?.message).toMatch(/not a public|not public/);
    expect(traffic).toMatchObject([{ allowed: 0, refused: 1 }]);
  });

  test("R-SB-4 there is no way around the proxy: a raw connection fails, and the result says that it was tried", async () => {
    const script = `require("node:net").connect(${web.port}, "127.0.0.1").on("connect", () => console.log("connected")).on("error", (e) => console.log(e.code))`;
    expect((await run(`node -e '${script}'`, ["*"])).output).toBe("ECONNREFUSED\n");
    const direct = await run("exec 5<>/dev/tcp/93.184.215.14/80", ["*"]);
    expect(direct.output).toMatch(/Network is unreachable/);
    expect(direct.anomalies).toMatchObject([{ kind: "network_refused", message: expect.stringMatching(/directly.*proxy/) }]);
  });

  test("the run's own loopback is not the proxy's affair", async () => {
    const script =
      'require("node:http").createServer((_, r) => r.end("own")).listen(8123, () => require("node:child_process").exec("curl -s http://localhost:8123/", (_, out) => { console.log(out); process.exit() }))';
    const { output, traffic } = await run(`node -e '${script}'`, []);
    expect([output, traffic]).toEqual(["own\n", []]);
  });

  test("a filtered network without rules reaches nothing", async () => {
    const { anomalies } = await runToEnd(fixture, `curl -s http://web.example:${web.port}/`, { network: "filtered" });
    expect(anomalies.map(({ kind }) => kind)).toEqual(["network_refused"]);
  });

  test("the socket of the proxy is gone from the host while the command runs", async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`toolwright-egress-${process.pid}-`));
    const handle = await fixture.driver.start(specFor(fixture, "ls /run; read line", { network: "filtered", stdin: "pipe" }));
    expect(await waitForOutput(handle, "\n")).toBe("toolwright-proxy\n");
    expect(left()).toEqual([]);
    handle.endInput();
    await handle.exited;
    expect(left()).toEqual([]);
  });

  test("programs that wait for all their children do not find the relay", async () => {
    expect((await run("exec perl -e 'print wait'", ["*"])).output).toBe("-1");
  });
});
