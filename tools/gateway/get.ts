/** Builds the S3 server before the tests, so that no test waits for it. */
import { getGateway } from "./gateway";

try {
  console.error(`S3 server of the tests: ${getGateway()}`);
} catch (error) {
  // Only the tests of buckets need the server, and they report the same error.
  console.error(`The tests of buckets will fail: ${error instanceof Error ? error.message : String(error)}`);
}
