import { expect, test } from "vitest";
import { chooseIdentity } from "./sandbox-identity.ts";

const setpriv = "/usr/bin/setpriv";
const user = { uid: 1001, gid: 1002 };
const root = { uid: 0, gid: 0 };

test("a caller that is not root stays who it is", () => {
  expect(chooseIdentity({ caller: user, owner: root, setpriv: undefined })).toMatchObject({ prefix: [], ...user, runsAsRoot: false });
});

test("root drops to the owner of the workspace, with no capability left", () => {
  const { prefix, ...identity } = chooseIdentity({ caller: root, owner: user, setpriv });
  expect(identity).toMatchObject({ ...user, runsAsRoot: false, gaps: [] });
  expect(prefix).toEqual([
    setpriv,
    "--reuid",
    "1001",
    "--regid",
    "1002",
    "--clear-groups",
    "--no-new-privs",
    "--inh-caps=-all",
    "--bounding-set=-all",
  ]);
});

test("in a workspace of root's own the command is told apart by its gap, and root's powers are locked off", () => {
  const { prefix, gaps, ...identity } = chooseIdentity({ caller: root, owner: root, setpriv });
  expect(identity).toEqual({ uid: 1000, gid: 1000, runsAsRoot: true });
  expect(prefix).toContain("--securebits=+noroot,+noroot_locked");
  expect(gaps).toHaveLength(1);
});
