import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locatePeer } from "@toolwright/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessTokenOf } from "../../packages/cli/test/access-token.ts";
import { type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";
import { eras, type OpenForm } from "./support/mcp-by-hand.ts";
import { findSandboxes } from "./support/sandboxes.ts";

const yes = { result: { action: "accept", content: { decision: "approve", remember: "tenant" } } };
const asking = "tools: { ask: [file_write] }\n";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-own-approval-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let policies = 0;
async function policyFile(text: string): Promise<string> {
  const path = join(folder, `policy-${policies++}.yaml`);
  await writeFile(path, `version: 1\n${text}\n`);
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** "" when it starts. */
async function startRefusal(policy: string, port: number, argv: readonly string[] = []) {
  try {
    const server = await serveHere(["--port", String(port), "--policy", await policyFile(policy), ...argv]);
    await server.stop();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const filtered = (allow: string, ranges = '["127.0.0.0/8"]') =>
  `sandbox: { network: filtered }\nnetwork: { allow: [${allow}], allow_ranges: ${ranges} }`;

describe("R-AP-11 a server without sign-in does not start where commands reach it", () => {
  it.each([
    { name: "the machine's network", policy: () => "sandbox: { network: host }" },
    { name: "no sandbox", policy: () => "sandbox: { mode: host, network: host }" },
    { name: "a container with the machine's network", policy: () => "sandbox: { mode: docker, network: host }" },
    { name: "its address", policy: (port: number) => filtered(`"127.0.0.1:${port}"`) },
    { name: "its name", policy: (port: number) => filtered(`"localhost:${port}"`) },
    { name: "a name below it", policy: (port: number) => filtered(`"app.localhost:${port}"`) },
    { name: "every host at its port", policy: (port: number) => filtered(`"*:${port}"`, '["0.0.0.0/0"]') },
    { name: "the address of all addresses", policy: (port: number) => filtered(`"0.0.0.0:${port}"`, '["0.0.0.0/8"]') },
    { name: "its address within IPv6", policy: (port: number) => filtered(`"[::ffff:127.0.0.1]:${port}"`, '["::ffff:0:0/96"]') },
  ])("under a policy that opens $name, and says what to do instead", async ({ policy }) => {
    const port = await freePort();
    const said = await startRefusal(policy(port), port);
    expect(said).toMatch(/commands reach this server.*approve its own call.*--auth.*TOOLWRIGHT_TOKEN.*--ask never/s);
  });

  it("but does where clients are asked nothing", async () => {
    expect(await startRefusal("sandbox: { network: host }", 0, ["--ask", "never"])).toBe("");
  });

  it("and takes no such policy while it runs: the one in force stays", async () => {
    const path = await policyFile(asking);
    const server = await serveHere(["--policy", path]);
    const { port } = new URL(server.url);
    for (const policy of ["sandbox: { network: host }", filtered(`"localhost:${port}"`)]) {
      const before = server.said().length;
      await writeFile(path, `version: 1\n${policy}\n`);
      await expect.poll(() => server.said().slice(before), { timeout: 15_000 }).toMatch(/commands reach this server.*stays in force/s);
    }
    const [first] = eras;
    const asked = await first?.call({
      url: `${server.url}/mcp`,
      tool: "file_write",
      input: { path: "a", content: "b" },
      answer: "nothing",
    });
    expect(asked?.asked).toBe(1);
    await server.stop();
  });
});

describe("R-AP-11 a tool reaches no name of the server, where the policy permits it", () => {
  const name = "tools.example";
  const token = "t".repeat(32);
  let server: ServedHere;
  beforeAll(async () => {
    const policy = `autonomy: full\n${filtered(`"${name}"`)}\nafter_foreign: { outside: none }`;
    server = await serveHere(["--policy", await policyFile(policy), "--allow-host", name, "--token", token]);
  });
  afterAll(() => server.stop());

  const tries = [
    { by: "a command", tool: "exec", input: { command: `curl -sS http://${name}/` } },
    { by: "a command through a tunnel", tool: "exec", input: { command: `curl -sS https://${name.toUpperCase()}./` } },
    { by: "a clone", tool: "git_clone", input: { url: `https://${name}/it.git`, path: "it" } },
    { by: "a request", tool: "http_request", input: { url: `https://${name}./`, method: "POST" } },
  ];
  it.each(tries)("not by $by", async ({ tool, input }) => {
    const [first] = eras;
    const done = await first?.call({ url: `${server.url}/mcp`, token, tool, input, answer: yes });
    expect(done?.text).toContain("is a name of this server itself");
  });
});

const sandboxes = await findSandboxes();

describe("R-AP-11 an answer from inside a sandbox", () => {
  let server: ServedHere;
  let mcp: string;
  beforeAll(async () => {
    server = await serveHere(["--policy", await policyFile(asking)]);
    mcp = `${server.url}/mcp`;
  });
  afterAll(() => server.stop());

  const rows = sandboxes.flatMap((sandbox) =>
    (["host", "filtered"] as const).flatMap((network) =>
      eras.map((each) => ({
        ...{ ...sandbox, ...each, network },
        skip: sandbox.missing ?? (sandbox.driver.traits.networks.includes(network) ? undefined : `it has no network "${network}"`),
      })),
    ),
  );
  /** What a script in the sandbox gets for a request that it was given. */
  const sendFrom = async (row: (typeof rows)[number], workspace: string, { headers, body }: ReturnType<OpenForm["answering"]>) => {
    await writeFile(join(workspace, "body.json"), body);
    await chmod(join(workspace, "body.json"), 0o644);
    const lines = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
    const proxied = row.network === "filtered" ? "--noproxy '' " : "";
    const { port } = new URL(mcp);
    const handle = await row.driver.start({
      program: { shell: `curl -s -w ' status %{http_code}' ${proxied}${lines.join(" ")} --data-binary @body.json ${mcp}` },
      ...{ workspace, workdir: ".", writable: true, env: {}, limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: 30_000 },
      network: row.network,
      networkRules: { allow: [`127.0.0.1:${port}`], deny: [], allowRanges: ["127.0.0.0/8"] },
    });
    let output = "";
    handle.onOutput((_stream, chunk) => {
      output += Buffer.from(chunk).toString();
    });
    await handle.exited;
    return output;
  };

  for (const row of rows) {
    const title = `of ${row.name} with the network "${row.network}", ${row.era}${row.skip === undefined ? "" : ` (not tried: ${row.skip})`}`;
    it.skipIf(row.skip !== undefined)(`${title}: is none, though it carries all that the client outside has`, async () => {
      const workspace = row.makeWorkspace();
      const input = { path: `${row.name.replaceAll(/\W/g, "")}-${row.network}-${row.era}.txt`, content: "hello" };
      let said = "";
      const { asked, text } = await row.call({
        ...{ url: mcp, tool: "file_write", input },
        async answer(form) {
          said = await sendFrom(row, workspace, form.answering(yes));
          return { result: { action: "decline" } };
        },
      });
      expect(asked).toBe(1);
      expect(said).toMatch(/Not run yet.*may not answer for a person|not taken for a person's.* status 403/s);
      expect(text).toMatch(/^Not run yet/);
      expect(await server.run("approvals", "list")).toContain(input.path);
      expect(await server.run("grants", "list")).not.toContain("file_write");
      await rm(workspace, { recursive: true, force: true });
    });

    it.skipIf(row.skip !== undefined)(`${title}: is not even asked for when the script makes the call`, async () => {
      const workspace = row.makeWorkspace();
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "script", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      };
      const body = JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "file_write", arguments: { path: `made-${row.era}.txt`, content: "x" }, _meta },
      });
      const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const headers = { ...accept, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "file_write" };
      const said = await sendFrom(row, workspace, { headers, body });
      expect(said).toContain("Not run yet");
      expect(said).not.toMatch(/requestState|inputRequests/);
      await rm(workspace, { recursive: true, force: true });
    });
  }

  it("is told from one of a program beside the server", async () => {
    const places: string[] = [];
    const other = createServer((request, response) => {
      const { localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 } = request.socket;
      locatePeer({ local: { address: localAddress, port: localPort }, remote: { address: remoteAddress, port: remotePort } }).then(
        (place) => {
          places.push(place);
          response.end();
        },
      );
    });
    await new Promise<void>((listening) => other.listen(0, "::", listening));
    const { port } = other.address() as AddressInfo;
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    await (await fetch(`http://[::1]:${port}/`)).text();
    // Each on a connection of its own: they share looks at the machine's processes.
    await Promise.all(Array.from({ length: 6 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text()));
    other.close();
    expect(places).toEqual(Array(8).fill("here"));
  });
});

describe("R-AP-11 who is asked, by what the client shows", () => {
  let open: ServedHere;
  let signed: ServedHere;
  const tokens = new Map<string, { readonly url: string; readonly token: string | undefined }>();
  beforeAll(async () => {
    const policy = await policyFile(asking);
    open = await serveHere(["--policy", policy]);
    signed = await serveHere(["--auth", "--policy", policy, "--token", "t".repeat(32)]);
    const boss = await signed.person("boss@example.org", { role: "owner" });
    const member = await signed.person("member@example.org");
    const key = (...more: string[]) => signed.run("keys", "create", "k", ...more, "--permission", "files.*.*");
    const at = (url: string, token?: string) => ({ url: `${url}/mcp`, token });
    tokens.set("nothing, on a machine of one's own", at(open.url));
    tokens.set("a word that is no token, there", at(open.url, "x"));
    tokens.set("the operator's token", at(signed.url, "t".repeat(32)));
    tokens.set("a key of a service", at(signed.url, await key()));
    tokens.set("a key of a service with the permission", at(signed.url, await key("--permission", "approvals:answer")));
    tokens.set("a key of a person", at(signed.url, await key("--user", "boss@example.org")));
    tokens.set(
      "a key of a person that was made to answer",
      at(
        signed.url,
        await signed.run("keys", "create", "k", "--user", "boss@example.org", "--permission", "files.*.*", "approvals:answer"),
      ),
    );
    tokens.set("access to tools", at(signed.url, await accessTokenOf(signed.url, boss)));
    tokens.set("access to tools, for a member", at(signed.url, await accessTokenOf(signed.url, member)));
    tokens.set("access that names no scope", at(signed.url, await accessTokenOf(signed.url, member, { scope: "" })));
    tokens.set("access to answers, for a member", at(signed.url, await accessTokenOf(signed.url, member, { scope: "tools approvals" })));
    tokens.set(
      "access to answers that was not ticked",
      at(signed.url, await accessTokenOf(signed.url, boss, { scope: "tools approvals", mayAnswer: false })),
    );
    tokens.set("access to answers, for the owner", at(signed.url, await accessTokenOf(signed.url, boss, { scope: "tools approvals" })));
  });
  afterAll(async () => {
    await open.stop();
    await signed.stop();
  });

  const kinds = [
    { kind: "nothing, on a machine of one's own", asked: 1 },
    { kind: "a word that is no token, there", asked: 1 },
    { kind: "the operator's token", asked: 1 },
    { kind: "a key of a service", asked: 0 },
    { kind: "a key of a service with the permission", asked: 0 },
    { kind: "a key of a person", asked: 0 },
    { kind: "a key of a person that was made to answer", asked: 1 },
    { kind: "access to tools", asked: 0 },
    { kind: "access to tools, for a member", asked: 0 },
    { kind: "access that names no scope", asked: 0 },
    { kind: "access to answers that was not ticked", asked: 0 },
    { kind: "access to answers, for a member", asked: 1 },
    { kind: "access to answers, for the owner", asked: 1 },
  ];
  it.each(kinds.flatMap((row) => eras.map((each) => ({ ...row, ...each }))))("$kind, $era", async ({ kind, asked, era, call }) => {
    const shown = tokens.get(kind);
    const input = { path: `${kind.replaceAll(/\W/g, "-")}-${era}.txt`, content: "hello" };
    const answer = { result: { action: "accept", content: { decision: "approve" } } };
    const done = await call({ url: shown?.url ?? "", token: shown?.token, tool: "file_write", input, answer });
    expect(done.asked).toBe(asked);
    if (asked === 0) expect(done.text).toMatch(/^Not run yet.*approvals approve apr_/s);
    else expect(done.text).not.toMatch(/Not run yet/);
  });

  it("what a client that may answer was given to answer with is worth nothing to one that may not", async () => {
    const [first] = eras;
    const mine = tokens.get("access to answers, for the owner");
    const theirs = tokens.get("access to tools");
    let stolen: { status: number; text: string } | undefined;
    await first?.call({
      ...{ url: mine?.url ?? "", token: mine?.token, tool: "file_write", input: { path: "stolen.txt", content: "hello" } },
      async answer(form) {
        const { headers, body } = form.answering(yes);
        const response = await fetch(theirs?.url ?? "", {
          method: "POST",
          headers: { ...headers, authorization: `Bearer ${theirs?.token}` },
          body,
        });
        stolen = { status: response.status, text: await response.text() };
        return { result: { action: "decline" } };
      },
    });
    expect(stolen?.text).toContain("invalid_request_state");
    expect(await signed.run("approvals", "list")).toContain("stolen.txt");
  });

  it("a program that asks for what the server says it has asks for no answers", async () => {
    const described = await fetch(`${signed.url}/.well-known/oauth-protected-resource/mcp`);
    expect(((await described.json()) as { scopes_supported: string[] }).scopes_supported).not.toContain("approvals");
    const refused = await fetch(`${signed.url}/mcp`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect(refused.headers.get("www-authenticate")).toContain('scope="tools"');
  });
});
