import type { Risk } from "../finding.ts";
import type { InnerCommand } from "../read/analyse-line.ts";
import { baseName, type Word } from "../words/decode-word.ts";

export interface RiskVerdict {
  readonly risk: Risk;
  readonly reason: string;
}

const highRisk: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "acts as another user": "sudo su doas pkexec runuser runas sg newgrp login",
    "writes devices, disks or file systems": "dd mkfs fdisk sfdisk cfdisk parted wipefs mkswap swapon swapoff losetup cryptsetup shred",
    "stops or restarts the machine": "shutdown reboot halt poweroff init telinit kexec",
    "changes mounts, roots or namespaces": "mount umount chroot pivot_root nsenter unshare",
    "changes users and their passwords": "useradd userdel usermod groupadd groupdel passwd chpasswd visudo adduser deluser",
    "changes the firewall or network": "iptables ip6tables nft ufw firewall-cmd ifconfig route",
    "changes the kernel": "insmod rmmod modprobe sysctl",
    "changes what the machine starts": "systemctl service crontab at batch update-rc.d",
    "opens a connection for commands or raw data": "nc ncat netcat socat telnet ftp tftp",
  }).flatMap(([reason, names]) => names.split(" ").map((name): [string, string] => [name, reason])),
);
const interpreters = new Set("sh bash dash zsh ksh fish python python3 perl ruby node deno bun php lua".split(" "));
const fetchers = new Set("curl wget fetch aria2c".split(" "));
const recursive = new Set("rm chmod chown chgrp".split(" "));
/** The root, a folder of the root, a home folder. */
const wholeSystem = /^(?:\/+(?:[^/]+\/*)?\*?|~[^/]*\/?\*?)$/;
const wholeFolder = /^(?:\.\.?\/*|\*|\.\/\*)$/;

/** Classes of commands by what they can do to the machine; undefined when nothing special is known. */
export function findHighRisk(command: InnerCommand): RiskVerdict | undefined {
  for (const argv of command.levels) {
    const name = baseName(argv[0]?.text ?? "");
    const reason = highRisk.get(name) ?? (name.startsWith("mkfs.") ? highRisk.get("mkfs") : undefined);
    if (reason) return { risk: "high", reason: `${name} ${reason}` };
  }
  return findHighRiskUse(command);
}

function findHighRiskUse({ argv, pipedFrom }: InnerCommand): RiskVerdict | undefined {
  const name = baseName(argv[0]?.text ?? "");
  const source = typeof pipedFrom === "object" ? baseName(pipedFrom.argv[0]?.text ?? "") : "";
  if (interpreters.has(name) && fetchers.has(source))
    return { risk: "high", reason: `${name} runs what ${source} brings from the network` };
  if (
    recursive.has(name) &&
    isRecursive(argv) &&
    argv.some(({ text }) => wholeSystem.test(text) || (name === "rm" && wholeFolder.test(text)))
  ) {
    return { risk: "high", reason: `${name} reaches a whole file system, home or folder` };
  }
  return undefined;
}

function isRecursive(argv: readonly Word[]): boolean {
  return argv.some((word) => /^-[A-Za-z]*[rR]|^--recursive$/.test(word.text));
}
