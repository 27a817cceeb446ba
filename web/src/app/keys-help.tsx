import { Kbd, Modal } from "@mantine/core";
import classes from "./keys-help.module.css";
import { mod } from "./mod-key.ts";

const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[mod, "K"], "Find a page, a tool, a call or an action"],
  [["?"], "Show these keys"],
  [[mod, "Enter"], "Run the tool whose form is open"],
  [["Enter"], "Send the message that is typed"],
  [["Shift", "Enter"], "Begin a new line in a message"],
  [["J"], "Next approval or row"],
  [["K"], "Previous approval or row"],
  [["A"], "Move to Approve; Enter presses it"],
  [["D"], "Move to Deny; Enter presses it"],
  [["Esc"], "Close what is open"],
];

export function KeysHelp({ close }: { readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title="Keys" closeButtonProps={{ "aria-label": "Close" }}>
      <dl className={classes.keys}>
        {keys.map(([pressed, what]) => (
          <div key={what}>
            <dt>
              {pressed.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
