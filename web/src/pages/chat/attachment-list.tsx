import { Button } from "@mantine/core";
import classes from "./chat-page.module.css";
import { type Attaching, countBytes } from "./take-files.ts";

/** What goes with the next message. */
export function AttachmentList({ files, problems, remove }: Attaching & { readonly remove: (file: File) => void }) {
  return (
    <>
      {problems.length > 0 && (
        <ul role="alert" className={classes.problems}>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <ul aria-label="Attachments" className={classes.files}>
          {files.map((file, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name
            <li key={at} className={classes.file}>
              <span className={classes.name}>{file.name}</span>
              <span className="dim small">{countBytes(file.size)}</span>
              <Button size="compact-sm" variant="subtle" aria-label={`Remove ${file.name}`} onClick={() => remove(file)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
