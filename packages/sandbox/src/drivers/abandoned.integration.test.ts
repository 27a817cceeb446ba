import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countProcesses, eventually, uniqueSleep } from "../testing/driver/conformance-run.ts";
import { findTools } from "./bwrap.ts";

/** A server that is killed: it starts a tree and never ends by itself. */
const server = (factory: string, workspace: string, command: string) => `
import { ${factory} } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
const driver = ${factory}();
const handle = await driver.start({
  program: { shell: ${JSON.stringify(command)} }, workspace: ${JSON.stringify(workspace)}, workdir: ".", writable: true, env: {},
  network: driver.traits.networks[0], limits: {}, protectedPaths: [".git/config"], stdin: "closed", timeoutMs: 600000,
});
handle.onOutput((_stream, chunk) => process.stdout.write(chunk));
`;

const rows = [
  ["createHostDriver", process.platform === "linux"],
  ["createBwrapDriver", "bwrap" in findTools(undefined)],
] as const;

for (const [factory, usable] of rows)
  test.runIf(usable)(`R-EX-10 kill -9 of the server leaves nothing after one second: ${factory}`, async () => {
    const workspace = await mkdtemp(join(tmpdir(), "toolwright-ws-"));
    const seconds = uniqueSleep();
    const command = `setsid sleep ${seconds} & (setsid sh -c 'sleep ${seconds} &' &) ; nohup sleep ${seconds} >/dev/null 2>&1 & env -i sleep ${seconds} & sleep ${seconds}`;
    const argv = ["--conditions=@toolwright/source", "--input-type=module-typescript", "-e", server(factory, workspace, command)];
    const parent = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    expect(await eventually(() => countProcesses(seconds) >= 5, 10_000)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    expect(await eventually(() => countProcesses(seconds) === 0 && !existsSync(join(workspace, ".git")), 1000)).toBe(true);
    await rm(workspace, { recursive: true });
  });
