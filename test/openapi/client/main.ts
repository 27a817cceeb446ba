// Calls a tool with a client that is generated from the document of the server at SERVER, whose key is KEY.
import createClient from "openapi-fetch";
import type { paths } from "../node_modules/.generated/api.ts";

const client = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: `${process.env.SERVER}/api`,
  headers: { authorization: `Bearer ${process.env.KEY}` },
});

const { data, error, response } = await client.POST("/tools/word_count/call", { body: { path: "notes.txt" } });
if (error) throw new Error(`${error.code}: ${error.detail}`);
if (!("output" in data)) throw new Error(`The call is not done: ${response.status}`);
const words: number = data.output.words;

// @ts-expect-error: the schema of the tool says that the path is text.
const refused = await client.POST("/tools/word_count/call", { body: { path: 1 } });
const code: "invalid_input" | string | undefined = refused.error?.code;

const runs = await client.GET("/runs", { params: { query: { tool: "word_count", limit: 1 } } });
const status: "success" | string | undefined = runs.data?.items[0]?.status;

process.stdout.write(JSON.stringify({ words, code, status }));
