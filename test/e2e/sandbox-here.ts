import { Place } from "./run-cli.ts";

/** True when commands can be sandboxed on this machine; where not, `toolwright doctor` says how to get there. */
export async function canSandbox(): Promise<boolean> {
  const place = await Place.make();
  try {
    return (await place.run(["doctor"])).code === 0;
  } finally {
    await place.remove();
  }
}
