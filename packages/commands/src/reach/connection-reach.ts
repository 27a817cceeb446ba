import { type Destination, readHost, unnamed } from "./destination.ts";
import { has, type NetworkProgram, portOf, uncertain } from "./network-program.ts";
import { networkOptions, type ScannedNetwork } from "./scan-network-options.ts";

/** A host and a port as two words. */
function hostAndPort({ operands: [host, port, ...more] }: ScannedNetwork, defaultPort: number | undefined): readonly Destination[] {
  if (!host) return [];
  const number = port ? portOf(port.text) : defaultPort;
  if (uncertain(host) || more.length > 0 || number === undefined)
    return [readHost(host.text, { scheme: "tcp", port: undefined, source: host.text }), unnamed("its port is not one number")];
  return [readHost(host.text, { scheme: "tcp", port: number, source: host.text })];
}

export const netcat: NetworkProgram = {
  reason: "Opens a connection for raw data; listening, proxies and programs behind it go elsewhere.",
  examples: {
    match: ["nc -zv host.example 443"],
    notMatch: ["nc -l 4444", "nc -x proxy:1 host.example 443", "nc host.example 20-30", "nc -U /run/x"],
  },
  options:
    networkOptions(`-4 -6 -b -C -D -d -h -k -n -N -r -S -t -u -v -z -q= -w= -i= -I= -O= -M= -m= -T= -l! -p=! -s=! -x=! -X=! -P=! -e=! -c=! -U! -V=
    -W= -Z! --ssl --udp --verbose --recv-only --send-only --wait= --listen! --exec=! --sh-exec=! --proxy=! --proxy-type=! --unixsock!`),
  reaches: (scanned) => (has(scanned, "-U -l --listen --unixsock") ? [] : hostAndPort(scanned, undefined)),
};

export const telnet: NetworkProgram = {
  reason: "Opens a connection; without a host it asks for one.",
  examples: { match: ["telnet host.example 25", "telnet host.example"], notMatch: ["telnet", "telnet -b 1.2.3.4 host.example"] },
  options: networkOptions("-4 -6 -8 -a -c -d -E -f -F -K -L -r -x -l= -e= -n=write -b=! -S= -X= -k="),
  reaches: (scanned) => (scanned.operands.length > 0 ? hostAndPort(scanned, 23) : [unnamed("it asks for the host when it runs")]),
};
