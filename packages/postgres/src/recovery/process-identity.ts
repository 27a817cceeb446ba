import { readFileSync, readlinkSync } from "node:fs";

interface ProcessState {
  readonly state: string;
  /** Ticks since the machine started: with the id it is no other process, also when ids are used again. */
  readonly startedAt: string;
}

/** Where this process runs: machine since its start, space of process ids, id and start. Undefined where the system does not say (proc(5)). */
export function readProcessIdentity(): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const space = readlinkSync("/proc/self/ns/pid");
    const own = readState(process.pid);
    return own && `${boot} ${space} ${process.pid} ${own.startedAt}`;
  } catch {
    return undefined;
  }
}

/** True when the process at that place can be looked at from `here`, is there, and was not halted from outside. */
export function isAliveAt(place: string, here: string): boolean {
  const [boot, space, id, startedAt] = place.split(" ");
  const [ownBoot, ownSpace] = here.split(" ");
  if (boot !== ownBoot || space !== ownSpace) return false;
  const found = readState(Number(id));
  return found !== undefined && found.startedAt === startedAt && !/[TtZXx]/.test(found.state);
}

/** True when the process at that place can be looked at from `here`, and has ended. */
export function isGoneFrom(place: string, here: string): boolean {
  const [boot, space, id, startedAt] = place.split(" ");
  const [ownBoot, ownSpace] = here.split(" ");
  if (boot !== ownBoot || space !== ownSpace) return false;
  const found = readState(Number(id));
  return found === undefined || found.startedAt !== startedAt || /[ZXx]/.test(found.state);
}

/** The name in the second field may hold blanks and brackets, so fields are counted from behind its end. */
function readState(id: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
