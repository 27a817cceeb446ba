import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Pack } from "../../scripts/release/packs.ts";
import { runCommand } from "../../scripts/release/run-command.ts";

/** What a registry says of one version; only `name`, `version` and `dist` concern this one. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dist: { readonly tarball: string; readonly integrity: string };
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
}

export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** How often it was asked. */
  readonly requests: number;
  /** What it was asked to keep: `PUT /toolwright`. */
  readonly writes: readonly string[];
}

/**
 * A registry on loopback that has what the public one has after the release of these packs: them, and with `root` each package of its
 * `package-lock.json` in the locked version. npm takes the tarballs of the latter from its cache by their hash, and downloads what is missing there.
 */
export async function openRegistry(packs: readonly Pack[], root?: string): Promise<Registry> {
  const seen: string[] = [];
  const files = new Map(packs.map(({ file }, index) => [`/-/${index}.tgz`, file]));
  let manifests: readonly Manifest[] = [];
  const server = createServer(({ method, url = "" }, response) => {
    seen.push(`${method} ${url}`);
    const file = files.get(url);
    const found = manifests.filter(({ name }) => name === decodeURIComponent(url.slice(1)));
    // Nothing of it stays in npm's cache: the next one has another address.
    const headers = { "cache-control": "no-store", "content-type": file ? "application/octet-stream" : "application/json" };
    response.writeHead(file || found.length > 0 ? 200 : 404, headers).end(file ? readFileSync(file) : describe(found));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  manifests = [...(await manifestsOf(packs, url)), ...(root === undefined ? [] : lockedManifests(root))];
  return {
    url: `${url}/`,
    get requests() {
      return seen.length;
    },
    get writes() {
      return seen.filter((request) => !request.startsWith("GET "));
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function describe(found: readonly Manifest[]): string {
  const versions = Object.fromEntries(found.map((manifest) => [manifest.version, manifest]));
  const [first] = found;
  return JSON.stringify(first ? { name: first.name, versions, "dist-tags": { latest: first.version } } : { error: "Not found" });
}

function manifestsOf(packs: readonly Pack[], url: string): Promise<Manifest[]> {
  return Promise.all(
    packs.map(async ({ file }, index) => {
      const { out } = await runCommand("tar", ["xzOf", file, "package/package.json"], { cwd: "." });
      const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
      return { ...JSON.parse(out), dist: { tarball: `${url}/-/${index}.tgz`, integrity } };
    }),
  );
}

function lockedManifests(root: string): Manifest[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Record<string, LockEntry> };
  return Object.entries(packages).flatMap(([path, { version, integrity, ...rest }]) => {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (version === undefined || integrity === undefined) return [];
    const tarball = `https://registry.npmjs.org/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
    return [{ ...rest, name, version, dist: { tarball, integrity } }];
  });
}
