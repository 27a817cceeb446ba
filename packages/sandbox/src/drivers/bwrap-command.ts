import { proxySocket, relayScript } from "../egress/relay-loopback.ts";
import { emptyPlaces, type HiddenPlace } from "./hide-paths.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import type { Protection } from "./protect-paths.ts";
import type { SandboxIdentity } from "./sandbox-identity.ts";
import type { Stage } from "./stage-sources.ts";

export interface BwrapCommandOptions {
  readonly bwrap: string;
  readonly shell: string;
  readonly identity: SandboxIdentity;
  readonly protection: Protection;
  readonly hidden: readonly HiddenPlace[];
  /** From `createSandboxRoots`. */
  readonly root: readonly string[];
  readonly seccomp: Buffer | undefined;
  readonly stage: Stage;
}

/** The host's name is `localhost`: programs look their own name up, and every other would be a question to the network. */
const isolation = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
  ...["--cap-drop", "ALL", "--clearenv", "--hostname", "localhost"],
];
const seccompDescriptor = "4";

export interface WaitingOptions {
  readonly processLimit: number | undefined;
  readonly hasRelay: boolean;
  /** True where the script is the first process of the sandbox and nobody else stands in for it. */
  readonly staysFirst?: boolean;
}

/**
 * Waits inside the sandbox for its one command on descriptor 3: workdir, number of variables, variables, words, each ended by NUL.
 * Nothing of it is ever read as shell text. The script's arguments are those of the relay, when there is one.
 */
export function waitingScript({ processLimit, hasRelay, staysFirst = false }: WaitingOptions): string {
  // The first process of a pid namespace is deaf to signals that it does not handle, so the command must be another one.
  const run = staysFirst ? `(exec -- "\${parts[@]:count+2}"); exit $?` : `exec -- "\${parts[@]:count+2}"`;
  return `${hasRelay ? relayScript : ""}printf r >&3
mapfile -d '' -t -u 3 parts
exec 3>&-
test "\${#parts[@]}" -gt 2 || exit 125
${processLimit === undefined ? "" : `ulimit -u ${Math.floor(processLimit)} || exit 125`}
cd -- "\${parts[0]}" || exit 126
unset OLDPWD
count=\${parts[1]}
for ((i = 2; i < count + 2; i++)); do export "\${parts[i]}"; done
${run}`;
}

const isBind = (word: string | undefined) => word !== undefined && /^--(?:ro-)?bind(?:-try)?$/.test(word);

/** Everything that shapes a sandbox, without what one run of it is given. */
export function bwrapArgv(
  prepared: Pick<PreparedSpec, "workspace" | "spec" | "baseEnv">,
  options: BwrapCommandOptions & {
    readonly processLimit: number | undefined;
    /** Of a filtered network: what runs the relay. */
    readonly relay: readonly string[];
    /** Of a filtered network: the socket of this one run. */
    readonly socket?: string;
  },
): string[] {
  const { workspace, spec, baseEnv } = prepared;
  const { identity, protection, hidden, seccomp, relay, socket, processLimit } = options;
  const binds = [
    ...options.root,
    ...[spec.writable ? "--bind" : "--ro-bind", workspace, workspace],
    ...protection.mounts.flatMap(({ path, writable, optional }) => [
      `${writable ? "--bind" : "--ro-bind"}${optional ? "-try" : ""}`,
      path,
      path,
    ]),
    // Last, so that no mount of a folder above uncovers them.
    ...hidden.flatMap(({ path, isFolder }) => ["--ro-bind", isFolder ? emptyPlaces().folder : emptyPlaces().file, path]),
    ...(socket === undefined ? [] : ["--ro-bind", socket, proxySocket]),
  ];
  const staged = options.stage(binds.filter((_, index) => isBind(binds[index - 1])));
  return [
    ...staged.prefix,
    ...identity.prefix,
    options.bwrap,
    ...isolation,
    ...(spec.network === "host" ? ["--share-net"] : []),
    ...["--uid", String(identity.uid), "--gid", String(identity.gid)],
    ...Object.entries(baseEnv).flatMap(([name, value]) => ["--setenv", name, value]),
    ...binds.map((word, index) => (isBind(binds[index - 1]) ? staged.sourceOf(word) : word)),
    ...["--remount-ro", "/", "--chdir", workspace],
    ...(seccomp === undefined ? [] : ["--seccomp", seccompDescriptor]),
    ...["--", options.shell, "--noprofile", "--norc", "-c", waitingScript({ processLimit, hasRelay: relay.length > 0 }), "sh", ...relay],
  ];
}
