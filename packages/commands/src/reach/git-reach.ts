import type { Word } from "../words/decode-word.ts";
import { type Destination, readRemotePath, readUrl, unnamed } from "./destination.ts";
import { has, type NetworkProgram, nothing, present, uncertain } from "./network-program.ts";
import { networkOptions } from "./scan-network-options.ts";

const remoteName = "its remote stands in the repository's settings";

/** A remote of git: a URL, host:path, a certain path, or a name of the settings. */
function gitRemote(word: Word | undefined, named: boolean): readonly Destination[] {
  if (!word) return named ? [unnamed(remoteName)] : [];
  if (uncertain(word)) return [unnamed(`${JSON.stringify(word.text)} may expand to other destinations`)];
  const { text } = word;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const url = { ...word, text: text.replace(/^(?:git\+ssh|ssh\+git)(?=:)/i, "ssh") };
    return present([readUrl(url, "ssh")]);
  }
  if (/^[^/]*:/.test(text)) return present([readRemotePath(word, "ssh")]);
  return !named || /^(?:\.{0,2}\/|\.{1,2}$)/.test(text) ? [] : [unnamed(remoteName)];
}

const gitOptions = `-q --quiet -v --verbose -4 -6 --ipv4 --ipv6 --progress --all! --multiple! --recurse-submodules! --upload-pack=! --receive-pack=!
  --exec=! -c=! --config=! --bundle-uri=url --server-option= --tags -t -p --prune -P --prune-tags -f --force -n --dry-run -a --append -k --keep
  --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow --update-shallow --refmap= -j= --jobs= --set-upstream --atomic
  --porcelain --write-fetch-head --stdin! --filter= --negotiation-tip= --show-forced-updates --auto-maintenance --auto-gc --update-head-ok -u`;
const gitCommand = (reason: string, options: string, reaches: NetworkProgram["reaches"]): NetworkProgram => ({
  reason,
  examples: { match: [], notMatch: [] },
  options: networkOptions(`${gitOptions} ${options}`),
  reaches,
});
const fromSettings = gitCommand("Goes where the repository's settings say.", "", () => [unnamed(remoteName)]);

const subcommands: ReadonlyMap<string, NetworkProgram> = new Map([
  [
    "clone",
    gitCommand(
      "Gets a repository.",
      "-l --local --hardlinks --no-hardlinks -s --shared --no-checkout --bare --mirror --single-branch --no-single-branch --sparse -o= --origin= -b= --branch= -u=! --reference=read --reference-if-able=read --template=! --separate-git-dir=write --shallow-submodules --remote-submodules! --dissociate --ref-format= --reject-shallow -n",
      ({ operands }) => gitRemote(operands[0], false),
    ),
  ],
  ["fetch", gitCommand("Fetches.", "-m!", ({ operands }) => gitRemote(operands[0], true))],
  [
    "pull",
    gitCommand(
      "Fetches and merges.",
      "-r --rebase --ff --ff-only --no-ff --commit --edit -e --squash --stat -s= --strategy= -X= --strategy-option= --autostash --allow-unrelated-histories -S --verify --signoff --no-rebase",
      ({ operands }) => gitRemote(operands[0], true),
    ),
  ],
  [
    "push",
    gitCommand(
      "Sends.",
      "-d --delete --mirror --follow-tags --signed --force-with-lease --force-if-includes --thin --verify -o= --push-option= --branches --repo=!",
      ({ operands }) => gitRemote(operands[0], true),
    ),
  ],
  [
    "ls-remote",
    gitCommand("Lists.", "-h --heads -b --branches --refs --exit-code --get-url --symref --sort= -o=", ({ operands }) =>
      gitRemote(operands[0], true),
    ),
  ],
  [
    "remote",
    gitCommand("Fetches with update, show, prune, set-head and add -f.", "-m= --mirror --push --add -d --delete", (scanned) =>
      /^(?:update|show|prune|set-head)$/.test(scanned.operands[0]?.text ?? "")
        ? [unnamed(remoteName)]
        : has(scanned, "-f")
          ? gitRemote(scanned.operands[2], true)
          : [],
    ),
  ],
  [
    "submodule",
    gitCommand(
      "Gets what .gitmodules or its URL says.",
      "-b= --branch= --name= --reference=read --init --remote --recursive --merge --checkout --rebase",
      ({ operands: [verb, url] }) => {
        if (verb?.text === "add") return gitRemote(url, false);
        return verb?.text === "update" ? [unnamed("its remotes stand in .gitmodules")] : [];
      },
    ),
  ],
  ["archive", gitCommand("Asks another repository with --remote.", "--format= -o=write --output=write --remote=! --prefix= -l", nothing)],
  ["lfs", fromSettings],
  ["svn", fromSettings],
  ["send-email", fromSettings],
  ["maintenance", fromSettings],
  ["fetch-pack", fromSettings],
  ["send-pack", fromSettings],
  ["http-fetch", fromSettings],
  ["http-push", fromSettings],
  ["request-pull", fromSettings],
]);

export const git: NetworkProgram = {
  reason: "Reaches the URL or host:path that it is given; a remote by its name, submodules and settings say the rest.",
  examples: {
    match: [
      "git clone https://host.example/a.git",
      "git fetch git@host.example:a/b.git main",
      "git push ssh://host.example:2222/a",
      "git status",
    ],
    notMatch: [
      "git fetch",
      "git push origin main",
      "git clone --recurse-submodules https://host.example/a",
      "git -c http.proxy=x fetch https://host.example/a",
    ],
  },
  options: networkOptions(
    "-p -P --paginate --no-pager --bare --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --glob-pathspecs --noglob-pathspecs --icase-pathspecs --version --help --literal-pathspecs -C= --git-dir= --work-tree= --namespace= -c=! --config-env=! --exec-path=!",
  ),
  most: 1,
  byVerb: new Set(subcommands.keys()),
  reaches: nothing,
  subcommands,
};
