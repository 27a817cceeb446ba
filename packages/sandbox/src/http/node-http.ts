/** Node's HTTP, from when it is first needed: an import of it loads `fetch` with all that is behind it, a tenth of the start of a command. */
export const nodeHttp = () => process.getBuiltinModule("node:http");
