/** Builds the S3 server of the tests before them, so that no test waits for it. */
import { getGateway } from "./gateway";

try {
  console.error(`S3 server of the tests: ${getGateway()}`);
} catch (error) {
  // Only the tests of buckets need it. They report the same.
  console.error(`The tests of buckets will fail: ${error instanceof Error ? error.message : String(error)}`);
}
