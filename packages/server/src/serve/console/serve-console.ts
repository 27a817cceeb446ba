import { randomBytes } from "node:crypto";
import { acceptsCoding } from "../accepts-coding.ts";
import type { BuiltFile, ConsoleFiles } from "./console-files.ts";

/** Where the console stands: a page can be shown when it is ready. */
export type ConsoleState =
  | { readonly state: "off" }
  | { readonly state: "building" }
  | { readonly state: "failed"; readonly words: string }
  | { readonly state: "ready"; readonly files: ConsoleFiles }
  | { readonly state: "live"; readonly page: LivePage };

/** The page for a path, made from the sources as they are now. Its scripts and styles carry the nonce. */
export type LivePage = (path: string, nonce: string) => Promise<string>;

const nonceBytes = 18;
const aYear = 31_536_000;

/** What pages are told of the server before they ask it. */
export interface PageFacts {
  /** Whether people have accounts here. */
  readonly peopleSignIn: boolean;
}

/** Answers for paths of the console; undefined for what is none of it. */
export async function serveConsole(request: Request, files: ConsoleFiles, facts: PageFacts): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  files.refresh();
  if (pathname.startsWith("/assets/")) return serveFile(request, pathname, files);
  if (pathname === "/console.json")
    return Response.json({ build: files.build.hash, ...facts }, { headers: { "cache-control": "no-store" } });
  const nonce = makeNonce();
  const page = files.pageAt(pathname, nonce);
  return page === undefined ? undefined : new Response(page, { headers: pageHeaders(nonce, "'self'") });
}

/** Pages that are worked on: what serves their modules stands before this. */
export async function serveLive(request: Request, page: LivePage, facts: PageFacts): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/console.json") return Response.json(facts, { headers: { "cache-control": "no-store" } });
  const nonce = makeNonce();
  // What reloads a module that changed begins with a script in the page.
  return new Response(await page(pathname, nonce), { headers: pageHeaders(nonce, `'self' 'nonce-${nonce}'`) });
}

const makeNonce = () => randomBytes(nonceBytes).toString("base64");

/** R-UI-2. Styles of components come with the nonce; scripts are files of the build alone. */
function pageHeaders(nonce: string, scripts: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
  };
}

async function serveFile(request: Request, path: string, files: ConsoleFiles): Promise<Response> {
  const file = files.fileAt(path);
  const { form, encoding } = chooseForm(request.headers.get("accept-encoding") ?? "", file ?? {});
  const content = file && (await files.content(path, form));
  if (!content) return new Response(`There is no file ${path} in this build of the console.\n`, { status: 404, headers: missing });
  return new Response(request.method === "HEAD" ? null : new Uint8Array(content), {
    headers: {
      "content-type": file.type,
      "cache-control": `public, max-age=${aYear}, immutable`,
      "x-content-type-options": "nosniff",
      "content-length": String(form === ".br" ? file.brotli : form === ".gz" ? file.gzip : file.size),
      vary: "accept-encoding",
      ...(encoding !== undefined && { "content-encoding": encoding }),
    },
  });
}

const missing = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff" };

function chooseForm(
  accepted: string,
  { brotli, gzip }: Pick<BuiltFile, "brotli" | "gzip">,
): { readonly form: "" | ".br" | ".gz"; readonly encoding?: string } {
  if (brotli !== undefined && acceptsCoding(accepted, "br")) return { form: ".br", encoding: "br" };
  if (gzip !== undefined && acceptsCoding(accepted, "gzip")) return { form: ".gz", encoding: "gzip" };
  return { form: "" };
}
