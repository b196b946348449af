import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { conditionalReply } from "../http/replies/entity-tags.ts";
import { NotModified, replies } from "../http/replies/replies.ts";
import { handleWrite, ok } from "../http/resource/write.ts";
import { bodyProblems, WriteQuery, writeProblems, writeReplies } from "../http/resource/write-schemas.ts";
import type { HealthSettings } from "../shared/health.ts";
import { previewHealth } from "./preview.ts";
import { lookUpSettings, readSettings, storeSettings } from "./settings.ts";
import {
  HealthPreviewReply,
  HealthSettingsReply,
  HealthSettingsShape,
  presentPreview,
  readHealthSettings,
} from "./settings-model.ts";

const readDetail = detailOf("Health", "read");
const body = { parse: strictJson(HealthSettingsShape), body: HealthSettingsShape };

/** The operations on how the organization computes scores. */
export const healthSettingsRoutes = tenantRoutes("/api/v1/health")
  .get(
    "/settings",
    async ({ tenant, request, set }) => {
      const { row, settings } = await tenant.readOne(readSettings);
      return conditionalReply({ request, set }, row, { data: settings });
    },
    {
      response: replies({ 200: HealthSettingsReply, 304: NotModified }, 400, 401, 500, 503),
      detail: readDetail(
        "getHealthSettings",
        "Get the health settings",
        "Returns the factors of scores with their weights and thresholds, and the lowest score of each tier. Without stored settings: the defaults.",
      ),
    },
  )
  .put(
    "/settings",
    handleWrite(
      ({ body }: { body: HealthSettings }) =>
        async (tx) => {
          const settings = readHealthSettings(body);
          return ok(settings, await storeSettings(tx, settings));
        },
      { preconditions: { lookUp: () => lookUpSettings } },
    ),
    {
      ...body,
      query: WriteQuery,
      response: writeReplies(
        { 200: HealthSettingsReply },
        [],
        ...writeProblems.filter((code) => code !== 404),
      ),
      detail: detailOf("Health", "admin")(
        "putHealthSettings",
        "Set the health settings",
        "Replaces the settings. A job computes every score again, and the change feed gets one `health_settings.updated`. The previous settings are in the change.",
      ),
    },
  )
  .post(
    "/preview",
    async ({ tenant, body }) => {
      const settings = readHealthSettings(body);
      const preview = await tenant.read((snapshot) => previewHealth(snapshot, settings), { place: "reader" });
      return { data: presentPreview(preview) };
    },
    {
      ...body,
      response: replies({ 200: HealthPreviewReply }, ...bodyProblems.filter((code) => code !== 404)),
      detail: readDetail(
        "previewHealth",
        "Preview health settings",
        "Returns the number of accounts of each tier and their monthly recurring revenue as they would be with these settings. Nothing is stored. With more than 2,000 accounts they are computed from a sample, evenly by id.",
      ),
    },
  );
