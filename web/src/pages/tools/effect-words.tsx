import { Eye, Globe, PencilLine, TriangleAlert } from "lucide-react";
import { kindOf, type ListedTool } from "./filter-tools.ts";
import classes from "./tools-page.module.css";

const kinds = {
  reads: { words: "Reads", icon: Eye },
  changes: { words: "Changes", icon: PencilLine },
  destroys: { words: "Can destroy", icon: TriangleAlert },
} as const;

/** What a call can do, as its effects say: words with signs, without colour, which is for decisions. */
export function EffectWords({ tool }: { readonly tool: Pick<ListedTool, "hints"> }) {
  const { words, icon: Icon } = kinds[kindOf(tool)];
  return (
    <span className={classes.effects}>
      <Icon size={13} aria-hidden />
      {words}
      {tool.hints.openWorldHint && (
        <>
          <Globe size={13} aria-hidden />
          Goes out
        </>
      )}
    </span>
  );
}
