import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import classes from "./result.module.css";
import { hostOf, safeLink } from "./safe-link.ts";

const components: Components = {
  a: ({ href, children }) =>
    href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ),
  // A page that loads a picture tells its host who looks at what (R-UI-1).
  img: ({ alt, src }) => <span>{`[image: ${[alt, hostOf(src)].filter(Boolean).join(", ")}]`}</span>,
  // The page has one title already.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  input: ({ checked }) => <span>{checked ? "☑" : "☐"}</span>,
};

/** Markdown that a tool wrote: elements and never markup, links to the web and to mail alone. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown skipHtml remarkPlugins={[remarkGfm]} components={components} urlTransform={safeLink}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
