import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { ImageFiles } from "./files";
import { PictureStores } from "./stores";
import { ImageTasks } from "./tasks";

/** The objects that the images of an operation share. */
export type Images = ReturnType<typeof imagesOf>;

export function imagesOf(operation: Operation) {
  const stores = new PictureStores(operation);
  return {
    operation,
    stores,
    tasks: new ImageTasks(operation, stores),
    filesOf: (resource: Resource) => new ImageFiles(operation, stores, resource),
  };
}
