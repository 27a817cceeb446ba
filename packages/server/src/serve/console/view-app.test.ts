import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openViewApp } from "./view-app.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-view-app-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the app is there once it is built, and is the newest one", () => {
  const path = join(folder, "view-app.html");
  const app = openViewApp(path);
  expect(app()).toBeUndefined();
  writeFileSync(path, "first");
  utimesSync(path, 1, 1);
  expect(app()).toBe("first");
  writeFileSync(path, "second");
  utimesSync(path, 2, 2);
  expect(app()).toBe("second");
  rmSync(path);
  expect(app()).toBeUndefined();
});
