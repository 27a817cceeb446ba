import { syncBuiltinESMExports } from "node:module";
import { type CodeOwner, currentOwner } from "./code-owner.ts";
import { ownerOfStack } from "./module-hooks.ts";
import { keepSharedObjects } from "./shared-objects.ts";

/** Frames that are looked at for a tool's file. */
const framesSeen = 60;
const isInstalled = import.meta.url.includes("/node_modules/");
/** Calls from here end the process for this program itself, also when a tool's call led there: from this package, and from the command line. */
const commandLine = isInstalled ? ["../../../../toolwright/dist/"] : ["../../../cli/src/", "../../../../node_modules/.toolwright/"];
const ownPlaces = ["../../src/", "../../dist/", ...commandLine]
  .map((place) => new URL(place, import.meta.url))
  .flatMap(({ href, pathname }) => [href, pathname]);

let isGuarded = false;

/**
 * Keeps what escapes a tool from ending this process: errors that nobody handles go to the tool's owner, and what would end the process is
 * refused to a tool. An error of nobody's ends the process as it always did.
 */
export function guardProcess(): void {
  if (isGuarded) return;
  isGuarded = true;
  keepSharedObjects();
  process.on("uncaughtException", (error) => {
    const owner = ownerOfError(error);
    if (owner) owner.escaped({ what: "a callback of it threw", error });
    else leaveToNode("uncaughtException", error);
  });
  process.on("unhandledRejection", (reason) => {
    const owner = ownerOfError(reason);
    if (owner) owner.escaped({ what: "a promise of it was rejected, and nothing handled that", error: reason });
    else leaveToNode("unhandledRejection", reason);
  });
  refuseEndings();
}

function ownerOfError(error: unknown): CodeOwner | undefined {
  return currentOwner() ?? (error instanceof Error ? ownerOfStack(String(error.stack)) : undefined);
}

/** As if this program listened to nothing; where others listen too, it is theirs to end. */
function leaveToNode(event: "uncaughtException" | "unhandledRejection", error: unknown): void {
  if (process.listenerCount(event) > 1) return;
  process.removeAllListeners("uncaughtException");
  process.nextTick(() => {
    throw error;
  });
}

function refuseEndings(): void {
  const { exit, reallyExit, abort, kill } = process as typeof process & { reallyExit: (code?: number) => never };
  let isLeaving = false;
  const guarded = {
    exit(code?: number | string | null): never {
      refuse("process.exit", guarded.exit);
      isLeaving = true;
      return exit.call(process, code);
    },
    reallyExit(code?: number): never {
      if (!isLeaving) refuse("process.reallyExit", guarded.reallyExit);
      return reallyExit.call(process, code);
    },
    abort(): never {
      refuse("process.abort", guarded.abort);
      return abort.call(process);
    },
    kill(pid: number, signal?: string | number): true {
      const isOurs = pid === 0 || Math.abs(pid) === process.pid || pid === -1;
      if (isOurs && signal !== 0) refuse("process.kill", guarded.kill);
      return kill.call(process, pid, signal);
    },
  };
  Object.assign(process, guarded);
  syncBuiltinESMExports();
}

/** Throws into the tool's code, and tells its owner: the code may swallow what is thrown. */
function refuse(name: string, called: (...args: never[]) => unknown): void {
  const frames = framesAbove(called);
  const caller = frames[0] ?? "";
  if (isOwnFrame(caller)) return;
  const owner = currentOwner() ?? ownerOfStack(frames.join("\n"));
  if (owner === undefined) return;
  const error = new Error(`${name} was refused: it would end this process for everybody.`);
  owner.escaped({ what: `it called ${name}`, error });
  throw error;
}

/** Whether a line of a stack is of this program, whose files may stand joined beside its sources. */
export function isOwnFrame(line: string): boolean {
  return ownPlaces.some((place) => line.includes(place));
}

function framesAbove(called: (...args: never[]) => unknown): readonly string[] {
  const { stackTraceLimit } = Error;
  const holder: { stack?: string } = {};
  Error.stackTraceLimit = framesSeen;
  Error.captureStackTrace(holder, called);
  Error.stackTraceLimit = stackTraceLimit;
  return String(holder.stack).split("\n").slice(1);
}
