import type { CommandFinding, Containment, Risk } from "../finding.ts";
import { findProgram } from "../programs/programs.ts";
import { findUnnamedCode, type InnerCommand, type LineAnalysis } from "../read/analyse-line.ts";

import { findRestricting, type RuleIndex } from "../rules/command-rules.ts";
import { baseName, fromRoot, type Roots, type Word } from "../words/decode-word.ts";
import {
  enterFolder,
  enterGitFolder,
  findUncertain,
  isReadOnly,
  judgeCoverage,
  type LineState,
  onlyFolder,
  resolveClimbing,
  startIn,
} from "./judge-coverage.ts";

export type Autonomy = "read_only" | "supervised" | "full";

/** One tier's word on commands. */
export interface CommandSettings {
  readonly mode: "full" | "allowlist" | "deny";
  readonly blockHighRisk: boolean;
  readonly approveMediumRisk: boolean;
  readonly rules: RuleIndex;
  /** Path of the `commands` member, for findings. */
  readonly where: string;
}

export interface CommandCall {
  readonly command: string;
  readonly workdir?: string | null | undefined;
  readonly roots?: Roots;
  /** Before the line runs, somebody looks at what the configuration of each repository that git may meet would start. Default: false. */
  readonly watched?: boolean | undefined;
  readonly autonomy: Autonomy;
}

/** One finding for each simple command of a line. */
export function judgeCommands(analysis: LineAnalysis, settings: CommandSettings, call: CommandCall): readonly CommandFinding[] {
  const layer = "command";
  if (settings.mode === "deny") {
    const remedy = "Set commands.mode to allowlist, and allow what is needed by rules.";
    return [
      { effect: "deny", layer, rule: `${settings.where}.mode`, reason: "The policy lets no commands run.", subject: call.command, remedy },
    ];
  }
  if (!analysis.ok) {
    const effect = call.autonomy === "read_only" ? "deny" : analysis.effect;
    const remedy =
      effect === "deny"
        ? "Write the command plainly."
        : "Split it into plain commands without variables and substitutions, or approve this call.";
    return [
      { effect, layer, rule: "default.commands.not_understood", reason: analysis.reason, subject: call.command, risk: "medium", remedy },
    ];
  }
  let line: LineState = {
    folders: startIn(call.workdir ?? "", call.roots),
    placed: analysis.commands.some(placesEarlier),
    watched: call.watched === true,
  };
  return analysis.commands.map((command) => {
    const finding = judgeCommand(command, line, { settings, autonomy: call.autonomy });
    line = advance(line, command);
    return finding;
  });
}

/** The parts of a pipeline run at the same time: what a later one puts in place may be there before an earlier one starts. */
function placesEarlier({ argv, pipedFrom }: InnerCommand): boolean {
  const places = findProgram(argv[0]?.text ?? "")?.placesFiles;
  return pipedFrom === "group" ? places !== undefined : pipedFrom !== undefined && places === "operands";
}

function advance({ folders, placed, watched }: LineState, command: InnerCommand): LineState {
  const rule = findProgram(command.argv[0]?.text ?? "");
  return { folders: rule?.moves ? enterFolder(folders, command) : folders, placed: placed || rule?.placesFiles !== undefined, watched };
}

interface Judge {
  readonly settings: CommandSettings;
  readonly autonomy: Autonomy;
}

function judgeCommand(command: InnerCommand, line: LineState, judge: Judge): CommandFinding {
  const { settings } = judge;
  const base = { layer: "command", subject: command.source } as const;
  const denied = findRuleAtLevels(settings.rules.deny, command);
  if (denied)
    return {
      ...base,
      effect: "deny",
      rule: denied.where,
      reason: `The rule ${JSON.stringify(denied.text)} denies it.`,
      remedy: "Change or remove that rule.",
    };
  const unnamed = findUnnamedCode(command);
  if (unnamed) {
    const remedy = "Name the file, in one command for each.";
    return { ...base, effect: "deny", rule: "default.commands.unnamed_code", reason: unnamed, risk: "high", remedy };
  }
  const high = findHighRisk(command);
  if (high && settings.blockHighRisk) {
    const remedy = "Set commands.block_high_risk to false, after which it asks.";
    return {
      ...base,
      effect: "deny",
      rule: `${settings.where}.block_high_risk`,
      risk: "high",
      reason: `It is of high risk: ${high.reason}.`,
      remedy,
    };
  }
  const asked = findRuleAtLevels(settings.rules.ask, command);
  const ask = judge.autonomy === "read_only" ? "deny" : "ask";
  const uncertain = findUncertain(command);
  if (uncertain) {
    const remedy = "Write the words out, or approve this call.";
    return { ...base, effect: ask, rule: "default.commands.not_understood", reason: uncertain, risk: "medium", remedy };
  }
  if (asked)
    return {
      ...base,
      effect: ask,
      rule: asked.where,
      reason: `The rule ${JSON.stringify(asked.text)} asks about it.`,
      remedy: "Approve this call, or change that rule.",
      ...(asked.quorum && { quorum: asked.quorum }),
    };
  return judgeByRulesAndRisk(command, line, { ...judge, base, ask, high: high?.reason });
}

function findRuleAtLevels(rules: RuleIndex["deny"], command: InnerCommand) {
  for (const argv of command.levels) {
    const found = findRestricting(rules, argv);
    if (found) return found;
  }
  return undefined;
}

interface Rest extends Judge {
  readonly base: { readonly layer: "command"; readonly subject: string };
  readonly ask: "ask" | "deny";
  readonly high: string | undefined;
}

function judgeByRulesAndRisk(asked: InnerCommand, from: LineState, { settings, autonomy, base, ask, high }: Rest): CommandFinding {
  const { command, line } = enterGitFolder(asked, from);
  const written = judgeCoverage(command, settings.rules, line);
  const resolved = written.covered ? undefined : resolveClimbing(command, line);
  const coverage = resolved ? judgeCoverage(resolved, settings.rules, line) : written;
  if (coverage.covered && !high) {
    const rule = coverage.by;
    const risk = coverage.readOnly ? "low" : "medium";
    return {
      ...base,
      effect: "allow",
      rule: rule.where,
      reason: `The rule ${JSON.stringify(rule.text)} covers it, and its arguments are reviewed.`,
      risk,
      ...relianceOf(command),
    };
  }
  if (settings.mode === "full" && !high && onlyFolder(line) === "" && isReadOnly(command)) {
    return { ...base, effect: "allow", rule: `${settings.where}.mode`, reason: "It only reads.", risk: "low", ...relianceOf(command) };
  }
  const risk = high ? "high" : "medium";
  const why = high ?? (coverage.covered ? "it is covered" : coverage.objection);
  const remedy = high || coverage.covered ? "Approve this call." : (coverage.remedy ?? "Approve this call.");
  if (settings.mode === "allowlist")
    return { ...base, effect: ask, rule: `${settings.where}.mode`, reason: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`, risk, remedy };
  const asks = autonomy !== "full" && (high !== undefined || settings.approveMediumRisk);
  if (asks)
    return { ...base, effect: ask, rule: `default.supervised.${risk}_risk`, reason: `It is of ${risk} risk: ${why}.`, risk, remedy };
  return {
    ...base,
    effect: "allow",
    rule: `${settings.where}.mode`,
    reason: `Commands of ${risk} risk run unasked under this policy.`,
    risk,
    reliesOn: unreviewed,
  };
}

const files: readonly Containment[] = ["links", "credentials"];
const unreviewed: readonly Containment[] = ["links", "credentials", "workspace"];

/** What a covered command may meet that its words do not show; nothing for one that names no file and enters no folder. */
function relianceOf(command: InnerCommand): Pick<CommandFinding, "reliesOn"> {
  const rule = findProgram(command.argv[0]?.text ?? "");
  if (rule?.showsMachine) return { reliesOn: ["workspace"] };
  const touchesNothing = rule?.inert && command.redirects.every(({ kind }) => kind === "text" || kind === "duplicate");
  return touchesNothing ? {} : { reliesOn: files };
}

interface RiskVerdict {
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
/** Words with which programs of high risk show what is, and change nothing. A blank ends each word. */
const showing: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    systemctl:
      /^(?:--(?:no-pager|user|all|full|failed|type=[a-z,]+|state=[a-z,]+) )*(?:(?:status|show|is-active|is-enabled|is-failed|list-[a-z-]+|cat) (?:[\w@.:=-]+ )*)?$/,
    service: /^(?:--status-all |[\w@.-]+ status )$/,
    mount: /^(?:-[lv] )*(?:-t [a-z0-9,]+ )?$/,
    crontab: /^-l $/,
    iptables: /^(?:-t [a-z]+ |-[nvx]+ |--line-numbers )*(?:-[LS][nvx]*|--list|--list-rules) (?:[A-Z]\w* )?(?:-[nvx]+ |--line-numbers )*$/,
    ip6tables: /^(?:-t [a-z]+ |-[nvx]+ |--line-numbers )*(?:-[LS][nvx]*|--list|--list-rules) (?:[A-Z]\w* )?(?:-[nvx]+ |--line-numbers )*$/,
    nft: /^list [a-z0-9_ ]*$/,
    ufw: /^status (?:verbose |numbered )?$/,
    "firewall-cmd": /^(?:--(?:state|list-[a-z-]+|get-[a-z-]+) )+$/,
    ifconfig: /^(?:-a )?(?:[a-z][\w.-]* )?$/,
    route: /^(?:-(?:n|e|ee|v|4|6) )*$/,
    sysctl: /^(?:-(?:a|n|N|e) |--all )*(?:[a-z0-9_]+(?:[./][a-z0-9_]+)* )*$/,
    swapon: /^(?:-s|--summary|--show) $/,
    fdisk: /^-l (?:\/dev\/\w+ )*$/,
  }),
);

/** Characters of the words of a command that may only show. */
const mostShowing = 1_000;

function onlyShows(name: string, words: readonly Word[]): boolean {
  const text = words.map(({ glob, tilde, text }) => (glob || tilde ? "*" : `${text} `)).join("");
  return text.length <= mostShowing && showing.get(name)?.test(text) === true;
}

const interpreters = new Set("sh bash dash zsh ksh fish python python3 perl ruby node deno bun php lua".split(" "));
const fetchers = new Set("curl wget fetch aria2c".split(" "));
const recursive = new Set("rm chmod chown chgrp".split(" "));
/** The root, a folder of the root, a home folder. */
const wholeSystem = /^(?:\/+(?:[^/]+\/*)?\*?|~[^/]*\/?\*?)$/;
const wholeFolder = /^(?:\.\.?\/*|\*|\.\/\*)$/;

/** Classes of commands by what they can do to the machine; undefined when nothing special is known. */
function findHighRisk(command: InnerCommand): RiskVerdict | undefined {
  for (const argv of command.levels) {
    const name = baseName(argv[0]?.text ?? "");
    const reason = highRisk.get(name) ?? (name.startsWith("mkfs.") ? highRisk.get("mkfs") : undefined);
    if (reason && !onlyShows(name, argv.slice(1))) return { risk: "high", reason: `${name} ${reason}` };
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
    [...argv, ...fromRoot(argv)].some(({ text }) => wholeSystem.test(text) || (name === "rm" && wholeFolder.test(text)))
  ) {
    return { risk: "high", reason: `${name} reaches a whole file system, home or folder` };
  }
  return undefined;
}

function isRecursive(argv: readonly Word[]): boolean {
  return argv.some((word) => /^-[A-Za-z]*[rR]|^--recursive$/.test(word.text));
}
