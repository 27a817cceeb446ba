import { TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { visibleText } from "../../api/client.ts";
import { wordsOf } from "../../api/words.ts";
import { Failure } from "../../parts/failure.tsx";
import { PickFiles } from "../../parts/pick-files.tsx";
import { useDrop } from "../../parts/use-drop.ts";
import classes from "./memory-page.module.css";
import { uploadDocument } from "./upload-document.ts";

const usualCollection = "default";

/** One file that goes up now, or why nothing of it did. */
interface Rising {
  readonly id: number;
  readonly name: string;
  readonly share: number;
  readonly isUnchanged?: boolean;
  readonly problem?: string;
}

/** Takes files, one after the other, into a collection. */
export function Upload() {
  const [collection, setCollection] = useState(usualCollection);
  const [files, setFiles] = useState<readonly Rising[]>([]);
  const count = useRef(0);
  const add = async (given: readonly File[]) => {
    const rising = given.map((file) => ({ file, id: count.current++, name: file.name, share: 0 }));
    // What was said of those before is read; those that go up still stay.
    setFiles((all) => [...all.filter(isRising), ...rising]);
    for (const { file, id } of rising) {
      const put = (now: Partial<Rising>) => setFiles((all) => all.map((each) => (each.id === id ? { ...each, ...now } : each)));
      try {
        const to = collection.trim() || usualCollection;
        const done = await uploadDocument(file, { collection: to, onProgress: (share) => put({ share }) });
        if (done === "unchanged") put({ isUnchanged: true });
        else setFiles((all) => all.filter((each) => each.id !== id));
      } catch (error) {
        put({ problem: wordsOf(error) });
      }
    }
  };
  const isOver = useDrop(add);
  return (
    <>
      <div className={classes.bar}>
        <TextInput label="Collection" value={collection} onChange={(event) => setCollection(event.currentTarget.value)} />
        <PickFiles multiple take={add}>
          Upload documents
        </PickFiles>
      </div>
      {isOver && <p className={classes.over}>Let go to upload.</p>}
      <div role="status">
        {files.filter(isRising).map(({ id, name, share }) => (
          <p key={id}>
            <progress aria-label={`Upload of ${visibleText(name)}`} value={share} /> {visibleText(name)}
          </p>
        ))}
        {files.map(
          ({ id, name, isUnchanged }) =>
            isUnchanged && (
              <p key={id} className="dim">
                {visibleText(name)} has not changed since its last upload.
              </p>
            ),
        )}
      </div>
      {files.map(
        ({ id, name, problem }) => problem !== undefined && <Failure key={id} error={`${visibleText(name)}: ${visibleText(problem)}`} />,
      )}
    </>
  );
}

const isRising = ({ isUnchanged, problem }: Rising) => !isUnchanged && problem === undefined;
