export { expandBraces } from "./expand-braces.ts";
export { allowsTarget, coversHost, deniesTarget, type HostAndPort, type HostRule, normalizeHost, parseHostRule } from "./host-rule.ts";
export { type HostRules, judgeTarget, showTarget, type Target, type TargetRefusal } from "./judge-target.ts";
export { type ListRules, letterRules, matchList } from "./match-list.ts";
export {
  findInnermost,
  isBelow,
  isCredentialPath,
  isProtectedPath,
  judgePathText,
  makeVisible,
  maxPartBytes,
  maxPathBytes,
  maxPathParts,
  type PathAccess,
  type PathText,
  type Protection,
  protectionOf,
  quotePath,
} from "./path-text.ts";
export { readSecretOrigin } from "./secret-origin.ts";
export { hidesHost, type JudgedUrl, judgeRedirect, judgeUrl, type RefusedUrl } from "./url-text.ts";
