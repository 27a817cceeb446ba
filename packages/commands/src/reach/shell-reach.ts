import type { Word } from "../words/decode-word.ts";
import { type Destination, readHost, readRemotePath, readUrl, unnamed, withPort } from "./destination.ts";
import { lastValue, type NetworkProgram, portOf, present, uncertain } from "./network-program.ts";
import { networkOptions, type ScannedNetwork } from "./scan-network-options.ts";

/** `[user@]host` or a URL, as ssh, sftp and telnet have it. */
function readLogin(word: Word | undefined, port: number, scheme: string): readonly Destination[] {
  if (!word) return [];
  if (uncertain(word)) return [unnamed(`${JSON.stringify(word.text)} may expand to other destinations`)];
  if (word.text.includes("://")) return present([readUrl(word, scheme)]);
  return [readHost(word.text.slice(word.text.lastIndexOf("@") + 1), { scheme, port, source: word.text })];
}

/** `-o` that neither names another host or program nor a proxy. */
const plainSetting =
  /^(?:BatchMode|ConnectTimeout|ConnectionAttempts|StrictHostKeyChecking|ServerAlive\w+|LogLevel|User|Compression|AddressFamily|TCPKeepAlive|PasswordAuthentication|PubkeyAuthentication|IdentitiesOnly|NumberOfPasswordPrompts|RequestTTY)[= ]/i;
const settingDoubts = ({ options }: ScannedNetwork) =>
  options.flatMap(({ name, value }) =>
    name === "-o" && !plainSetting.test(value?.text ?? "")
      ? [unnamed(`the setting ${JSON.stringify(value?.text)} can send it elsewhere`)]
      : [],
  );

export const ssh: NetworkProgram = {
  reason: "Reaches the host; jumps, forwards, proxies and settings of other files go elsewhere. Names are those of its own settings, too.",
  examples: {
    match: ["ssh git@github.com", "ssh -p 2222 -i key ann@host.example uptime", "ssh ssh://ann@host.example:2222", "ssh -V"],
    notMatch: [
      "ssh -J jump.example host.example",
      "ssh -o ProxyCommand=x host.example",
      "ssh -F settings host.example",
      "ssh -D 1080 host.example",
    ],
  },
  options:
    networkOptions(`-4 -6 -a -A -C -f -g -G -k -K -M -n -N -q -s -t -T -v -V -x -X -y -Y -p= -l= -i=read -c= -e= -m= -O= -Q= -E=write -o=
    -b=! -B=! -D=! -F=list -I=! -J=! -L=! -P= -R=! -S=! -W=! -w=!`),
  most: 2,
  reaches: (scanned) => [...readLogin(scanned.operands[0], portOf(lastValue(scanned, "-p")) ?? 22, "ssh"), ...settingDoubts(scanned)],
};

const remotePaths = (scheme: "ssh" | "rsync", options: string) => (scanned: ScannedNetwork) => {
  const port = portOf(lastValue(scanned, options));
  const found = present(scanned.operands.map((word) => readRemotePath(word, scheme)));
  return [...(port === undefined ? found : found.map((each) => withPort(each, port))), ...settingDoubts(scanned)];
};

export const scp: NetworkProgram = {
  reason: "Copies from and to host:path.",
  examples: {
    match: ["scp a.txt ann@host.example:b.txt", "scp -P 2222 host.example:a .", "scp scp://host.example:22/a .", "scp ./a:b c"],
    notMatch: ["scp -S ./x a host.example:b", "scp -J jump.example a host.example:b", "scp * host.example:b"],
  },
  options: networkOptions("-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -P= -i=read -c= -l= -X= -o= -D=! -F=list -J=! -S=!"),
  reaches: remotePaths("ssh", "-P"),
};

export const sftp: NetworkProgram = {
  reason: "Reaches [user@]host[:path].",
  examples: {
    match: ["sftp ann@host.example", "sftp -P 2222 host.example:a"],
    notMatch: ["sftp -D ./server host.example", "sftp -J j.example h.example"],
  },
  options: networkOptions("-4 -6 -A -a -C -f -N -p -q -r -v -P= -b=read -B= -c= -i=read -l= -R= -o= -X= -D=! -F=list -J=! -S=! -s=!"),
  most: 2,
  reaches: (scanned) => {
    const [first] = scanned.operands;
    const host = first && !first.text.includes("://") ? { ...first, text: first.text.replace(/(?=:)(?<=^[^:[\]]+|\]):.*$/s, "") } : first;
    return [...readLogin(host, portOf(lastValue(scanned, "-P")) ?? 22, "sftp"), ...settingDoubts(scanned)];
  },
};

export const rsync: NetworkProgram = {
  reason: "Copies from and to host:path, host::module and rsync://host; another program for the way there goes elsewhere.",
  examples: {
    match: [
      "rsync -av src/ ann@host.example:dst/",
      "rsync host.example::module/a .",
      "rsync -a rsync://host.example:8730/m .",
      "rsync -a a/ b/",
    ],
    notMatch: ["rsync -e 'ssh -J x' a host.example:b", "rsync --files-from=list . host.example:b", "rsync -av * host.example:b"],
  },
  options:
    networkOptions(`-v -q -c -a -r -R -b -u -l -L -k -K -H -p -A -X -o -g -D -t -O -J -S -n -W -x -I -y -z -C -F -i -h -P -m -8 -0 -V -4 -6 -N -U -s -d
    --verbose --quiet --checksum --archive --recursive --relative --backup --update --inplace --append --links --copy-links --safe-links --perms
    --executability --acls --xattrs --owner --group --devices --specials --times --sparse --dry-run --whole-file --one-file-system --existing
    --ignore-existing --remove-source-files --delete --delete-before --delete-during --delete-after --delete-excluded --force --partial
    --delay-updates --prune-empty-dirs --numeric-ids --ignore-times --size-only --fuzzy --compress --cvs-exclude --stats --human-readable
    --progress --itemize-changes --list-only --ipv4 --ipv6 --version --help --mkpath --protect-args --from0 --no-motd --bwlimit= --timeout=
    --contimeout= --max-size= --min-size= -f= --filter= --exclude= --include= -B= --chmod= --chown= --port= --info= --debug= --suffix=
    --exclude-from=read --include-from=read --password-file=read --log-file=write --partial-dir=write --backup-dir=write -T=write
    --temp-dir=write --compare-dest=read --copy-dest=read --link-dest=read --files-from=list -e=! --rsh=! --rsync-path=! --sockopts=!
    --address=! --remote-option=! -M=! --daemon! --config=list --write-batch=! --read-batch=list`),
  reaches: (scanned) => remotePaths("rsync", "--port")(scanned),
};
