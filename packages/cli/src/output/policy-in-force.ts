import type { LoadedPolicy } from "@toolwright/server/policy-file";

/** `The policy in force is /etc/policy.yaml, revision 0123456789ab.` */
export function describePolicyInForce({ files, revision }: Pick<LoadedPolicy, "files" | "revision">): string {
  return `The policy in force is ${files[0] ?? "the built-in default"}, revision ${revision.slice(0, 12)}.`;
}
