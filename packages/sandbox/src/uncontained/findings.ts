import { lstatSync, statSync } from "node:fs";
import { normalize, relative } from "node:path";
import { isCredentialPath, type PathAccess, protectionOf } from "@toolwright/commands/targets";
import type { Caution } from "@toolwright/engine/ports";
import { findLanding, realPathOf } from "../binding/find-landing.ts";
import { isHarmlessContent } from "../credentials/harmless-content.ts";
import { isInside } from "../exec/confine-workdir.ts";
import { readInside } from "../repository/read-inside.ts";

/** How a path is used where nothing is held back from who uses it. */
interface PathUse {
  /** `names`: names and attributes are shown, and nothing that files hold. */
  readonly reads: "content" | "names";
  readonly access: PathAccess;
}

const devices = /^\/dev\/(?:null|zero|tty|std(?:in|out|err)|fd\/\d+)$/;
const maxCredentialBytes = 64 * 1024;
/** A package manager links its packages from a store, where they have their other names. */
const ofPackages = /(?:^|\/)node_modules\//;
const shownNames = 3;

/** What was found of one call: paths that lead out of the workspace, files of credentials, and what could not be found out. */
export class Findings {
  /** Real path of the workspace. */
  readonly root: string;
  readonly #outside = new Set<string>();
  readonly #credentials = new Set<string>();
  readonly #unknown = new Set<string>();

  constructor(root: string) {
    this.root = root;
  }

  /** Looks where an absolute path leads now. */
  usePath(path: string, { reads, access }: PathUse): void {
    if (devices.test(path)) return;
    const real = realPathOf(path);
    if (real === undefined) {
      this.#useMissing(path);
      return;
    }
    if (!isInside(this.root, real)) {
      if (reads === "content" || isFolder(real)) this.addOutside(path);
      return;
    }
    const place = relative(this.root, real);
    if (access !== "read" && protectionOf(place, access) !== "none") this.addCredential(path);
    if (reads === "names" || access !== "read") return;
    if (this.isCredential(place)) this.addCredential(path);
    if (hasOtherNames(real) && !ofPackages.test(place)) this.addOutside(path);
  }

  /** What is not there yet, where a link on the way makes its place another one than its path says. */
  #useMissing(path: string): void {
    const landing = findLanding(path);
    if (landing !== normalize(path) && !isInside(this.root, landing)) this.addOutside(path);
  }

  /** True for a file or folder with the name of one of credentials, unless its text is of a form that holds none. */
  isCredential(place: string): boolean {
    if (!isCredentialPath(place)) return false;
    const found = readInside(this.root, place, maxCredentialBytes);
    return found.kind !== "file" || !isHarmlessContent(place, found.bytes);
  }

  addOutside(path: string): void {
    this.#outside.add(this.#show(path));
  }

  addCredential(path: string): void {
    this.#credentials.add(this.#show(path));
  }

  addUnknown(reason: string): void {
    this.#unknown.add(reason);
  }

  #show(path: string): string {
    return isInside(this.root, path) ? relative(this.root, path) || "." : path;
  }

  cautions(): readonly Caution[] {
    const outside = [...this.#outside].sort();
    const credentials = [...this.#credentials].sort();
    return [
      ...(outside.length === 0 ? [] : [describeOutside(outside)]),
      ...(credentials.length === 0 ? [] : [describeCredentials(credentials)]),
      ...[...this.#unknown].map((reason) => ({ ...unknown, reason, subject: reason })),
    ];
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function hasOtherNames(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isFile() === true && entry.nlink > 1;
}

const unknown = { rule: "default.containment.unknown", remedy: "Name a smaller part of the project, or approve this call." };

const describeOutside = (paths: readonly string[]): Caution => ({
  rule: "default.containment.links",
  reason: `It reaches ${listNames(paths)}, which leads out of the project, and nothing holds that back where it runs.`,
  subject: paths.join("\n"),
  remedy: "Name a file inside the project, or approve this call.",
});

const describeCredentials = (paths: readonly string[]): Caution => ({
  rule: "default.containment.credentials",
  reason: `It reaches ${listNames(paths)}, which may hold credentials, and nothing hides that where it runs.`,
  subject: paths.join("\n"),
  remedy: "Leave such files out with a path or a pattern, or approve this call.",
});

function listNames(paths: readonly string[]): string {
  const more = paths.length > shownNames ? ` and ${paths.length - shownNames} more` : "";
  return `${paths
    .slice(0, shownNames)
    .map((path) => JSON.stringify(path))
    .join(", ")}${more}`;
}
