import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { elementTypes } from "./array-types.ts";
import { openPglite } from "./load-pglite.ts";

let folder: string;
let pglite: PGlite;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-arrays-"));
  pglite = await openPglite(join(folder, "data"), {
    create: (dataDir) => createTestFolder(dataDir, process.env.TOOLWRIGHT_TEST_TEMPLATES as string),
  });
});
afterAll(async () => {
  await pglite.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the types of arrays are those of the database, and no column of the schema is an array of another type", async () => {
  const { rows } = await pglite.query<{ element: number; array: number }>(
    `select e.oid as element, a.oid as array from pg_type a join pg_type e on e.oid = a.typelem
     where a.typcategory = 'A' and e.typarray = a.oid and e.typtype = 'b' and a.oid < 10000`,
  );
  expect(new Map(rows.map(({ element, array }) => [array, element]))).toEqual(elementTypes);
  const columns = await pglite.query<{ array: number }>(
    `select distinct t.oid as array from pg_attribute c join pg_type t on t.oid = c.atttypid join pg_namespace n on n.oid = t.typnamespace
     where t.typcategory = 'A' and c.attrelid in (select oid from pg_class where relnamespace = 'toolwright'::regnamespace)`,
  );
  expect(columns.rows.length).toBeGreaterThan(0);
  expect(columns.rows.filter(({ array }) => !elementTypes.has(array))).toEqual([]);
});

test("arrays are read element by element, each as a value of its type", async () => {
  const { rows } = await pglite.query(
    `select array['a b', 'c"', null]::text[] as texts, array[1, 2]::int[] as numbers, array[9007199254740991]::bigint[] as large,
      array[true, null] as flags, '{}'::uuid[] as none, array['{"a": 1}'::jsonb] as json, array['2026-01-02T03:04:05Z'::timestamptz] as times,
      array['\\x01ff'::bytea] as bytes, array[[1, 2], [3, 4]] as nested, array['a']::varchar[] as words, array['b']::name[] as names`,
  );
  expect(rows).toEqual([
    {
      ...{ texts: ["a b", 'c"', null], numbers: [1, 2], large: [9007199254740991], flags: [true, null], none: [], json: [{ a: 1 }] },
      ...{
        times: [new Date("2026-01-02T03:04:05Z")],
        bytes: [Buffer.from([1, 255])],
        nested: [
          [1, 2],
          [3, 4],
        ],
      },
      ...{ words: ["a"], names: ["b"] },
    },
  ]);
});
