import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findWorkingEngines } from "../testing/container-fixture.ts";
import { collect, type DriverFixture, runToEnd, specFor, waitForOutput } from "../testing/driver/conformance-run.ts";
import { localFixture } from "../testing/driver/local-fixture.ts";
import { openScriptedWeb, type ScriptedWeb } from "../testing/scripted-web.ts";
import { createDockerDriver } from "./docker.ts";
import { askEngine, engineEnvironment, machineLabel } from "./docker-engine.ts";

const engines = await findWorkingEngines();

test("R-SB-3 without an engine nothing runs, and the probe says what is missing", async () => {
  const driver = createDockerDriver({ engine: ["/nonexistent/docker"], image: "debian" });
  expect(await driver.probe()).toMatchObject({ available: false, detail: expect.stringContaining("/nonexistent/docker") });
  const spec = specFor({ driver, workspace: tmpdir() }, "true");
  await expect(driver.start(spec)).rejects.toMatchObject({ code: "sandbox_unavailable" });
  await driver.close();
});

test("an engine without an image is not available", async () => {
  const driver = createDockerDriver({ engine: ["docker"] });
  expect(await driver.probe()).toMatchObject({ available: false, detail: expect.stringContaining("no image is configured") });
});

if (engines.length === 0) test.skip("the docker driver: no container engine of this machine runs a container", () => {});

for (const options of engines)
  describe(`docker driver, ${options.engine[0]}`, { timeout: 60_000 }, () => {
    const engine = { argv: options.engine, env: engineEnvironment(options.engineEnvironment) };
    const listNames = async (): Promise<string[]> => {
      const { stdout } = await askEngine(engine, ["ps", "--all", "--filter", `label=${machineLabel()}`, "--format", "{{.Names}}"]);
      return stdout.split("\n").filter(Boolean);
    };
    let fixture: DriverFixture;
    let web: ScriptedWeb;
    const owner = process.getuid?.() === 0 ? 4242 : undefined;
    beforeAll(async () => {
      web = await openScriptedWeb();
    });
    afterAll(() => web[Symbol.asyncDispose]());
    beforeEach(async () => {
      const egress = { resolve: async () => ["127.0.0.1"] };
      fixture = await localFixture(() => createDockerDriver({ ...options, egress }), owner);
    });
    afterEach(() => fixture.cleanup());

    test("a missing image is named, with how to get it", async () => {
      const driver = createDockerDriver({ ...options, image: "toolwright-no-such-image" });
      expect(await driver.probe()).toMatchObject({ available: false, remedy: expect.stringContaining("pull toolwright-no-such-image") });
    });

    test("R-SB-8 secrets of the host are hidden: environments, home, other folders", async () => {
      const secret = `canary-${Math.random()}`;
      const data = await mkdtemp(join(tmpdir(), "toolwright-data-"));
      await writeFile(join(data, "key"), secret);
      process.env.TOOLWRIGHT_CANARY = secret;
      try {
        const files = [`/proc/${process.pid}/environ`, join(data, "key"), "/etc/shadow", `${homedir()}/.ssh`];
        const { stdout } = await runToEnd(fixture, `cat ${files.join(" ")} /proc/*/environ; ls -d ${files.join(" ")}; ls /var/lib /run`);
        expect(stdout).not.toMatch(/canary/);
        expect(stdout).not.toMatch(/^\//m);
      } finally {
        delete process.env.TOOLWRIGHT_CANARY;
        await rm(data, { recursive: true });
      }
    });

    test("R-GT-1 values of variables are in nobody's command line", async () => {
      const command = `cat /proc/1/cmdline; echo; tr '\\0' '\\n' < /proc/$$/environ | grep ^TOKEN`;
      const { stdout } = await runToEnd(fixture, command, { env: { TOKEN: "secret-value" } });
      expect(stdout.split("\n").slice(-2)).toEqual(["TOKEN=secret-value", ""]);
      expect(stdout.match(/secret-value/g)).toHaveLength(1);
    });

    test("R-SB-5 the host's network is refused", async () => {
      await expect(fixture.driver.start(specFor(fixture, "true", { network: "host" }))).rejects.toMatchObject({
        code: "sandbox_unavailable",
      });
    });

    test("a filtered network reaches the permitted host and no other", async () => {
      const rules = { allow: [`web.example:${web.port}`], deny: [], allowRanges: ["127.0.0.0/8"] };
      const command = `node -e 'for (const host of ["web", "other"]) fetch("http://" + host + ".example:${web.port}/").then((r) => console.log(host, r.status), () => console.log(host, "refused"))'`;
      const handle = await fixture.driver.start(specFor(fixture, command, { network: "filtered", networkRules: rules }));
      const { stdout, anomalies } = await collect(handle);
      expect(stdout.trim().split("\n").sort()).toEqual(["other refused", "web 200"]);
      expect(anomalies).toMatchObject([{ kind: "network_refused", message: expect.stringContaining("other.example") }]);
      expect(handle.posture).toMatchObject({ isolation: "container", network: "filtered" });
    });

    test("nothing is left of a container after its run", async () => {
      await runToEnd(fixture, "true");
      await fixture.driver.close();
      expect((await listNames()).filter((name) => name.startsWith(`toolwright-${process.pid}-`))).toEqual([]);
    });

    test("R-EX-10 containers of a server that is no more are removed, those of living ones stay", async () => {
      const handle = await fixture.driver.start(specFor(fixture, "echo up; sleep 60"));
      await waitForOutput(handle, "up");
      const left = `toolwright-4194304-1-left-${process.pid}`;
      const create = ["create", ...(options.runArguments ?? []), "--name", left, "--label", machineLabel(), "--entrypoint", "/bin/sh"];
      await askEngine(engine, [...create, options.image ?? "", "-c", "true"]);
      await createDockerDriver(options).probe();
      const names = await listNames();
      expect(names).not.toContain(left);
      expect(names.some((name) => name.startsWith(`toolwright-${process.pid}-`))).toBe(true);
    });
  });
