import { Modal } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

/** What the server tells a single time. */
export function ShownOnce({ title, text, close }: { readonly title: string; readonly text: string; readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title={title} closeOnClickOutside={false} closeButtonProps={{ "aria-label": "Close" }}>
      <p>Copy it now: it is not shown again.</p>
      <pre>{text}</pre>
      <CopyButton text={text} />
    </Modal>
  );
}
