import { autocompletion, type CompletionContext, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { keymap, lineNumbers, placeholder as showPlaceholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { EditorView, minimalSetup } from "codemirror";
import { type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import { nonce } from "../app/nonce.ts";
import type { Mark } from "./document-text.ts";
import { suggest, type Vocabulary } from "./suggest.ts";

export interface EditorHandle {
  /** Puts the cursor there, and the keyboard into the editor. */
  goTo(offset: number): void;
}

export interface CodeEditorProps {
  readonly label: string;
  /** Id of what says how to leave it. */
  readonly describedBy: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Of the text `of`; they are shown as long as it is the editor's. */
  readonly marks: { readonly of: string; readonly list: readonly Mark[] };
  /** Asked each time that something can be completed. */
  readonly vocabulary: () => Promise<Vocabulary>;
  readonly placeholder: string;
  readonly handle: RefObject<EditorHandle | null>;
}

/** YAML with line numbers, completion and marks. Tab leaves it, as in any field. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, marks, handle } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { label, describedBy, placeholder } = latest.current;
    const editor = new EditorView({
      parent: box.current as HTMLDivElement,
      doc: latest.current.value,
      extensions: [
        ...look,
        autocompletion({ override: [complete(latest)], icons: false }),
        showPlaceholder(placeholder),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy }),
        EditorView.updateListener.of((update) => {
          const now = update.state.doc.toString();
          if (update.docChanged && now !== latest.current.value) latest.current.onChange(now);
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor?.state.doc.toString() === marks.of) editor.dispatch(setDiagnostics(editor.state, marks.list.map(toDiagnostic)));
  }, [marks]);
  useImperativeHandle(handle, () => ({
    goTo(offset) {
      const editor = view.current;
      editor?.dispatch({ selection: { anchor: Math.min(offset, editor.state.doc.length) }, scrollIntoView: true });
      editor?.focus();
    },
  }));
  return <div ref={box} />;
}

const toDiagnostic = ({ level, from, to, message }: Mark): Diagnostic => ({ from, to, message, severity: level });

/** What the page does not know yet is waited for; without an answer nothing is completed. */
const complete = (latest: RefObject<CodeEditorProps>) => async (context: CompletionContext) => {
  const vocabulary = await latest.current.vocabulary().catch(() => undefined);
  const found = vocabulary && suggest(context.state.doc.toString(), context.pos, vocabulary);
  if (!found || (found.from === context.pos && !context.explicit)) return null;
  return { from: found.from, options: found.options.map((option) => ({ ...option, info: option.info ?? "" })), validFor: /^[\w.:/-]*$/ };
};

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--runs)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.bool, tags.number, tags.atom], color: "var(--asks)" },
]);

// Of the tokens, which change with the scheme by themselves.
const theme = EditorView.theme({
  "&": {
    border: "1px solid var(--field)",
    borderRadius: "var(--radius)",
    background: "var(--surface)",
    color: "var(--text)",
    fontSize: "13px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { minHeight: "280px", maxHeight: "65vh", overflow: "auto", fontFamily: "var(--mono)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0", minHeight: "280px", boxSizing: "border-box" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--dim)" },
  ".cm-gutters": { border: 0, background: "transparent", color: "var(--dim)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    background: "var(--accent-wash)",
  },
  ".cm-tooltip": { border: "1px solid var(--field)", borderRadius: "var(--radius)", background: "var(--surface)", color: "var(--text)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent-wash)", color: "var(--accent)" },
  ".cm-completionDetail": { color: "var(--dim)", fontStyle: "normal" },
  ".cm-completionMatchedText": { fontWeight: 650, textDecoration: "none" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 8px", maxWidth: "320px", fontFamily: "system-ui, sans-serif" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "system-ui, sans-serif" },
});

/** Typing over a selection, done here: Chromium would keep its colour with an inline style, which the content security policy refuses. */
const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

const look: readonly Extension[] = [
  minimalSetup,
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  lintGutter(),
  closeBrackets(),
  typeOver,
  yaml(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  syntaxHighlighting(colors),
  theme,
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap]),
];
