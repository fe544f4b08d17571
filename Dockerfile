# syntax=docker/dockerfile:1
# For builds that can be repeated, write node:26-slim@sha256:… with the digest that you have checked.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package may run a script here. Native binaries come inside npm packages, and npm compares each of
# these with its SHA-512 in the lock.
RUN npm ci --ignore-scripts
COPY tsconfig.json nest-cli.json ormconfig.ts ./
COPY src ./src
COPY test ./test
COPY bench ./bench
COPY demo ./demo
COPY scripts ./scripts
COPY packages ./packages
COPY openapi.json LICENSE ./
RUN npm run build && npm prune --omit=dev

FROM node:26-slim
ENV NODE_ENV=production
# docs/operate/capacity.md#memory has the measurements behind these settings.
ENV NODE_OPTIONS="--max-old-space-size=512 --max-semi-space-size=8"
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=65536
ENV MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist/src ./dist/src
COPY --from=build --chown=root:root /app/dist/packages ./dist/packages
COPY --chown=root:root LICENSE ./
# What /docs serves.
COPY --chown=root:root docs ./docs
COPY --chown=root:root examples ./examples
COPY --chown=root:root openapi.json openapi-staff.json ./
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
