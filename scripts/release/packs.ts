import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A package as it is published. */
export interface Pack {
  readonly name: string;
  readonly version: string;
  readonly file: string;
}

interface PublishPlan {
  readonly plan: readonly (readonly { name: string; version: string; tarball: { path: string } }[])[];
}

/** Reads what `changeset pack` wrote to a folder: a package comes after those that it depends on. */
export function readPacks(folder: string): Pack[] {
  const { plan } = JSON.parse(readFileSync(join(folder, "publish-plan.json"), "utf8")) as PublishPlan;
  return plan.flat().map(({ name, version, tarball }) => ({ name, version, file: join(folder, tarball.path) }));
}
