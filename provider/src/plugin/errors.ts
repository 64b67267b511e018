import * as grpc from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { CloudVoiceError } from "../errors";
import { describeThrown } from "../describe-thrown";
import { CancelledError } from "../lifecycle/cancel";

/** A failure whose gRPC response has more than a message. */
export class CallFailure extends Error {
  constructor(readonly response: Partial<grpc.StatusObject>) {
    super(response.details);
  }
}

/** The error as gRPC sends it. Only an unexpected error shows its stack. */
export function grpcError(error: unknown): Partial<grpc.StatusObject> {
  if (error instanceof CallFailure) return error.response;
  const { message } = describeThrown(error);
  const isExpected = CloudVoiceError.is(error) || error instanceof CancelledError || !(error instanceof Error);
  return {
    code: error instanceof CancelledError ? grpc.status.CANCELLED : grpc.status.UNKNOWN,
    details: isExpected ? message : `unexpected: ${error.stack ?? message}`,
  };
}

/**
 * The error after which the engine saves the resource with `properties`, reports `reason`, and calls `update` in the
 * next run.
 */
export function initializationError(id: string, properties: Struct, reason: string): CallFailure {
  const failure = new ErrorResourceInitFailed().setId(id).setProperties(properties).setReasonsList([reason]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(reason).setDetailsList([detail]);
  const metadata = new grpc.Metadata();
  // Workaround: grpc-js does not encode the details of an error. Go's gRPC reads the details from this header.
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return new CallFailure({ code: grpc.status.UNKNOWN, details: reason, metadata });
}
