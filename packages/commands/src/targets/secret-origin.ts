import { normalizeHost } from "./host-rule.ts";

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The origin that an operator binds a secret to: `api.github.com`, `git.example.org:8443`, `http://127.0.0.1:8080`. Undefined for all that would send it
 * to more than one origin, or over a line that others can read: wildcards, paths, user names, http beyond the loopback.
 */
export function readSecretOrigin(text: string): string | undefined {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (!url || url.href !== `${url.origin}/` || normalizeHost(url.hostname) === undefined) return undefined;
  const isPrivate = url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname));
  return isPrivate && !/[\s\\?#@]/.test(text) ? url.origin : undefined;
}
