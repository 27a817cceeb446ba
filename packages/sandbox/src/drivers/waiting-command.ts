import { relayScript } from "../egress/relay-loopback.ts";
import type { PreparedSpec } from "./prepare-spec.ts";

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

/** The message for a sandbox that waits for its command. */
export function encodeCommand({ workdir, env, baseEnv, argv }: PreparedSpec): Buffer {
  const own = Object.entries(env).filter(([name, value]) => baseEnv[name] !== value);
  const variables = own.map(([name, value]) => `${name}=${value}`);
  return Buffer.from(`${[workdir, variables.length, ...variables, ...argv].join("\0")}\0`);
}
