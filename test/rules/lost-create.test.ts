import { afterFailedCreate, lookWaitsMs } from "../../provider/src/rules/lost-create";
import {
  LostAnswerError,
  QuotaError,
  RateLimitError,
  RejectedError,
  ServiceError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../../provider/src/errors";

const unknown = { billed: "unknown" } as const;

test.each<[what: string, error: unknown, mayResend: boolean | undefined]>([
  ["rejected", new RejectedError("no", { status: 400 }), undefined],
  ["rejected because the account is full", new QuotaError("full", { status: 429 }), undefined],
  ["rejected because of too many calls", new RateLimitError("slow down", { status: 429 }), undefined],
  ["not sent, because the service was unreachable", new UnreachableError("down"), undefined],
  ["stopped by an error of another kind", new TypeError("oops"), undefined],
  ["cut by a reset", new LostAnswerError("reset", unknown), true],
  ["ended by a server error", new ServiceError("oops", { ...unknown, status: 500 }), true],
  ["timed out in the client", new LostAnswerError("late", unknown), true],
  ["timed out at the gateway", new ServiceError("late", { ...unknown, status: 504 }), true],
  ["timed out at the service", new ServiceError("late", { ...unknown, status: 408 }), true],
  ["done, with a response that was cut", new ServiceError("cut", { ...unknown, status: 200 }), false],
  ["done, with a response of an unknown form", new UnexpectedAnswerError("odd", { ...unknown, status: 200 }), false],
  ["redirected", new ServiceError("moved", { ...unknown, status: 300 }), true],
])("decides whether to look in the list and to send again after a create that was %s", (_, error, mayResend) => {
  const after = afterFailedCreate(error);
  expect(after).toEqual(mayResend === undefined ? undefined : { lost: error, mayResend });
});

test.each([
  [0, []],
  [-5, []],
  [300, [300]],
  [500, [500]],
  [3500, [500, 1000, 2000]],
  [10_000, [500, 1000, 2000, 4000, 2500]],
  [20_000, [500, 1000, 2000, 4000, 5000, 5000, 2500]],
])("looks during %i ms: often at first, and the last time at the very end", (totalMs, waits) => {
  expect(lookWaitsMs(totalMs)).toEqual(waits);
});
