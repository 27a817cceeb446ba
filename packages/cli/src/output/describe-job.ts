import type { JobRecord } from "@toolwright/engine/ports";

/** When a job that was made runs, or how it stands: a key may have given one that was made before. */
export function describeStart({ id, state, runAt, dependsOn }: JobRecord, now: number, where: string): string {
  const worker = "toolwright serve has a worker inside, toolwright worker is one.";
  const notBefore = runAt > now ? `${new Date(runAt).toISOString().slice(0, 19)}Z` : undefined;
  if (state === "blocked")
    return `It runs when ${dependsOn.join(", ")} ${dependsOn.length === 1 ? "is" : "are"} done${notBefore ? `, not before ${notBefore}` : ""}: ${worker}\n`;
  if (state === "queued")
    return `It runs ${notBefore ? `at ${notBefore}, when a worker is there` : "as soon as a worker has time"}: ${worker}\n`;
  return `It is ${state}: toolwright jobs show ${id}${where}\n`;
}
