import { netcat, telnet } from "./connection-reach.ts";
import { git } from "./git-reach.ts";
import { dig, host, nslookup, ping } from "./lookup-reach.ts";
import type { NetworkProgram } from "./network-program.ts";
import { packageReach } from "./package-reach.ts";
import { rsync, scp, sftp, ssh } from "./shell-reach.ts";
import { curl, wget } from "./web-reach.ts";

/** Every reviewed program that reaches the network. One that is not here is left to the command rules. */
export const networkReach: ReadonlyMap<string, NetworkProgram> = new Map(
  Object.entries({
    curl,
    wget,
    ssh,
    scp,
    sftp,
    rsync,
    nc: netcat,
    ncat: netcat,
    netcat,
    telnet,
    dig,
    nslookup,
    host,
    ping,
    ping6: ping,
    git,
    ...packageReach,
  }),
);
