/** npm's and pnpm's settings that hold no credential (docs.npmjs.com/cli/using-npm/config, pnpm.io/npmrc). Addresses are judged by themselves. */
const npmSettings = new Set(
  `audit auto-install-peers dedupe-peer-dependents dedupe-direct-deps engine-strict enable-pre-post-scripts fund hoist hoist-pattern
  ignore-scripts install-links install-strategy legacy-peer-deps link-workspace-packages lockfile loglevel maxsockets modules-dir node-linker
  omit package-import-method package-lock package-lock-only prefer-frozen-lockfile prefer-offline prefer-workspace-packages progress
  provenance public-hoist-pattern public-hoist-pattern[] resolution-mode save-exact save-prefix save-workspace-protocol shamefully-hoist
  shared-workspace-lockfile side-effects-cache strict-peer-dependencies strict-peer-deps symlink tag tag-version-prefix
  update-notifier use-node-version verify-store-integrity virtual-store-dir workspaces-update access fetch-retries fetch-timeout`.split(
    /\s+/,
  ),
);
/** Yarn's (yarnpkg.com/configuration/yarnrc); members of these hold no credential either. */
const yarnSettings = new Set(
  `cacheFolder changesetBaseRefs changesetIgnorePatterns checksumBehavior compressionLevel constraintsPath defaultProtocol
  defaultSemverRangePrefix deferredVersionFolder enableColors enableGlobalCache enableHardenedMode enableHyperlinks enableImmutableInstalls
  enableInlineBuilds enableInlineHunks enableMessageNames enableMirror enableNetwork enableOfflineMode enableProgressBars enableScripts
  enableStrictSsl enableTelemetry enableTimers enableTransparentWorkspaces globalFolder immutablePatterns initScope installStatePath lockfileFilename
  logFilters nmHoistingLimits nmMode nmSelfReferences nodeLinker packageExtensions patchFolder plugins pnpEnableEsmLoader pnpEnableInlining
  pnpFallbackMode pnpIgnorePatterns pnpMode pnpShebang preferDeferredVersions preferInteractive preferTruncatedLines supportedArchitectures
  tsEnableAutoTypes virtualFolder winLinkType yarnPath`.split(/\s+/),
);
const plainAddress = /^["']?https?:\/\/[\w.:/~-]+["']?$/;
const secretWord = /auth|token|passw|secret|credential|private|_key|ident/i;

function isPlainNpm(text: string): boolean {
  return linesOf(text, /[#;]/).every((line) => {
    const [, key = "", written = ""] = /^([^=\s]+)\s*=(.*)$/s.exec(line) ?? [];
    const value = written.trimStart();
    if (key === "registry" || /^@[\w.-]+:registry$/.test(key)) return plainAddress.test(value);
    return npmSettings.has(key) && !secretWord.test(value) && value.length <= 80;
  });
}

function isPlainYarn(text: string): boolean {
  return linesOf(text, /#/).every((line) => {
    if (secretWord.test(line) || /:\/\/[^\s/]*@/.test(line)) return false;
    return /^\s/.test(line) || /^-/.test(line) || yarnSettings.has(/^["']?(\w+)["']?:/.exec(line)?.[1] ?? "");
  });
}

const linesOf = (text: string, comment: RegExp) =>
  text.split(/\r?\n/).filter((line) => line.trim() !== "" && !comment.test(line.trim()[0] ?? ""));

const publicBlocks =
  /^(?:CERTIFICATE|TRUSTED CERTIFICATE|X509 CERTIFICATE|X509 CRL|PUBLIC KEY|RSA PUBLIC KEY|DH PARAMETERS|EC PARAMETERS)$/;

/** Certificates and public keys alone, with remarks between them. */
function isPublicPem(text: string): boolean {
  const outside = text.replace(/-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----/g, (block, label: string) =>
    publicBlocks.test(label) ? "" : block,
  );
  const isCut = outside.length < text.length;
  return (
    isCut &&
    !/-----BEGIN|PRIVATE/.test(outside) &&
    outside.split("\n").every((line) => /^\s*(?:#|$)/.test(line) || /^[\w .,:;=()/'-]{0,100}$/.test(line))
  );
}

/**
 * True for a file that is named like one of credentials and holds none: its text is of a form in which there is no place for any. Everything
 * that is not known is a credential.
 */
export function isHarmlessContent(path: string, bytes: Uint8Array): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const text = Buffer.from(bytes).toString("utf8");
  if (text.trim() === "") return true;
  if (name === ".npmrc") return isPlainNpm(text);
  if (name === ".yarnrc.yml") return isPlainYarn(text);
  return name.endsWith(".pem") && isPublicPem(text);
}
