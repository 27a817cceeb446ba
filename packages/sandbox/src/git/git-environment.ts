/** Sound histories of old tools have these; nothing follows from them. */
const harmless = ["badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode"];

const overrides: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["credential.helper", ""],
  ["http.followRedirects", "false"],
  ["safe.bareRepository", "explicit"],
  ["submodule.recurse", "false"],
  ["transfer.fsckObjects", "true"],
  ...harmless.map((problem) => [`fetch.fsck.${problem}`, "ignore"] as const),
];

/**
 * The environment of a clone (R-GT-4). Git reads no configuration but this, asks nobody, speaks no transport but http, and takes the URL that
 * it is given as the one of the relay: what it writes into `.git/config` is the former.
 */
export function gitEnvironment({
  url,
  relay,
  ceiling,
}: {
  readonly url: string;
  readonly relay: string;
  readonly ceiling: string;
}): Record<string, string> {
  const settings = [...overrides, [`url.${relay}.insteadOf`, url] as const];
  return {
    TERM: "dumb",
    NO_COLOR: "1",
    LC_ALL: "C.UTF-8",
    // The relay is on the loopback; where the network is filtered, the way to it leads through the proxy.
    NO_PROXY: "",
    no_proxy: "",
    GIT_ALLOW_PROTOCOL: "http",
    GIT_ASKPASS: "/bin/false",
    GIT_CEILING_DIRECTORIES: ceiling,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
