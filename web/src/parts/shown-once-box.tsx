import { Modal } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

export interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly close: () => void;
}

/** A dialog that closes by its button alone: what it shows is gone then. */
export function ShownOnceBox({ title, text, close }: ShownOnceProps) {
  useReturnFocus();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <div style={{ display: "grid", gap: 12, justifyItems: "start" }}>
        <p>Copy it now: it is not shown again.</p>
        <pre>{text}</pre>
        <CopyButton text={text} hasFocus />
      </div>
    </Modal>
  );
}
