import type { Word } from "../words/decode-word.ts";
import { type Destination, readRemotePath, readUrl, unnamed } from "./destination.ts";
import type { NetworkProgram } from "./network-program.ts";
import { networkOptions, type ScannedNetwork } from "./scan-network-options.ts";

const registry = "it reaches a registry that its configuration and the lists of the project name";

/** URLs among the words of a package: `name@git+https://...`, `git@host:path`. */
function urlsOf(words: readonly Word[]): readonly Destination[] {
  return words.flatMap((word) => {
    const url = /(?:^|[+@=\s])((?:https?|ssh|git|ftp):\/\/.*)$/is.exec(word.text)?.[1];
    const found =
      url !== undefined
        ? readUrl({ ...word, text: url }, "https")
        : /^[\w.-]+@[\w.-]+:[^/]/.test(word.text)
          ? readRemotePath(word, "ssh")
          : undefined;
    return found ? [found] : [];
  });
}

const common = `-g -D -E -O -P -S -y -q -v -s -f -U -e -w --global --save --save-dev --save-exact --save-optional --save-peer --yes --quiet --verbose --silent
  --force --user --upgrade --pre --frozen-lockfile --prefer-offline --offline --legacy-peer-deps --ignore-scripts --dry-run --json --audit --fund
  --locked --frozen --prod --production --no-deps --production --latest --recursive --tag= --access= --otp= --omit= --include= --loglevel= --workspace=
  -t= --target= --prefix= --features= --python-version= --platform= --registry=url --proxy=! --https-proxy=! --config=!`;

interface Manager {
  readonly reason: string;
  /** First operands that reach it; `""` is none at all. */
  readonly reaching: string;
  readonly options?: string;
  readonly why?: string;
  readonly examples: NetworkProgram["examples"];
  /** Destinations that the operands after the subcommand name. */
  readonly named?: (verb: string, operands: readonly Word[]) => readonly (Destination | undefined)[];
}

function manager({ reason, reaching, options = "", why = registry, examples, named }: Manager): NetworkProgram {
  const verbs = new Set(reaching.split(" "));
  const reaches = (scanned: ScannedNetwork): readonly Destination[] => {
    const { options: given, doubts } = scanned;
    const operands = scanned.operands[0]?.text.startsWith("+") ? scanned.operands.slice(1) : scanned.operands;
    const verb = operands[0]?.text ?? "";
    const shows = verb === "" && given.some(({ name }) => /^--?(?:v|V|h|version|help)$/.test(name));
    if (shows || (!verbs.has(verb) && !operands[0]?.glob)) return [...urlsOf(operands.slice(1)), ...doubts.map(unnamed)];
    return [unnamed(why), ...urlsOf(operands), ...(named?.(verb, operands.slice(1)) ?? []).filter((each) => each !== undefined)];
  };
  return {
    reason,
    examples,
    options: networkOptions(`${common} -h -V --help --version ${options}`),
    reaches,
    byVerb: verbs,
    scheme: "https",
  };
}

const node =
  "add audit ci create dlx i in init install install-test it outdated publish up update upgrade view info show search login logout whoami ping exec x dist-tag unpublish deprecate access owner team token profile star adduser import fetch link pack diff isntall ins inst";
const npm = manager({
  reason: "Installs, publishes and asks a registry; URLs of packages are named.",
  reaching: node,
  options: "-w= -C= -p= -c= --package= --call= --userconfig=list --globalconfig=list --cache=",
  examples: {
    match: ["npm test", "npm run build", "npm --version"],
    notMatch: ["npm install", "npm ci", "npm i https://host.example/a.tgz"],
  },
});
const pip = manager({
  reason: "Installs and asks an index; URLs of packages and indexes are named.",
  reaching: "install download wheel index search",
  options:
    "-i=url --index-url=url --extra-index-url=url --find-links= --trusted-host= -r=list --requirement=list -c=list --constraint=list --cert=read",
  examples: {
    match: ["pip list", "pip show requests", "pip --version"],
    notMatch: ["pip install requests", "pip install -i https://host.example/simple a"],
  },
});

/** `[host[:port]/]path[:tag]`: the first part is a host when it has a dot or a port, or is localhost. */
function imageHost(word: Word | undefined): Destination | undefined {
  const first = /^([^/]+)\//.exec(word?.text ?? "")?.[1];
  if (!word || word.glob || word.tilde) return undefined;
  const host = first !== undefined && /[.:]|^localhost$/.test(first) ? first : "registry-1.docker.io";
  return readUrl({ ...word, text: host }, "https");
}
const docker = manager({
  reason: "Its service reaches registries by itself, outside of the sandbox.",
  reaching: "pull push run create build buildx login search compose image plugin manifest scout",
  options: "-H=! --host=! -c=! --context=! -a --all-tags -d -i --rm -it -p= --name= -f= -n= -l=",
  why: "its service reaches registries outside of the sandbox, and mirrors of its configuration",
  named: (verb, [image]) => (verb === "pull" || verb === "push" ? [imageHost(image)] : []),
  examples: {
    match: ["docker ps", "docker --version"],
    notMatch: ["docker pull alpine", "docker pull host.example:5000/a:1", "docker -H tcp://h ps"],
  },
});

/** Programs that reach a registry or service which their configuration names. */
export const packageReach: Readonly<Record<string, NetworkProgram>> = {
  npm,
  pnpm: { ...npm, examples: { match: ["pnpm test"], notMatch: ["pnpm install", "pnpm dlx a"] } },
  yarn: manager({
    reason: "As npm; alone it installs.",
    reaching: ` ${node} npm self-update`,
    options: "--cwd= -C=",
    examples: { match: ["yarn test", "yarn --version"], notMatch: ["yarn", "yarn add a", "yarn install"] },
  }),
  npx: {
    ...npm,
    reason: "Gets a package that is not there, unless it is told not to.",
    options: networkOptions("-y --yes --no-install --no -q --quiet -p= --package= -c= --call= --version -v --help"),
    most: 1,
    reaches: ({ operands, options }) =>
      operands.length === 0 || options.some(({ name }) => /^--no(?:-install)?$/.test(name)) ? [] : [unnamed(registry), ...urlsOf(operands)],
    examples: { match: ["npx --no-install tsc"], notMatch: ["npx tsc", "npx -y create-x"] },
  },
  pip,
  pip3: pip,
  cargo: manager({
    reason: "Installs and publishes crates; building, which can fetch what is missing, is left to the command rules.",
    reaching: "install fetch update add search publish login logout owner yank vendor info generate-lockfile",
    options: "--git=url --index=url --branch= --rev= --path= --root= -j= --registry=",
    examples: {
      match: ["cargo test", "cargo build --release"],
      notMatch: ["cargo install ripgrep", "cargo install --git https://host.example/a"],
    },
  }),
  go: manager({
    reason: "Gets modules; building, which can fetch what is missing, is left to the command rules.",
    reaching: "get install mod",
    options: "-u -d -x",
    why: "it reaches the module proxy of its configuration, or the hosts of the modules",
    examples: {
      match: ["go test ./...", "go build"],
      notMatch: ["go get host.example/a", "go install host.example/a@latest", "go mod download"],
    },
  }),
  docker,
  podman: { ...docker, examples: { match: ["podman ps"], notMatch: ["podman pull alpine"] } },
  gh: manager({
    reason: "Reaches the host that its configuration or the repository's remote names; --hostname is named.",
    reaching:
      "api auth browse codespace gist issue org pr project release repo cache run workflow secret variable search status ruleset label ssh-key gpg-key attestation extension copilot",
    options:
      "-R= --repo= --hostname=url -X= --method= -H= --header= -F=form -f=form --field=form --raw-field= --input=read --jq= --template= -b= -B= --body= --title= --body-file=read",
    why: "it reaches the host that its configuration or the repository's remote names",
    examples: {
      match: ["gh --version", "gh completion"],
      notMatch: ["gh pr list", "gh api repos/a/b", "gh api --hostname ghe.example user"],
    },
  }),
};
