import { RequestError } from "../../api/client.ts";
import { type Answer, queries, reading, write } from "../../api/queries.ts";
import { type Members, writeText } from "../../editor/document-text.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { textOf } from "../../parts/form-values.ts";
import { LineDiff } from "../../parts/line-diff.tsx";
import { Flips } from "./flips.tsx";

interface ApplyDialogProps {
  readonly current: Answer<"policy.current">;
  readonly document: Members;
  /** The revision that the text began with: another one in force is a conflict. */
  readonly read: number;
  /** It is in force. */
  readonly done: () => void;
  readonly close: () => void;
}

const simulated = 1_000;

/** What changes, and for which calls, before it is put in force. */
export function ApplyDialog({ current: { revision, document: before, tenant }, document, read, done, close }: ApplyDialogProps) {
  const put = async (note: string) => {
    try {
      const version = await write("policy.put", { document: document as never, read, note });
      queries.setQueryData(reading("policy.current", {}).queryKey, version);
      done();
    } catch (error) {
      // The page behind compares the text with what somebody else put in force meanwhile.
      if (!(error instanceof RequestError) || error.code !== "policy_conflict") throw error;
    }
  };
  return (
    <FormDialog
      title={`Put revision ${revision + 1} of ${tenant} in force?`}
      act="Put in force"
      size="xl"
      fields={[{ name: "note", label: "Why", help: "It stands in the history." }]}
      submit={(said) => put(textOf(said, "note"))}
      close={close}
    >
      <LineDiff label="Changes" before={writeText(before)} after={writeText(document)} />
      <Flips document={document} limit={simulated} isFolded />
      <p className="dim small">Waiting approvals of the tenant become void.</p>
    </FormDialog>
  );
}
