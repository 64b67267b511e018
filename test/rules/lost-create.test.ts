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

test.each<[what: string, error: unknown, expected: { lookedForMs: number; mayResend: boolean } | undefined]>([
  ["refused", new RejectedError("no", { status: 400 }), undefined],
  ["the account is full", new QuotaError("full", { status: 429 }), undefined],
  ["too many calls", new RateLimitError("slow down", { status: 429 }), undefined],
  ["never reached", new UnreachableError("down"), undefined],
  ["a mistake of ours", new TypeError("oops"), undefined],
  ["reset", new LostAnswerError("reset", unknown), { lookedForMs: 3500, mayResend: true }],
  ["failed", new ServiceError("oops", { ...unknown, status: 500 }), { lookedForMs: 3500, mayResend: true }],
  ["timed out here", new LostAnswerError("late", unknown, true), { lookedForMs: 60_500, mayResend: true }],
  [
    "timed out at the gateway",
    new ServiceError("late", { ...unknown, status: 504 }),
    { lookedForMs: 60_500, mayResend: true },
  ],
  [
    "timed out at the service",
    new ServiceError("late", { ...unknown, status: 408 }),
    { lookedForMs: 60_500, mayResend: true },
  ],
  [
    "done, the answer cut",
    new ServiceError("cut", { ...unknown, status: 200 }),
    { lookedForMs: 60_500, mayResend: false },
  ],
  [
    "done, the answer of an unknown form",
    new UnexpectedAnswerError("odd", { ...unknown, status: 200 }),
    { lookedForMs: 60_500, mayResend: false },
  ],
])("after a create that was %s", (_, error, expected) => {
  const after = afterFailedCreate(error);
  expect(
    after && { lookedForMs: after.looksAfterMs.reduce((sum, ms) => sum + ms, 0), mayResend: after.mayResend },
  ).toEqual(expected);
});
