import { afterFailedCreate } from "../../provider/src/rules/lost-create";
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

/** The waits between the looks into the list: after an error, and after a timeout or a lost response of a finished create. */
const shortLooks = [500, 1000, 2000];
const longLooks = [...shortLooks, 4000, 8000, 15_000, 30_000];

test.each<[what: string, error: unknown, expected: { looks: number[]; mayResend: boolean } | undefined]>([
  ["rejected", new RejectedError("no", { status: 400 }), undefined],
  ["rejected because the account is full", new QuotaError("full", { status: 429 }), undefined],
  ["rejected because of too many calls", new RateLimitError("slow down", { status: 429 }), undefined],
  ["not sent, because the service was unreachable", new UnreachableError("down"), undefined],
  ["stopped by an error of another kind", new TypeError("oops"), undefined],
  ["cut by a reset", new LostAnswerError("reset", unknown), { looks: shortLooks, mayResend: true }],
  [
    "ended by a server error",
    new ServiceError("oops", { ...unknown, status: 500 }),
    { looks: shortLooks, mayResend: true },
  ],
  ["timed out in the client", new LostAnswerError("late", unknown, true), { looks: longLooks, mayResend: true }],
  [
    "timed out at the gateway",
    new ServiceError("late", { ...unknown, status: 504 }),
    { looks: longLooks, mayResend: true },
  ],
  [
    "timed out at the service",
    new ServiceError("late", { ...unknown, status: 408 }),
    { looks: longLooks, mayResend: true },
  ],
  [
    "done, with a response that was cut",
    new ServiceError("cut", { ...unknown, status: 200 }),
    { looks: longLooks, mayResend: false },
  ],
  [
    "done, with a response of an unknown form",
    new UnexpectedAnswerError("odd", { ...unknown, status: 200 }),
    { looks: longLooks, mayResend: false },
  ],
  ["redirected", new ServiceError("moved", { ...unknown, status: 300 }), { looks: shortLooks, mayResend: true }],
])("decides whether to look in the list and to send again after a create that was %s", (_, error, expected) => {
  const after = afterFailedCreate(error);
  expect(after).toEqual(expected && { lost: error, looksAfterMs: expected.looks, mayResend: expected.mayResend });
});
