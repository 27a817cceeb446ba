// Calls a tool with a client that is generated from the document of the server at SERVER, whose key is KEY.
import createClient from "openapi-fetch";
import type { paths } from "../node_modules/.generated/api.ts";

// #region call
const client = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: `${process.env.SERVER}/api`,
  headers: { authorization: `Bearer ${process.env.KEY}` },
});

const { data, error, response } = await client.POST("/tools/word_count/call", { body: { path: "notes.txt" } });
if (error) throw new Error(`${error.code}: ${error.detail}`);
if (!("output" in data)) throw new Error(`The call is not done: ${response.status}`);
const words: number = data.output.words;
// #endregion

// @ts-expect-error: the schema of the tool says that the path is text.
const refused = await client.POST("/tools/word_count/call", { body: { path: 1 } });
const isRefused = refused.error?.code === "invalid_input";

const tool = await client.GET("/tools/{name}", { params: { path: { name: "word_count" } } });
const name: string | undefined = tool.data?.name;

process.stdout.write(JSON.stringify({ words, isRefused, name }));
