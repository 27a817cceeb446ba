import type { Word } from "../words/decode-word.ts";
import { type Destination, readHost, unnamed } from "./destination.ts";
import { lastValue, type NetworkProgram, portOf, uncertain } from "./network-program.ts";
import { networkOptions, type ScannedNetwork } from "./scan-network-options.ts";

/** A name that is only looked up is a destination, too: what its server answers, and what it is asked, are whoever's name it is. */
const lookUp = (word: Word): Destination =>
  uncertain(word)
    ? unnamed(`${JSON.stringify(word.text)} may expand to other destinations`)
    : readHost(word.text, { scheme: "dns", port: undefined, source: word.text });
const server = (word: Word, port: string | undefined): Destination =>
  uncertain(word) || (port !== undefined && portOf(port) === undefined)
    ? unnamed(`${JSON.stringify(word.text)} is no plain name server`)
    : readHost(word.text, { scheme: "dns", port: portOf(port) ?? 53, source: word.text });
const recordType =
  /^(?:A|AAAA|ANY|AXFR|CAA|CNAME|DNSKEY|DS|HTTPS|IN|CH|HS|IXFR(?:=\d+)?|MX|NAPTR|NS|NSEC3?|PTR|RRSIG|SOA|SPF|SRV|SSHFP|SVCB|TLSA|TXT)$/i;

export const dig: NetworkProgram = {
  reason: "Asks a name server (@server, or that of the machine) for names, whose owners' servers are asked in turn.",
  examples: {
    match: ["dig example.org", "dig @9.9.9.9 example.org MX +short", "dig -x 1.2.3.4"],
    notMatch: ["dig -f names", "dig -b 1.2.3.4 a.example"],
  },
  options: networkOptions("-4 -6 -m -r -u -v -h -i -p= -c= -t= -q= -x= -y= -k=read -f=list -b=!"),
  reaches: (scanned) => [
    ...scanned.operands.flatMap((word) => {
      if (word.text.startsWith("@")) return [server({ ...word, text: word.text.slice(1) }, lastValue(scanned, "-p"))];
      return word.text.startsWith("+") || recordType.test(word.text) || word.text === "." ? [] : [lookUp(word)];
    }),
    ...scanned.options.flatMap(({ name, value }) => (value && /^-[qx]$/.test(name) ? [lookUp(value)] : [])),
  ],
};

function nameAndServer(scanned: ScannedNetwork): readonly Destination[] {
  const [name, at, ...more] = scanned.operands;
  if (!name || name.text === "-" || more.length > 0) return [unnamed("it asks what to look up when it runs")];
  const port = scanned.options.flatMap(({ name: option }) => /^-port=(.*)$/.exec(option)?.[1] ?? [])[0];
  return [lookUp(name), ...(at ? [server(at, port)] : [])];
}

export const nslookup: NetworkProgram = {
  reason: "Asks a name server for a name.",
  examples: { match: ["nslookup example.org", "nslookup example.org 9.9.9.9"], notMatch: ["nslookup", "nslookup - 9.9.9.9"] },
  options: networkOptions(
    "-debug -nodebug -d2 -recurse -norecurse -vc -novc -version -type=A -type=AAAA -type=MX -type=TXT -type=NS".replace(/=\w+/g, ""),
  ),
  reaches: nameAndServer,
};

export const host: NetworkProgram = {
  reason: "Asks a name server for a name.",
  examples: { match: ["host example.org", "host -t mx example.org 9.9.9.9"], notMatch: ["host", "host a.example b.example c.example"] },
  options: networkOptions("-a -A -C -d -i -l -n -r -s -T -U -v -V -w -4 -6 -c= -N= -p= -R= -t= -W= -m="),
  reaches: nameAndServer,
};

export const ping: NetworkProgram = {
  reason: "Sends packets to hosts, without a port.",
  examples: { match: ["ping -c 1 example.org", "ping -c 1 -W 2 ::1"], notMatch: ["ping *", "ping -I tun0 example.org"] },
  options: networkOptions(
    "-4 -6 -a -A -b -B -d -D -f -h -L -n -O -q -r -R -U -v -V -3 -c= -e= -F= -i= -l= -m= -M= -N= -p= -Q= -s= -S= -t= -T= -w= -W= -I=!",
  ),
  reaches: ({ operands }) => operands.map(lookUp),
};
