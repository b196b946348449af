FROM oven/bun:1.4.5-debian AS build
WORKDIR /accountd
COPY package.json bun.lock ./
# The console is built by `compile`.
RUN bun install --frozen-lockfile --production --ignore-scripts
COPY tsconfig.json ./
COPY db db
COPY src src
COPY clients/typescript/src clients/typescript/src
# The guides of the API reference.
COPY docs docs
# `build` would install the development dependencies; `compile` does not need them.
RUN bun run compile && mkdir data

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /accountd/dist/accountd /accountd
COPY --from=build --chown=nonroot:nonroot /accountd/data /data
ENV DATABASE_URL=/data/accountd.db HOST=0.0.0.0 PORT=3000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/accountd", "health"]
ENTRYPOINT ["/accountd"]
CMD ["serve"]
