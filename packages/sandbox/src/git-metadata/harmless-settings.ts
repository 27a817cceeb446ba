import type { Setting } from "./read-settings.ts";

const words = (text: string) => new Set(text.trim().split(/\s+/));

/**
 * Settings by which git runs no program, reads no other configuration and reaches no other place by itself, from git-config(1) of git 2.52.
 * By section, without a subsection.
 */
const plain: Readonly<Record<string, ReadonlySet<string>>> = {
  core: words(
    `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath abbrev
     sharedrepository compression loosecompression bigfilethreshold untrackedcache checkstat trustctime longpaths protecthfs protectntfs
     preloadindex sparsecheckout sparsecheckoutcone splitindex whitespace hidedotfiles fscache commentchar commentstring multipackindex commitgraph
     checkroundtripencoding deltabasecachelimit packedgitlimit packedgitwindowsize fsync fsyncmethod excludesfile maxtreedepth`,
  ),
  user: words("name email"),
  author: words("name email"),
  committer: words("name email"),
  init: words("defaultbranch"),
  pull: words("rebase ff octopus"),
  push: words("default autosetupremote followtags"),
  fetch: words("prune prunetags parallel writecommitgraph showforcedupdates output"),
  merge: words("ff conflictstyle renames renamelimit directoryrenames log stat branchdesc verbosity autostash"),
  rebase: words("autostash autosquash updaterefs stat missingcommitscheck abbreviatecommands"),
  diff: words(
    "algorithm renames renamelimit colormoved colormovedws mnemonicprefix noprefix relative indentheuristic context interhunkcontext suppressblankempty submodule ignoresubmodules wserrorhighlight",
  ),
  log: words("date decorate abbrevcommit follow graphcolors mailmap showroot"),
  status: words(
    "short branch showstash aheadbehind relativepaths showuntrackedfiles submodulesummary renames renamelimit displaycommentprefix",
  ),
  commit: words("verbose cleanup status"),
  tag: words("sort"),
  branch: words("sort autosetupmerge autosetuprebase"),
  checkout: words("defaultremote guess workers"),
  stash: words("showincludeuntracked showpatch showstat"),
  gc: words(
    "auto autodetach autopacklimit prunepackexpire pruneexpire worktreepruneexpire reflogexpire reflogexpireunreachable writecommitgraph",
  ),
  maintenance: words("auto strategy autodetach"),
  index: words("version threads sparse skiphash recordendofindexentries recordoffsettable"),
  pack: words("threads windowmemory deltacachesize writebitmaphashcache usesparse packsizelimit"),
  feature: words("manyfiles experimental"),
  rerere: words("enabled autoupdate"),
  i18n: words("commitencoding logoutputencoding"),
  receive: words("denycurrentbranch denynonfastforwards denydeletes fsckobjects"),
  transfer: words("fsckobjects hiderefs unpacklimit"),
  remote: words("pushdefault"),
  submodule: words("active recurse propagatebranches fetchjobs"),
  extensions: words("objectformat compatobjectformat refstorage worktreeconfig noop relativeworktrees preciousobjects"),
  lfs: words("repositoryformatversion"),
  advice: /* any */ new Set(),
  color: new Set(),
  column: words("ui branch clean status tag"),
};

const named: Readonly<Record<string, ReadonlySet<string>>> = {
  branch: words("remote merge rebase description pushremote vscode-merge-base github-pr-owner-number"),
  remote: words("url pushurl fetch push mirror prune prunetags tagopt skipdefaultupdate skipfetchall gh-resolved"),
  submodule: words("url active branch ignore fetchrecursesubmodules"),
  color: words(
    "branch diff grep interactive status decorate push remote transport blame ui local current upstream plain meta frag old new commit whitespace func context added changed untracked header updated nobranch unmerged localbranch remotebranch",
  ),
};

const alwaysHarmless = new Set(["core.fsmonitor=false", "core.hookspath=/dev/null", "commit.gpgsign=false", "tag.gpgsign=false"]);
/** `helper::address` is handed to a program; what begins with a dash may become an option. */
const harmlessAddress = /^(?!-)(?!.*::)(?!ext:|fd:)/i;

/** True when git does nothing with it that the person at the terminal did not ask for. What is not listed is not harmless. */
export function isHarmless({ section, subsection, key, value }: Setting): boolean {
  if (/\p{Cc}/u.test(value)) return false;
  if (subsection === undefined) {
    if (alwaysHarmless.has(`${section}.${key}=${value.toLowerCase()}`)) return true;
    if (section === "advice" || section === "color") return true;
    return (Object.hasOwn(plain, section) && plain[section]?.has(key) && harmlessAddress.test(value)) === true;
  }
  return Object.hasOwn(named, section) && named[section]?.has(key) === true && harmlessAddress.test(value);
}
