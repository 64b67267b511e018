import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { InputError } from "../../errors";
import type { Questions } from "../../rules/decision";
import { nameInVoice } from "../../rules/naming";
import type { Operation } from "../provider/operation";
import { askOnce, assertKnownArguments, listArguments, listVoices } from "../shared/functions";
import { decode, encode } from "./values";

/** The functions of the package, which run in previews too. */
export async function invoke(operation: Operation, request: rpc.InvokeRequest): Promise<rpc.InvokeResponse> {
  const { props, secrets } = decode(request.getArgs());
  const result = await call(operation, request.getTok(), props, secrets.size > 0);
  const secretResults = secrets.size > 0 ? new Set(Object.keys(result)) : secrets;
  return new rpc.InvokeResponse().setReturn(encode({ ...result }, secretResults));
}

/** The resources of the account, for `pulumi do … list`. The service lists voices only. */
export async function list(operation: Operation, request: rpc.ListRequest): Promise<rpc.ListResponse[]> {
  const token = request.getToken();
  if (token !== "cloudvoice:index:CloudVoice")
    throw new InputError(`${token} can't be listed: the service lists voices only`);
  const { targetModel, ...others } = decode(request.getQuery()).props;
  assertKnownArguments("list", others, []);
  const { voices } = await listVoices(operation, typeof targetModel === "string" ? targetModel : undefined);
  const limit = request.getLimit() > 0 ? request.getLimit() : voices.length;
  return voices.slice(0, limit).map(({ voice }) => {
    const result = new rpc.ListResponse.Result().setId(voice).setName(nameInVoice(voice) ?? voice);
    return new rpc.ListResponse().setResult(result);
  });
}

async function call(
  operation: Operation,
  token: string,
  props: Record<string, unknown>,
  secret: boolean,
): Promise<object> {
  switch (token) {
    case "cloudvoice:index:getVoices": {
      assertKnownArguments("getVoices", props, listArguments);
      const { targetModel } = props;
      return listVoices(operation, typeof targetModel === "string" ? targetModel : undefined);
    }
    case "cloudvoice:index:decisionCheck": {
      // Checked before the call.
      const args = props as { state: string | object; questions: Questions };
      return askOnce(() => operation, args, secret, operation.log.warn);
    }
    default:
      throw new InputError(`there is no function ${token}`);
  }
}
