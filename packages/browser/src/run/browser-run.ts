import { type Logger, type Posture, ToolwrightError } from "@toolwright/engine";
import type { NetworkRules, ProcessExit, ProcessReport, SandboxDriver } from "@toolwright/engine/ports";
import type { Browser } from "playwright-core";
import { openPlaywright } from "../page/open-playwright.ts";
import { chromiumFlags } from "./chromium-flags.ts";
import { pipeTransport } from "./pipe-transport.ts";
import { makeRunFolder, removeRunFolder } from "./run-folder.ts";

/** One Chromium, of one tenant and one set of network rules. */
export interface BrowserRun {
  readonly browser: Browser;
  readonly posture: Posture;
  /** Host path of the folder that it writes downloads to, under the same path inside. */
  readonly folder: string;
  /** Never rejects. */
  readonly exited: Promise<ProcessReport>;
  kill(): void;
}

interface StartOptions {
  readonly driver: SandboxDriver;
  /** Absolute path of Chromium. */
  readonly chromium: string;
  readonly network: NetworkRules;
  readonly logger: Logger;
}

/** Longer than any session lasts: the run ends with its last context. */
const longestMs = 24 * 60 * 60 * 1000;
const connectMs = 30_000;
const endedEarly = "Chromium ended before it answered.";
/** Characters of the last that Chromium said, for the log of a start that failed. */
const mostSaid = 2_000;
/** Threads count as processes where control groups hold them, and each page has twenty. */
const limits = { memoryMb: 1024, processes: 1024, fileSizeMb: 256, writtenMb: 2048 };

/**
 * Steps of niceness of Chromium: its pages yield to the process that serves. Linux with autogroups weighs whole sessions of processes, and the
 * niceness of one process counts inside its session alone, so the session gets the same value (`/proc/self/autogroup`).
 */
const niceness = 3;
/** Chromium talks on descriptors 3 and 4, which a sandbox closes: it is given standard input and output under these numbers. */
const onPipes = `exec 3<&0 4>&1 </dev/null >&2; echo ${niceness} 2>/dev/null >/proc/self/autogroup; exec nice -n ${niceness} "$@"`;

/** Starts Chromium in the sandbox of the driver. Rejects with `browser_unavailable`. */
export async function startBrowser(options: StartOptions): Promise<BrowserRun> {
  const { driver, chromium, network, logger } = options;
  const folder = makeRunFolder();
  let said = "";
  try {
    const [playwright, process] = await Promise.all([
      openPlaywright(),
      driver.start({
        program: { argv: ["/bin/bash", "--noprofile", "--norc", "-c", onPipes, "sh", chromium, ...chromiumFlags] },
        ...{ workspace: folder, workdir: ".", writable: true, env: { NO_PROXY: "", no_proxy: "" } },
        ...{ network: "filtered", networkRules: network, limits, protectedPaths: [], stdin: "pipe", timeoutMs: longestMs },
      }),
    ]);
    void process.exited.then(({ exit }) => {
      logger.log("debug", "A browser ended.", { ...exit });
      removeRunFolder(folder);
    });
    const transport = pipeTransport(process, (chunk) => {
      said = `${said}${Buffer.from(chunk).toString()}`.slice(-mostSaid);
    });
    const connecting = playwright.chromium.connectOverCDP(transport, {
      ...{ artifactsDir: folder, timeout: connectMs, noDefaults: true },
    });
    // It may have ended before the library listens to what ends.
    const browser = await Promise.race([connecting, process.exited.then(({ exit }) => Promise.reject(endedEarlyBy(exit)))]).catch(
      (error: unknown) => {
        process.kill("cancelled");
        throw error;
      },
    );
    return { browser, posture: process.posture, folder, exited: process.exited, kill: () => process.kill("cancelled") };
  } catch (error) {
    removeRunFolder(folder);
    throw explainStart(error, { chromium, said, logger });
  }
}

function endedEarlyBy({ reason, exitCode, signal }: ProcessExit): Error {
  return new Error(`${endedEarly} Its end: ${reason}, ${signal ?? `exit code ${exitCode}`}.`);
}

interface FailedStart extends Pick<StartOptions, "chromium" | "logger"> {
  readonly said: string;
}

function explainStart(error: unknown, { chromium, said, logger }: FailedStart): ToolwrightError {
  logger.log("warn", "A browser did not start.", { chromium, error: String(error), ...(said !== "" && { stderr: said }) });
  const isLate = (error as Error).name === "TimeoutError";
  const why = ToolwrightError.is(error)
    ? error.message
    : isLate
      ? `Chromium did not answer within ${connectMs / 1000} seconds.`
      : endedEarly;
  return new ToolwrightError(
    "browser_unavailable",
    `The browser did not start. ${why} An operator finds out more with: toolwright doctor.`,
    { cause: error },
  );
}
