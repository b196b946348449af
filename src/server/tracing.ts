import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { closeMilliseconds, pollMilliseconds } from "../../db/timer.ts";
import { type RecordedReply, recordedMethods } from "../http/request-record.ts";
import { type LeveledLog, oncePerMinute } from "../log.ts";
import { version } from "../version.ts";
import { traceparentOf } from "./traceparent.ts";

/** `ExportResultCode.SUCCESS` of `@opentelemetry/core`, which is no dependency of this package. */
const success = 0;
/** The parts of a request that have a span. */
const tracedParts = ["queue", "database"] as const;

/**
 * Sends one server span for each request to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`. The SDK reads the `OTEL_…`
 * variables. `clock`: milliseconds since 1970 UTC. A span has no value that a caller sent except the Host.
 */
export function createTracing(clock: () => number, log: LeveledLog) {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "accountd", "service.version": version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const stopping = new AbortController();
  const logFailure = oncePerMinute(() =>
    log.warn("traces_failed", { detail: "The collector accepts no traces. Check it and its address." }),
  );
  const exporter = withoutFailures(new OTLPTraceExporter(), stopping.signal, logFailure);
  // The exporter has a time limit. One of the processor would start an export next to the one that runs.
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: 2 ** 31 - 1 });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer("accountd", version);
  return {
    onReply({ request, response: { status }, record, milliseconds }: RecordedReply): void {
      const { protocol, hostname } = new URL(request.url);
      // `_OTHER`: by the semantic conventions.
      const method = recordedMethods.has(request.method) ? request.method : "_OTHER";
      const route = record.route?.replace(/:(\w+)/g, "{$1}");
      const startTime = clock() - milliseconds;
      const attributes = {
        "http.request.method": method,
        "http.response.status_code": status,
        "url.scheme": protocol.slice(0, -1),
        "server.address": hostname,
        ...(route !== undefined && { "http.route": route }),
        ...(status >= 500 && { "error.type": record.code ?? String(status) }),
      };
      const verb = method === "_OTHER" ? "HTTP" : method;
      const name = route === undefined ? verb : `${verb} ${route}`;
      const parent = parentOf(request.headers.get("traceparent"));
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, parent);
      if (span.isRecording() && record.times) {
        const context = trace.setSpan(ROOT_CONTEXT, span);
        const times = record.times.milliseconds;
        // The sum of each part, one after the other: where a request has a part twice, its spans are joined.
        let partTime = startTime + times.body;
        for (const part of tracedParts) {
          const endTime = partTime + times[part];
          if (times[part] > 0) tracer.startSpan(part, { startTime: partTime }, context).end(endTime);
          partTime = endTime;
        }
      }
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(startTime + milliseconds);
    },
    async stop(): Promise<void> {
      stopping.abort();
      // A collector may not reply.
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(closeMilliseconds)]);
    },
  };
}

/**
 * Exports that never fail: after a failure, the processor would start further exports next to a running one, each with
 * spans beyond its queue. `onFailure` is called instead, and the export ends after a pause, or at once after `signal`.
 */
function withoutFailures(exporter: SpanExporter, signal: AbortSignal, onFailure: () => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (!result.error) return done(result);
        onFailure();
        setTimeout(() => done({ code: success }), signal.aborted ? 0 : pollMilliseconds);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function parentOf(header: string | null) {
  const traceparent = traceparentOf(header);
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
