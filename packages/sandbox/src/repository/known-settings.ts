import type { Setting } from "./parse-configuration.ts";

/**
 * What a setting makes git do that it would not do without it. There are two answers: commands of the engine run under `commandEnvironment`,
 * without a person's keys and helpers; git of a person on the host has these, and obeys settings that choose what is signed, sent and trusted.
 */
interface SettingVerdict {
  /** Which commands of the engine may start a program because of it; `fetching` are those that talk to another repository. */
  readonly commands: "none" | "fetching" | "all";
  /** True when a run may leave it for git on the host. */
  readonly isHarmlessOnHost: boolean;
}

type Judge = (setting: Setting) => SettingVerdict;

const harmless: SettingVerdict = { commands: "none", isHarmlessOnHost: true };
const harmlessHere: SettingVerdict = { commands: "none", isHarmlessOnHost: false };
const leadsToFolder: SettingVerdict = { commands: "fetching", isHarmlessOnHost: true };
const leadsElsewhere: SettingVerdict = { commands: "fetching", isHarmlessOnHost: false };
const obeyed: SettingVerdict = { commands: "all", isHarmlessOnHost: false };

/**
 * Source of the list: git-config(1), "Variables", of git 2.39 to 2.52 (Documentation/config/*.adoc of the git repository), read for what each
 * setting makes git do; names of other programs by their own documentation. A setting stands here only when no value of it names a program.
 * Names are in lower case and stand below a section, of which each subsection counts. Those behind "|" are harmless to commands of the engine,
 * and not to git on the host.
 */
const knownNames: Readonly<Record<string, string>> = {
  add: "| ignoreerrors",
  advice: "*",
  am: "| keepcr threeway messageid",
  apply: "| ignorewhitespace whitespace",
  author: "name email",
  blame: "| blankboundary coloring date ignorerevsfile markignoredlines markunblamablelines showemail showroot",
  branch: `sort autosetupmerge autosetuprebase merge rebase description vscode-merge-base github-pr-owner-number | github-pr-base-branch
    gh-merge-base gk-last-accessed gk-last-modified gk-merge-base gk-merge-target`,
  checkout: "defaultremote guess workers | thresholdforparallelism",
  clean: "| requireforce",
  clone: "| defaultremotename rejectshallow",
  color: "*",
  column: "*",
  commit: "verbose cleanup status | gpgsign template",
  commitgraph: "| generationversion maxnewfilters readchangedpaths changedpathsversion",
  committer: "name email",
  core: `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath abbrev
    sharedrepository compression loosecompression bigfilethreshold untrackedcache checkstat trustctime longpaths protecthfs protectntfs
    preloadindex sparsecheckout sparsecheckoutcone splitindex whitespace hidedotfiles fscache commentchar commentstring multipackindex
    commitgraph checkroundtripencoding deltabasecachelimit packedgitlimit packedgitwindowsize fsync fsyncmethod excludesfile
    maxtreedepth | createobject fsyncobjectfiles ignorestat notesref packedrefstimeout filesreflocktimeout lockfilepid prefersymlinkrefs
    restrictinheritedhandles unsetenvvars usereplacerefs warnambiguousrefs`,
  diff: `algorithm renames renamelimit colormoved colormovedws mnemonicprefix noprefix relative indentheuristic context interhunkcontext
    suppressblankempty submodule ignoresubmodules wserrorhighlight | autorefreshindex binary cachetextconv dirstat funcname srcprefix
    dstprefix statgraphwidth statnamewidth tool guitool wordregex xfuncname`,
  difftool: "| prompt trustexitcode guidefault",
  extensions: "objectformat compatobjectformat refstorage worktreeconfig noop relativeworktrees preciousobjects | partialclone",
  feature: "manyfiles experimental",
  fetch: `prune prunetags parallel writecommitgraph showforcedupdates output | all fsckobjects negotiationalgorithm recursesubmodules
    unpacklimit`,
  filter: "| required",
  format: "| signoff",
  gc: `auto autodetach autopacklimit prunepackexpire pruneexpire worktreepruneexpire reflogexpire reflogexpireunreachable writecommitgraph
    | aggressivedepth aggressivewindow bigpackthreshold cruftpacks expiretoarchive logexpiry maxcruftsize packrefs rerereresolved
    rerereunresolved`,
  gitflow: "| master main develop feature release hotfix support versiontag bugfix initialized",
  gpg: "| mintrustlevel",
  grep: "| column extendedregexp fallbacktonoindex fullname linenumber patterntype threads",
  gui: `| displayuntracked matchtrackingbranch pruneduringfetch trustmtime commitmsgwidth geometry wmstate encoding fontui fontdiff
    diffcontext tabsize recentrepo`,
  http: `| extraheader lowspeedlimit lowspeedtime maxrequestbuffer maxrequests minsessions postbuffer schannelcheckrevoke sslverify version`,
  i18n: "commitencoding logoutputencoding | filesencoding",
  index: "version threads sparse skiphash recordendofindexentries recordoffsettable",
  init: "defaultbranch | defaultobjectformat defaultrefformat",
  interactive: "| singlekey",
  lfs: "repositoryformatversion | access allowincompletepush batch concurrenttransfers fetchexclude fetchinclude locksverify url",
  log: "date decorate abbrevcommit follow graphcolors mailmap showroot | diffmerges excludedecoration initialdecorationset",
  mailmap: "| file blob",
  maintenance: "auto strategy autodetach | enabled schedule loose-objects repo",
  merge: `ff conflictstyle renames renamelimit directoryrenames log stat branchdesc verbosity autostash | autoedit defaulttoupstream name
    recursive renormalize suppressdest tool guitool verifysignatures`,
  mergetool: "| hideresolved keepbackup keeptemporaries prompt writetotemp",
  notes: "| displayref mergestrategy rewritemode rewriteref",
  pack: `threads windowmemory deltacachesize writebitmaphashcache usesparse packsizelimit | allowpackreuse compression deltacachelimit depth
    indexversion island islandcore usebitmaps window writebitmaplookuptable writereverseindex readreverseindex preferbitmaptips`,
  protocol: "| version",
  pull: "rebase ff | autostash",
  push: "default autosetupremote followtags | gpgsign negotiate pushoption recursesubmodules usebitmaps useforceifincludes",
  rebase: `autostash autosquash updaterefs stat missingcommitscheck abbreviatecommands | backend forkpoint rebasemerges reschedulefailedexec`,
  receive: `denycurrentbranch denynonfastforwards denydeletes fsckobjects | advertiseatomic advertisepushoptions autogc denydeletecurrent
    shallowupdate unpacklimit`,
  remote: `fetch push mirror prune prunetags tagopt skipdefaultupdate skipfetchall gh-resolved | followremotehead partialclonefilter promisor`,
  remotes: "| *",
  repack: "| cruftdepth cruftthreads cruftwindow packkeptobjects updateserverinfo usedeltabaseoffset usedeltaislands writebitmaps",
  rerere: "enabled autoupdate",
  reset: "| quiet",
  revert: "| reference",
  showbranch: "| default",
  sparse: "| expectfilesoutsideofpatterns",
  splitindex: "| maxpercentchange sharedindexexpire",
  ssh: "| variant",
  stash: "showincludeuntracked showpatch showstat",
  status: "short branch showstash aheadbehind relativepaths showuntrackedfiles submodulesummary renames renamelimit displaycommentprefix",
  submodule: "active recurse propagatebranches fetchjobs branch ignore fetchrecursesubmodules | alternateerrorstrategy alternatelocation",
  tag: "sort | forcesignannotated gpgsign",
  tar: "| umask",
  transfer: "fsckobjects hiderefs unpacklimit | advertiseobjectinfo advertisesid bundleuri credentialsinurl",
  uploadpack: `| advertisebundleuris allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant allowtipsha1inwant hiderefs keepalive`,
  user: "name email | signingkey useconfigonly",
  versionsort: "| prereleasesuffix suffix",
  worktree: "| guessremote userelativepaths",
};

/** By section, the names on one side of the "|". */
const namesOf = (side: 0 | 1): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(knownNames).map(([section, names]) => [section, new Set(names.split("|")[side]?.trim().split(/\s+/))]));

const onHost = namesOf(0);
const onlyHere = namesOf(1);

/** Set for every command (`commandEnvironment`) above what a repository says, by variables and `GIT_CONFIG_COUNT`. */
export const overriddenSettings: ReadonlySet<string> = new Set([
  "core.askpass",
  "core.editor",
  "core.fsmonitor",
  "core.hookspath",
  "core.pager",
  "log.showsignature",
  "sequence.editor",
]);

/** An address that git reaches by the network or by ssh: no folder, no helper of a transport. */
export const isNetworkAddress = (text: string) =>
  /^(?:https?|ssh|git|ftps?|git\+ssh|ssh\+git):\/\/[^-]/i.test(text) || /^(?!-)[\w.@%+~-]+:(?![:/]{2})(?!:)/.test(text);

/** `helper::address` is handed to a program; what begins with a dash may become an option. */
const namesHelper = (text: string) => /^-|::|^(?:ext|fd):/i.test(text);
const isRemoteName = (text: string) => /^(?:\.|\w[\w.+/-]*)$/.test(text);

const judgeAddress: Judge = ({ value = "" }) => {
  if (isNetworkAddress(value)) return harmless;
  return namesHelper(value) ? leadsElsewhere : leadsToFolder;
};
const judgeRemote: Judge = (setting) => (isRemoteName(setting.value ?? "") ? harmless : judgeAddress(setting));
const isSwitch = ({ value }: Setting) => value === undefined || /^(?:true|false|yes|no|on|off|[01]|)$/i.test(value);
const hereIf = (holds: boolean) => (holds ? harmlessHere : obeyed);

/** Settings that are judged by their value. */
const judges: ReadonlyMap<string, Judge> = new Map(
  Object.entries<Judge>({
    "remote.url": judgeAddress,
    "remote.pushurl": judgeAddress,
    "submodule.url": judgeAddress,
    "branch.remote": judgeRemote,
    "branch.pushremote": judgeRemote,
    "remote.pushdefault": judgeRemote,
    "submodule.update": ({ value }) => hereIf(/^(?:checkout|merge|rebase|none)$/.test(value ?? "")),
    "url.insteadof": ({ subsection = "" }) => hereIf(isNetworkAddress(subsection)),
    "url.pushinsteadof": ({ subsection = "" }) => hereIf(isNetworkAddress(subsection)),
    "gpg.format": ({ value }) => hereIf(/^(?:openpgp|x509|ssh)$/.test(value ?? "")),
    // An empty helper takes those before it off the list.
    "credential.helper": ({ value }) => hereIf(value === ""),
    "credential.username": () => harmlessHere,
    "credential.usehttppath": () => harmlessHere,
  }),
);

/** Settings that turn something off which a program would do. */
const turnedOff = new Set(["core.fsmonitor=false", "core.hookspath=/dev/null", "commit.gpgsign=false", "tag.gpgsign=false"]);

/** Judges one setting by its name, and where the list says so by its value. */
export function judgeSetting(setting: Setting): SettingVerdict {
  const { key, value = "true" } = setting;
  if (turnedOff.has(`${key}=${value.toLowerCase()}`)) return harmless;
  const verdict = judgeName(setting);
  return verdict.isHarmlessOnHost && (namesHelper(value) || /\p{Cc}/u.test(value)) ? { ...verdict, isHarmlessOnHost: false } : verdict;
}

function judgeName(setting: Setting): SettingVerdict {
  const { section, subsection, name } = setting;
  const plain = `${section}.${name}`;
  if (subsection === undefined && overriddenSettings.has(plain)) return harmlessHere;
  const judge = judges.get(plain);
  if (judge) return judge(setting);
  if (section === "pager") return hereIf(isSwitch(setting));
  const isListed = (names: ReadonlyMap<string, ReadonlySet<string>>) => names.get(section)?.has(name) || names.get(section)?.has("*");
  if (isListed(onHost)) return harmless;
  return hereIf(isListed(onlyHere) === true);
}

/** Settings of git's documentation that name a program, for words to people: the value is what would run. */
export const isProgram = ({ section, name }: Pick<Setting, "section" | "name">) =>
  /^(?:command|textconv|clean|smudge|process|driver|cmd|path|program|helper|defaultkeycommand|external|sshcommand|editor|pager|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand|uploadpack|receivepack|vcs|update|packobjectshook|recentobjectshook|difffilter|diffcmd)$/.test(
    name,
  ) || ["alias", "pager", "include", "includeif"].includes(section);
