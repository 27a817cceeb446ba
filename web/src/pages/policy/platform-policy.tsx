import { useQuery } from "@tanstack/react-query";
import { type Answer, reading } from "../../api/queries.ts";
import { type Members, writeText } from "../../editor/document-text.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { visibleLine } from "../../parts/visible-line.ts";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./platform-policy.module.css";

/** The policy above all tenants', which files hold: to be read here, and changed there. */
export function PlatformPolicy({ isAllowed }: { readonly isAllowed: boolean }) {
  const { data, error, refetch } = useQuery({ ...reading("policy.platform", {}), enabled: isAllowed });
  if (!isAllowed)
    return (
      <Empty title="The platform's policy is of whoever runs the server">
        It holds for every tenant, and the tenant's own can only narrow it. To read its files here needs the permission{" "}
        <code>tenants:manage</code>.
      </Empty>
    );
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return data ? <Files platform={data} /> : <Waiting />;
}

function Files({ platform: { files, document } }: { readonly platform: Answer<"policy.platform"> }) {
  if (files.length === 0)
    return (
      <>
        <p className={classes.line}>
          No file: the built-in policy holds for every tenant. <code>toolwright serve --policy policy.yaml</code> puts a file in its place.
        </p>
        <NumberedText label="The built-in policy" text={writeText(document as Members)} />
      </>
    );
  return (
    <>
      <p className={classes.line}>
        These files hold for every tenant, as they are in force. They are read-only here: change them on the server, which takes a changed
        file without a restart.
      </p>
      {files.map(({ path, text }) => (
        <section key={path} className={classes.section}>
          <h2>
            <code>{path}</code>
          </h2>
          <NumberedText label={path} text={text} />
        </section>
      ))}
    </>
  );
}

/** With the numbers that decisions and errors name. */
function NumberedText({ label, text }: { readonly label: string; readonly text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <ScrollBox className={classes.file} label={label}>
      <ol>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
          <li key={index}>{visibleLine(line)}</li>
        ))}
      </ol>
    </ScrollBox>
  );
}
