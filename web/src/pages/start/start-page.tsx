import { Link } from "@tanstack/react-router";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import classes from "./start-page.module.css";

const mcp = `${location.origin}/mcp`;

const tries = [
  { tool: "file_list", words: "List the files of the workspace", does: "Runs at once: it only reads." },
  { tool: "exec", words: "Run a command in the sandbox", does: "The line above Run says beforehand whether it asks." },
  { tool: "file_write", words: "Write a file", does: "See what changes before it does." },
] as const;

const connections = [
  { name: "Claude Code", text: `claude mcp add --transport http toolwright ${mcp}` },
  { name: "Any MCP client", text: `{"mcpServers": {"toolwright": {"type": "http", "url": "${mcp}"}}}` },
  {
    name: "AI SDK",
    text: `import { createMCPClient } from "@ai-sdk/mcp";\nconst client = await createMCPClient({ transport: { type: "http", url: "${mcp}" } });\nconst tools = await client.tools();`,
  },
  { name: "A shell", text: `curl ${location.origin}/api/tools` },
] as const;

/** What to do first. */
export function StartPage() {
  return (
    <>
      <PageHead title="Toolwright" />
      <section className={classes.part}>
        <h2>Three things to try</h2>
        <ul className={classes.tries}>
          {tries.map(({ tool, words, does }) => (
            <li key={tool}>
              <Link to="/tools/$name" params={{ name: tool }} className={classes.try}>
                <strong>{words}</strong>
                <span className="mono small">{tool}</span>
                <span className="dim small">{does}</span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section className={classes.part}>
        <h2>Connect a program</h2>
        <p className="dim">The same tools, with the same decisions and approvals, for agents and programs.</p>
        {connections.map(({ name, text }) => (
          <div key={name} className={classes.connection}>
            <span className="small">{name}</span>
            <code>{text}</code>
            <CopyButton text={text} />
          </div>
        ))}
      </section>
    </>
  );
}
