import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { httpDoors } from "./doors/mcp-doors.ts";
import { freePort, layOutProduct, startServing, untilServing } from "./product.ts";

const clients = 32;
const sampleMs = 5_000;
/** Of the samples: what comes before is a server that still fills its caches. */
const warmUpShare = 0.3;
/** What the fitted lines may rise over the measured time. */
const mostGrowth = { memoryMb: 8, descriptors: 4, children: 2 } as const;
const tools = ["mark", "keep", "glance"];

interface Soaking {
  readonly folder: string;
  readonly effects: string;
  readonly url: string | undefined;
  readonly cache: string;
  readonly on: string;
  readonly minutes: number;
}

/** Lets clients call one server for some minutes, and looks from outside whether what it holds grows. */
export async function soak({ folder, effects, url, cache, on, minutes }: Soaking) {
  const product = layOutProduct({ root: folder, cache, effects, url }, tools);
  const port = await freePort();
  const server = startServing(product, port);
  await untilServing(server);
  const doors = httpDoors([`http://127.0.0.1:${port}/mcp`]);
  const endsAt = performance.now() + minutes * 60_000;
  let calls = 0;
  let failures = 0;
  const work = async (_: unknown, index: number) => {
    const client = await doors[index % doors.length]?.open();
    for (let count = 0; performance.now() < endsAt; count += 1) {
      const tool = tools[count % tools.length] as string;
      const told = await client?.call({ tool, key: `${index} ${count}` }).catch(() => undefined);
      calls += 1;
      if (told?.status !== "done") failures += 1;
    }
    await client?.close();
  };
  const working = Promise.all(Array.from({ length: clients }, work));
  const samples: Sample[] = [];
  while (performance.now() < endsAt) {
    await sleep(sampleMs);
    samples.push(look(server.pid as number));
  }
  await working;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await gone;
  const measured = samples.slice(Math.floor(samples.length * warmUpShare));
  const growth = {
    memoryMb: fittedGrowth(measured.map(({ memoryMb }) => memoryMb)),
    descriptors: fittedGrowth(measured.map(({ descriptors }) => descriptors)),
    children: fittedGrowth(measured.map(({ children }) => children)),
  };
  const grows = (Object.keys(mostGrowth) as (keyof Sample)[]).filter((what) => growth[what] > mostGrowth[what]);
  const ok = grows.length === 0 && failures === 0 && calls > 0;
  return { ok, on, minutes, calls, failures, grows, growth, first: measured[0], last: measured.at(-1) };
}

interface Sample {
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly children: number;
}

function look(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean));
  return { memoryMb: kilobytes / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length, children: children.length };
}

/** How far the line of least squares rises from the first value to the last. */
export function fittedGrowth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const places = values.map((value, index) => ({ value: value - mean, place: index - middle }));
  const products = places.reduce((sum, { value, place }) => sum + value * place, 0);
  const squares = places.reduce((sum, { place }) => sum + place ** 2, 0);
  return squares === 0 ? 0 : (products / squares) * (values.length - 1);
}
