import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

/** Links that the kernel follows at most. */
const maxLinks = 40;

/**
 * Where a path that names nothing yet would come to lie: in the nearest folder that exists, links that lead to nothing followed, with the rest
 * of the path as it stands. Looks at links and folders only; synchronous, as a look costs less than one turn through the thread pool.
 */
export function findLanding(path: string): string {
  const rest: string[] = [];
  let links = 0;
  for (let at = path; ; ) {
    const target = readTarget(at);
    if (target !== undefined) {
      if (++links > maxLinks) return join(at, "(a circle of links)", ...rest);
      at = isAbsolute(target) ? target : `${dirname(at)}/${target}`;
    } else {
      if (at === dirname(at)) return join(at, ...rest);
      rest.unshift(basename(at));
      at = dirname(at);
    }
    const real = realPathOf(at);
    if (real !== undefined) return join(real, ...rest);
  }
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function readTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
