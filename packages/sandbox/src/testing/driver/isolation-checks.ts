import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, open as openFile, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type DriverCheck, runToEnd } from "./conformance-run.ts";

const connectScript = (target: string) =>
  `node -e 'require("node:net").connect(${target}).on("connect", () => { console.log("connected"); process.exit() }).on("error", (e) => console.log(e.code))'`;

const listenPlaces = [
  ["loopback of the host", () => ({ port: 0, host: "127.0.0.1" })],
  ["an abstract unix socket", () => ({ path: `\0toolwright-${process.pid}-${Math.random()}` })],
  ["a unix socket in the host's temporary folder", () => ({ path: join(tmpdir(), `toolwright-${process.pid}-${Math.random()}.sock`) })],
] as const;

const closedNetworks = [
  ["no network by default", "none"],
  ["a filtered network is no way round its proxy", "filtered"],
] as const;

const networkChecks = closedNetworks.flatMap(([promise, network]) =>
  listenPlaces.map(
    ([place, options]): DriverCheck => ({
      name: `R-SB-4 ${promise}: ${place} cannot be reached`,
      area: "network",
      async run(fixture) {
        if (!fixture.driver.traits.networks.includes(network)) return;
        const networkRules = { deny: [], allowRanges: ["0.0.0.0/0"] };
        const server = createServer((socket) => socket.destroy());
        await new Promise<void>((resolve) => server.listen(options(), resolve));
        try {
          const address = server.address();
          const target =
            typeof address === "string" ? JSON.stringify({ path: address }) : JSON.stringify({ port: address!.port, host: "127.0.0.1" });
          const { stdout } = await runToEnd(fixture, connectScript(target.replaceAll("\\u0000", "\\0")), { network, networkRules });
          assert.match(stdout, /^(ECONNREFUSED|ENOENT)\n$/);
        } finally {
          await new Promise((resolve) => server.close(resolve));
        }
      },
    }),
  ),
);

/** Every way to change `.git/config` that a shell offers. */
const attacks = [
  ["write", "echo evil > .git/config"],
  ["remove", "rm -f .git/config"],
  ["replace", "echo evil > new; mv -f new .git/config"],
  ["move away", "mv .git/config gone"],
  ["move its folder away", "mv .git gone && mkdir .git && echo evil > .git/config"],
  ["remove its folder", "rm -rf .git; mkdir -p .git; echo evil > .git/config"],
  ["hard link", "ln .git/config alias && echo evil > alias"],
  ["change its mode", "chmod 777 .git/config && echo evil > .git/config"],
] as const;

const protectionChecks = attacks.flatMap(([attack, command]): DriverCheck[] => [
  {
    name: `R-SB-7 a protected file stays as it was: ${attack}`,
    area: "files",
    closesDriver: true,
    async run(fixture) {
      await mkdir(join(fixture.workspace, ".git"));
      await writeFile(join(fixture.workspace, ".git/config"), "good\n");
      const { mode } = await lstat(join(fixture.workspace, ".git/config"));
      await runToEnd(fixture, command, { protectedPaths: [".git/config", ".git/hooks"] });
      await fixture.driver.close();
      assert.equal(await readFile(join(fixture.workspace, ".git/config"), "utf8"), "good\n");
      assert.equal((await lstat(join(fixture.workspace, ".git/config"))).mode, mode);
      assert.deepEqual(await readdir(join(fixture.workspace, ".git")), ["config"]);
    },
  },
  {
    name: `R-SB-7 a protected path that is missing stays missing: ${attack}`,
    area: "files",
    closesDriver: true,
    async run(fixture) {
      await runToEnd(fixture, command, { protectedPaths: [".git/config", ".git/hooks"] });
      await fixture.driver.close();
      await assert.rejects(lstat(join(fixture.workspace, ".git")), { code: "ENOENT" });
    },
  },
]);

/** Ways to a hidden file, and to one in a hidden folder. */
const looks = [
  ["its name", "cat .env .aws/credentials"],
  ["a recursive search", "grep -rn canary . ; find . -type f | xargs cat"],
  ["an archive", "tar c . | grep -a canary"],
  ["a link", "cat link; cat .aws/../link"],
  ["a new hard link or name", "ln .env other; mv .env moved; mv .aws away; cat other moved away/credentials"],
  ["its removal", "rm -f .env; rm -rf .aws; cat .env .aws/credentials"],
  ["its folder under another name", "mkdir deep && mv sub deep/sub && cat deep/sub/.env"],
] as const;

const hidingChecks = looks.map(
  ([way, command]): DriverCheck => ({
    name: `R-SB-12 a hidden file cannot be read by ${way}, and stays as it was`,
    area: "files",
    closesDriver: true,
    async run(fixture) {
      const { workspace } = fixture;
      const files = [".env", ".aws/credentials", "sub/.env"];
      for (const folder of [".aws", "sub"]) await mkdir(join(workspace, folder));
      for (const file of files) await writeFile(join(workspace, file), "KEY=canary\n");
      await symlink(".env", join(workspace, "link"));
      const { stdout, stderr } = await runToEnd(fixture, command, { hiddenPaths: [".env", ".aws", "sub/.env"] });
      assert.doesNotMatch(stdout + stderr, /canary/);
      await fixture.driver.close();
      const moved = await lstat(join(workspace, "deep", "sub")).catch(() => undefined);
      for (const file of [".env", ".aws/credentials", moved ? "deep/sub/.env" : "sub/.env"])
        assert.equal(await readFile(join(workspace, file), "utf8"), "KEY=canary\n");
    },
  }),
);

const fileChecks: readonly DriverCheck[] = [
  ...hidingChecks,
  {
    name: "a workspace that is not writable cannot be written, its temporary folder can",
    area: "files",
    async run(fixture) {
      await writeFile(join(fixture.workspace, "kept"), "kept");
      const { stdout } = await runToEnd(
        fixture,
        'echo x > new; echo y > kept; rm -f kept; cat kept; echo z > "$TMPDIR/t" && cat "$TMPDIR/t"',
        { writable: false },
      );
      assert.equal(stdout, "keptz\n");
      assert.deepEqual(await readdir(fixture.workspace), ["kept"]);
    },
  },
  {
    name: "R-SB-8 secrets of the host are hidden: environments, home, engine data, other folders",
    area: "files",
    async run(fixture) {
      const secret = `canary-${Math.random()}`;
      const data = await mkdtemp(join(tmpdir(), "toolwright-data-"));
      await writeFile(join(data, "key"), secret);
      process.env.TOOLWRIGHT_CANARY = secret;
      try {
        const files = [
          "/proc/1/environ",
          `/proc/${process.pid}/environ`,
          join(data, "key"),
          join(homedir(), ".ssh"),
          "/etc/shadow",
          "/etc/ssl/private",
        ];
        const { stdout } = await runToEnd(
          fixture,
          `cat ${files.join(" ")} | tr '\\0' '\\n'; ls -d ${files.slice(1).join(" ")} /root/.ssh /var /run /sys /boot; cat /proc/*/environ`,
        );
        assert.doesNotMatch(stdout, /canary/);
        assert.doesNotMatch(stdout, /^\//m);
      } finally {
        delete process.env.TOOLWRIGHT_CANARY;
        await rm(data, { recursive: true });
      }
    },
  },
];

const refusals = [
  ["write to the system", "touch /usr/made"],
  ["write to the root", "touch /made"],
  ["write to /dev", "touch /dev/made"],
  ["change the mode of a device", "chmod 666 /dev/null"],
  ["change a kernel setting", "cat /proc/sys/kernel/panic > /proc/sys/kernel/panic"],
  ["mount", "mount -t tmpfs none /tmp"],
  ["mount in a user namespace", "unshare -Urm mount -t tmpfs none /tmp"],
  ["remount the system writable", "mount -o remount,rw,bind /usr"],
  ["make a device", 'mknod "$TMPDIR/disk" b 8 0'],
  ["see a process of the host", `kill -0 ${process.pid} && test ${process.pid} -gt 100`],
  ["reach the container engine", "test -S /var/run/docker.sock || test -S /run/docker.sock"],
] as const;

const descriptorNumbers = [3, 9, 100, 250];

/** What the launching process has open reaches no command, whatever is done with the number. */
const descriptorCheck: DriverCheck = {
  name: "R-SB-9 descriptors of the launching process can be neither read, written nor walked from inside",
  area: "run",
  async run(fixture) {
    if (fixture.elsewhere === undefined) return;
    const folder = await mkdtemp(join(tmpdir(), "toolwright-descriptors-"));
    await writeFile(join(folder, "secret"), "canary");
    const open = await Promise.all(["/", folder, join(folder, "secret")].map((path, index) => openFile(path, index === 2 ? "r+" : "r")));
    const tries = descriptorNumbers.map((number) => {
      const at = `/proc/self/fd/${number}`;
      return `ls ${at}/ && echo walked; cat ${at} ${at}/secret ${at}/..${folder}/secret; echo x > ${at}; touch ${at}/made ${at}/..${folder}/made`;
    });
    try {
      const descriptors = Object.fromEntries(descriptorNumbers.map((number, index) => [number, open[index % open.length]!.fd]));
      const out = await fixture.elsewhere(`{ ${tries.join("; ")}; } 2>/dev/null; echo finished`, descriptors);
      assert.equal(out, "finished\n");
      assert.deepEqual(await readdir(folder), ["secret"]);
      assert.equal(await readFile(join(folder, "secret"), "utf8"), "canary");
    } finally {
      for (const file of open) await file.close();
      await rm(folder, { recursive: true });
    }
  },
};

const kernelChecks: readonly DriverCheck[] = [
  {
    name: "R-SB-6 no capabilities and no_new_privs",
    area: "kernel",
    async run(fixture) {
      const { stdout } = await runToEnd(fixture, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -s '\\t' ' '");
      const none = "0".repeat(16);
      const wanted = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((name) => `Cap${name}: ${none}\n`).join("");
      assert.equal(stdout.replace(/Seccomp:.*\n/, ""), `${wanted}NoNewPrivs: 1\n`);
    },
  },
  ...refusals.map(
    ([what, command]): DriverCheck => ({
      name: `R-SB-5 R-SB-6 refused inside: ${what}`,
      area: "kernel",
      run: async (fixture) => assert.notEqual((await runToEnd(fixture, command)).exit.exitCode, 0),
    }),
  ),
];

export const isolationChecks: readonly DriverCheck[] = [
  ...networkChecks,
  {
    name: "an attempt to use the network is said in the result",
    area: "network",
    async run(fixture) {
      const { anomalies } = await runToEnd(fixture, connectScript('{ host: "192.0.2.1", port: 80 }'));
      assert.deepEqual(
        anomalies.map(({ kind }) => kind),
        ["network_refused"],
      );
    },
  },
  {
    name: "what a program prints is no anomaly",
    area: "network",
    async run(fixture) {
      const words =
        "Network is unreachable; Could not resolve host; File too large; fork: retry: Resource temporarily unavailable; Bad system call";
      const { anomalies } = await runToEnd(fixture, `echo '${words}'; echo '${words}' >&2`);
      assert.deepEqual(anomalies, []);
    },
  },
  ...fileChecks,
  ...protectionChecks,
  ...kernelChecks,
  descriptorCheck,
];
