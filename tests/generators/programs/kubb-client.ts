import { authorized, queryString, server } from "./calls.ts";

export type RequestConfig<Body = unknown> = {
  url?: string;
  method?: string;
  params?: object;
  data?: Body;
  headers?: object;
};
export type ResponseConfig<Data = unknown> = { data: Data; status: number; headers: Headers };
export type ResponseErrorConfig<Failure = unknown> = Failure;

// biome-ignore lint/style/noDefaultExport: the contract of kubb.
export default async function client<Data, _Failure = unknown, Body = unknown>({
  url = "",
  method = "GET",
  params = {},
  data,
  headers,
}: RequestConfig<Body>): Promise<ResponseConfig<Data>> {
  const reply = await fetch(`${server}${url}?${queryString({ ...params })}`, {
    method,
    headers: { ...headers, ...authorized, "content-type": "application/json" },
    ...(data !== undefined && { body: JSON.stringify(data) }),
  });
  const isJson = /^application\/(?:problem\+)?json;/.test(`${reply.headers.get("content-type")};`);
  const body = await (isJson ? reply.json() : reply.text());
  if (!reply.ok) throw body;
  return { data: body, status: reply.status, headers: reply.headers };
}
export type Client = typeof client;
