import { findSystemProgram } from "../drivers/prepare-spec.ts";
import type { EgressOptions } from "./open-gateway.ts";

const port = 3128;
const address = `http://127.0.0.1:${port}`;
/** The run's own loopback is not for the proxy to reach: what a command serves there is its own. */
const ownLoopback = "localhost,127.0.0.1,::1";

/** Where a run with a filtered network finds the socket of its proxy. */
export const proxySocket = "/run/toolwright-proxy";

/** What makes curl, git, npm, pip, Node and most others use the proxy. */
export const proxyEnvironment: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [[name, address] as const, [name.toLowerCase(), address] as const]),
  ),
  NO_PROXY: ownLoopback,
  no_proxy: ownLoopback,
  NODE_USE_ENV_PROXY: "1",
};

const nodeRelay = `const net=require("node:net");net.createServer({allowHalfOpen:true},(near)=>{const far=net.connect({path:process.argv[1],allowHalfOpen:true});near.pipe(far).pipe(near);near.on("error",()=>far.destroy());far.on("error",()=>near.destroy())}).listen(${port},"127.0.0.1")`;

/** From the run's loopback to the socket: programs know proxies by a port only. */
export function relayArgv(programs: { readonly socat: string | undefined; readonly node: string }): readonly string[] {
  const { socat, node } = programs;
  if (socat !== undefined) return [socat, `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork,backlog=128`, `UNIX-CONNECT:${proxySocket}`];
  // Few threads and a small heap: the relay counts against the limits of the run.
  return [node, "--v8-pool-size=0", "--max-semi-space-size=1", "-e", nodeRelay, "--", proxySocket];
}

/** The relay of a run that has the programs of this machine. */
export function hostRelay(egress: EgressOptions | undefined): readonly string[] {
  return relayArgv({ socat: egress?.relay === "node" ? undefined : findSystemProgram("socat"), node: process.execPath });
}

const listening = port.toString(16).toUpperCase().padStart(4, "0");

/**
 * Lines for a POSIX shell that start the relay, given as the shell's arguments, and wait until it listens. It is nobody's child but the
 * first process's: a program that waits for all of its children must not find it among them. proc_pid_net(5): state 0A is LISTEN.
 */
export const relayScript = `("$@" 3>&- </dev/null >/dev/null 2>&1 &)
listening() { while read -r _ near _ state _; do [ "\${near#*:} $state" = "${listening} 0A" ] && return; done </proc/net/tcp; return 1; }
tries=0
until listening; do
  [ "$((tries += 1))" -lt 1000 ] || { echo "toolwright: The command was not started, because the relay to its network did not come up. Call it again; if that does not help, run toolwright doctor." >&2; exit 125; }
  sleep 0.01
done
set --
`;
