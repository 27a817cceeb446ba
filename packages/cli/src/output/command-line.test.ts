import { localTenant } from "@toolwright/server/local";
import { expect, test } from "vitest";
import { readSettings } from "../settings.ts";
import { commandLineOf } from "./command-line.ts";

const typed = (env: Record<string, string>, tenant = localTenant) => {
  const io = { env: { HOME: "/home/ann", ...env }, cwd: "/home/ann/app", err: () => {}, out: () => {} } as never;
  return commandLineOf(readSettings({}, io), io)("approvals approve apr_1", tenant);
};

test("a command is typed with the folders of the server, wherever one stands", () => {
  expect(typed({})).toMatch(/^\S.* approvals approve apr_1 --workspace \/home\/ann\/app\/workspace/);
});

test("the folder of the state is written with its whole path", () => {
  expect(typed({ TOOLWRIGHT_STATE: "our state" })).toMatch(/^TOOLWRIGHT_STATE='\/\S.*\/our state' /);
});

test("the address of a database is asked for, and never shown: it holds a password", () => {
  const line = typed({ DATABASE_URL: "postgres://app:hunter2@db/app" });
  expect(line).toMatch(/^DATABASE_URL="\$\{DATABASE_URL:\?the one of the server\}" \S/);
  expect(line).not.toContain("hunter2");
});

test("a tenant that is not the one of this machine is named", () => {
  expect(typed({}, "acme")).toContain("approvals approve apr_1 --tenant acme ");
});
