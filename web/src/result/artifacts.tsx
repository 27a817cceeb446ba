import { Button } from "@mantine/core";
import { useState } from "react";
import { api } from "../api/client.ts";
import { wordsOf } from "../api/words.ts";
import classes from "./result.module.css";

interface SavedFile {
  readonly id: string;
  /** Missing where only the id is known. */
  readonly name?: string;
  readonly mediaType?: string;
  readonly size?: number;
}

/** What a call kept, to be saved. It comes through the page's own client, so a key goes along. */
export function Artifacts({ artifacts }: { readonly artifacts: readonly SavedFile[] }) {
  const [problem, setProblem] = useState<string>();
  const save = async ({ id, name = id }: SavedFile) => {
    try {
      const url = URL.createObjectURL(await (await api().artifact(id)).blob());
      const link = Object.assign(document.createElement("a"), { href: url, download: name });
      link.click();
      URL.revokeObjectURL(url);
      setProblem(undefined);
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  if (artifacts.length === 0) return null;
  return (
    <div className={classes.artifacts}>
      {artifacts.map((artifact) => (
        <Button key={artifact.id} className={classes.artifact} size="compact-sm" variant="default" onClick={() => void save(artifact)}>
          {wordsOfFile(artifact)}
        </Button>
      ))}
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}

function wordsOfFile({ id, name = id, mediaType, size }: SavedFile): string {
  const facts = [mediaType, size === undefined ? undefined : `${size.toLocaleString("en")} bytes`].filter((fact) => fact !== undefined);
  return facts.length === 0 ? `Save ${name}` : `Save ${name} (${facts.join(", ")})`;
}
