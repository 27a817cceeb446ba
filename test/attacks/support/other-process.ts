import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { productArguments } from "../../product-arguments.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const factories = { bwrap: "createBwrapDriver", nsjail: "createNsjailDriver", docker: "createDockerDriver", host: "createHostDriver" };

export interface OtherProcess {
  /** Name of a sandbox driver. */
  readonly driver: string;
  readonly workspace: string;
  readonly command: string;
  /** Members of the driver's options and of the run's spec that JSON can carry. */
  readonly options?: object;
  readonly spec?: object;
  /** What starts the process: another Node, or programs in front of one. */
  readonly launcher?: readonly [string, ...string[]];
  /** Descriptors that the process inherits, by number. */
  readonly descriptors?: Readonly<Record<number, number>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface OtherEnd {
  readonly out: string;
  readonly err: string;
}

/** Runs one command through a driver in a process of its own: what the process inherits, and which Node it is, is then the test's choice. */
export function runInOtherProcess(other: OtherProcess): Promise<OtherEnd> {
  const { driver, workspace, command, launcher = [process.execPath], descriptors = {}, env = {} } = other;
  const factory = factories[driver as keyof typeof factories];
  const spec = {
    ...{ program: { shell: command }, workspace, workdir: ".", writable: true, env: {}, limits: {}, protectedPaths: [], stdin: "closed" },
    ...{ timeoutMs: 20_000, network: driver === "host" ? "host" : "none", ...other.spec },
  };
  const script = `
    import { ${factory} } from "@toolwright/sandbox";
    const logger = { log: (_level, message, fields) => process.stderr.write(message + JSON.stringify(fields)) };
    const driver = ${factory}({ ...${JSON.stringify(other.options ?? {})}, logger });
    try {
      const handle = await driver.start(${JSON.stringify(spec)});
      handle.onOutput((_stream, chunk) => process.stdout.write(chunk));
      await handle.exited;
    } catch (error) {
      process.stdout.write(error.code + ": " + error.message);
    }
    await driver.close();
  `;
  const [program, ...words] = [...launcher, ...productArguments, "--input-type=module-typescript", "-e", script];
  const last = Math.max(2, ...Object.keys(descriptors).map(Number));
  const stdio = Array.from({ length: last + 1 }, (_, index) => descriptors[index] ?? (index === 1 || index === 2 ? "pipe" : "ignore"));
  return new Promise((resolve, reject) => {
    const child = spawn(program!, words, { cwd: root, env: { PATH: process.env.PATH, ...env }, stdio });
    const said = { out: "", err: "" };
    child.stdout!.on("data", (chunk: Buffer) => (said.out += chunk));
    child.stderr!.on("data", (chunk: Buffer) => (said.err += chunk));
    child.on("error", reject);
    child.on("close", () => resolve(said));
  });
}
