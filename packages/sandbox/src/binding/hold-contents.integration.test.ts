import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fingerprintCommand } from "../exec/fingerprint-command.ts";

let folder: string;
let workspace: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-contents-")));
  workspace = join(folder, "workspace");
  for (const path of ["zza", "zzb", "src/a.js", "src/deep/b.js", "src/c.txt", "other/a.js", "one.txt", "run.sh", ".dot", "src/server.log"])
    put(path, path);
  mkdirSync(join(workspace, "dd"));
  mkdirSync(join(workspace, "out"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string) => join(workspace, path);
function put(path: string, text: string) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
const print = (command: string, workdir: string | null = null) => fingerprintCommand(() => workspace, { command, workdir });

type Change = () => void;
const add = (path: string) => () => put(path, "new");
const edit = (path: string) => () => put(path, "another");
const remove = (path: string) => () => rmSync(at(path), { recursive: true });
const rename = (path: string, to: string) => () => renameSync(at(path), at(to));
const chmod = (path: string) => () => chmodSync(at(path), 0o777);
const link = (path: string, target: string) => () => {
  rmSync(at(path), { recursive: true, force: true });
  symlinkSync(target, at(path));
};
const hardLink = (path: string, target: string) => () => {
  rmSync(at(path));
  linkSync(at(target), at(path));
};

const rows: readonly [line: string, what: string, change: Change, named: string][] = [
  ["rm zz*", "a new file that matches", add("zzz"), "zzz"],
  ["rm zz*", "one of them edited", edit("zza"), "zza"],
  ["rm zz*", "one of them gone", remove("zzb"), "zzb"],
  ["rm zz*", "one of them renamed", rename("zza", "zzx"), "zzx"],
  ["rm zz*", "one of them a link now", link("zza", "one.txt"), "zza"],
  ["rm zz?", "a new file", add("zzz"), "zzz"],
  ["rm zz[a-z]", "a new file", add("zzz"), "zzz"],
  ["rm {zz,yy}*", "a new file of the second", add("yyy"), "yyy"],
  ["rm {nn,mm}.txt", "a file of plain braces", add("mm.txt"), "mm.txt"],
  ["rm src/*.js", "a new file in a folder", add("src/n.js"), "src/n.js"],
  ["rm src/*/*.js", "a new file two folders down", add("src/deep/n.js"), "src/deep/n.js"],
  ["rm */a.js", "a new folder with it", add("new/a.js"), "new/a.js"],
  ["rm src/**", "a new file, ** being *", add("src/n"), "src/n"],
  ["rm zz* && echo done", "a new file", add("zzz"), "zzz"],
  ["cd src && rm *.js", "a new file where the line goes", add("src/n.js"), "src/n.js"],
  ["for f in zz*; do rm $f; done", "a new file", add("zzz"), "zzz"],
  ["sh -c 'rm zz*'", "a new file, for an inner shell", add("zzz"), "zzz"],
  ["P='zz*'; rm $P", "a new file, by a variable", add("zzz"), "zzz"],
  ["rm $P*", "any new file, as the variable is not known", add("nnn"), "nnn"],
  ["cat one.txt > zz*", "a new file a redirect may mean", add("zzz"), "zzz"],
  ["shopt -s dotglob; rm *", "a new file with a dot", add(".new"), ".new"],
  ["shopt -s globstar; rm **/*.js", "a new file far down", add("src/deep/n.js"), "src/deep/n.js"],
  ["rm @(zza|zzq)", "a new file by extglob", add("zzq"), "zzq"],
  ["rm $(ls zz*)", "a new file in a substitution", add("zzz"), "zzz"],
  ["bash <<X\nrm zz*\nX", "a new file in a document for a shell", add("zzz"), "zzz"],
  ["tee dd/new.yml", "the folder a link elsewhere", link("dd", "src"), "dd/new.yml"],
  ["tee dd/x/y/new.yml", "the folder above a link outside", link("dd", "/etc"), "dd/x/y/new.yml"],
  ["echo x > dd/new.yml", "the folder of a redirect a link", link("dd", "src"), "dd/new.yml"],
  ["mkdir -p dd/b/c", "a folder on the way a link", link("dd", "src"), "dd/b/c"],
  ["mkdir -p nn/b/c", "a folder to be made a link", link("nn", "src"), "nn/b/c"],
  ["touch nn", "the file to be made a link to nothing", link("nn", "../made-outside"), "nn"],
  ["cp one.txt dd/", "the target a link elsewhere", link("dd", "src"), "dd"],
  ["cp one.txt dd", "a link of its name in the target", link("dd/one.txt", "../run.sh"), "dd/one.txt"],
  ["mv zz* dd", "a link of a matched name in the target", link("dd/zza", "../run.sh"), "dd/zza"],
  ["cp -t dd one.txt", "a link of its name in the target of -t", link("dd/one.txt", "../run.sh"), "dd/one.txt"],
  ["cp -r src out", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["cp -r src out", "a file far below edited", edit("src/deep/b.js"), "src/deep/b.js"],
  ["cp -r src out", "a file added", add("src/deep/n.js"), "src/deep/n.js"],
  ["cp -r src out", "a file gone", remove("src/deep/b.js"), "src/deep/b.js"],
  ["cp -r src out", "a file made a program", chmod("src/a.js"), "src/a.js"],
  ["cp -r src out", "a file made a link", link("src/a.js", "../one.txt"), "src/a.js"],
  ["cp -r src out", "a folder below renamed", rename("src/deep", "src/deeper"), "src/deep"],
  ["cp -r src out", "a folder below another one by a link", link("src/deep", "../other"), "src/deep"],
  ["cp -r src out", "an empty folder added", () => mkdirSync(at("src/empty")), "src/empty"],
  ["cp -r ./src/. out/", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["mv src out", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["tar czf x.tgz src", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["tar -C src -czf x.tgz .", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["tar -czf x.tgz .", "a file of the folder that it names", edit("src/a.js"), "src/a.js"],
  ["zip -r x.zip src other", "a file below the second", edit("other/a.js"), "other/a.js"],
  ["rsync -a src/ out/", "a file below edited", edit("src/a.js"), "src/a.js"],
  ["rsync -a --link-dest=src other out", "a folder of an option", edit("src/a.js"), "src/a.js"],
  ["sudo timeout 5 cp -r src out", "a file below, behind wrappers", edit("src/a.js"), "src/a.js"],
  ["sh -c 'cp -r src out'", "a file below, in an inner line", edit("src/a.js"), "src/a.js"],
  ["D=src; cp -r $D out", "a file below a folder of a variable", edit("src/a.js"), "src/a.js"],
  ['for d in src other; do cp -r "$d" out; done', "a file below a folder of a loop", edit("other/a.js"), "other/a.js"],
  ["echo src | xargs -I{} cp -r {} out", "a file below a folder of xargs", edit("src/a.js"), "src/a.js"],
  ["cp -r s* out", "a file below a folder that matches", edit("src/deep/b.js"), "src/deep/b.js"],
  ["cd src && cp -r deep ../out", "a file below where the line goes", edit("src/deep/b.js"), "src/deep/b.js"],
  ["rm -rf src", "a file added", add("src/n.js"), "src/n.js"],
  ["rm -rf src", "a file edited", edit("src/a.js"), "src/a.js"],
  ["find . -name 'zz*' -delete", "a new file that it finds", add("src/zzz"), "src/zzz"],
  ["find src -name '*.js' -exec bash {} +", "a file that it finds edited", edit("src/a.js"), "src/a.js"],
  ["find src -type f | xargs rm", "a new file that it finds", add("src/n"), "src/n"],
  ["pytest src", "a file of the tests", edit("src/a.js"), "src/a.js"],
  ["go test ./src/...", "a file of the package", edit("src/deep/b.js"), "src/deep/b.js"],
  ["npm publish", "a file of the package", edit("src/a.js"), "src/a.js"],
  ["docker build src", "a file of the context", edit("src/a.js"), "src/a.js"],
  ["./run.sh", "a script with another mode", chmod("run.sh"), "run.sh"],
  ["tee one.txt", "the file another name of another file", hardLink("one.txt", "run.sh"), "one.txt"],
];

describe("a yes to a command holds what its words stand for (R-AP-12)", () => {
  test.each(rows)("%s: %s makes another fingerprint, and is named", async (line, _, change, named) => {
    const before = await print(line);
    expect(before.unsettled).toBeUndefined();
    expect(await print(line)).toEqual(before);
    change();
    const after = await print(line);
    expect(after.digest).not.toBe(before.digest);
    expect(namesOfChanged(before.parts, after.parts)).toContain(named);
  });
});

type Parts = readonly (readonly [string, string])[] | undefined;
function namesOfChanged(before: Parts = [], after: Parts = []): readonly string[] {
  const [old, now] = [new Map(before), new Map(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}

describe("what a command has nothing to do with makes no difference", () => {
  test.each<[line: string, what: string, change: Change]>([
    ["rm zz*", "a file that does not match", add("yyy")],
    ["rm *", "a file with a dot", add(".new")],
    ["cat src/*", "a file further down", edit("src/deep/b.js")],
    ["rm 'zz*'", "a match of a pattern in quotes", add("zzz")],
    ["git commit -m 'all zz* done'", "a match of words of a message", add("zzz")],
    ["cat > notes.md <<X\n* zz*\nX", "a match of what a document holds", add("zzz")],
    ["cp -r src out", "a file of the target", add("out/n.js")],
    ["cp -r src out", "a log below that grows", edit("src/server.log")],
    ["cp -r src out", "git's own files", add("src/.git/index")],
    ["npm install", "a file of the folder it runs in", edit("src/a.js")],
    ["npm test", "a file of the folder it runs in", add("coverage/x.html")],
    ["node run.sh", "a file beside", edit("src/a.js")],
    ["vitest run .", "a file of the folder it runs in", add("coverage/x.html")],
    ["mkdir -p nn/b/c", "a folder on the way that is made", () => mkdirSync(at("nn"))],
    ["ls src", "a file below a folder that is listed", edit("src/a.js")],
    ["find . -name 'zz*' -delete", "a file that it does not find", add("src/n.js")],
    ["cp one.txt dd", "another file of the target", add("dd/two.txt")],
  ])("%s: %s", async (line, _, change) => {
    const before = await print(line);
    change();
    expect(await print(line)).toEqual(before);
  });
});

describe("what is too much to hold still is not asked about, and nothing takes long", () => {
  test.each(['cd "$D" && rm *.js', 'cd "$D" && cp -r src out', "cd s*c && rm -r deep", "popd; rm *"])("%s", async (line) => {
    expect(await print(line)).toMatchObject({ unsettled: expect.stringMatching(/Write out the folder/) });
  });

  test("braces of more words than are looked at", async () => {
    expect(await print("rm {1..100000}")).toMatchObject({ unsettled: expect.stringMatching(/Name fewer/) });
  });

  test("a pipe, a circle of links and a link outside in a folder that is copied", async () => {
    execFileSync("mkfifo", [at("src/pipe")]);
    symlinkSync("circle", at("src/circle"));
    symlinkSync("..", at("src/up"));
    mkdirSync(join(folder, "outside"));
    symlinkSync("../../outside", at("src/outside"));
    const started = performance.now();
    const before = await print("cp -r src out; rm src/*/*; tee circle/x; mkdir src/circle/y");
    writeFileSync(join(folder, "outside", "secret"), "x");
    expect(await print("cp -r src out; rm src/*/*; tee circle/x; mkdir src/circle/y")).toEqual(before);
    expect(before.unsettled).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("of very many files the record names the folders that hold them", async () => {
    for (let index = 0; index < 1200; index++) put(`src/d${index % 10}/f${index}`, "x");
    const before = await print("cp -r src out");
    expect(before.parts?.length).toBeLessThanOrEqual(1000);
    put("src/d3/f3", "y");
    const after = await print("cp -r src out");
    expect(namesOfChanged(before.parts, after.parts)).toEqual(["src/d3"]);
  });
});
