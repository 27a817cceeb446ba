import type { NetworkAccess } from "@toolwright/engine";
import type { ProcessSpec } from "@toolwright/engine/ports";
import { expect, test } from "vitest";
import { type NsjailCommandOptions, nsjailArgv } from "./nsjail.ts";
import { unstaged } from "./sandbox-identity.ts";

const spec: ProcessSpec = {
  ...{ program: { shell: "true" }, workspace: "/work/space", workdir: ".", writable: true, env: {}, network: "none", limits: {} },
  ...{ protectedPaths: [], stdin: "closed", timeoutMs: 1000 },
};
const prepared = { workspace: "/work/space", baseEnv: { PATH: "/usr/bin" }, spec };
const options: NsjailCommandOptions = {
  ...{ nsjail: "/usr/bin/nsjail", shell: "/bin/bash", temporaryMb: 64, readable: [] },
  ...{ user: { inside: 1000, outside: 4242 }, group: { inside: 1000, outside: 4243 } },
  stage: unstaged,
  protection: {
    mounts: [{ path: "/work/space/.git/config", writable: false, optional: false }],
    entries: [".git/config"],
    gaps: [],
    mark: "",
  },
};
const withNetwork = (network: NetworkAccess) => ({ ...prepared, spec: { ...spec, network } });
const pairs = (argv: readonly string[]) => argv.slice(0, argv.indexOf("--")).map((word, index) => `${word} ${argv[index + 1]}`);

test("R-SB-6 a jail runs once, as the owner of the workspace, without nsjail's own limits of time and resources", () => {
  const argv = nsjailArgv(prepared, options);
  expect(pairs(argv)).toEqual(
    expect.arrayContaining(["--mode o", "--user 1000:4242:1", "--group 1000:4243:1", "--time_limit 0", "--pass_fd 3"]),
  );
  expect(argv).toContain("--disable_rlimits");
});

test("R-SB-5 nothing that weakens a jail is among the arguments", () => {
  for (const network of ["none", "filtered"] as const)
    expect(nsjailArgv(withNetwork(network), options).join(" ")).not.toMatch(
      /--(disable_clone|keep_caps|keep_env|disable_no_new_privs|rw|proc_rw|chroot|cap|skip_setsid)/,
    );
  expect(nsjailArgv(withNetwork("host"), options)).toContain("--disable_clone_newnet");
});

test("R-EX-7 the environment is what is given, each with a value of its own", () => {
  const argv = nsjailArgv(prepared, options);
  const given = argv.filter((_word, index) => argv[index - 1] === "--env");
  expect(given).toEqual(["PATH=/usr/bin"]);
});

test("R-SB-7 what is protected is mounted read-only after the workspace", () => {
  const words = pairs(nsjailArgv(prepared, options));
  expect(words.indexOf("--bindmount_ro /work/space/.git/config")).toBeGreaterThan(words.indexOf("--bindmount /work/space"));
});

test("a workspace that is not writable is mounted read-only", () => {
  const argv = nsjailArgv({ ...prepared, spec: { ...spec, writable: false } }, options);
  expect(pairs(argv)).toContain("--bindmount_ro /work/space");
});

test("every tmpfs has a size", () => {
  const argv = nsjailArgv(prepared, options);
  const mounts = argv.filter((_word, index) => argv[index - 1] === "--mount");
  expect(mounts).toEqual(["none:/dev/shm:tmpfs:size=64M,mode=1777", "none:/tmp:tmpfs:size=64M,mode=1777"]);
  expect(argv).not.toContain("--tmpfsmount");
});

test("a filtered network has the socket of its proxy, and a relay to it", () => {
  const argv = nsjailArgv(withNetwork("filtered"), { ...options, egress: { socket: "/tmp/s/proxy", relay: ["/usr/bin/socat", "A", "B"] } });
  expect(pairs(argv)).toContain("--bindmount_ro /tmp/s/proxy:/run/toolwright-proxy");
  expect(argv.slice(-3)).toEqual(["/usr/bin/socat", "A", "B"]);
});

test("a path with a colon is refused: nsjail would read it as two", () => {
  expect(() => nsjailArgv({ ...prepared, workspace: "/work/a:/etc" }, options)).toThrow(/colon/);
});

test("R-SB-13 what the owner of the workspace cannot reach is mounted from where it was staged", () => {
  const stage = () => ({ prefix: ["stage", "--"], sourceOf: (path: string) => path.replace(/^\/work\/space/, "/mnt/0") });
  const argv = nsjailArgv(prepared, { ...options, stage });
  expect(argv.slice(0, 3)).toEqual(["stage", "--", "/usr/bin/nsjail"]);
  expect(argv).toEqual(expect.arrayContaining(["/mnt/0:/work/space", "/mnt/0/.git/config:/work/space/.git/config"]));
});
