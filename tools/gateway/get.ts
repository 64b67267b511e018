/** Builds the S3 server of the tests before them, so that no test waits for it. */
import { getGateway } from "./gateway";

console.error(`S3 server of the tests: ${getGateway()}`);
