// All that the packages of the product say of their subjects.
import { existsSync, readdirSync } from "node:fs";
import type { Operation, OperationName, Permission, Subject } from "@toolwright/engine/operations";
import { operationsOf } from "@toolwright/engine/subjects";

const packages = new URL("../packages/", import.meta.url);

/** A package that has subjects, by the path of its list of them from the root of the repository. */
export interface SubjectPackage {
  readonly name: string;
  readonly list: string;
  readonly subjects: readonly Subject[];
}

export const subjectPackages: readonly SubjectPackage[] = await Promise.all(
  readdirSync(packages)
    .map((name) => ({ name, list: `packages/${name}/src/operations/subjects.ts` }))
    .filter(({ list }) => existsSync(new URL(`../${list}`, import.meta.url)))
    .map(async (each) => {
      const exported: Readonly<Record<string, Subject>> = await import(`../${each.list}`);
      return { ...each, subjects: Object.values(exported).sort(byName) };
    }),
);

/** Every subject, in the order of their names. */
export const subjects: readonly Subject[] = subjectPackages.flatMap((each) => each.subjects).sort(byName);

/** Every operation, in the order of the subjects. */
export const operations: readonly Operation<OperationName>[] = operationsOf(subjects) as readonly Operation<OperationName>[];

/** Every permission that operations ask for, in the order of their names. */
export const permissions: readonly Permission[] = subjects.flatMap((subject) => subject.permissions ?? []).sort(byName);

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
