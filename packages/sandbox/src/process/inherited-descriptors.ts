import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** O_CLOEXEC of linux/fcntl.h, as /proc/self/fdinfo prints it; the same on every architecture that Node runs on. */
const closedOnExec = 0o2000000;
const firstAfterStandard = 3;

/**
 * Descriptors that this process was given by what started it and that each of its children would get in turn. Node opens all of its own
 * close-on-exec. Empty where the kernel can be told to hand on nothing else (Node does so on macOS). Throws where they cannot be listed.
 */
export function findInherited(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fdinfo").flatMap((name) => {
    const descriptor = Number(name);
    return descriptor >= firstAfterStandard && isHandedOn(descriptor) ? [descriptor] : [];
  });
}

function isHandedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & closedOnExec) === 0;
  } catch (error) {
    // The listing itself was a descriptor, and is closed by now.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** For a process that is ours alone: nobody else's code waits for what it inherited. */
export function closeInherited(): void {
  for (const descriptor of findInherited()) closeSync(descriptor);
}

type Stdio = "ignore" | "pipe" | "inherit" | number;

/**
 * Starts a child with these descriptors and no others: what this process inherited is /dev/null in the child. The process itself keeps it,
 * because a program that embeds the package may need it.
 */
export function withDescriptors<Result>(stdio: readonly Stdio[], start: (stdio: Stdio[]) => Result): Result {
  const inherited = findInherited().filter((descriptor) => descriptor >= stdio.length);
  if (inherited.length === 0) return start([...stdio]);
  const nothing = openSync("/dev/null", "r+");
  try {
    const covered: Stdio[] = Array.from({ length: Math.max(...inherited) + 1 }, (_, index) => stdio[index] ?? "ignore");
    for (const descriptor of inherited) covered[descriptor] = nothing;
    return start(covered);
  } finally {
    closeSync(nothing);
  }
}
