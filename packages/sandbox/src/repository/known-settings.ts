import type { Setting } from "./parse-configuration.ts";

/** What a setting means for a git command. */
export type SettingVerdict =
  /** It starts no program. */
  | "harmless"
  /** It matters to commands that talk to another repository, and to no others. */
  | "remote"
  /** It may start a program, or is not known. */
  | "obeyed";

type Judge = (setting: Setting) => SettingVerdict;

/**
 * Source of the list: git-config(1), "Variables", of git 2.39 to 2.51 (Documentation/config/*.adoc of the git repository), read for what each
 * setting makes git do; names of other programs by their own documentation. A setting stands here only when no value of it names a program.
 * Names are in lower case and stand below a section, of which each subsection counts.
 */
const harmlessNames: Readonly<Record<string, string>> = {
  add: "ignoreerrors",
  advice: "*",
  am: "keepcr threeway messageid",
  apply: "ignorewhitespace whitespace",
  author: "name email",
  blame: "blankboundary coloring date ignorerevsfile markignoredlines markunblamablelines showemail showroot",
  branch: `autosetupmerge autosetuprebase sort remote pushremote merge rebase description
    vscode-merge-base github-pr-owner-number github-pr-base-branch gh-merge-base gk-last-accessed gk-last-modified gk-merge-base gk-merge-target`,
  checkout: "defaultremote guess workers thresholdforparallelism",
  clean: "requireforce",
  clone: "defaultremotename rejectshallow",
  color: "*",
  column: "*",
  commit: "cleanup gpgsign status template verbose",
  commitgraph: "generationversion maxnewfilters readchangedpaths changedpathsversion",
  committer: "name email",
  core: `abbrev autocrlf bare bigfilethreshold checkstat commentchar commentstring commitgraph compression createobject
    deltabasecachelimit eol excludesfile filemode fscache fsync fsyncmethod fsyncobjectfiles hidedotfiles ignorecase ignorestat logallrefupdates longpaths
    loosecompression multipackindex notesref packedgitlimit packedgitwindowsize packedrefstimeout filesreflocktimeout lockfilepid
    precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs quotepath repositoryformatversion restrictinheritedhandles safecrlf
    sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime unsetenvvars untrackedcache usereplacerefs warnambiguousrefs
    whitespace maxtreedepth`,
  diff: `algorithm autorefreshindex binary cachetextconv colormoved colormovedws context dirstat funcname ignoresubmodules indentheuristic
    interhunkcontext mnemonicprefix noprefix relative renamelimit renames srcprefix dstprefix statgraphwidth statnamewidth submodule
    suppressblankempty tool guitool wordregex wserrorhighlight xfuncname`,
  difftool: "prompt trustexitcode guidefault",
  extensions: "compatobjectformat noop objectformat partialclone preciousobjects refstorage relativeworktrees worktreeconfig",
  feature: "experimental manyfiles",
  fetch:
    "all fsckobjects negotiationalgorithm output parallel prune prunetags recursesubmodules showforcedupdates unpacklimit writecommitgraph",
  filter: "required",
  format: "signoff",
  gc: `aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks expiretoarchive logexpiry maxcruftsize packrefs
    pruneexpire reflogexpire reflogexpireunreachable rerereresolved rerereunresolved worktreepruneexpire writecommitgraph`,
  gitflow: "master main develop feature release hotfix support versiontag bugfix initialized",
  gpg: "mintrustlevel",
  grep: "column extendedregexp fallbacktonoindex fullname linenumber patterntype threads",
  gui: "displayuntracked matchtrackingbranch pruneduringfetch trustmtime commitmsgwidth geometry wmstate encoding fontui fontdiff diffcontext tabsize recentrepo",
  http: "extraheader lowspeedlimit lowspeedtime maxrequestbuffer maxrequests minsessions postbuffer schannelcheckrevoke sslverify version",
  i18n: "commitencoding logoutputencoding filesencoding",
  index: "recordendofindexentries recordoffsettable skiphash sparse threads version",
  init: "defaultbranch defaultobjectformat defaultrefformat",
  interactive: "singlekey",
  lfs: "access allowincompletepush batch concurrenttransfers fetchexclude fetchinclude locksverify repositoryformatversion url",
  log: `abbrevcommit date decorate diffmerges excludedecoration follow graphcolors initialdecorationset mailmap showroot`,
  mailmap: "file blob",
  maintenance: "auto autodetach enabled schedule strategy loose-objects repo",
  merge: `autoedit autostash branchdesc conflictstyle defaulttoupstream directoryrenames ff log name recursive renamelimit renames renormalize
    stat suppressdest tool guitool verbosity verifysignatures`,
  mergetool: "hideresolved keepbackup keeptemporaries prompt writetotemp",
  notes: "displayref mergestrategy rewritemode rewriteref",
  pack: `allowpackreuse compression deltacachelimit deltacachesize depth indexversion island islandcore packsizelimit threads usebitmaps usesparse
    window windowmemory writebitmaphashcache writebitmaplookuptable writereverseindex readreverseindex preferbitmaptips`,
  protocol: "version",
  pull: "autostash ff rebase",
  push: "autosetupremote default followtags gpgsign negotiate pushoption recursesubmodules usebitmaps useforceifincludes",
  rebase: "abbreviatecommands autosquash autostash backend forkpoint missingcommitscheck rebasemerges reschedulefailedexec stat updaterefs",
  receive:
    "advertiseatomic advertisepushoptions autogc denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects shallowupdate unpacklimit",
  remote:
    "fetch followremotehead gh-resolved mirror partialclonefilter promisor prune prunetags push pushdefault skipdefaultupdate skipfetchall tagopt",
  remotes: "*",
  repack: "cruftdepth cruftthreads cruftwindow packkeptobjects updateserverinfo usedeltabaseoffset usedeltaislands writebitmaps",
  rerere: "autoupdate enabled",
  reset: "quiet",
  revert: "reference",
  showbranch: "default",
  sparse: "expectfilesoutsideofpatterns",
  splitindex: "maxpercentchange sharedindexexpire",
  stash: "showincludeuntracked showpatch showstat",
  ssh: "variant",
  status: `aheadbehind branch displaycommentprefix relativepaths renamelimit renames short showstash showuntrackedfiles submodulesummary`,
  submodule: "active alternateerrorstrategy alternatelocation branch fetchjobs fetchrecursesubmodules ignore propagatebranches recurse",
  tag: "forcesignannotated gpgsign sort",
  tar: "umask",
  transfer: "advertiseobjectinfo advertisesid bundleuri credentialsinurl fsckobjects hiderefs unpacklimit",
  uploadpack:
    "advertisebundleuris allowanysha1inwant allowfilter allowreachablesha1inwant allowrefinwant allowtipsha1inwant hiderefs keepalive",
  user: "email name signingkey useconfigonly",
  versionsort: "prereleasesuffix suffix",
  worktree: "guessremote userelativepaths",
};

const harmless = new Map(Object.entries(harmlessNames).map(([section, names]) => [section, new Set(names.split(/\s+/))]));

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

const judgeAddress: Judge = ({ value = "" }) => (isNetworkAddress(value) ? "harmless" : "remote");
const isSwitch = ({ value }: Setting) => value === undefined || /^(?:true|false|yes|no|on|off|[01]|)$/i.test(value);

const judges: Readonly<Record<string, Judge>> = {
  "remote.url": judgeAddress,
  "remote.pushurl": judgeAddress,
  "submodule.url": judgeAddress,
  "submodule.update": ({ value }) => (/^(?:checkout|merge|rebase|none)$/.test(value ?? "") ? "harmless" : "obeyed"),
  "url.insteadof": ({ subsection = "" }) => (isNetworkAddress(subsection) ? "harmless" : "obeyed"),
  "url.pushinsteadof": ({ subsection = "" }) => (isNetworkAddress(subsection) ? "harmless" : "obeyed"),
  "gpg.format": ({ value }) => (/^(?:openpgp|x509|ssh)$/.test(value ?? "") ? "harmless" : "obeyed"),
  // An empty helper takes those before it off the list.
  "credential.helper": ({ value }) => (value === "" ? "harmless" : "obeyed"),
  "credential.username": () => "harmless",
  "credential.usehttppath": () => "harmless",
};

/** Judges one setting by its name, and where the list says so by its value. */
export function judgeSetting(setting: Setting): SettingVerdict {
  const { section, subsection, name } = setting;
  const plain = `${section}.${name}`;
  if (subsection === undefined && overriddenSettings.has(plain)) return "harmless";
  const judge = Object.hasOwn(judges, plain) ? judges[plain] : undefined;
  if (judge) return judge(setting);
  if (section === "pager" && isSwitch(setting)) return "harmless";
  const names = harmless.get(section);
  return names?.has(name) || names?.has("*") ? "harmless" : "obeyed";
}

/** Settings of git's documentation that name a program, for words to people: the value is what would run. */
export const isProgram = ({ section, name }: Pick<Setting, "section" | "name">) =>
  /^(?:command|textconv|clean|smudge|process|driver|cmd|path|program|helper|defaultkeycommand|external|sshcommand|editor|pager|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand|uploadpack|receivepack|vcs|update|packobjectshook|recentobjectshook|difffilter|diffcmd)$/.test(
    name,
  ) || ["alias", "pager", "include", "includeif"].includes(section);
