import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Texts of files, or targets of links, by path. */
type Files = Readonly<Record<string, string>>;
type Handler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface GitServerOptions {
  /** `user:password` that every request must bring. */
  readonly basic?: string;
  /** Certificate and key in PEM; then the server speaks https. */
  readonly identity?: { readonly cert: string; readonly key: string };
  /** Answers in place of git when it returns true. */
  readonly intercept?: Handler;
}

export interface GitServer extends AsyncDisposable {
  readonly port: number;
  /** Where the bare repositories lie. */
  readonly root: string;
  readonly received: readonly { readonly url: string; readonly authorization: string | undefined }[];
  /** Makes `name` with one commit on main for each set of files, and the tag `v1` on the first. */
  addRepository(name: string, commits: readonly Files[], links?: Files): void;
}

const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.com", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.com" };
const environment = { PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", ...author };

export function git(folder: string, ...words: string[]): string {
  return execFileSync("git", words, { cwd: folder, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** git's own server program behind HTTP on the loopback. */
export async function openGitServer({ basic, identity, intercept }: GitServerOptions = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "toolwright-git-server-"));
  const received: { url: string; authorization: string | undefined }[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    received.push({ url: request.url ?? "", authorization: request.headers.authorization });
    if (intercept?.(request, response)) return;
    const wanted = basic && `Basic ${Buffer.from(basic).toString("base64")}`;
    if (wanted && request.headers.authorization !== wanted)
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("Who are you?");
    else serveByGit(root, request, response);
  };
  const server = identity ? createSecureServer(identity, handle) : createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    root,
    received,
    addRepository: (name, commits, links = {}) => makeRepository(join(root, name), commits, links),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** RFC 3875: the request goes to git-http-backend, its header lines and body come back. */
function serveByGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const variables = {
    ...environment,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: decodeURIComponent(pathname),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    ...(request.headers["content-length"] !== undefined && { CONTENT_LENGTH: request.headers["content-length"] }),
  };
  const child = spawn("git", ["http-backend"], { env: variables, stdio: ["pipe", "pipe", "ignore"] });
  for (const stream of [child.stdin, child.stdout]) stream.on("error", () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const { status = "200", ...rest } = headers;
    response.writeHead(Number.parseInt(status, 10), rest);
    response.write(head.subarray(end + 4));
  });
  child.on("close", () => response.end());
}

function makeRepository(bare: string, commits: readonly Files[], links: Files): void {
  mkdirSync(bare, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "toolwright-git-work-"));
  git(work, "init", "--quiet", "--initial-branch=main");
  for (const [index, files] of commits.entries()) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    }
    if (index === 0) for (const [path, target] of Object.entries(links)) symlinkSync(target, join(work, path));
    git(work, "add", "--all", "--force");
    git(work, "commit", "--quiet", "--allow-empty", `--message=Commit ${index + 1}`);
    if (index === 0) git(work, "tag", "v1");
  }
  git(dirname(bare), "clone", "--quiet", "--bare", work, bare);
  rmSync(work, { recursive: true, force: true });
}
