import type { ListPart } from "@toolwright/commands";
import type { HostTraffic, Posture } from "@toolwright/engine";
import type { CommandSpec, ProcessExit, ProcessReport, ProcessSpec } from "@toolwright/engine/ports";
import type { WatchedProcess } from "../git-metadata/guard-metadata.ts";

export interface Launch {
  readonly spec: CommandSpec;
  readonly timeoutMs: number;
  readonly stdin: ProcessSpec["stdin"];
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

type Start = (launch: Launch, isFirst: boolean) => Promise<WatchedProcess>;

/** Runs the parts of a line one after another, each as a process of its own, and shows them as one: one output, one time, one exit code. */
export async function launchParts(parts: readonly ListPart[], launch: Launch, start: Start): Promise<WatchedProcess> {
  const begunAt = performance.now();
  const startPart = ({ command }: ListPart, isFirst: boolean) => {
    const timeoutMs = Math.max(1, launch.timeoutMs - (performance.now() - begunAt));
    return start({ ...launch, spec: { ...launch.spec, command }, timeoutMs }, isFirst);
  };
  const [first, ...rest] = parts;
  if (!first) throw new Error("A line without parts cannot run.");
  const handles = [await startPart(first, true)];
  const current = () => handles.at(-1) as WatchedProcess;
  let killedFor: "cancelled" | "stopped" | undefined;
  const exited = runRest();
  return {
    get posture() {
      return joinPostures(handles.map(({ posture }) => posture));
    },
    ...(current().reached && { reached: () => [...new Set(handles.flatMap(({ reached }) => reached?.() ?? []))] }),
    // Each part is given its listener when it starts.
    onOutput: () => {},
    write: async () => {},
    endInput: () => {},
    kill(reason) {
      killedFor ??= reason;
      current().kill(reason);
    },
    checkMetadata: () => current().checkMetadata(),
    exited,
  };

  async function runRest(): Promise<ProcessReport> {
    const reports = [await current().exited];
    for (const part of rest) {
      const { exit } = reports.at(-1) as ProcessReport;
      if (exit.reason !== "exited" || killedFor) break;
      if (part.runsAfter !== "any" && (part.runsAfter === "success") !== (exit.exitCode === 0)) continue;
      try {
        handles.push(await startPart(part, false));
      } catch (error) {
        reports.push(refusePart(error));
        continue;
      }
      if (killedFor) current().kill(killedFor);
      reports.push(await current().exited);
    }
    return joinReports(reports, { durationMs: Math.round(performance.now() - begunAt), killedFor });
  }

  /** As a shell goes on after a program that it cannot run. */
  function refusePart(error: unknown): ProcessReport {
    const message = error instanceof Error ? error.message : String(error);
    launch.onOutput("stderr", Buffer.from(`${message}\n`));
    return { exit: { exitCode: 126, signal: null, reason: "exited", durationMs: 0 }, anomalies: [] };
  }
}

function joinPostures(postures: readonly Posture[]): Posture {
  return { ...(postures[0] as Posture), gaps: [...new Set(postures.flatMap(({ gaps }) => gaps))] };
}

interface Course {
  readonly durationMs: number;
  readonly killedFor: ProcessExit["reason"] | undefined;
}

function joinReports(reports: readonly ProcessReport[], { durationMs, killedFor }: Course): ProcessReport {
  const { exit } = reports.at(-1) as ProcessReport;
  const reason = exit.reason === "exited" && killedFor ? killedFor : exit.reason;
  const anomalies = new Map(reports.flatMap((report) => report.anomalies.map((anomaly) => [anomaly.message, anomaly])));
  const traffic = joinTraffic(reports.flatMap((report) => report.traffic ?? []));
  const counted = reports.some((report) => report.traffic !== undefined);
  return { exit: { ...exit, reason, durationMs }, anomalies: [...anomalies.values()], ...(counted && { traffic }) };
}

function joinTraffic(traffic: readonly HostTraffic[]): readonly HostTraffic[] {
  const byHost = new Map<string, HostTraffic>();
  for (const one of traffic) {
    const name = `${one.host} ${one.port}`;
    const { allowed = 0, refused = 0, sent = 0, received = 0 } = byHost.get(name) ?? {};
    const sum = {
      allowed: allowed + one.allowed,
      refused: refused + one.refused,
      sent: sent + one.sent,
      received: received + one.received,
    };
    byHost.set(name, { ...one, ...sum });
  }
  return [...byHost.values()];
}
