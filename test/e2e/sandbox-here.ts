import { Place } from "./run-cli.ts";

let answer: Promise<boolean> | undefined;

/** True when commands can be sandboxed on this machine; where not, `toolwright doctor` says how to get there. Files that share a process ask once. */
export function canSandbox(): Promise<boolean> {
  answer ??= askDoctor();
  return answer;
}

async function askDoctor(): Promise<boolean> {
  const place = await Place.make();
  try {
    return (await place.run(["doctor"])).code === 0;
  } finally {
    await place.remove();
  }
}
