import type { Kind } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";

/** Requests that read all rows: exactly the acknowledged changes must be stored. */
export function everything({ rows }: Model): Asked[] {
  return [0, 1].flatMap((org) => {
    const asked = (op: Asked["op"], kind: Kind, id?: number): Asked => {
      return { org, op, kind, body: {}, query: { pageSize: "100" }, ...(id !== undefined && { id }) };
    };
    const accounts = rows.filter(({ kind }) => kind === "accounts");
    const ids = accounts.filter((row) => row.org === org).map(({ id }) => id);
    return [
      // Rows of the other organization are also requested, and must be 404.
      ...accounts.map(({ id }) => ({ ...asked("get", "accounts", id), query: {} })),
      { ...asked("changes", "accounts"), query: {} },
      asked("list", "accounts"),
      asked("list", "requests"),
      asked("unmatched", "accounts"),
      ...ids.flatMap((id) => [
        ...(["usage", "history"] as const).map((op) => ({
          ...asked(op, "accounts", id),
          query: {},
        })),
        asked("list", "contacts", id),
        asked("list", "meetings", id),
      ]),
    ];
  });
}

/** The possible model that matches the service, or the first one if none does. */
export async function theOne(models: readonly Model[], service: Service): Promise<Model | undefined> {
  const [first, ...others] = models;
  if (others.length === 0) return first;
  for (const model of models) if (await isAs(model, service)) return model;
  return first;
}

async function isAs(model: Model, service: Service): Promise<boolean> {
  for (const asked of everything(model))
    if (!Bun.deepEquals(model.answer(asked), await service.ask(asked))) return false;
  return true;
}
