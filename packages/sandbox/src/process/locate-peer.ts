import { readdirSync, readlinkSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { endianness } from "node:os";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isDialled } from "../http/dialled.ts";

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** A connection that this process accepted: its own end, and that of the program that connected. */
export interface AcceptedConnection {
  readonly local: Endpoint;
  readonly remote: Endpoint;
}

/**
 * Where the program is that connected. `here`: beside this process. `run`: started by a tool, or a connection that this process or another one of
 * ours opened for a run. `elsewhere`: in a namespace of its own, as sandboxes and containers are. `unknown`: no such program is found.
 */
export type PeerLocation = "here" | "run" | "elsewhere" | "unknown";

/** Looks in `/proc`. Other systems than Linux have neither that nor our sandboxes with the machine's network: there every other peer is `here`. */
export async function locatePeer({ local, remote }: AcceptedConnection): Promise<PeerLocation> {
  if (isDialled(remote.address, remote.port)) return "run";
  if (process.platform !== "linux") return "here";
  const inode = await findInode(remote, local);
  const holders = inode === undefined ? [] : await findHolders(inode);
  if (holders.length === 0) return "unknown";
  const places = await Promise.all(holders.map(placeOf));
  return (["run", "elsewhere", "unknown"] as const).find((place) => places.includes(place)) ?? "here";
}

/** Inode of the socket whose own end is `from` and whose other end is `to`. */
async function findInode(from: Endpoint, to: Endpoint): Promise<string | undefined> {
  const wanted = `${writeEnd(from)} ${writeEnd(to)}`;
  // The kernel goes through all that it could hold for each table: the second is read only for what the first does not have.
  for (const name of ["tcp", "tcp6"]) {
    const table = await readFile(`/proc/net/${name}`, "utf8").catch(() => "");
    for (const line of table.split("\n").slice(1)) {
      const [, own, other, , , , , , , inode] = line.trim().split(/\s+/);
      if (inode !== undefined && inode !== "0" && own && other && `${readEnd(own)} ${readEnd(other)}` === wanted) return inode;
    }
  }
  return undefined;
}

/** One form for an address of either family: 32 digits, an IPv4 address as IPv6 maps it (RFC 4291 section 2.5.5.2). */
function writeEnd({ address, port }: Endpoint): string {
  const plain = address.split("%", 1)[0]!;
  const bytes = plain.includes(".") ? mappedBytes(plain.replace(/^.*:/, "")) : bytesOf(plain);
  return `${Buffer.from(bytes).toString("hex")}:${port}`;
}

function mappedBytes(ipv4: string): readonly number[] {
  return [...new Array<number>(10).fill(0), 0xff, 0xff, ...ipv4.split(".").map(Number)];
}

function bytesOf(ipv6: string): readonly number[] {
  const [head = "", tail] = ipv6.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** The kernel writes 32-bit words in the order of the machine. */
function readEnd(text: string): string {
  const [hex = "", port = ""] = text.split(":");
  const words = Buffer.from(hex, "hex");
  const bytes = endianness() === "LE" ? words.swap32() : words;
  const whole = bytes.length === 4 ? Buffer.from([...new Array<number>(10).fill(0), 0xff, 0xff, ...bytes]) : bytes;
  return `${whole.toString("hex")}:${Number.parseInt(port, 16)}`;
}

interface Look {
  /** Who holds each socket that is looked for. */
  readonly holders: Map<string, string[]>;
  readonly done: Promise<void>;
}

let lastDone: Promise<void> = Promise.resolve();
let next: Look | undefined;

/** Those who ask while a look at all processes is under way share the next one, which begins after they asked. */
async function findHolders(inode: string): Promise<readonly string[]> {
  next ??= lookAfter(lastDone);
  const { holders, done } = next;
  const socket = `socket:[${inode}]`;
  holders.set(socket, []);
  await done;
  return holders.get(socket) ?? [];
}

function lookAfter(before: Promise<void>): Look {
  const holders = new Map<string, string[]>();
  lastDone = before.then(async () => {
    next = undefined;
    for (const pid of await readdir("/proc").catch(() => [])) {
      if (!/^\d+$/.test(pid)) continue;
      for (const target of targetsOf(pid)) holders.get(target)?.push(pid);
      await setImmediate();
    }
  });
  return { holders, done: lastDone };
}

/** None of a process that may not be looked into, or is gone. Synchronous, for one process at a time: thousands of short waits cost ten times as much. */
function targetsOf(pid: string): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  return new Set(namesIn(folder).map((name) => targetOf(`${folder}/${name}`)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

async function placeOf(pid: string): Promise<PeerLocation> {
  if (await isOfRun(pid)) return "run";
  for (const kind of ["pid", "user"]) {
    const [theirs, ours] = await Promise.all([pid, "self"].map((name) => readlink(`/proc/${name}/ns/${kind}`).catch(() => undefined)));
    if (theirs === undefined || ours === undefined) return "unknown";
    if (theirs !== ours) return "elsewhere";
  }
  return "here";
}

/** Generations that are looked at; a command that forks more of them is no client that somebody started. */
const mostAncestors = 256;

/** True below a spawner, ours or that of another process of the product, and for such a process itself: it connects only for its runs. */
async function isOfRun(pid: string): Promise<boolean> {
  if (pid !== String(process.pid) && isProduct(await readArguments(pid))) return true;
  let current = pid;
  for (let generation = 0; generation < mostAncestors; generation++) {
    if ((await readArguments(current)).some(isSpawner)) return true;
    const parent = await readParent(current);
    if (parent === undefined || parent === "0") return false;
    current = parent;
  }
  return true;
}

/** Node with our script; a client may well have the name among its other arguments. */
function isProduct([program = "", ...others]: readonly string[]): boolean {
  const script = others.find((argument) => !argument.startsWith("-")) ?? "";
  return basename(program).startsWith("node") && ["toolwright", "toolwright.js"].includes(basename(script));
}

const isSpawner = (argument: string) => /\/process\/spawner-main\.[jt]s$/.test(argument);

async function readArguments(pid: string): Promise<readonly string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
}

/** Field 4 of `stat`, behind a name that may hold anything. */
async function readParent(pid: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[1];
}
