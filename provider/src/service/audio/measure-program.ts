/** The program of the thread of {@link measureInThread}. */
import { parentPort } from "node:worker_threads";
import { measure } from "./measure";

// A library that fails ends the thread.
parentPort?.on("message", (content: Uint8Array) => {
  void measure(Buffer.from(content.buffer)).then((measured) => parentPort?.postMessage(measured));
});
