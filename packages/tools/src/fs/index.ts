import fileDelete from "./file-delete.ts";
import fileEdit from "./file-edit.ts";
import fileList from "./file-list.ts";
import filePatch from "./file-patch.ts";
import fileRead from "./file-read.ts";
import fileSearch from "./file-search.ts";
import fileWrite from "./file-write.ts";

export { fileDelete, fileEdit, fileList, filePatch, fileRead, fileSearch, fileWrite };
export const fileTools = [fileRead, fileWrite, fileEdit, filePatch, fileDelete, fileList, fileSearch] as const;
