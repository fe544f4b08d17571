# syntax=docker/dockerfile:1
# The image of an archive: `npm run archives` makes it, and a release has it beside the sources. Nothing is compiled or
# downloaded here. For builds that can be repeated, write node:26-slim@sha256:… with the digest that you have checked.
FROM node:26-slim AS unpacked
ARG VERSION=1.0.0
# Docker sets it: amd64 or arm64.
ARG TARGETARCH=amd64
COPY archives/${VERSION}/ /archives/
RUN cd /archives && sha256sum --check --ignore-missing --quiet SHA256SUMS && mkdir /app && \
  tar -xzf "product-availability-${VERSION}-linux-$(echo "$TARGETARCH" | sed s/amd64/x64/).tar.gz" \
    -C /app --strip-components=1

FROM node:26-slim
ARG VERSION=1.0.0
LABEL org.opencontainers.image.title="Product Availability Service" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
# docs/operate/capacity.md#memory has the measurements behind these settings.
ENV NODE_OPTIONS="--max-old-space-size=512 --max-semi-space-size=8"
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=65536
ENV MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=unpacked --chown=root:root /app ./
# The root file system can be read-only; data lies in a volume.
RUN mkdir /data && chown node:node /data
ENV SQLITE_FILE=/data/availability.sqlite
VOLUME /data
USER node
# Metrics are at OPS_HOST, which is 127.0.0.1: set it to 0.0.0.0 where only Prometheus can reach port 9464.
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||3000)+'/health/live').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Not npm: signals have to reach node. The options are those of the systemd unit.
CMD ["node", "--no-maglev-build-code-on-background", "--no-maglev-deopt-data-on-background", "dist/src/main.js"]
