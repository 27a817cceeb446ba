import { readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { createDial } from "@toolwright/sandbox";
import { testIdentity } from "@toolwright/sandbox/testing";
import { describe, expect, test } from "vitest";
import { modes, openWorkplace, output, readQuietly, serve } from "./open-git-workplace.ts";

const token = "ghp_canary0Token1For2Tests3Only";
const forms = [token, Buffer.from(token).toString("base64").replace(/=+$/, ""), Buffer.from(`x-access-token:${token}`).toString("base64")];

function bound(origin: string, value: string | undefined = token) {
  const secrets = createMemorySecretStore();
  void secrets.set({ tenant: "t", name: "FORGE_TOKEN" }, value, { hosts: [origin] });
  return { secrets };
}
const credential = "FORGE_TOKEN";

/** Command lines and environments of all processes but this one. */
function processTexts(): string {
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return others.map((pid) => ["cmdline", "environ"].map((file) => readQuietly(`/proc/${pid}/${file}`)).join("\n")).join("\n");
}

const readAll = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readQuietly(join(entry.parentPath, entry.name)))
    .join("\n");

/** What came into the system's temporary folder since then. */
function readTemporary(since: number): string {
  const entries = readdirSync(tmpdir()).map((name) => ({
    path: join(tmpdir(), name),
    stats: statSync(join(tmpdir(), name), { throwIfNoEntry: false }),
  }));
  const young = entries.filter(({ stats }) => stats && stats.birthtimeMs >= since && stats.size < 1e6);
  return young.map(({ path, stats }) => (stats?.isDirectory() ? "" : readQuietly(path))).join("\n");
}

describe("R-GT-1 the token", () => {
  test.each(modes)("reaches its server and is nowhere else, in the driver %s", async (mode) => {
    let seen = "";
    const since = Date.now();
    const server = await serve({
      basic: `x-access-token:${token}`,
      identity: testIdentity,
      intercept(request) {
        if (request.method === "POST") seen += processTexts() + readAll(workspace) + readTemporary(since);
        return false;
      },
    });
    server.addRepository("private.git", [{ "a.txt": "a\n" }]);
    const origin = `https://127.0.0.1:${server.port}`;
    const { workspace, scope, logged, events } = openWorkplace(server, {
      mode,
      connect: createDial([testIdentity.cert]),
      ...bound(origin),
    });
    const progress: unknown[] = [];
    const result = await scope.invokeNamed(
      "git_clone",
      { url: `${origin}/private.git`, credential },
      { onProgress: (step) => void progress.push(step) },
    );
    expect(output(result).branch).toBe("main");
    expect(progress).toContainEqual({ done: 3, total: 3, message: "Receiving objects" });
    expect(seen).toContain("/private.git");
    const places = {
      processes: seen,
      disk: readAll(workspace) + readTemporary(since),
      events: JSON.stringify(await events.read({ tenant: "t", session: "s" })),
      log: logged.join("\n"),
      result: JSON.stringify(result),
    };
    for (const [place, text] of Object.entries(places)) for (const form of forms) expect(text.includes(form), place).toBe(false);
  });

  test("is not in the error when the server refuses it and sends it back", async () => {
    const server = await serve({
      intercept(request, response) {
        response
          .writeHead(302, { location: `https://${token}@elsewhere.example/${request.headers.authorization}/${token}/info/refs` })
          .end();
        return true;
      },
    });
    const { scope, logged, events, base } = openWorkplace(server, bound(`http://127.0.0.1:${server.port}`));
    const result = await scope.invokeNamed("git_clone", { url: `${base}/private.git`, credential });
    expect(result).toMatchObject({ status: "failed", error: { toolCode: "repository_moved" } });
    const text = JSON.stringify([result, await events.read({ tenant: "t", session: "s" }), logged]);
    for (const form of forms) expect(text).not.toContain(form);
  });

  test("that was refused is named by its secret", async () => {
    const server = await serve({ basic: `x-access-token:${token}` });
    const { scope, base } = openWorkplace(server, bound(`http://127.0.0.1:${server.port}`, "wrong-token"));
    const result = await scope.invokeNamed("git_clone", { url: `${base}/private.git`, credential });
    expect(result).toMatchObject({
      status: "failed",
      error: {
        toolCode: "credentials_needed",
        message: expect.stringContaining("does not accept the token in the secret FORGE_TOKEN"),
      },
    });
  });

  test.each<[string, string, string | undefined]>([
    ["the secrets that may be sent there", "Name the secret to send in credential: FORGE_TOKEN.", token],
    ["what an operator does when there is none", "toolwright secrets set NAME --host http://127.0.0.1", undefined],
  ])("that was not named is not sent, and the answer tells %s", async (_name, sentence, value) => {
    const server = await serve({ basic: `x-access-token:${token}` });
    const origin = value === undefined ? "http://127.0.0.1:1" : `http://127.0.0.1:${server.port}`;
    const { scope, base } = openWorkplace(server, bound(origin));
    const result = await scope.invokeNamed("git_clone", { url: `${base}/private.git` });
    expect(result).toMatchObject({
      status: "failed",
      error: { toolCode: "credentials_needed", message: expect.stringContaining(sentence) },
    });
    expect(server.received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test.each([
    ["R-NW-5 R-GT-2 is not sent to another port of the same host", "http://127.0.0.1:1", "FORGE_TOKEN", "url_refused"],
    ["R-GT-2 of another name is missing", "http://127.0.0.1:1", "OTHER", "secret_missing"],
  ])("%s", async (_name, origin, name, code) => {
    const server = await serve({ basic: `x-access-token:${token}` });
    const { scope, base } = openWorkplace(server, bound(origin));
    const result = await scope.invokeNamed("git_clone", { url: `${base}/private.git`, credential: name });
    expect(result).toMatchObject({ status: "failed", error: { code } });
    expect(server.received).toEqual([]);
  });

  test("is not sent to a server whose certificate does not hold", async () => {
    const server = await serve({ identity: testIdentity });
    const origin = `https://127.0.0.1:${server.port}`;
    const { scope } = openWorkplace(server, bound(origin));
    const result = await scope.invokeNamed("git_clone", { url: `${origin}/private.git`, credential });
    expect(result).toMatchObject({ status: "failed", error: { code: "connection_failed" } });
    expect(server.received).toEqual([]);
  });

  test("with a line break is not sent at all", async () => {
    const server = await serve();
    const { scope, base } = openWorkplace(server, bound(`http://127.0.0.1:${server.port}`, `${token}\nhost=evil.example`));
    const result = await scope.invokeNamed("git_clone", { url: `${base}/private.git`, credential });
    expect(result).toMatchObject({ status: "failed", error: { code: "secret_missing" } });
    expect(server.received).toEqual([]);
  });
});
