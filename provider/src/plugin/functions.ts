import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { InputError } from "../errors";
import type { DecisionInputs } from "../rules/decision-fields";
import { nameInVoice } from "../rules/naming";
import type { Props } from "../lifecycle/lifecycle";
import type { Operation } from "../lifecycle/operation";
import { askOnce, assertAskable, assertKnownArguments, listArguments, listVoices } from "../service/functions";
import { nativeTypes } from "../rules/resource-types";
import { assertKnown, decode, encode } from "./values";

export async function invoke(operation: Operation, request: rpc.InvokeRequest): Promise<rpc.InvokeResponse> {
  const { props: decoded, secrets } = decode(request.getArgs());
  const { secretInputs, ...props } = decoded;
  assertKnown(request.getTok(), props);
  const isSecret = secrets.size > 0 || secretInputs === true;
  const result = await call(operation, request.getTok(), props, isSecret);
  return new rpc.InvokeResponse().setReturn(encode(result, isSecret ? new Set(Object.keys(result)) : secrets));
}

async function call(operation: Operation, token: string, props: Props, secret: boolean): Promise<object> {
  switch (token) {
    case "cloudvoice:index:getVoices":
      assertKnownArguments("getVoices", props, listArguments);
      return listVoices(operation, props.targetModel);
    case "cloudvoice:index:decisionCheck":
      await assertAskable(props as unknown as DecisionInputs, secret, operation.log.warn);
      return askOnce(() => operation, props as unknown as DecisionInputs, secret);
    default:
      throw new InputError(`there is no function ${token}`);
  }
}

/** The resources of the account, for `pulumi do … list`. The service lists voices only. */
export async function list(operation: Operation, request: rpc.ListRequest): Promise<rpc.ListResponse[]> {
  const token = request.getToken();
  if (token !== nativeTypes.cloudVoice) throw new InputError(`${token} can't be listed: the service lists voices only`);
  const { props } = decode(request.getQuery());
  assertKnownArguments("list", props, listArguments);
  const { voices } = await listVoices(operation, props.targetModel);
  return voices.slice(0, request.getLimit() > 0 ? request.getLimit() : undefined).map(({ voice }) => {
    const result = new rpc.ListResponse.Result().setId(voice).setName(nameInVoice(voice) ?? voice);
    return new rpc.ListResponse().setResult(result);
  });
}
