import fileDelete from "./file-delete.ts";
import fileEdit from "./file-edit.ts";
import fileList from "./file-list.ts";
import fileRead from "./file-read.ts";
import fileSearch from "./file-search.ts";
import fileWrite from "./file-write.ts";

export { fileDelete, fileEdit, fileList, fileRead, fileSearch, fileWrite };
export const fileTools = [fileRead, fileWrite, fileEdit, fileDelete, fileList, fileSearch] as const;
