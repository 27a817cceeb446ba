/** The program of the spawner process: forks on behalf of a server that is too large to fork itself, and outlives it just long enough to kill what it started. */
import { Socket } from "node:net";
import { createFrameReader, encodeFrame, encodeJsonFrame, type Frame, frameType } from "./frame.ts";
import { closeInherited } from "./inherited-descriptors.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { SpawnedRun } from "./spawned-run.ts";

// Before anything is forked: a child gets standard input, output, error and what its request declares.
closeInherited();

const channel = new Socket({ fd: 3, readable: true, writable: true });
const runs = new Map<number, SpawnedRun>();
let closing = false;

function send(frame: Buffer): void {
  if (channel.writable) channel.write(frame);
}

function launch(run: number, request: LaunchRequest): void {
  const spawned = new SpawnedRun(request, {
    ready: () => send(encodeFrame(frameType.ready, run)),
    output: (stream, chunk) => send(encodeFrame(frameType[stream], run, chunk)),
    inputTaken: () => send(encodeFrame(frameType.inputTaken, run)),
    ended: (end) => send(encodeJsonFrame(frameType.ended, run, end)),
  });
  runs.set(run, spawned);
  void spawned.ended.then(() => runs.delete(run));
}

function receive({ type, run, payload }: Frame): void {
  if (type === frameType.launch) launch(run, JSON.parse(payload.toString()) as LaunchRequest);
  const spawned = runs.get(run);
  if (spawned === undefined) return;
  // A view would keep the whole chunk it came in alive until the pipe has taken it.
  if (type === frameType.input) spawned.input(Buffer.from(payload));
  else if (type === frameType.control) spawned.control(Buffer.from(payload));
  else if (type === frameType.endInput) spawned.endInput();
  else if (type === frameType.credit) spawned.credit(payload.readUInt32LE(0));
  else if (type === frameType.signal) spawned.signal(payload.toString() === "SIGTERM" ? "SIGTERM" : "SIGKILL");
}

async function close(): Promise<void> {
  if (closing) return;
  closing = true;
  channel.destroy();
  for (const run of runs.values()) run.signal("SIGKILL");
  await Promise.all([...runs.values()].map(({ ended }) => ended));
  process.exit(0);
}

// Whatever breaks, what was started is ended and cleaned up.
process.on("uncaughtException", close);
channel.on("data", createFrameReader(receive));
channel.on("error", close);
channel.on("close", close);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, close);
