import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stateFolder } from "../state/state-folder.ts";
import { type KeyringOptions, openKeyring } from "./keyring.ts";

const hex = "ab".repeat(32);
const base64 = Buffer.alloc(32, 7).toString("base64");

let root: string;
let said: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-keyring-"));
  said = "";
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(env: Record<string, string> = {}, options: KeyringOptions = {}) {
  const err = (text: string) => {
    said += text;
  };
  const io = { env: { HOME: root, ...env }, cwd: root, err };
  const places = { workspace: join(root, "workspace"), tenantWorkspaces: join(root, "workspace.tenants"), state: stateFolder(io.env) };
  return openKeyring(io, places, options);
}

function writeKeys(text: string, mode = 0o600): string {
  const path = join(root, "keys");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const problemOf = (act: () => unknown): { code?: string; message: string } => {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It was taken.");
};

describe("a keyring from the environment", () => {
  test("encrypts with the first key and decrypts with each, hex or base64", () => {
    const keyring = open({ TOOLWRIGHT_MASTER_KEY: `${hex}, ${base64}` });
    const [only] = [open({ TOOLWRIGHT_MASTER_KEY: base64 }).current()];
    expect(keyring.current().key.export().toString("hex")).toBe(hex);
    expect(keyring.find(only.id)?.key.export().toString("base64")).toBe(base64);
    expect(keyring.find("0000000000000000")).toBeUndefined();
    expect(problemOf(() => keyring.addKey()).message).toContain("TOOLWRIGHT_MASTER_KEY");
  });

  const refused: [string, string, RegExp][] = [
    ["a key of 31 bytes", Buffer.alloc(31, 9).toString("base64"), /key 1 31 bytes/],
    ["a word that is no key", `${hex} my-passphrase!`, /key 2 something that is neither/],
    ["nothing but blanks", "  ", /holds no key/],
  ];
  test.each(refused)("refuses %s, without repeating it", (_, given, words) => {
    const { code, message } = problemOf(() => open({ TOOLWRIGHT_MASTER_KEY: given }));
    expect(code).toBe("secret_unreadable");
    expect(message).toMatch(words);
    expect(message).not.toContain("passphrase");
    expect(message).not.toContain(given.slice(0, 20).trim() || "\u0000");
  });
});

describe("a keyring from a file", () => {
  test("is made when it is first needed, for its owner alone, and says once where it is (R-TN-2)", () => {
    const keyring = open();
    expect(said).toBe("");
    const { id } = keyring.current();
    const path = join(root, ".config", "toolwright", "master.key");
    expect(keyring.place).toBe(path);
    expect(said).toContain(path);
    expect(said).toContain("apart from backups");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    said = "";
    expect(open().current().id).toBe(id);
    expect(keyring.current().id).toBe(id);
    expect(said).toBe("");
  });

  test("is not made by looking whether there is one, and a key that is added to none is told like the first", () => {
    const keyring = open();
    expect(keyring.peek()).toBeUndefined();
    expect(existsSync(keyring.place)).toBe(false);
    keyring.addKey();
    expect(said).toContain(`Made the master key of your secrets: ${keyring.place}`);
    said = "";
    keyring.addKey();
    expect(said).toBe("");
    expect(keyring.peek()?.id).toBe(keyring.current().id);
  });

  test("that is no file is told as that, and never with a chmod: it may be a folder that others need", () => {
    const folder = join(root, "folder");
    mkdirSync(folder, { mode: 0o777 });
    for (const path of [folder, "/dev/null"]) {
      const { code, message } = problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: path }));
      expect({ code, message }).toEqual({ code: "secret_unreadable", message: expect.stringContaining(`${path} is no regular file`) });
      expect(message).not.toContain("chmod");
    }
  });

  test.skipIf(process.platform === "win32")("that is a pipe is refused, and not waited for", () => {
    const path = join(root, "pipe");
    execFileSync("mkfifo", ["-m", "600", path]);
    expect(problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: path })).message).toContain("is no regular file");
  });

  test("that cannot be made is told with another way", () => {
    writeFileSync(join(root, "file"), "");
    for (const place of [join(root, "file"), ...(existsSync("/proc/self") ? ["/proc/nope"] : [])]) {
      const { code, message } = problemOf(() => open({ XDG_CONFIG_HOME: place }).current());
      expect({ code, message }).toEqual({
        code: "secret_unreadable",
        message: expect.stringMatching(/The key file .*master\.key cannot be (made|read).*TOOLWRIGHT_MASTER_KEY_FILE/),
      });
    }
  });

  test("is not made beside the database without a warning", () => {
    open({ XDG_CONFIG_HOME: join(root, "state"), TOOLWRIGHT_STATE: join(root, "state") }).current();
    expect(said).toContain("lies beside the database");
    mkdirSync(join(root, "data"));
    said = "";
    writeFileSync(join(root, "data", "key"), hex, { mode: 0o600 });
    open({ TOOLWRIGHT_MASTER_KEY_FILE: join(root, "data", "key"), TOOLWRIGHT_STATE: join(root, "data") });
    expect(said).toContain("lies beside the database");
  });

  test.each([0o640, 0o604, 0o620, 0o666])("refuses mode %o, with the command that helps", (mode) => {
    const path = writeKeys(hex, mode);
    expect(problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: path })).message).toContain(`chmod 600 '${path}'`);
  });

  test("keeps the old keys and the notes when a key is added, and other readers of the file have it at once", () => {
    const path = writeKeys(`# ours\n${hex}\n`);
    const [here, there] = [open({ TOOLWRIGHT_MASTER_KEY_FILE: path }), open({ TOOLWRIGHT_MASTER_KEY_FILE: path })];
    const old = here.current();
    here.addKey();
    expect(there.current().id).not.toBe(old.id);
    expect(there.find(old.id)?.id).toBe(old.id);
    expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^# ours\n[A-Za-z0-9+/=]{44}\n${hex}\n$`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("lets nobody add a key while another does", () => {
    const path = writeKeys(hex);
    writeFileSync(`${path}.lock`, "");
    expect(problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: path }).addKey()).message).toContain(`${path}.lock`);
    expect(readFileSync(path, "utf8")).toBe(hex);
  });

  test("that was named is not made: whoever names one has one", () => {
    const path = join(root, "missing");
    expect(problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: path })).message).toContain(`There is no key file ${path}`);
  });

  test("that disappears is missed, and found again", () => {
    const path = writeKeys(hex);
    const keyring = open({ TOOLWRIGHT_MASTER_KEY_FILE: path });
    rmSync(path);
    expect(problemOf(() => keyring.current()).code).toBe("secret_unreadable");
    writeKeys(hex);
    expect(keyring.current().key.export().toString("hex")).toBe(hex);
  });

  test("may not lie where tools write, nor beside one from the environment", () => {
    const inWorkspace = { TOOLWRIGHT_MASTER_KEY_FILE: join(root, "workspace", "key") };
    expect(problemOf(() => open(inWorkspace)).message).toContain("lies in the workspace");
    expect(problemOf(() => open({ TOOLWRIGHT_MASTER_KEY_FILE: writeKeys(hex), TOOLWRIGHT_MASTER_KEY: hex })).message).toContain("both set");
  });
});

describe("a keyring of a command that may need no secret", () => {
  test.each<[string, () => Record<string, string>]>([
    ["a file that is missing", () => ({ TOOLWRIGHT_MASTER_KEY_FILE: join(root, "gone") })],
    ["a file that others may read", () => ({ TOOLWRIGHT_MASTER_KEY_FILE: writeKeys(hex, 0o644) })],
    ["a key that is none", () => ({ TOOLWRIGHT_MASTER_KEY: "short" })],
  ])("tells %s when a secret is used, in the same words", (_, env) => {
    const given = env();
    const keyring = open(given, { whenNeeded: true });
    expect(problemOf(() => keyring.current()).message).toBe(problemOf(() => open(given)).message);
  });

  test("is refused at once where tools could read it", () => {
    const env = { TOOLWRIGHT_MASTER_KEY_FILE: join(root, "workspace", "keys") };
    expect(problemOf(() => open(env, { whenNeeded: true })).message).toMatch(/TOOLWRIGHT_MASTER_KEY_FILE/);
  });
});
